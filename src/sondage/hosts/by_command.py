"""Owns listing and reading with the one command: what is asked for twice, and what is good enough to be believed."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import TypeAlias, TypeVar

import msgspec

from sondage.hosts.archive import BLOCK, Read, Wanted, parse_pull, pull_request
from sondage.hosts.base import LARGE, UNLISTED, Batch, Fetched, ListRequest, RemoteFile, Traffic
from sondage.hosts.channel import CommandRefusedError
from sondage.hosts.commands import NONCE_LENGTH
from sondage.hosts.feed import GarbledError, NoAnswerError, Steps
from sondage.hosts.found import Found, Stamp
from sondage.hosts.line import Line
from sondage.hosts.listing import list_request, parse_list
from sondage.hosts.pace import Pace
from sondage.hosts.serving import Following, Request, Serving

GROUP = 96
LARGE_GROUP = 4
"""Of large files: a group is held in memory until it is known to be good."""
REPULLS = 2
ATTEMPTS = 2
"""Of one request; the second is for an answer that something else wrote into."""

T = TypeVar("T")


class Asked(msgspec.Struct, frozen=True):
    """A file that is being pulled, the absolute path it is read from, and the stamp it must still have afterwards."""

    file: RemoteFile
    name: bytes
    stamp: Stamp

    @property
    def cost(self) -> int:
        """Bytes of an archive, about."""
        return self.stamp[0] + BLOCK

    @property
    def is_large(self) -> bool:
        return self.stamp[0] > LARGE


Sorted: TypeAlias = tuple[Batch, list[Asked]]
"""What is settled, and what must be pulled again because it is not what it was before it was read."""


class CommandReader:
    """One host that runs commands, as far as is known."""

    def __init__(self, line: Line, where: str, traffic: Traffic) -> None:
        self._pace = Pace()
        self._serving = Serving(line, where, traffic, self._pace)
        self.refusal = ""
        """What the host said instead of running the command: untrusted text."""

    async def find(self, request: ListRequest) -> Found | None:
        """Everything below the root, or None where the host cannot answer this way. Raises HostError for a bad root."""
        for _ in range(ATTEMPTS):
            fresh = not self._serving.is_running
            try:
                found = [item async for item in self._serving.ask(_once(_listing(request)), patient=True)][-1]
            except (NoAnswerError, CommandRefusedError) as refused:
                self.refusal = refused.hint
                return None
            except GarbledError:
                continue
            if fresh and found.noise:  # later on it is the end of a packed answer
                found.notes.append(f"the host printed {found.noise} bytes before its answer; they were ignored")
            return found
        return None

    async def fetch(self, files: Iterable[tuple[RemoteFile, bytes]]) -> AsyncGenerator[Batch, None]:
        """Batches as they are known to be good. Raises NoAnswerError, CommandRefusedError where commands do not work.

        A file is taken from `files` when it is about to be asked for. One that is not what it was before is pulled again
        after all others, twice at most.
        """
        changed: list[Asked] = []
        again: Iterable[Asked] = (Asked(file, name, file.stamp) for file, name in files)
        for _ in range(1 + REPULLS):
            async with aclosing(self._pull(again, changed)) as batches:
                async for batch in batches:
                    yield batch
            again, changed = changed, []
        if again:
            why = "kept changing while it was read"
            yield [Fetched(one.file, None, why, settled=False) for one in again]

    async def _pull(self, asked: Iterable[Asked], changed: list[Asked]) -> AsyncGenerator[Batch, None]:
        """One request after another; what is not settled goes into `changed` instead."""
        portions = Portions(asked)

        def following(room: int) -> Request[Sorted] | None:
            portion = portions.take(room)
            return self._request(portion) if portion else None

        async with aclosing(self._serving.ask(following)) as answers:
            async for batch, again in answers:
                changed += again
                if batch:
                    yield batch

    def _request(self, asked: Sequence[Asked]) -> Request[Sorted]:
        """The pull of files that are all small, or all large."""
        nonce = new_nonce()
        wanted = [Wanted(one.name, one.stamp[0]) for one in asked]
        group = LARGE_GROUP if asked[0].is_large else GROUP
        sent = pull_request(nonce, group, self._pace.packing(sum(one.size for one in wanted)), wanted)
        size = sum(one.cost for one in asked)
        return Request(nonce, sent, lambda feed: _sorted(parse_pull(feed, nonce, wanted), asked), size)

    async def knock(self) -> None:
        """Returns once the host has answered something. Raises as `fetch` does."""
        nothing = Asked(RemoteFile(b"dev/null", UNLISTED, 0), b"/dev/null", (UNLISTED, 0, 0, 0))
        async with aclosing(self._pull([nothing], [])) as batches:
            async for _ in batches:
                pass

    async def aclose(self) -> None:
        """Ends the command on the host, if one is running."""
        await self._serving.aclose()


class Portions:
    """Files, taken from their order by and by."""

    def __init__(self, asked: Iterable[Asked]) -> None:
        self._left = iter(asked)
        self._put_back: list[Asked] = []

    def take(self, room: int) -> list[Asked]:
        """The next ones, of about `room` bytes together and either all small or all large; none when there are no more."""
        taken, self._put_back = self._put_back, []
        room -= sum(one.cost for one in taken)
        while room > 0 and (one := next(self._left, None)) is not None:
            if taken and one.is_large != taken[0].is_large:
                self._put_back.append(one)
                break
            taken.append(one)
            room -= one.cost
        return taken


def new_nonce() -> bytes:
    return secrets.token_hex(NONCE_LENGTH // 2).encode()


def _once(request: Request[T]) -> Following[T]:
    left = iter([request])
    return lambda room: next(left, None)


def _listing(request: ListRequest) -> Request[Found]:
    nonce = new_nonce()
    return Request(nonce, list_request(request, nonce), lambda feed: parse_list(feed, request, nonce))


def _sorted(pulled: Steps[list[Read]], asked: Sequence[Asked]) -> Steps[Sorted]:
    start = 0
    for reads in pulled:
        if reads is None:
            yield None
        else:
            yield _sort(asked[start : start + len(reads)], reads)
            start += len(reads)


def _sort(asked: Sequence[Asked], reads: Sequence[Read]) -> Sorted:
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
