"""Owns the way of files from a host into facts: batches arrive, are parsed in the executor, and land in order, a few in flight."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from sondage.dig.executor import open_executor
from sondage.errors import HostError
from sondage.hosts.base import Fetched, RemoteFile
from sondage.worker import encoded_facts

IN_FLIGHT = 4
"""Batches being parsed at a time: enough to keep every core busy, few enough to bound memory."""

SMALL = 400_000
"""Bytes of source that one thread parses before a process would have started."""


class Parsers:
    """The executor, started when there is enough to parse for it."""

    def __init__(self, engine: str, jobs: int | None) -> None:
        self._engine = engine
        self._jobs = jobs
        self._executor: Executor | None = None

    def choose(self, size: int) -> Executor | None:
        """The executor for `size` bytes of source; None means a thread of the loop's own."""
        if size <= SMALL:
            return None
        self._executor = self._executor or open_executor(self._engine, self._jobs)
        return self._executor

    async def parse(self, sources: Sequence[bytes]) -> list[bytes]:
        """The encoded facts of each source, in order; the work is spread in parts of about a batch."""
        parts = list(_parts(sources))
        executor = self.choose(sum(map(len, sources)))
        loop = asyncio.get_running_loop()
        done = await asyncio.gather(*(loop.run_in_executor(executor, encoded_facts, part) for part in parts))
        return [facts for part in done for facts in part]

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None


def _parts(sources: Sequence[bytes]) -> list[list[bytes]]:
    parts: list[list[bytes]] = []
    size = SMALL
    for source in sources:
        if size >= SMALL:
            parts.append([])
            size = 0
        parts[-1].append(source)
        size += len(source)
    return parts


@dataclass(frozen=True)
class Landed:
    """A file on its way out of the pipeline, with its encoded facts; `fresh` are the same where they were parsed just now.

    Where it could not be read `data` and `facts` are empty and `problem` says why.
    """

    file: RemoteFile
    digest: str
    data: bytes
    facts: bytes = b""
    fresh: bytes | None = None
    problem: str = ""


async def land(
    batches: AsyncIterator[list[Fetched]],
    executor: Executor | None,
    known_facts: Callable[[Sequence[str]], Mapping[str, bytes]],
) -> AsyncIterator[list[Landed]]:
    """Each batch, parsed. When the transfer breaks off, what had arrived still lands before the error is raised.

    `known_facts` gives the encoded facts of those digests that need no parsing.
    """
    loop = asyncio.get_running_loop()
    flying: deque[tuple[list[Landed], asyncio.Future[list[bytes]]]] = deque()
    trouble: HostError | None = None
    try:
        async for batch in batches:
            arrived = _with_known(list(map(_arrived, batch)), known_facts)
            sources = [one.data for one in arrived if _unparsed(one)]
            flying.append((arrived, loop.run_in_executor(executor, encoded_facts, sources)))
            while flying and (len(flying) >= IN_FLIGHT or flying[0][1].done()):
                yield await _with_fresh(*flying.popleft())
    except HostError as error:
        trouble = error
    while flying:
        yield await _with_fresh(*flying.popleft())
    if trouble is not None:
        raise trouble


def _arrived(one: Fetched) -> Landed:
    if one.data is None:
        return Landed(one.file, "", b"", problem=one.problem or "could not be read")
    if not one.settled:
        return Landed(one.file, "", b"", problem="changed while it was being read")
    return Landed(one.file, hashlib.sha256(one.data).hexdigest(), one.data)


def _with_known(arrived: list[Landed], known_facts: Callable[[Sequence[str]], Mapping[str, bytes]]) -> list[Landed]:
    known = known_facts([one.digest for one in arrived if not one.problem])
    return [replace(one, facts=known[one.digest]) if one.digest in known else one for one in arrived]


def is_source(path: bytes) -> bool:
    return path.endswith((b".py", b".pyi"))


def _unparsed(one: Landed) -> bool:
    return not one.facts and not one.problem and is_source(one.file.path)


async def _with_fresh(arrived: list[Landed], parsing: asyncio.Future[list[bytes]]) -> list[Landed]:
    fresh = iter(await parsing)
    return [_parsed(one, next(fresh)) if _unparsed(one) else one for one in arrived]


def _parsed(one: Landed, facts: bytes) -> Landed:
    return replace(one, facts=facts, fresh=facts)
