"""Owns how long work in other threads may keep the event loop waiting."""

from __future__ import annotations

import gc
import sys

TURN = 0.0005
"""Seconds after which a thread that computes lets the loop go on. Of Python's own 5 ms several pass in a row: each call
that gives the interpreter away, even for a microsecond, has to wait for it again."""
YOUNG, MIDDLE = 700, 10
"""Python's own measure of what is looked through at a time; a command sets another one."""
FULL_COLLECTION_AFTER = 1000
"""Collections of young objects before one of all, instead of 10: it stops every thread, for a tenth of a second where the
tables of a large tree are kept. What is kept for long is taken out of its sight; see `dig.questions.warm`."""


def shorten_turns() -> None:
    """For the whole process, and from its start: the thread that writes the first frame waits for its turn as well."""
    sys.setswitchinterval(TURN)


def shorten_collections() -> None:
    """For the whole process, once the first frame stands: what it is made of stays."""
    gc.set_threshold(YOUNG, MIDDLE, FULL_COLLECTION_AFTER)
    gc.freeze()  # to and fro: what was made so far counts as old, and the next collection does not go through all of it
    gc.unfreeze()
