"""Owns what changes while a target is open: the connection, the index that is swapped in whole, the libraries read so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sondage.core.answers.index import IndexSummary, Looked, Progress
from sondage.core.search.globs import Globs
from sondage.core.source.facts import decode
from sondage.dig.building import empty_index, index_of, lazy_index_of, summary_of, unreadable
from sondage.dig.caching import open_cache
from sondage.dig.index import Index
from sondage.dig.learnt import keep_names, learn_words, learn_words_at_once
from sondage.dig.libraries import Libraries, SearchPath, find_search_path
from sondage.dig.order import Order
from sondage.dig.pipeline import Parsers
from sondage.dig.reach import way_to, who
from sondage.dig.refresh import Cost, Refresh, Tree, complete, recalled, remembered
from sondage.dig.settings import Settings, label_of
from sondage.dig.sources import LostSourceError
from sondage.dig.swapping import Swapping
from sondage.errors import HostError
from sondage.hosts.aside import Turn, aside
from sondage.hosts.base import Asker, Host, Listing, Target
from sondage.hosts.open import request_root
from sondage.store import RootKey, Store

if TYPE_CHECKING:
    from sondage.core.classes.codebase import Steps
    from sondage.dig.checkout import Checkout

FIRST_LOOK = 24
"""Files after which a growing index is shown for the first time; then at each doubling, so that all looks together cost
no more than the last."""


class State(Swapping):
    """One open target. Everything here runs on the event loop; work that takes long goes to threads and processes."""

    def __init__(self, target: Target, settings: Settings, asker: Asker | None, store: Store) -> None:
        super().__init__(empty_index(target.path, settings.source_roots))
        self.target = target
        self.connection = way_to(target, settings.ssh, asker)
        self.indexed_at: float | None = None
        self.order = Order()
        """In which the files of a pull come."""
        self._settings = settings
        self._store = store
        self._tree: Tree | None = None
        self._partial: Tree | None = None
        """What has arrived of a first pull that is under way, or broke off."""
        self._narrow = False
        """Whether a question was too large for an index that reads facts by and by; until all are there, it rests on some."""
        self._last_look = 0
        """Files that the growing index had when it was shown last."""
        self._whole = False
        self._libraries: Libraries | None = None
        self._parsers = Parsers(settings.engine, settings.jobs)
        self._notes: list[str] = []
        self._turn = Turn()

    @classmethod
    async def open(cls, target: Target, settings: Settings, asker: Asker | None) -> State:
        """Nothing is connected and nothing is read: that is what `refresh` does first, and an app shows itself meanwhile."""
        return cls(target, settings, asker, await aside(open_cache))

    async def checkout(self) -> Checkout | None:
        """The git checkout that holds the root, as it is now; None where there is none or the host is not connected."""
        if self.connection.host is None:
            return None
        from sondage.dig.checkout import find_checkout  # noqa: PLC0415  only for what is recorded

        try:
            return await find_checkout(self.connection.host, self.index.root.encode("utf-8", "surrogateescape"))
        except HostError as error:
            self._notes.append(f"the commit of the root could not be read: {error}")
            return None

    async def stale(self, path: str) -> bool | None:
        """See `Dig.stale`. Not while a refresh runs, which tells it anyway."""
        host, tree, name = self._host(), self._tree, path.encode("utf-8", "surrogateescape")
        if host is None or tree is None or name not in tree.stamps or self._turn.locked():
            return None
        from sondage.dig.staleness import is_stale  # noqa: PLC0415  only who shows a file for a while asks

        return await is_stale(host, tree.key.root, name, tree.stamps[name])

    def want(self, path: str) -> bool:
        """See `Dig.want`."""
        name, known = path.encode("utf-8", "surrogateescape"), self._partial.encoded if self._partial else {}
        coming = not self._whole and self.order.want(name)
        if path in known and self.order.goes_on:
            self.order.follow(name, decode(known[path]))
        return coming

    def _host(self) -> Host | None:
        """The connected host, where it is the one that the index is of."""
        identity, key = self.connection.identity, self._tree.key if self._tree else None
        same = identity and key and who(identity) == (key.kind, key.host_key, key.user)
        return self.connection.host if same else None

    def take_notes(self) -> list[str]:
        notes = [*self._notes, *self.connection.notes, self._store.note]
        self._notes, self.connection.notes, self._store.note = [], [], ""
        return [note for note in notes if note]

    # ---- the index

    async def refresh(self, report: Callable[[Progress], None]) -> IndexSummary:
        """See `Dig.refresh`. Two at a time take turns."""
        async with self._turn:
            started = time.perf_counter()
            cost = Cost()
            if self._tree is None:
                await self._load(cost)
            if self._asks_the_host():
                await self._refresh(report, cost)
            else:
                cost.reused = len(self.index.facts)
            cost.seconds["total"] = time.perf_counter() - started
            report(Progress("done", len(self.index.facts), self.index.listed))
            host, complete = self.connection.host, self._is_complete()
            return await aside(summary_of, self.index, cost, host, complete=complete)

    async def look(self, report: Callable[[Progress], None]) -> Looked:
        """See `Dig.look`. A local root that the store does not have is read from its own disk, and no copy of it is kept."""
        try:
            async with self._turn:
                await self._look(report)
        except LostSourceError:
            await self.read_again()
        report(Progress("done", len(self.index.files), self.index.listed))
        return Looked(len(self.index.files), unreadable(self.index), self._is_complete())

    async def _look(self, report: Callable[[Progress], None]) -> None:
        asks = self._asks_the_host()
        if self._tree is None and not (asks and self.target.address is None):
            await self._load(Cost(), lazily=True)
        if asks:
            await self._refresh(report, Cost(), lazily=True)
        elif self._tree is not None:
            await self._swap_lazily(self._tree)

    async def read_again(self) -> None:
        """Brings every source here: the store has lost one. Raises `LostSourceError` where the host is not asked."""
        async with self._turn:
            if not self._asks_the_host():
                raise LostSourceError(
                    "a source is not in the cache any more", str(self.target), "ask without --offline"
                )
            await self._refresh(lambda progress: None, Cost(), lazily=True, everything=True)

    def _asks_the_host(self) -> bool:
        return not (self._settings.offline or self._settings.refresh == "never")

    def _is_complete(self) -> bool:
        return self._whole and self.index.coverage.whole

    async def widen(self) -> None:
        """Works out the facts of what was looked at that are not known yet, and swaps in the index of them all.

        While a refresh does that already, of those that it knows by now: nobody waits for it.
        """
        if self._turn.locked() and self.listeners:
            await self._keep_facts()
            self._narrow = True
            if self._partial is not None and self.index.shelf is not None:
                await self._swap(self._partial)
            return
        async with self._turn:
            tree, before = self._tree, self.index
            if tree is not None and before.shelf is not None:
                await self._keep_facts()
                await complete(tree, self._parsers, self._store)
                await self._swap(tree)
                self._put_in(self.index.with_libraries_of(before))

    async def _keep_facts(self) -> None:
        """Keeps what questions had parsed on their way."""
        shelf, tree = self.index.shelf, self._partial or self._tree
        fresh = shelf.take_fresh() if shelf else {}
        if shelf is not None and tree is not None and fresh:
            same = {path: facts for path, facts in fresh.items() if tree.files.get(path) is shelf.files[path]}
            tree.encoded.update(same)
            await aside(self._store.put_facts, {shelf.files[path].digest: fresh[path] for path in fresh})

    async def _load(self, cost: Cost, *, lazily: bool = False) -> None:
        """The index as the store has it from the last time, to answer from while the host is asked."""
        known = await aside(self._store.last_known, label_of(self.target), self.target.path)
        if known is not None and self._settings.refresh != "always":
            await self._remember(known.key, cost, lazily=lazily)
            self.indexed_at = known.listed_at
            self._whole = known.listed_at is not None

    async def _refresh(
        self, report: Callable[[Progress], None], cost: Cost, *, lazily: bool = False, everything: bool = False
    ) -> None:
        everything = everything or self._settings.refresh == "always"
        run = await self._connected(report, cost, parse=not lazily)
        try:
            listing = await run.look(request_root(self.target))
            known = await self._known(listing, cost, lazily=lazily)
            run.keep = not lazily or self.target.address is not None or known.kept
            self._last_look, self._narrow = 0, False
            tree = await run.run(listing, known, everything=everything)
        except HostError:
            await self.connection.check()
            await self._show_partial()
            raise
        except BaseException as stop:
            if not isinstance(stop, Exception):  # the user stopped it
                self._keep_partial()
            raise
        self._notes += listing.notes
        await self._name(tree.key)
        if not lazily and not self.listeners:  # words take a part of the room that the index is going to: before it
            await aside(learn_words_at_once, self._store, tree, self.index.vocabulary)
        if lazily:
            await self._swap_lazily(tree)
        elif self._changed(known, tree) or self.index.shelf is not None or self.revision == 0:
            cost.parsed += await self._swap_whole(tree)
        self._tree, self._partial, self._whole, self.indexed_at = tree, None, True, time.time()

    async def _connected(self, report: Callable[[Progress], None], cost: Cost, *, parse: bool) -> Refresh:
        with cost.stage("connect"):
            report(Progress("connect"))
            host = await self.connection.open()
        return Refresh(
            host,
            self._store,
            self._parsers,
            Globs(self._settings.exclude),
            self._settings.max_file_size,
            report,
            self._grown,
            self._pulled,
            cost,
            self.order,
            parse=parse,
        )

    async def look_at(self, path: str, report: Callable[[Progress], None]) -> Looked | None:
        """Only one file is brought here, and the index is of it alone. None where it is not listed, or cannot be read."""
        if not self._asks_the_host():
            return None
        async with self._turn:
            cost, name = Cost(), path.encode("utf-8", "surrogateescape")
            run = await self._connected(report, cost, parse=False)
            listing = await run.look(request_root(self.target))
            known = await self._known(listing, cost, lazily=True)
            run.keep = self.target.address is not None or known.kept
            tree = await run.run(listing, known, everything=self._settings.refresh == "always", only=name)
            if path not in tree.files:
                return None
            one = tree.only(name)
            await complete(one, self._parsers, self._store)
            await self._swap(one)
        report(Progress("done", 1, one.listed))
        return Looked(1, (), complete=True)

    async def _name(self, key: RootKey) -> None:
        """The target leads there from now on. Where others do as well, that is said the first time."""
        others = await aside(self._store.name, key, label_of(self.target), self.target.path)
        if others and self.target.address:
            names = ", ".join(f"{label}:{asked}" for label, asked in others)
            self._notes.append(f"the same folder of the same host is known as {names}: one cache for all")

    async def _known(self, listing: Listing, cost: Cost, *, lazily: bool) -> Tree:
        """What is known of the very root that was listed: a rebuilt host behind an old address is another one."""
        identity = self.connection.identity
        assert identity is not None
        key = RootKey(identity.kind, identity.host_key, identity.user, listing.root)
        if self._tree is None or self._tree.key != key:
            if self._tree is not None:
                self._notes.append(f"another host or folder answers than last time: {self.target}")
            await self._remember(key, cost, lazily=lazily)
        assert self._tree is not None
        return self._tree

    async def _remember(self, key: RootKey, cost: Cost, *, lazily: bool) -> None:
        read = recalled if lazily else remembered
        self._tree = Tree(key) if self._settings.refresh == "always" else await aside(read, key, self._store)
        self._whole = False
        if self._tree.kept and not lazily:
            self._partial = self._tree
            await self._pulled(self._tree)
            cost.parsed += await complete(self._tree, self._parsers, self._store)
            await self._swap(self._tree)
            self._partial = None

    def _changed(self, before: Tree, after: Tree) -> bool:
        shown = dict(self.index.unread) == after.unread and self.index.listed == after.listed
        return not shown or not before.holds_the_same(after)

    async def _grown(self, tree: Tree) -> None:
        """A first index is shown while it grows; one that is whole stays until the next is."""
        if self._whole:
            return
        self._partial = tree
        awaited = self.order.take_news()
        if self.listeners and (awaited or len(tree.files) >= max(FIRST_LOOK, 2 * self._last_look)):
            await self._pulled(tree)

    async def _pulled(self, tree: Tree) -> None:
        """What has arrived of a first pull can be asked about, though little of it may have been parsed."""
        if self.listeners and not self._whole:
            self._last_look = len(tree.files)
            index = None if self._narrow else await self._lazy_index(tree)
            if index is not None:
                self._put_in(index)
            else:
                await self._swap(tree)

    async def _show_partial(self) -> None:
        """What had arrived of a first pull stays in use: the next refresh fetches only the rest."""
        if self._keep_partial() and self._partial is not None:
            await self._swap(self._partial)

    def _keep_partial(self) -> bool:
        if self._partial is None or self._whole:
            return False
        self._tree = self._partial
        return True

    async def _swap(self, tree: Tree) -> None:
        self._put_in(self._as_before(await index_of(tree, self._settings.source_roots)))

    async def _lazy_index(self, tree: Tree) -> Index | None:
        index = await lazy_index_of(tree, self._store, self._settings.source_roots)
        return index and self._as_before(index)

    def _as_before(self, index: Index) -> Index:
        """With what a new index takes over from the one before it."""
        if self._libraries is not None:
            self._libraries.ask_anew()
        known = index.vocabulary if index.vocabulary.numbers else self.index.vocabulary
        return replace(index, pins=self.index.pins, vocabulary=known)

    async def _swap_lazily(self, tree: Tree) -> None:
        index = await self._lazy_index(tree)
        if index is not None:
            self._put_in(index)
        else:
            await self._swap_whole(tree)

    async def _swap_whole(self, tree: Tree) -> int:
        """The index of all facts; those that are not known are worked out. Returns the number of files parsed."""
        parsed = await complete(tree, self._parsers, self._store)
        await self._swap(tree)
        await aside(keep_names, self._store, tree, self._settings.source_roots, self.index)
        return parsed

    def learn(self, index: Index) -> Steps[None]:
        """Reads the words of all files, and keeps them for the next process: one of many steps, for a thread."""
        if self._tree is not None:
            yield from learn_words(self._store, self._tree, index.vocabulary)

    # ---- libraries

    async def read_libraries(self, modules: Sequence[str]) -> bool:
        """Reads library files on the way of a question; False where there was nothing to be had."""
        if self._settings.deps == "never":
            return False
        try:
            if self._libraries is None or self._libraries.host is not self._host():
                self._libraries = await self._find_libraries()
            read = await self._libraries.read(modules)
        except HostError as error:
            self._notes.append(f"library folders could not be read: {error}")
            return False
        texts = {library.path: data for library, data in read}
        there = {library.module for library, _ in read}
        absent = [module for module in modules if module not in there] if self._libraries.host else []
        self._put_in(self.index.with_libraries(tuple(library for library, _ in read), texts, absent))
        return bool(read)

    async def look_again(self) -> None:
        """Libraries are looked for anew by the next question: what was not there before may be now."""
        self._libraries = None
        if self._tree is not None:
            await self._swap(self._tree)

    async def _find_libraries(self) -> Libraries:
        root = self.index.root.encode("utf-8", "surrogateescape")
        host = self._host()
        path = await find_search_path(host, root) if host else SearchPath((), None)
        return Libraries(host, path, self._store, self._tree.key if self._tree else None)

    # ---- the end

    async def aclose(self) -> None:
        await self._keep_facts()
        self._parsers.close()
        await self.connection.aclose()
        await aside(self._store.close)
