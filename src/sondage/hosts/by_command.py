"""Owns listing and reading with the one command: what is asked for twice, and what is good enough to be believed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TypeVar

from sondage.core.frozen import dataclass
from sondage.errors import HostError, TransferError
from sondage.hosts import deadline
from sondage.hosts.archive import Read, Wanted, parse_pull, pull_request
from sondage.hosts.base import UNLISTED, Batch, Fetched, ListRequest, RemoteFile, Traffic
from sondage.hosts.channel import CommandRefusedError
from sondage.hosts.commands import NONCE_LENGTH, SERVE
from sondage.hosts.deadline import within
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Reply, Steps
from sondage.hosts.line import Exchange, Line
from sondage.hosts.listing import Found, Stamp, list_request, parse_list
from sondage.hosts.pace import Pace

LARGE = 256 << 10
"""Bytes; larger files are pulled in small groups, because a group is held in memory until it is known to be good."""
GROUP = 96
LARGE_GROUP = 4
REPULLS = 2
ATTEMPTS = 2
"""Of one request; the second is for an answer that something else wrote into."""

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A file that is being pulled, the absolute path it is read from, and the stamp it must still have afterwards."""

    file: RemoteFile
    name: bytes
    stamp: Stamp


class CommandReader:
    """One host that runs commands, as far as is known.

    The command is started once and waits for the next request, which is then answered within one round trip; starting
    it takes two, and the time of the host's start-up files. It ends with the connection, or when an answer is not read
    to its end: nobody knows then where the next one would begin.
    """

    def __init__(self, line: Line, where: str, traffic: Traffic) -> None:
        self._line = line
        self._where = where
        self._traffic = traffic
        self.refusal = ""
        """What the host said instead of running the command: untrusted text."""
        self._running: Exchange | None = None
        self._pace = Pace()

    async def find(self, request: ListRequest) -> Found | None:
        """Everything below the root, or None where the host cannot answer this way. Raises HostError for a bad root."""
        for _ in range(ATTEMPTS):
            nonce, fresh = _nonce(), self._running is None
            sent = list_request(request, nonce)
            try:
                found = [item async for item in self._ask(sent, _list_parser(request, nonce), patient=True)][-1]
            except (NoAnswerError, CommandRefusedError) as refused:
                self.refusal = refused.hint
                return None
            except GarbledError:
                continue
            if fresh and found.noise:  # later on it is the end of a packed answer
                found.notes.append(f"the host printed {found.noise} bytes before its answer; they were ignored")
            return found
        return None

    async def fetch(self, files: Sequence[tuple[RemoteFile, bytes]]) -> AsyncGenerator[Batch, None]:
        """Batches as they are known to be good. Raises NoAnswerError, CommandRefusedError where commands do not work.

        In the order asked for, large files last. A file that is not what it was before is pulled again after all
        others, twice at most.
        """
        asked = [Asked(file, name, file.stamp) for file, name in files]
        small = [one for one in asked if one.file.size <= LARGE]
        large = [one for one in asked if one.file.size > LARGE]
        changed: list[Asked] = []
        for part, group in ((small, GROUP), (large, LARGE_GROUP)):
            async with aclosing(self._pull(part, group, changed)) as batches:
                async for batch in batches:
                    yield batch
        for _ in range(REPULLS):
            again, changed = changed, []
            async with aclosing(self._pull(again, LARGE_GROUP, changed)) as batches:
                async for batch in batches:
                    yield batch
        if changed:
            why = "kept changing while it was read"
            yield [Fetched(one.file, None, why, settled=False) for one in changed]

    async def _pull(self, asked: Sequence[Asked], group: int, changed: list[Asked]) -> AsyncGenerator[Batch, None]:
        """One request; what is not settled goes into `changed` instead."""
        if not asked:
            return
        wanted = [Wanted(one.name, one.stamp[0]) for one in asked]
        nonce = _nonce()
        sent = pull_request(nonce, group, self._pace.packing(sum(one.size for one in wanted)), wanted)
        start = 0
        async with aclosing(self._ask(sent, lambda feed: parse_pull(feed, nonce, wanted))) as answers:
            async for reads in answers:
                batch, again = _sort(asked[start : start + len(reads)], reads)
                start += len(reads)
                changed += again
                if batch:
                    yield batch

    async def knock(self) -> None:
        """Returns once the host has answered something. Raises as `fetch` does."""
        nothing = Asked(RemoteFile(b"dev/null", UNLISTED, 0), b"/dev/null", (UNLISTED, 0, 0, 0))
        async with aclosing(self._pull([nothing], 1, [])) as batches:
            async for _ in batches:
                pass

    async def _ask(
        self, sent: bytes, parser: Callable[[Feed], Steps[T]], *, patient: bool = False
    ) -> AsyncGenerator[T, None]:
        """The results of one request as they come; they are whole only with the end mark of this very request.

        `patient`: the host may say nothing for as long as the connection is there and the caller waits.
        """
        again = self._running is not None
        command = self._running = self._running or await self._start()
        reply = Reply(parser)
        try:
            command.send(sent)
            self._pace.begin()
            while not reply.complete and (data := await self._receive(command, reply, patient)):
                self._pace.count(len(data))
                for item in self._placed(reply.feed, data):
                    yield item
                await asyncio.sleep(0)  # what has arrived already comes without waiting, and others want a turn
            if not reply.complete and await command.finish() is None and not (again and not self._line.is_closed()):
                raise command.broken()
            for item in self._placed(reply.end):
                yield item
            self._pace.finish()
        except GarbledError:
            self._pace.distrust_packers()
            raise
        except NoAnswerError:
            if again:  # it worked before: somebody has ended it on the host meanwhile, and another one can be started
                raise GarbledError("the command on the host has ended", self._where) from None
            raise
        finally:
            if not reply.complete:
                await self.aclose()

    async def _receive(self, command: Exchange, reply: Reply[T], patient: bool) -> bytes:
        """More of the answer. What has not begun after a while is not our command, but a menu that waits, or the like."""
        while reply.began:
            try:
                return await command.receive()
            except TransferError:
                if not patient or self._line.is_closed():
                    raise
        late = NoAnswerError("the host does not run the command", self._where, f"nothing for {deadline.CHANNEL:g} s")
        return await within(deadline.CHANNEL, command.receive(), late)

    async def _start(self) -> Exchange:
        with self._pace.timing_start():
            return await self._line.start(SERVE, self._traffic)

    async def aclose(self) -> None:
        """Ends the command on the host, if one is running."""
        running, self._running = self._running, None
        if running is not None:
            await running.aclose()

    def _placed(self, parse: Callable[..., list[T]], *given: bytes) -> list[T]:
        """Parsers know what is wrong; which host it is wrong on is added here."""
        try:
            return parse(*given)
        except HostError as error:
            error.where = f"{self._where}:{error.where}" if error.where else self._where
            raise


def _nonce() -> bytes:
    return secrets.token_hex(NONCE_LENGTH // 2).encode()


def _list_parser(request: ListRequest, nonce: bytes) -> Callable[[Feed], Steps[Found]]:
    return lambda feed: parse_list(feed, request, nonce)


def _sort(asked: Sequence[Asked], reads: Sequence[Read]) -> tuple[Batch, list[Asked]]:
    """What is settled, and what must be pulled again because it is not what it was before it was read."""
    batch: Batch = []
    again: list[Asked] = []
    for one, read in zip(asked, reads, strict=True):
        if read.data is None:
            batch.append(Fetched(one.file, None, read.problem))
        elif read.stamp is None:
            batch.append(Fetched(one.file, None, "no longer there"))
        elif (read.stamp == one.stamp or one.stamp[0] == UNLISTED) and len(read.data) == read.stamp[0]:
            batch.append(Fetched(one.file, read.data))
        else:
            again.append(Asked(one.file, one.name, read.stamp))
    return batch, again
