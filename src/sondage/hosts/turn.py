"""Owns whose turn it is on a connection that does one thing at a time, and that a long one may see that others wait."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Turn:
    """An `async with` for one at a time, in the order of asking."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._waiting = 0
        self._given = 0
        """How often it was somebody's turn."""

    @property
    def is_taken(self) -> bool:
        return self._lock.locked()

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits for it."""
        return self._waiting > 0

    async def __aenter__(self) -> None:
        self._waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self._waiting -= 1
        self._given += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    async def give_way(self, seconds: float) -> None:
        """Returns once nobody has had a turn for so long: who asks a second thing does so soon after the first."""
        given = -1
        while given != self._given:
            given = self._given
            await asyncio.sleep(seconds)
            if self.is_taken:
                async with self:
                    given = self._given - 1
