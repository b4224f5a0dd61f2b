"""Owns how long work in other threads may keep the event loop waiting."""

from __future__ import annotations

import gc
import sys

TURN = 0.0005
"""Seconds after which a thread that computes lets the loop go on. Of Python's own 5 ms several pass in a row: each call
that gives the interpreter away, even for a microsecond, has to wait for it again."""
FULL_COLLECTION_AFTER = 1000
"""Collections of young objects before one of all, instead of 10: it stops every thread, for a tenth of a second where the
tables of a large tree are kept. What is kept for long is taken out of its sight; see `dig.questions.warm`."""


def shorten_pauses() -> None:
    """Holds for the whole process."""
    sys.setswitchinterval(TURN)
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_COLLECTION_AFTER)
