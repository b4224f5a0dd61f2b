"""Owns what runs in a parse process: sources in, encoded facts out. It imports the core and nothing that waits or shows."""

from __future__ import annotations

import gc
import signal
from collections.abc import Sequence

from sondage.core.source.extract import extract
from sondage.core.source.facts import encode


def start_worker() -> None:
    """Once per process. Facts hold no circles, so the collector only costs; Ctrl-C is the parent's to answer."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def encoded_facts(sources: Sequence[bytes]) -> list[bytes]:
    """The facts of each source, in order, as bytes: they cross the process border without being taken apart again."""
    return [encode(extract(source)) for source in sources]
