"""Owns the connection to the host of one target: made, watched, lost, and made again. One to this machine is `reach`'s.

A lost one is tried again after 1, 2, 4 … 60 seconds, and only by what needs nobody's answer: a login that is refused, or a
host key that is not the known one, ends the trying until the user asks for it. Nothing is read again by itself.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from sondage.dig.reach import Reach, who
from sondage.errors import ConnectError, HostError, SondageError
from sondage.hosts.base import Asker, Host, SshOptions, Target
from sondage.hosts.deadline import within
from sondage.hosts.open import open_host

T = TypeVar("T")

LONGEST_PAUSE = 60.0
BEAT = 5.0
"""Seconds between two looks at the clocks."""
NAP = 5.0
"""Seconds that the wall clock has to run ahead of the steady one, which stands still while a machine sleeps."""
ANSWER = 5.0
"""Seconds in which a host that is there answers, once the machine is awake again."""
MEASURED_EVERY = 12
"""Beats between two measurements of the round trip."""


class Clock(msgspec.Struct, frozen=True):
    """Time and chance, which tests put others in the place of. `steady` does not count while the machine sleeps."""

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


class Connection(Reach):
    """The way to a host over SSH."""

    def __init__(self, target: Target, options: SshOptions, asker: Asker | None, clock: Clock | None = None) -> None:
        self._clock = clock or Clock()
        super().__init__(target, self._clock.wall)
        self._options = options
        self._asker = asker
        self._keeper: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Future[None]] = set()
        self._turn = asyncio.Lock()
        self._opener: asyncio.Task[Any] | None = None
        """Who waits for a connection that is being made; the user may take any time to answer a question."""

    async def open(self) -> Host:
        """The open connection, made if there is none; the user may be asked. A try in the background gives way.

        Raises UsageError, ConfigError, and the children of HostError.
        """
        async with self._turn:
            if self.host is not None:
                return self.host
            await self._let_go()
            self._opener = asyncio.current_task()
            try:
                host = await self._connect()
            finally:
                self._opener = None
            self._arrived(host)
            self._keep(host, "")
            return host

    async def _connect(self) -> Host:
        before = self.link
        self._become("connecting")
        try:
            return await open_host(self._target, self._options, self._asker)
        except ConnectError as error:
            if self.identity is not None:
                self._keep(None, str(error))
            else:
                self._become("offline", str(error))
            raise
        except BaseException as error:
            given_up = str(error) if isinstance(error, SondageError) else before.reason
            self._become("offline" if self.identity is None else "lost", given_up)
            raise

    def take(self, host: Host) -> None:
        """A connection that was made before, for choosing the root: it is this one's from now on."""
        self._arrived(host)
        self._keep(host, "")

    async def check(self) -> None:
        """After trouble with the host: a connection that does not answer is given up, and tried again by itself."""
        async with self._turn:
            host = self.host
            if host is not None and not await self._answers(host):
                await self._let_go()
                self._keep(None, "the host does not answer")
                await self._close(host)

    async def aclose(self) -> None:
        """Ends the connection, and the making of one."""
        if self._opener is not None:
            self._opener.cancel()
        async with self._turn:
            await self._let_go()
            host, self.host = self.host, None
            self._become("offline")
            if host is not None:
                await self._close(host)
            await asyncio.gather(*self._closing)

    # ---- inside

    def _keep(self, host: Host | None, reason: str) -> None:
        """From now on a connection that is lost is made again. Without a host it is lost already, for that reason."""
        self.host = host
        if host is None:
            self._become("lost", reason)
        self._keeper = asyncio.ensure_future(self._keep_up(host, reason))

    async def _let_go(self) -> None:
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.wait({keeper})

    async def _keep_up(self, host: Host | None, reason: str) -> None:
        while True:
            if host is not None:
                reason = await first_of(host.ended(), self._silent(host))
                self.host = None
                self._become("lost", reason)
                self.notes.append(f"the connection is lost: {reason}; answers go on from what was read before")
                await self._close(host)
            host = await self._reconnect(reason)
            if host is None:
                return

    async def _close(self, host: Host) -> None:
        """To its end, also when whoever waits for that is cancelled."""
        closing = asyncio.ensure_future(host.aclose())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    async def _reconnect(self, reason: str) -> Host | None:
        """None where it takes the user to go on."""
        for pause in pauses(self._clock.chance):
            self._become("lost", reason, self._clock.wall() + pause)
            await first_of(self._clock.sleep(pause), self._woken())
            self._become("reconnecting", reason)
            try:
                host = await open_host(self._target, replace(self._options, background=True), None)
            except ConnectError as error:
                reason = str(error)
            except SondageError as error:
                self._become("lost", str(error))
                self.notes.append(f"not connected again, R asks: {error}")
                return None
            else:
                self.notes.append("connected again; R refreshes")
                self._arrived(host)
                return host
        return None

    def _arrived(self, host: Host) -> None:
        before, self.identity = self.identity, host.identity
        self.host, self.round_trip = host, None
        if before is not None and who(before) != who(self.identity):
            self.notes.append(
                f"another host answers than before: {self._target}; R reads it, its sources are kept apart"
            )
        self._become("online")

    async def _silent(self, host: Host) -> str:
        """Returns once the machine has slept and the host does not answer any more; measures the round trip meanwhile."""
        for beat in count(1):
            asleep = await self._beat()
            if asleep and not await self._answers(host):
                return "the host does not answer since this machine woke up"
            if beat % MEASURED_EVERY == 0 and not asleep:
                await self._answers(host)
        raise AssertionError

    async def _woken(self) -> None:
        """Returns after this machine has slept."""
        while not await self._beat():
            pass

    async def _beat(self) -> bool:
        """A moment; whether the machine slept in it."""
        clock = self._clock
        wall, steady = clock.wall(), clock.steady()
        await clock.sleep(BEAT)
        return (clock.wall() - wall) - (clock.steady() - steady) > NAP

    async def _answers(self, host: Host) -> bool:
        """Whether the host is there. One that is busy sending has an answer wait behind what it sends."""
        received = host.traffic.bytes_received
        with suppress(HostError):
            self.round_trip = await within(ANSWER, host.ping(), ConnectError("the connection does not answer"))
            self._tell()
            return True
        return host.traffic.bytes_received > received


def pauses(chance: Callable[[], float]) -> Iterator[float]:
    """Seconds before each try: 1, 2, 4 … 60, each shortened by up to a half, so that many clients do not come at once."""
    pause = 1.0
    while True:
        yield pause * (1 - chance() / 2)
        pause = min(2 * pause, LONGEST_PAUSE)


async def first_of(*works: Awaitable[T]) -> T:
    """What the first of them returns; the others are cancelled, and have ended."""
    running = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        return next(one for one in running if one in done).result()
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
