"""Owns listing and reading with the two commands: what is asked for twice, and what is good enough to be believed."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

import asyncssh

from sondage.errors import HostError, TransferError
from sondage.hosts.archive import Read, Wanted, parse_pull, pull_input
from sondage.hosts.base import UNLISTED, Batch, Fetched, ListRequest, RemoteFile, Traffic
from sondage.hosts.channel import Command, CommandRefusedError
from sondage.hosts.commands import LIST, NONCE_LENGTH, PULL
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Reply, Steps
from sondage.hosts.listing import Found, Stamp, list_input, parse_list, refused_entries

LARGE = 256 << 10
"""Bytes; larger files are pulled in small groups, because a group is held in memory until it is known to be good."""
GROUP = 96
LARGE_GROUP = 4
REPULLS = 2
ATTEMPTS = 2
"""Of one command; the second is for an answer that something else wrote into."""

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A file that is being pulled, the absolute path it is read from, and the stamp it must still have afterwards."""

    file: RemoteFile
    name: bytes
    stamp: Stamp


class CommandReader:
    """One connection whose host runs commands, as far as is known."""

    def __init__(self, connection: asyncssh.SSHClientConnection, where: str, traffic: Traffic) -> None:
        self._connection = connection
        self._where = where
        self._traffic = traffic

    async def find(self, request: ListRequest) -> Found | None:
        """Everything below the root, or None where the host cannot answer this way. Raises HostError for a bad root."""
        for _ in range(ATTEMPTS):
            try:
                return await self._find_once(request)
            except (NoAnswerError, CommandRefusedError):
                return None
            except GarbledError:
                continue
        return None

    async def _find_once(self, request: ListRequest) -> Found:
        nonce = _nonce()

        def parse(feed: Feed) -> Steps[Found]:
            return parse_list(feed, request, nonce)

        async with self._command(LIST) as command:
            command.send(list_input(request, nonce))
            found = [item async for item in self._answer(command, Reply(parse))][-1]
            found.unreadable = max(found.unreadable, refused_entries(command.errors, nonce))
            return found

    async def fetch(self, files: Sequence[tuple[RemoteFile, bytes]]) -> AsyncGenerator[Batch, None]:
        """Batches as they are known to be good. Raises NoAnswerError, CommandRefusedError where commands do not work.

        A file that is not what it was before is pulled again after all others, twice at most.
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
        """One command; what is not settled goes into `changed` instead."""
        if not asked:
            return
        wanted = [Wanted(one.name, one.stamp[0]) for one in asked]
        nonce = _nonce()
        reply = Reply(lambda feed: parse_pull(feed, nonce, wanted))
        start = 0
        async with self._command(PULL) as command:
            command.send(pull_input(nonce, group, wanted))
            async with aclosing(self._answer(command, reply)) as answers:
                async for reads in answers:
                    batch, again = _sort(asked[start : start + len(reads)], reads)
                    start += len(reads)
                    changed += again
                    if batch:
                        yield batch

    def _command(self, command: str) -> Command:
        return Command(self._connection, command, self._where, self._traffic)

    async def _answer(self, command: Command, reply: Reply[T]) -> AsyncGenerator[T, None]:
        """The results of a reply as they come. It is whole only with its own end mark and the exit status 0."""
        while not reply.complete and (data := await command.receive()):
            for item in self._placed(reply.feed, data):
                yield item
        if await command.finish() is None:
            raise command.broken()
        for item in self._placed(reply.end):
            yield item
        if command.status:
            raise TransferError("the command on the host failed", self._where, f"exit status {command.status}")

    def _placed(self, parse: Callable[..., list[T]], *given: bytes) -> list[T]:
        """Parsers know what is wrong; which host it is wrong on is added here."""
        try:
            return parse(*given)
        except HostError as error:
            error.where = f"{self._where}:{error.where}" if error.where else self._where
            raise


def _nonce() -> bytes:
    return secrets.token_hex(NONCE_LENGTH // 2).encode()


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
