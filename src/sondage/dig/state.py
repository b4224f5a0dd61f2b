"""Owns what changes while a target is open: the connection, the index that is swapped in whole, the libraries read so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from sondage.config.paths import find_paths
from sondage.core.answers import IndexSummary, Progress
from sondage.core.classes.codebase import Pin
from sondage.core.search.globs import Globs
from sondage.core.source.facts import ClassScope, FunctionScope
from sondage.dig.checkout import Checkout, find_checkout
from sondage.dig.index import Index, build_index
from sondage.dig.libraries import Libraries, SearchPath, find_search_path
from sondage.dig.pipeline import Parsers
from sondage.dig.recorder import Recorder
from sondage.dig.refresh import Cost, Refresh, Tree, remembered, shown_path
from sondage.dig.settings import Settings
from sondage.errors import HostError
from sondage.hosts.base import Asker, Host, HostIdentity, Listing, Target
from sondage.hosts.local import LocalHost
from sondage.hosts.open import open_host, request_root
from sondage.journal import Journal, open_journal
from sondage.store import RootKey, Store, open_store

FIRST_LOOK = 24
"""Files after which a growing index is shown for the first time; then at each doubling, so that all looks together cost
no more than the last."""


class State:
    """One open target. Everything here runs on the event loop; work that takes long goes to threads and processes."""

    def __init__(self, target: Target, settings: Settings, asker: Asker | None, store: Store) -> None:
        self.target = target
        self.host: Host | None = None
        self.identity: HostIdentity | None = None
        self.index = _empty(target, settings)
        self.revision = 0
        self.indexed_at: float | None = None
        self.round_trip: float | None = None
        self.listeners: list[Callable[[], None]] = []
        self._settings = settings
        self._asker = asker
        self._store = store
        self._tree: Tree | None = None
        self._partial: Tree | None = None
        """What has arrived of a first pull that is under way, or broke off."""
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
        return cls(target, settings, asker, await asyncio.to_thread(open_store, find_paths().cache))

    def recorder(self, session: str | None) -> Recorder:
        """Raises `UsageError` for a name that cannot be a file's, `StoreError` where the transcript cannot be had."""
        folder = find_paths().transcripts
        journal = open_journal(folder, session) if session else Journal.in_memory("unnamed")
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
        if self.host is None:
            return None
        try:
            return await find_checkout(self.host, self.index.root.encode("utf-8", "surrogateescape"))
        except HostError as error:
            self._notes.append(f"the commit of the root could not be read: {error}")
            return None

    def take_notes(self) -> list[str]:
        notes, self._notes = [*self._notes, self._store.note], []
        self._store.note = ""
        return [note for note in notes if note]

    # ---- the index

    async def refresh(self, report: Callable[[Progress], None]) -> IndexSummary:
        """See `Dig.refresh`. Two at a time take turns."""
        async with self._turn:
            started = time.perf_counter()
            cost = Cost()
            if self._tree is None:
                await self._load()
            if self._settings.offline or self._settings.refresh == "never":
                cost.reused = len(self.index.facts)
            else:
                await self._refresh(report, cost)
            cost.seconds["total"] = time.perf_counter() - started
            report(Progress("done", len(self.index.facts), self.index.listed))
            return self._summary(cost)

    async def _load(self) -> None:
        """The index as the store has it from the last time, to answer from while the host is asked."""
        known = await asyncio.to_thread(self._store.last_known, _label(self.target), self.target.path)
        if known is not None and self._settings.refresh != "always":
            await self._remember(known.key)
            self.indexed_at = known.listed_at
            self._whole = known.listed_at is not None

    async def _refresh(self, report: Callable[[Progress], None], cost: Cost) -> None:
        with cost.stage("connect"):
            report(Progress("connect"))
            host = await self._connect()
        run = Refresh(
            host,
            self._store,
            self._parsers,
            Globs(self._settings.exclude),
            self._settings.max_file_size,
            report,
            self._grown,
            cost,
        )
        try:
            listing = await run.look(request_root(self.target))
            known = await self._known(listing)
            self._last_look = 0
            tree = await run.run(listing, known, everything=self._settings.refresh == "always")
        except HostError:
            await self._disconnect()
            await self._show_partial()
            raise
        self._notes += listing.notes
        await asyncio.to_thread(self._store.name, tree.key, _label(self.target), self.target.path)
        if self._changed(known, tree) or self.revision == 0:
            await self._swap(tree)
        self._tree, self._whole, self.indexed_at = tree, True, time.time()

    async def _connect(self) -> Host:
        if self.host is None:
            self.host = await open_host(self.target, self._settings.ssh, self._asker)
            self.identity = self.host.identity
        return self.host

    async def _disconnect(self) -> None:
        host, self.host, self._libraries = self.host, None, None
        if host is not None:
            await host.aclose()

    async def _known(self, listing: Listing) -> Tree:
        """What is known of the very root that was listed: a rebuilt host behind an old address is another one."""
        assert self.identity is not None
        key = RootKey(self.identity.kind, self.identity.host_key, self.identity.user, listing.root)
        if self._tree is None or self._tree.key != key:
            if self._tree is not None:
                self._notes.append(f"another host or folder answers than last time: {self.target}")
            await self._remember(key)
        assert self._tree is not None
        return self._tree

    async def _remember(self, key: RootKey) -> None:
        known = await asyncio.to_thread(self._store.load, key) if self._settings.refresh != "always" else []
        self._tree = await remembered(key, known, self._parsers, self._store)
        self._whole = False
        if known:
            await self._swap(self._tree)

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
        if self.listeners and len(tree.facts) >= max(FIRST_LOOK, 2 * self._last_look):
            self._last_look = len(tree.facts)
            await self._swap(tree)

    async def _show_partial(self) -> None:
        """What had arrived of a first pull stays in use: the next refresh fetches only the rest."""
        if self._partial is not None and not self._whole:
            self._tree = self._partial
            await self._swap(self._partial)

    async def _swap(self, tree: Tree) -> None:
        index = await asyncio.to_thread(
            build_index,
            shown_path(tree.key.root),
            dict(tree.files),
            dict(tree.facts),
            listed=tree.listed,
            unread=dict(tree.unread),
            layout_files=dict(tree.layout_files),
            source_roots=self._settings.source_roots,
        )
        self._put_in(replace(index, pins=self.index.pins))

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
            if self._libraries is None:
                self._libraries = await self._find_libraries()
            read = await self._libraries.read(modules)
        except HostError as error:
            self._notes.append(f"library folders could not be read: {error}")
            return False
        texts = {library.path: data for library, data in read}
        there = {library.module for library, _ in read}
        absent = [module for module in modules if module not in there]
        self._put_in(self.index.with_libraries(tuple(library for library, _ in read), texts, absent))
        return bool(read)

    async def _find_libraries(self) -> Libraries:
        root = self.index.root.encode("utf-8", "surrogateescape")
        if self.host is None:
            return Libraries(LocalHost(""), SearchPath((), None))
        return Libraries(self.host, await find_search_path(self.host, root))

    # ---- the end

    async def aclose(self) -> None:
        self._parsers.close()
        await self._disconnect()
        await asyncio.to_thread(self._store.close)

    def _summary(self, cost: Cost) -> IndexSummary:
        facts = self.index.facts.values()
        traffic = self.host.traffic if self.host else None
        return IndexSummary(
            root=self.index.root,
            files=len(self.index.facts),
            bytes=sum(len(file.data) for file in self.index.files.values()),
            lines=sum(one.lines for one in facts),
            classes=sum(isinstance(scope, ClassScope) for one in facts for scope in one.scopes),
            functions=sum(isinstance(scope, FunctionScope) for one in facts for scope in one.scopes),
            parsed=cost.parsed,
            reused=cost.reused,
            unreadable=tuple(f"{path}: {reason}" for path, reason in sorted(self.index.unread.items())),
            problems=tuple(
                f"{path}:{problem.line}: {problem.text}"
                for path in sorted(self.index.facts)
                for problem in self.index.facts[path].problems
            ),
            seconds={name: round(value, 4) for name, value in cost.seconds.items()},
            remote={
                "commands": traffic.commands if traffic else 0,
                "bytes_sent": traffic.bytes_sent if traffic else 0,
                "bytes_received": traffic.bytes_received if traffic else 0,
            },
            complete=self._whole and self.index.coverage.whole,
        )


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
