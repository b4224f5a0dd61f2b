"""Owns one refresh: list, pull what changed, parse, keep, and hand over the files and facts that are now known."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress

import msgspec

from sondage.core.answers.index import Progress
from sondage.core.search.globs import Globs
from sondage.core.source.facts import FileFacts, decode
from sondage.dig.order import Order
from sondage.dig.pipeline import Arrived, Parsers, Parsing, arrived, is_source, parts_of
from sondage.dig.sources import KeptSource, LostSourceError, Source, SourceFile
from sondage.errors import HostError
from sondage.hosts.aside import aside
from sondage.hosts.base import Host, Listing, ListRequest, RemoteFile
from sondage.store import Entry, Pulled, RootKey, Stamp, Store, clock_of, is_settled, plan

SOURCES = (".py", ".pyi")
LAYOUT_FILES = ("pyproject.toml", "setup.cfg", "setup.py")
"""Read as text for what they say about source roots; never run."""
BETWEEN_TWO_KEEPS = 4_000_000
"""Bytes of source that are parsed at a time: what is lost when the process ends meanwhile."""
PATTERNS = (b"*.py", b"*.pyi", b"pyproject.toml", b"setup.cfg")


class Tree(msgspec.Struct):
    """What is known of a root: filled batch by batch, and made into an `Index` when somebody is to see it."""

    key: RootKey
    files: dict[str, Source] = msgspec.field(default_factory=dict)
    encoded: dict[str, bytes] = msgspec.field(default_factory=dict)
    """The facts of those files whose facts are known."""
    layout_files: dict[str, str] = msgspec.field(default_factory=dict)
    stamps: dict[bytes, tuple[Stamp, bool]] = msgspec.field(default_factory=dict)
    sources: dict[bytes, Source] = msgspec.field(default_factory=dict)
    """All that was pulled, by the paths of the host."""
    unread: dict[str, str] = msgspec.field(default_factory=dict)
    listed: int = 0
    """Source files the last listing saw."""
    kept: bool = False
    """Whether the store has it."""
    _facts: dict[str, FileFacts] = msgspec.field(default_factory=dict)

    def decoded(self) -> dict[str, FileFacts]:
        """The facts as far as they are known. Blocks: a fifth of a second for 20 MB of source."""
        for path in self.encoded.keys() - self._facts.keys():
            self._facts[path] = decode(self.encoded[path])
        return self._facts

    def take_decoded(self, other: Tree) -> None:
        """What a copy has decoded meanwhile, as far as it is still the same."""
        mine = self.encoded
        self._facts.update(
            (path, one) for path, one in other._facts.items() if mine.get(path) is other.encoded.get(path)
        )

    def copy(self) -> Tree:
        return Tree(
            self.key,
            dict(self.files),
            dict(self.encoded),
            dict(self.layout_files),
            dict(self.stamps),
            dict(self.sources),
            {},
            self.listed,
            self.kept,
            dict(self._facts),
        )

    def only(self, path: bytes) -> Tree:
        """One file of it, of as many."""
        tree, name = Tree(self.key, listed=self.listed), shown_path(path)
        tree.take(path, *self.stamps[path], self.sources[path], self.encoded.get(name))
        return tree

    def take(self, path: bytes, stamp: Stamp, settled: bool, source: Source, facts: bytes | None) -> None:
        """A file that is known now. `facts` are encoded; None for facts that are not known."""
        name = shown_path(path)
        self.stamps[path], self.sources[path] = (stamp, settled), source
        if name.rpartition("/")[2] in LAYOUT_FILES:
            self.layout_files[name] = source.data.decode("utf-8", "replace")
        if name.endswith(SOURCES):
            self.files[name] = source
            self._facts.pop(name, None)
            self.encoded.pop(name, None)
            if facts is not None:
                self.encoded[name] = facts

    def drop(self, path: bytes) -> None:
        name = shown_path(path)
        for table in (self.files, self.encoded, self._facts, self.layout_files):
            table.pop(name, None)
        self.stamps.pop(path, None)
        self.sources.pop(path, None)

    def holds_the_same(self, other: Tree) -> bool:
        digests = [{path: file.digest for path, file in tree.files.items()} for tree in (self, other)]
        return digests[0] == digests[1] and self.layout_files == other.layout_files

    def entries(self) -> list[Entry]:
        return [Entry(path, *self.stamps[path], source.digest) for path, source in self.sources.items()]


def shown_path(path: bytes) -> str:
    """A path of the host as the core has it: undecodable bytes as surrogates (PEP 383)."""
    return path.decode("utf-8", "surrogateescape")


class Cost(msgspec.Struct):
    """What a refresh took: files by what was done with them, and seconds by stage."""

    parsed: int = 0
    reused: int = 0
    seconds: dict[str, float] = msgspec.field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


class Refresh(msgspec.Struct):
    """One run. `grown` is called with the growing tree after each batch, `pulled` once all is here and some is parsed."""

    host: Host
    store: Store
    parsers: Parsers
    exclude: Globs
    max_file_size: int
    report: Callable[[Progress], None]
    grown: Callable[[Tree], Awaitable[None]]
    pulled: Callable[[Tree], Awaitable[None]]
    cost: Cost
    order: Order
    parse: bool = True
    """False: only the sources are brought here, and facts that are not known stay so."""
    keep: bool = True
    """False: nothing is put into the store."""

    async def look(self, root: bytes) -> Listing:
        """Raises `HostError`; a listing is whole or it is none."""
        self.report(Progress("list"))
        with self.cost.stage("list"):
            return await self.host.list(ListRequest(root, PATTERNS, max_file_size=self.max_file_size))

    async def run(self, listing: Listing, known: Tree, *, everything: bool, only: bytes | None = None) -> Tree:
        """The tree as it is listed. When the pull breaks off, `known` is untouched and `grown` has seen what arrived.

        `only`: the one file that is fetched; of the others the tree has what is known.
        """
        files = self._not_excluded(listing.files)
        tree = known.copy()
        resumed = not everything and await self._resume(tree, files)
        what = plan(((file.path, file.stamp) for file in files), {} if everything else tree.stamps)
        tree.listed = sum(is_source(file.path) for file in files)
        tree.unread = {shown_path(file.path): f"larger than {self.max_file_size} bytes" for file in listing.too_large}
        gone = set(tree.stamps) - {file.path for file in files}
        for path in gone:
            tree.drop(path)
        self.cost.reused += sum(is_source(path) for path in what.keep)
        wanted = {path for path in what.fetch if only in (None, path)}
        await self._pull(tree, listing, [file for file in files if file.path in wanted])
        if self.keep and only is None:
            with self.cost.stage("store"):
                await aside(self._finish, tree, listing, is_same=not (wanted or gone or resumed))
        return tree

    def _not_excluded(self, files: Sequence[RemoteFile]) -> Sequence[RemoteFile]:
        return [file for file in files if not self.exclude.match_any(shown_path(file.path))] if self.exclude else files

    def _finish(self, tree: Tree, listing: Listing, *, is_same: bool) -> None:
        if tree.kept and is_same:
            self.store.seen(tree.key, listing.host_time_ns)
        else:
            self.store.finish(tree.key, tree.entries(), listing.host_time_ns)
            tree.kept = True

    async def _resume(self, tree: Tree, files: Iterable[RemoteFile]) -> bool:
        """What an earlier refresh had pulled before it broke off is taken, as far as it is still what is listed.

        Whether there is any.
        """
        pulled = await aside(self.store.aside, tree.key)
        listed = {file.path: file.stamp for file in files} if pulled else {}
        pulled = [one for one in pulled if one.settled and listed.get(one.path) == one.stamp]
        if not pulled:
            return False
        digests = [one.digest for one in pulled]
        sources, facts = await aside(self.store.sources, digests), await aside(self.store.facts, digests)
        for one in pulled:
            if one.digest in sources:
                source = SourceFile(sources[one.digest], one.digest)
                tree.take(one.path, one.stamp, one.settled, source, facts.get(one.digest))
        return True

    async def _pull(self, tree: Tree, listing: Listing, wanted: list[RemoteFile]) -> None:
        total = sum(file.size for file in wanted)
        clock = clock_of(listing.host_time_ns, (file.stamp for file in listing.files))
        parsing = Parsing(self.parsers.choose(total) if self.parse else None)
        done = size = 0
        started = time.perf_counter()
        self.report(Progress("pull", 0, len(wanted), 0, total))
        self.order.begin(wanted, (file.path for file in listing.files))
        try:
            async with aclosing(self.host.fetch(listing.root, self.order)) as batches:
                async for batch in batches:
                    parsing.start(await self._keep(tree, list(map(arrived, batch)), clock))
                    await self._learn(tree, await parsing.finished())
                    done += len(batch)
                    size += sum(one.file.size for one in batch)
                    self.report(Progress("pull", done, len(wanted), size, total))
                    await self.grown(tree)
        except HostError:
            await self._parse_rest(tree, parsing)
            raise
        finally:
            self.order.end()
        waiting = self.cost.seconds.get("store", 0.0)
        self.cost.seconds["pull"] = max(time.perf_counter() - started - waiting, 0.0)
        await self.pulled(tree)
        await self._parse_rest(tree, parsing)

    async def _parse_rest(self, tree: Tree, parsing: Parsing) -> None:
        with self.cost.stage("parse"):
            while facts := await parsing.finished(whole=True):
                await self._learn(tree, facts)
                self.report(Progress("parse", len(tree.encoded), len(tree.files)))

    async def _keep(self, tree: Tree, batch: Sequence[Arrived], clock: int) -> dict[str, bytes]:
        """Takes the sources in. Returns those whose facts are to be worked out, by path."""
        sources = [one.source for one in batch if one.source and self.parse]
        known = await aside(self.store.facts, [one.digest for one in sources]) if sources else {}
        pulled, unknown, asked = [], {}, []
        for one in batch:
            if self.order.arrived(one.file.path):
                asked.append(shown_path(one.file.path))
            if one.source is None:
                tree.drop(one.file.path)
                tree.unread[shown_path(one.file.path)] = one.problem
                continue
            settled = is_settled(one.file.stamp, clock)
            facts = known.get(one.source.digest) if known else None
            tree.take(one.file.path, one.file.stamp, settled, one.source, facts)
            self._follow(one.file.path, facts)
            pulled.append((one.file, settled, one.source))
            if is_source(one.file.path) and facts is None and self.parse:
                unknown[shown_path(one.file.path)] = one.source.data
            self.cost.reused += facts is not None
        if self.keep:
            with self.cost.stage("store"):
                await aside(self.store.put, tree.key, [_pulled(*one) for one in pulled])
        await self._parse_at_once(tree, {path: unknown.pop(path) for path in asked if path in unknown})
        return unknown

    async def _parse_at_once(self, tree: Tree, sources: Mapping[str, bytes]) -> None:
        """What somebody waits for."""
        if sources:
            facts = await self.parsers.parse(list(sources.values()))
            await self._learn(tree, dict(zip(sources, facts, strict=True)))

    def _follow(self, path: bytes, facts: bytes | None) -> None:
        if facts is not None and self.order.is_followed(path):
            self.order.follow(path, decode(facts))

    async def _learn(self, tree: Tree, facts: Mapping[str, bytes]) -> None:
        tree.encoded.update(facts)
        for path in facts:
            self._follow(path.encode("utf-8", "surrogateescape"), facts[path])
        self.cost.parsed += len(facts)
        if facts:
            with self.cost.stage("store"):
                await aside(self.store.put_facts, {tree.files[path].digest: facts[path] for path in facts})


def _pulled(file: RemoteFile, settled: bool, source: SourceFile) -> Pulled:
    return Pulled(file.path, file.stamp, settled, source.digest, source.data, None)


def remembered(key: RootKey, store: Store) -> Tree:
    """The tree as the store has it. Blocks."""
    tree = Tree(key)
    for file in store.load(key):
        tree.take(file.path, file.stamp, file.settled, SourceFile(file.source, file.digest), file.facts)
    tree.listed = len(tree.files)
    tree.kept = bool(tree.stamps)
    return tree


def recalled(key: RootKey, store: Store) -> Tree:
    """The same, with sources and facts left in the store until a question leads to them."""
    tree = Tree(key)
    for one in store.entries(key):
        with suppress(LostSourceError):  # one that is read at once: it is not known then
            tree.take(one.path, one.stamp, one.settled, KeptSource(one.digest, one.stamp[0], store.source), None)
    tree.listed = len(tree.files)
    tree.kept = bool(tree.stamps)
    return tree


def read_all(sources: Iterable[Source], store: Store) -> None:
    """Brings those here together that were left in the store: for whoever looks into each of them. Blocks."""
    kept = [one for one in sources if isinstance(one, KeptSource) and not one.is_here]
    found = store.sources([one.digest for one in kept])
    for one in kept:
        if one.digest in found:
            one.data = found[one.digest]


async def complete(tree: Tree, parsers: Parsers, store: Store) -> int:
    """Works out the facts of a tree that are not known, and keeps them part by part. Returns the number of files parsed."""
    lacking = {tree.files[path].digest: path for path in tree.files if path not in tree.encoded}
    known = await aside(store.facts, lacking)
    unknown = [path for digest, path in lacking.items() if digest not in known]
    await aside(read_all, [tree.files[path] for path in unknown], store)
    for part in parts_of(unknown, [tree.files[path].size for path in unknown], BETWEEN_TWO_KEEPS):
        fresh = await parsers.parse([tree.files[path].data for path in part])
        known.update(zip((tree.files[path].digest for path in part), fresh, strict=True))
        await aside(store.put_facts, {tree.files[path].digest: known[tree.files[path].digest] for path in part})
    for path, file in tree.files.items():
        if path not in tree.encoded and file.digest in known:
            tree.encoded[path] = known[file.digest]
    return len(unknown)
