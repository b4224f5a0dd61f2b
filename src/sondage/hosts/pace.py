"""Owns what is known of the way to a host: how long it takes there and back, how much comes at a time, what packing pays."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

Packing: TypeAlias = Literal["plain", "near", "far"]
"""What a pull asks for: nothing, zstd where the host has it, or gzip as well where it has not (see `hosts.commands`)."""

WORTH_PACKING = 64 << 10
"""Bytes; below, starting another program takes longer than what it saves."""
FAR_SECONDS = 0.02
"""Starting a command takes two round trips; within a building they and the host's start-up files last less."""
GZIP_PAYS = 27e6
"""Bytes a second: below, gzip -1 (36 MB/s, leaves a quarter of Python sources) is faster than sending all of them. With
zstd -3 (130 MB/s, leaves a fifth) that is so up to where our own reading is the limit."""
MEASURABLE = 1 << 20
"""Bytes; what comes in fewer pieces says more about the host than about the way."""


class Pace:
    """Measured by what is asked for anyway; nothing is sent to find out."""

    def __init__(self) -> None:
        self._start_seconds = 0.0
        self._rate: float | None = None
        self._trusted = True
        self._first = 0.0
        self._bytes = 0

    def packing(self, size: int) -> Packing:
        """What to ask for when so many bytes are to come."""
        if size < WORTH_PACKING or not self._trusted:
            return "plain"
        if self._rate is not None:
            return "far" if self._rate < GZIP_PAYS else "near"
        return "far" if self._start_seconds > FAR_SECONDS else "near"

    def distrust_packers(self) -> None:
        """An answer could not be read, for which a program that packs may be the reason."""
        self._trusted = False

    @contextmanager
    def timing_start(self) -> Iterator[None]:
        """Around starting a command."""
        started = time.perf_counter()
        yield
        self._start_seconds = time.perf_counter() - started

    def begin(self) -> None:
        """An answer is going to come."""
        self._bytes = 0

    def count(self, size: int) -> None:
        """So many bytes of it came now. The first piece starts the clock: what was before it was the host's work."""
        if not self._bytes:
            self._first = time.perf_counter()
        self._bytes += size

    def finish(self) -> None:
        """It is whole."""
        if self._bytes >= MEASURABLE:
            self._rate = self._bytes / max(time.perf_counter() - self._first, 1e-6)
