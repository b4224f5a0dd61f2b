"""Owns what changes while a target is open: the connection, the index that is swapped in whole, the libraries read so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from sondage.config.paths import find_paths
from sondage.core.answers.index import IndexSummary, Looked, Progress
from sondage.core.classes.codebase import Pin
from sondage.core.search.globs import Globs
from sondage.dig.building import index_of, lazy_index_of, summary_of, unreadable
from sondage.dig.checkout import Checkout, find_checkout
from sondage.dig.connection import Connection, who
from sondage.dig.index import Index, build_index
from sondage.dig.libraries import Libraries, SearchPath, find_search_path
from sondage.dig.pipeline import Parsers
from sondage.dig.recorder import Recorder
from sondage.dig.refresh import Cost, Refresh, Tree, complete, remembered
from sondage.dig.settings import Settings
from sondage.dig.staleness import is_stale
from sondage.errors import ConfigError, HostError
from sondage.hosts.base import Asker, Host, Listing, Target
from sondage.hosts.open import request_root
from sondage.journal import Journal, open_journal
from sondage.store import RootKey, Store, open_store

FIRST_LOOK = 24
"""Files after which a growing index is shown for the first time; then at each doubling, so that all looks together cost
no more than the last."""


class State:
    """One open target. Everything here runs on the event loop; work that takes long goes to threads and processes."""

    def __init__(self, target: Target, settings: Settings, asker: Asker | None, store: Store) -> None:
        self.target = target
        self.connection = Connection(target, settings.ssh, asker)
        self.index = _empty(target, settings)
        self.revision = 0
        self.indexed_at: float | None = None
        self.listeners: list[Callable[[], None]] = []
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
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, target: Target, settings: Settings, asker: Asker | None) -> State:
        """Nothing is connected and nothing is read: that is what `refresh` does first, and an app shows itself meanwhile."""
        return cls(target, settings, asker, await asyncio.to_thread(_open_store))

    def recorder(self, session: str | None) -> Recorder:
        """Raises `UsageError` for a name that cannot be a file's, `StoreError` where the transcript cannot be had."""
        journal = open_journal(find_paths().transcripts, session) if session else Journal.in_memory("unnamed")
        return Recorder(
            journal,
            str(self.target),
            self.index.root,
            reach=_reach(self.target, self._settings),
            settings=self._settings.of_the_tree(),
            notes=list(journal.notes),
        )

    async def checkout(self) -> Checkout | None:
        """The git checkout that holds the root, as it is now; None where there is none or the host is not connected."""
        if self.connection.host is None:
            return None
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
        return await is_stale(host, tree.key.root, name, tree.stamps[name])

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
            if self._settings.offline or self._settings.refresh == "never":
                cost.reused = len(self.index.facts)
            else:
                await self._refresh(report, cost)
            cost.seconds["total"] = time.perf_counter() - started
            report(Progress("done", len(self.index.facts), self.index.listed))
            host, complete = self.connection.host, self._is_complete()
            return await asyncio.to_thread(summary_of, self.index, cost, host, complete=complete)

    async def look(self, report: Callable[[Progress], None]) -> Looked:
        """See `Dig.look`. A local root is read from its own disk every time, and no copy of it is kept."""
        async with self._turn:
            cost, asks = Cost(), not (self._settings.offline or self._settings.refresh == "never")
            is_local = asks and self.target.address is None
            if self._tree is None and not is_local:
                await self._load(cost, lazily=True)
            if asks:
                await self._refresh(report, cost, lazily=True, keep=not is_local)
            elif self._tree is not None:
                await self._swap_lazily(self._tree)
            report(Progress("done", len(self.index.files), self.index.listed))
            return Looked(len(self.index.files), unreadable(self.index), self._is_complete())

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
            same = {path: facts for path, facts in fresh.items() if tree.files.get(path) == shelf.files[path]}
            tree.encoded.update(same)
            await asyncio.to_thread(self._store.put_facts, {shelf.files[path].digest: fresh[path] for path in fresh})

    async def _load(self, cost: Cost, *, lazily: bool = False) -> None:
        """The index as the store has it from the last time, to answer from while the host is asked."""
        known = await asyncio.to_thread(self._store.last_known, _label(self.target), self.target.path)
        if known is not None and self._settings.refresh != "always":
            await self._remember(known.key, cost, lazily=lazily)
            self.indexed_at = known.listed_at
            self._whole = known.listed_at is not None

    async def _refresh(
        self, report: Callable[[Progress], None], cost: Cost, *, lazily: bool = False, keep: bool = True
    ) -> None:
        with cost.stage("connect"):
            report(Progress("connect"))
            host = await self.connection.open()
        run = Refresh(
            host,
            self._store,
            self._parsers,
            Globs(self._settings.exclude),
            self._settings.max_file_size,
            report,
            self._grown,
            self._pulled,
            cost,
            parse=not lazily,
            keep=keep,
        )
        try:
            listing = await run.look(request_root(self.target))
            known = await self._known(listing, cost, lazily=lazily, keep=keep)
            self._last_look, self._narrow = 0, False
            tree = await run.run(listing, known, everything=self._settings.refresh == "always")
        except HostError:
            await self.connection.check()
            await self._show_partial()
            raise
        except asyncio.CancelledError:  # the user stopped it
            self._keep_partial()
            raise
        self._notes += listing.notes
        await self._name(tree.key)
        if lazily:
            await self._swap_lazily(tree)
        elif self._changed(known, tree) or self.index.shelf is not None or self.revision == 0:
            cost.parsed += await complete(tree, self._parsers, self._store)
            await self._swap(tree)
        self._tree, self._partial, self._whole, self.indexed_at = tree, None, True, time.time()

    async def _name(self, key: RootKey) -> None:
        """The target leads there from now on. Where others do as well, that is said the first time."""
        others = await asyncio.to_thread(self._store.name, key, _label(self.target), self.target.path)
        if others and self.target.address:
            names = ", ".join(f"{label}:{asked}" for label, asked in others)
            self._notes.append(f"the same folder of the same host is known as {names}: one cache for all")

    async def _known(self, listing: Listing, cost: Cost, *, lazily: bool, keep: bool) -> Tree:
        """What is known of the very root that was listed: a rebuilt host behind an old address is another one."""
        identity = self.connection.identity
        assert identity is not None
        key = RootKey(identity.kind, identity.host_key, identity.user, listing.root)
        if self._tree is None or self._tree.key != key:
            if self._tree is not None:
                self._notes.append(f"another host or folder answers than last time: {self.target}")
            await self._remember(key, cost, lazily=lazily, keep=keep)
        assert self._tree is not None
        return self._tree

    async def _remember(self, key: RootKey, cost: Cost, *, lazily: bool, keep: bool = True) -> None:
        asked = keep and self._settings.refresh != "always"
        known = await asyncio.to_thread(self._store.load, key) if asked else []
        self._tree = remembered(key, known)
        self._whole = False
        if known and not lazily:
            self._partial = self._tree
            await self._pulled(self._tree)
            cost.parsed += await complete(self._tree, self._parsers, self._store)
            await self._swap(self._tree)
            self._partial = None

    def _changed(self, before: Tree, after: Tree) -> bool:
        digests = [{path: file.digest for path, file in tree.files.items()} for tree in (before, after)]
        return (
            digests[0] != digests[1]
            or before.layout_files != after.layout_files
            or dict(self.index.unread) != after.unread
            or self.index.listed != after.listed
        )

    async def _grown(self, tree: Tree) -> None:
        """A first index is shown while it grows; one that is whole stays until the next is."""
        if self._whole:
            return
        self._partial = tree
        if self.listeners and len(tree.files) >= max(FIRST_LOOK, 2 * self._last_look):
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
        return replace(index, pins=self.index.pins, vocabulary=self.index.vocabulary)

    async def _swap_lazily(self, tree: Tree) -> None:
        index = await self._lazy_index(tree)
        if index is not None:
            self._put_in(index)
        else:
            await complete(tree, self._parsers, self._store)
            await self._swap(tree)

    def pin(self, pin: Pin) -> None:
        """From now on every answer takes the assumption for given, and says so; a refresh keeps it."""
        self._put_in(self.index.with_pin(pin))

    def take_pins(self, pins: tuple[Pin, ...]) -> None:
        """These assumptions, and no others."""
        if pins != self.index.pins:
            self._put_in(self.index.with_pins(pins))

    def _put_in(self, index: Index) -> None:
        self.index = index
        self.revision += 1
        for listener in self.listeners:
            listener()

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
        await asyncio.to_thread(self._store.close)


def _open_store() -> Store:
    """The cache in the user's own folder; in memory, with a note, where there is no place for one. Blocks."""
    try:
        return open_store(find_paths().cache)
    except ConfigError as error:
        store = open_store(None)
        store.note = f"what is read now is not kept: {error}"
        return store


def _empty(target: Target, settings: Settings) -> Index:
    return build_index(target.path, {}, {}, listed=0, unread={}, layout_files={}, source_roots=settings.source_roots)


def _label(target: Target) -> str:
    return str(target.address) if target.address else ""


def _reach(target: Target, settings: Settings) -> tuple[str, ...]:
    """The arguments with which the user's own `ssh` reaches the host."""
    if target.address is None:
        return ()
    ssh = settings.ssh
    options = [("-F", ssh.config_file), ("-p", target.address.port or ssh.port), ("-J", ssh.jump)]
    options += [("-i", name) for name in ssh.identity_files]
    user = f"{target.address.user}@" if target.address.user else ""
    words = [word for flag, value in options if value for word in (flag, str(value))]
    return (*words, f"{user}{target.address.host}")
