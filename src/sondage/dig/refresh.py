"""Owns one refresh: list, pull what changed, parse, keep, and hand over the files and facts that are now known."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sondage.core.answers import Progress
from sondage.core.search.globs import Globs
from sondage.core.source.facts import FileFacts, decode
from sondage.dig.index import SourceFile
from sondage.dig.pipeline import Landed, Parsers, is_source, land
from sondage.hosts.base import Host, Listing, ListRequest, RemoteFile
from sondage.store import KnownFile, Pulled, RootKey, Stamp, Store, clock_of, is_settled, plan

SOURCES = (".py", ".pyi")
LAYOUT_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
"""Read as text for what they say about source roots; never run."""
PATTERNS = (b"*.py", b"*.pyi", b"pyproject.toml", b"setup.cfg")


@dataclass
class Tree:
    """What is known of a root: filled batch by batch, and made into an `Index` when somebody is to see it."""

    key: RootKey
    files: dict[str, SourceFile] = field(default_factory=dict)
    facts: dict[str, FileFacts] = field(default_factory=dict)
    layout_files: dict[str, str] = field(default_factory=dict)
    stamps: dict[bytes, tuple[Stamp, bool]] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    listed: int = 0
    """Source files the last listing saw."""

    def copy(self) -> Tree:
        return Tree(
            self.key,
            dict(self.files),
            dict(self.facts),
            dict(self.layout_files),
            dict(self.stamps),
            {},
            self.listed,
        )

    def take(self, path: bytes, stamp: Stamp, settled: bool, source: SourceFile, facts: bytes | None) -> None:
        """A file that is known now. `facts` are encoded; None for a file that is only read for the layout."""
        name = shown_path(path)
        self.stamps[path] = (stamp, settled)
        if name.rpartition("/")[2] in LAYOUT_FILES:
            self.layout_files[name] = source.data.decode("utf-8", "replace")
        if facts is not None and name.endswith(SOURCES):
            self.files[name] = source
            self.facts[name] = decode(facts)

    def drop(self, path: bytes) -> None:
        name = shown_path(path)
        for table in (self.files, self.facts, self.layout_files):
            table.pop(name, None)
        self.stamps.pop(path, None)


def shown_path(path: bytes) -> str:
    """A path of the host as the core has it: undecodable bytes as surrogates (PEP 383)."""
    return path.decode("utf-8", "surrogateescape")


@dataclass
class Cost:
    """What a refresh took: files by what was done with them, and seconds by stage."""

    parsed: int = 0
    reused: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


@dataclass
class Refresh:
    """One run. `grown` is called with the growing tree after each batch; it may show it, or not."""

    host: Host
    store: Store
    parsers: Parsers
    exclude: Globs
    max_file_size: int
    report: Callable[[Progress], None]
    grown: Callable[[Tree], Awaitable[None]]
    cost: Cost

    async def look(self, root: bytes) -> Listing:
        """Raises `HostError`; a listing is whole or it is none."""
        self.report(Progress("list"))
        with self.cost.stage("list"):
            return await self.host.list(ListRequest(root, PATTERNS, max_file_size=self.max_file_size))

    async def run(self, listing: Listing, known: Tree, *, everything: bool) -> Tree:
        """The tree as it is listed. When the pull breaks off, `known` is untouched and `grown` has seen what arrived."""
        files = [file for file in listing.files if not self.exclude.match_any(shown_path(file.path))]
        what = plan(((file.path, file.stamp) for file in files), {} if everything else known.stamps)
        tree = known.copy()
        tree.listed = sum(is_source(file.path) for file in files)
        tree.unread = {shown_path(file.path): f"larger than {self.max_file_size} bytes" for file in listing.too_large}
        for path in set(known.stamps) - {file.path for file in files}:
            tree.drop(path)
        self.cost.reused += sum(is_source(path) for path in what.keep)
        wanted = set(what.fetch)
        await self._pull(tree, listing, [file for file in files if file.path in wanted])
        with self.cost.stage("store"):
            present = [file.path for file in files if shown_path(file.path) not in tree.unread]
            await asyncio.to_thread(self.store.finish, tree.key, present, listing.host_time_ns)
        return tree

    async def _pull(self, tree: Tree, listing: Listing, wanted: list[RemoteFile]) -> None:
        total = sum(file.size for file in wanted)
        clock = clock_of(listing.host_time_ns, (file.stamp for file in listing.files))
        done = size = 0
        started = time.perf_counter()
        self.report(Progress("pull", 0, len(wanted), 0, total))
        async for batch in self._landed(listing.root, wanted, total):
            await self._keep(tree, batch, clock)
            done += len(batch)
            size += sum(one.file.size for one in batch)
            self.report(Progress("pull", done, len(wanted), size, total))
            await self.grown(tree)
        waiting = self.cost.seconds.get("store", 0.0)
        self.cost.seconds["pull"] = max(time.perf_counter() - started - waiting, 0.0)

    def _landed(self, root: bytes, wanted: list[RemoteFile], total: int) -> AsyncIterator[list[Landed]]:
        batches = self.host.fetch(root, wanted)
        return land(batches, self.parsers.choose(total), self.store.facts)

    async def _keep(self, tree: Tree, batch: Iterable[Landed], clock: int) -> None:
        pulled = []
        for one in batch:
            if one.problem:
                tree.drop(one.file.path)
                tree.unread[shown_path(one.file.path)] = one.problem
                continue
            settled = is_settled(one.file.stamp, clock)
            tree.take(one.file.path, one.file.stamp, settled, SourceFile(one.digest, one.data), one.facts)
            pulled.append(Pulled(one.file.path, one.file.stamp, settled, one.digest, one.data, one.fresh))
            self.cost.parsed += one.fresh is not None and is_source(one.file.path)
            self.cost.reused += one.fresh is None and is_source(one.file.path)
        with self.cost.stage("store"):
            await asyncio.to_thread(self.store.put, tree.key, pulled)


async def remembered(key: RootKey, known: Iterable[KnownFile], parsers: Parsers, store: Store) -> Tree:
    """The tree as the store has it. Facts of another version are made again from the sources, and kept."""
    tree = Tree(key)
    files = list(known)
    stale = [file for file in files if file.facts is None and is_source(file.path)]
    fresh = dict(zip((file.path for file in stale), await parsers.parse([file.source for file in stale]), strict=True))
    for file in files:
        facts = file.facts or fresh.get(file.path)
        tree.take(file.path, file.stamp, file.settled, SourceFile(file.digest, file.source), facts)
    if stale:
        pulled = [Pulled(f.path, f.stamp, f.settled, f.digest, None, fresh[f.path]) for f in stale]
        await asyncio.to_thread(store.put, key, pulled)
    tree.listed = len(tree.facts)
    return tree
