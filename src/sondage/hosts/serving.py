"""Owns the one command while it runs: requests go in, some ahead of their answers, and the answers come out in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Generic, TypeVar

import msgspec

from sondage.errors import HostError, TransferError
from sondage.hosts import deadline
from sondage.hosts.base import Traffic
from sondage.hosts.commands import SERVE, end_mark
from sondage.hosts.deadline import within
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Reply, Steps
from sondage.hosts.line import Exchange, Line
from sondage.hosts.pace import Pace

T = TypeVar("T")


class Request(msgspec.Struct, Generic[T], frozen=True):
    """`sent` asks, `parser` reads the answer, `size` is the bytes of the files that are asked for."""

    nonce: bytes
    sent: bytes
    parser: Callable[[Feed], Steps[T]]
    size: int = 0


Following = Callable[[int], Request[T] | None]
"""The request that comes next, for files of about so many bytes; None when there is nothing more to ask for."""


class Serving:
    """The command of one host, started when it is first needed.

    It waits for the next request, which is then answered within one round trip; starting it takes two, and the time of
    the host's start-up files. It ends with the connection, or when an answer is not read to its end: nobody knows then
    where the next one would begin.
    """

    def __init__(self, line: Line, where: str, traffic: Traffic, pace: Pace) -> None:
        self._line = line
        self._where = where
        self._traffic = traffic
        self._pace = pace
        self._running: Exchange | None = None
        self._works = False
        """Whether it has answered since it was started."""

    @property
    def is_running(self) -> bool:
        return self._running is not None

    async def ask(self, following: Following[T], *, patient: bool = False) -> AsyncGenerator[T, None]:
        """The results of requests as they come; those of one are whole only with the end mark of this very request.

        A request is taken from `following` at the moment it is sent, some ahead of their answers, so that the way never
        lies idle. `patient`: the host may say nothing for as long as the connection is there and the caller waits.
        """
        waiting: deque[_Waiting[T]] = deque()
        try:
            command = self._running
            while (command := await self._send(command, following, waiting)) is not None:
                data = await self._receive(command, waiting[0], patient)
                if not data:
                    await self._check_end(command)
                for item in self._answered(waiting, data):
                    yield item
                await asyncio.sleep(0)  # what has arrived already comes without waiting, and others want a turn
        except GarbledError:
            self._pace.distrust_packers()
            raise
        except NoAnswerError:
            if self._works:  # somebody has ended it on the host meanwhile, and another one can be started
                raise GarbledError("the command on the host has ended", self._where) from None
            raise
        finally:
            if waiting:
                await self.aclose()

    async def _send(
        self, command: Exchange | None, following: Following[T], waiting: deque[_Waiting[T]]
    ) -> Exchange | None:
        """Asks for as much as may be on its way. The command, or None where there is nothing more to wait for."""
        while room := self._pace.room(sum(one.request.size for one in waiting)):
            request = following(room)
            if request is None:
                break
            command = command or await self._start()
            command.send(request.sent)
            if not waiting:
                self._pace.begin()
            waiting.append(_Waiting(request))
        return command if waiting else None

    def _answered(self, waiting: deque[_Waiting[T]], data: bytes) -> Iterator[T]:
        """The results that became known with these bytes, b"" for the end of them. Answers that are whole wait no more."""
        ended = not data
        while waiting:
            one = waiting[0]
            own, rest = one.split(data)
            self._pace.count(len(own))
            yield from self._placed(one.reply.feed, own)
            if ended or rest is not None:
                yield from self._placed(one.reply.end)
            elif not one.reply.complete or len(waiting) > 1:
                return
            waiting.popleft()
            self._works = True
            self._pace.finish(one.request.size)
            if not rest and not ended:
                return
            data = rest or b""

    async def _check_end(self, command: Exchange) -> None:
        """Raises where the answer breaks off because the connection did. A command that has worked may have been killed."""
        if await command.finish() is None and not (self._works and not self._line.is_closed()):
            raise command.broken()

    async def _receive(self, command: Exchange, one: _Waiting[T], patient: bool) -> bytes:
        """More of the answer. What has not begun after a while is not our command, but a menu that waits, or the like."""
        while one.reply.began:
            try:
                return await command.receive()
            except TransferError:
                if not patient or self._line.is_closed():
                    raise
        late = NoAnswerError("the host does not run the command", self._where, f"nothing for {deadline.CHANNEL:g} s")
        return await within(deadline.CHANNEL, command.receive(), late)

    async def _start(self) -> Exchange:
        with self._pace.timing_start():
            self._running = await self._line.start(SERVE, self._traffic)
        return self._running

    async def aclose(self) -> None:
        """Ends the command on the host, if one is running."""
        running, self._running, self._works = self._running, None, False
        if running is not None:
            await running.aclose()

    def _placed(self, parse: Callable[..., list[T]], *given: bytes) -> list[T]:
        """Parsers know what is wrong; which host it is wrong on is added here."""
        try:
            return parse(*given)
        except HostError as error:
            error.where = f"{self._where}:{error.where}" if error.where else self._where
            raise


class _Waiting(Generic[T]):
    """A request that was sent, and what has come of its answer."""

    def __init__(self, request: Request[T]) -> None:
        self.request = request
        self.reply = Reply(request.parser)
        self._mark = end_mark(request.nonce)
        self._last = b""
        """So much of what has come as may be the beginning of the mark."""

    def split(self, data: bytes) -> tuple[bytes, bytes | None]:
        """What belongs to this answer, and what follows its end mark; None while that has not come."""
        seen = self._last + data
        place = seen.find(self._mark)
        if place < 0:
            self._last = seen[1 - len(self._mark) :]
            return data, None
        end = place + len(self._mark) - len(self._last)
        return data[:end], data[end:]
