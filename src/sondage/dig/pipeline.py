"""Owns the way of files from a host into facts: batches arrive, and are parsed in the executor while others do."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from sondage.dig.sources import SourceFile
from sondage.hosts.aside import each_aside
from sondage.hosts.base import Fetched, RemoteFile

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor

T = TypeVar("T")

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
        from sondage.dig.executor import open_executor  # noqa: PLC0415  what starts processes is large, and seldom needed

        self._executor = self._executor or open_executor(self._engine, self._jobs)
        return self._executor

    async def parse(self, sources: Sequence[bytes]) -> list[bytes]:
        """The encoded facts of each source, in order; the work is spread in parts of about a batch."""
        from sondage.worker import encoded_facts  # noqa: PLC0415  it loads the parser: where all is known none is needed

        parts = parts_of(sources, map(len, sources), SMALL)
        executor = self.choose(sum(map(len, sources)))
        done = await each_aside(executor, encoded_facts, parts)
        return [facts for part in done for facts in part]

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None


def parts_of(items: Iterable[T], sizes: Iterable[int], size: int) -> list[list[T]]:
    """The items in their order, in parts of about a size."""
    parts: list[list[T]] = []
    filled = size
    for item, own in zip(items, sizes, strict=True):
        if filled >= size:
            parts.append([])
            filled = 0
        parts[-1].append(item)
        filled += own
    return parts


class Arrived(msgspec.Struct, frozen=True):
    """A file as it came from a host. Where it could not be read there is no `source`, and `problem` says why."""

    file: RemoteFile
    source: SourceFile | None
    problem: str = ""


def arrived(one: Fetched) -> Arrived:
    if one.data is None:
        return Arrived(one.file, None, one.problem or "could not be read")
    if not one.settled:
        return Arrived(one.file, None, "changed while it was being read")
    return Arrived(one.file, SourceFile(one.data))


class Parsing:
    """The parsing of what arrives, beside the transfer, which never waits for it."""

    def __init__(self, executor: Executor | None) -> None:
        self._executor = executor
        self._under_way: deque[tuple[list[str], asyncio.Future[list[bytes]]]] = deque()

    def start(self, sources: Mapping[str, bytes]) -> None:
        """Sources by path."""
        if sources:
            import asyncio  # noqa: PLC0415  nobody parses beside a transfer who has none

            from sondage.worker import encoded_facts  # noqa: PLC0415  as above

            work = asyncio.get_running_loop().run_in_executor(self._executor, encoded_facts, list(sources.values()))
            self._under_way.append((list(sources), work))

    async def finished(self, *, whole: bool = False) -> dict[str, bytes]:
        """The encoded facts by path of what is finished by now; with `whole` that of the oldest part is waited for."""
        found: dict[str, bytes] = {}
        while self._under_way and (self._under_way[0][1].done() or (whole and not found)):
            paths, work = self._under_way.popleft()
            found.update(zip(paths, await work, strict=True))
        return found


def is_source(path: bytes) -> bool:
    return path.endswith((b".py", b".pyi"))
