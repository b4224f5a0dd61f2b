"""Owns the limits on waiting: nothing that depends on a host is awaited without one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")

RESOLVE = 10.0
TCP = 10.0
HANDSHAKE = 20.0
"""From the TCP connection to the verified host key."""
LOGIN = 60.0
"""For one step of a login that nobody is asked for; a security key may wait for a touch meanwhile."""
AGENT = 2.0
CHANNEL = 20.0
SILENCE = 60.0
"""Between two pieces of an answer. A listing may be silent for longer: see `ListRequest.max_seconds`."""
CLOSE = 3.0


async def within(seconds: float, awaitable: Awaitable[T], late: Exception) -> T:
    """The awaited value, or `late` is raised after so many seconds and the waiting is cancelled."""
    try:
        async with asyncio.timeout(seconds):
            return await awaitable
    except TimeoutError:
        raise late from None


class Patience:
    """An `async with` that lasts so many seconds, except while it is paused because somebody is being asked.

    Raises TimeoutError at its end, as `asyncio.timeout` does.
    """

    def __init__(self, seconds: float) -> None:
        self._timer = asyncio.timeout(seconds)
        self._pauses = 0

    async def __aenter__(self) -> Patience:
        await self._timer.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._timer.__aexit__(kind, error, trace)

    def renew(self, seconds: float) -> None:
        """Another stage has begun, which may take so many seconds from now."""
        if not self._pauses and not self._timer.expired():
            self._timer.reschedule(asyncio.get_running_loop().time() + seconds)

    @contextmanager
    def paused(self, seconds: float) -> Iterator[None]:
        """No limit inside; afterwards so many seconds."""
        self._pauses += 1
        if not self._timer.expired():
            self._timer.reschedule(None)
        try:
            yield
        finally:
            self._pauses -= 1
            self.renew(seconds)
