"""Owns how fast a pull goes: its rate and the time left, worked out from what was reported of it."""

from __future__ import annotations

from collections.abc import Callable

from sondage.core.answers.index import Progress

FIRST_WORD = 1.0
"""Seconds of a pull before its rate says anything."""


class Pace:
    """`clock` gives seconds. The rate is that of the whole pull: the first batches are no slower than the last."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started: float | None = None
        self._progress = Progress("connect")

    def take(self, progress: Progress) -> None:
        if progress.stage != "pull":
            self._started = None
        elif self._started is None:
            self._started = self._clock()
        self._progress = progress

    @property
    def rate(self) -> float | None:
        """Bytes per second; None while it is not known."""
        passed = self._clock() - self._started if self._started is not None else 0.0
        done = self._progress.bytes_done
        return done / passed if passed >= FIRST_WORD and done else None

    @property
    def left(self) -> float | None:
        """Seconds until the pull has ended; None while it is not known."""
        rate = self.rate
        return (self._progress.bytes_total - self._progress.bytes_done) / rate if rate else None
