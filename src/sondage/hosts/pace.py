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

AHEAD = 1.0
"""Seconds that it takes until what was asked for is here: that long the way is never idle, and a new wish waits."""
FIRST_AHEAD = 8 << 20
"""Bytes of sources, at most, that are asked for before it is known what comes in a second; half of it at once."""
LEAST_AHEAD = 1 << 19
TELLING = 1 << 16
"""Bytes of a listing that say how slow the way may be at worst: they come no faster than they are found."""
GUESSED_AHEAD = 15.0
"""Sources are packed to a fifth, and what a listing says is three times too slow as a rule."""


class Pace:
    """Measured by what is asked for anyway; nothing is sent to find out."""

    def __init__(self) -> None:
        self._start_seconds = 0.0
        self._rate: float | None = None
        self._guessed: float | None = None
        self._sources_rate: float | None = None
        """Of the sources themselves, packed or not, with the time until the first of them came."""
        self._trusted = True
        self._begun = self._first = 0.0
        self._bytes = self._sources = 0

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

    def room(self, asked: int) -> int:
        """Bytes of sources that may be asked for now, where so many are on their way; 0 for none at the moment."""
        most = FIRST_AHEAD if self._guessed is None else min(int(self._guessed * GUESSED_AHEAD), FIRST_AHEAD)
        if self._sources_rate is not None:
            most = int(self._sources_rate * (AHEAD + self._start_seconds))
        most = max(most, LEAST_AHEAD)
        return most // 2 if asked < most else 0

    def begin(self) -> None:
        """Something is asked for, and nothing was on its way."""
        self._begun = time.perf_counter()
        self._bytes = self._sources = 0

    def count(self, size: int) -> None:
        """So many bytes of an answer came now. The first piece starts the clock: what was before it was the host's work."""
        if not self._bytes:
            self._first = time.perf_counter()
        self._bytes += size

    def finish(self, sources: int = 0) -> None:
        """It is whole, and held so many bytes of sources. The next one may be on its way."""
        now = time.perf_counter()
        if self._bytes >= MEASURABLE:
            self._rate = self._bytes / max(now - self._first, 1e-6)
        if self._bytes >= TELLING and not sources:
            self._guessed = self._bytes / max(now - self._first, 1e-6)
        self._bytes = 0
        self._sources += sources
        if self._sources >= MEASURABLE:
            self._sources_rate = self._sources / max(now - self._begun, 1e-6)
