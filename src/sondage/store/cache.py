"""Owns the cache's questions and answers: what is known of a root, and how a refresh is kept.

What a refresh brings is put aside batch by batch, one transaction each, so that a broken-off one can be resumed; only
`finish`, which belongs to a complete listing, puts it in the place of what was known, in one transaction. Nothing here
raises because of the cache itself.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import zstandard

from sondage.core.source.facts import FACTS_VERSION
from sondage.errors import StoreError
from sondage.store.database import (
    FILE_NAME,
    NotOursError,
    connect,
    in_memory,
    is_damaged,
    reason,
    set_aside,
    transaction,
)
from sondage.store.presence import Presence
from sondage.store.rows import date, known_root, packed_of, root_of, row_of, stamps_of
from sondage.store.values import Entry, Freed, KnownFile, KnownLibrary, KnownRoot, Pulled, RootKey, Sizes

T = TypeVar("T")

_LEVEL = 3
"""Zstandard's own default: 0.1 s for 20 MB of Python, a quarter of its size; higher levels cost more than they save."""
_QUICK = -5
"""For what is read by every process that asks: twice the size of the default, and read in a third of its time."""
_DAY = 86_400.0


def open_store(folder: Path | None, *, clock: Callable[[], float] = time.time) -> Store:
    """The cache in a folder of the user's own (None: in memory). Never raises; `Store.note` says what went wrong."""
    if folder is None:
        return Store(in_memory(), None, clock)
    try:
        return Store(_open(folder), folder, clock)
    except (OSError, sqlite3.Error, StoreError) as error:
        store = Store(in_memory(folder / FILE_NAME), None, clock)
        store.note = f"the cache cannot be used, what is read now is not kept: {reason(error)}"
        return store


def _open(folder: Path) -> sqlite3.Connection:
    """The database, a new one where that which is there is useless."""
    try:
        return connect(folder)
    except NotOursError:
        set_aside(folder, 0)
    except sqlite3.Error as error:
        if not is_damaged(error):
            raise
        set_aside(folder, 0)
    return connect(folder)


class Store:
    """One open cache. Methods may be called from any thread, one at a time."""

    def __init__(self, connection: sqlite3.Connection, folder: Path | None, clock: Callable[[], float]) -> None:
        self.note = ""
        """What the user should hear once; empty while all is well."""
        self._connection = connection
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._inode = (folder / FILE_NAME).stat().st_ino if folder else 0
        self._presence = Presence(folder)

    @property
    def in_memory(self) -> bool:
        """True where nothing outlives this process."""
        return self._folder is None

    # ---- what is known

    def last_known(self, label: str, asked: str) -> KnownRoot | None:
        """The root that a target led to last time: `label` names the host, `asked` the path as the user wrote it."""
        query = "SELECT kind, host_key, user, path, listed_at, host_time_ns FROM roots JOIN names ON root = id"
        return self._do(
            lambda db: known_root(db.execute(f"{query} WHERE label = ? AND asked = ?", (label, asked)).fetchone())
        )

    def recent(self, limit: int) -> list[tuple[str, str, float | None]]:
        """The targets opened last, the demo left out.

        Each as the label of its host (empty: local), its path as it was asked for, and its last complete listing.
        """
        query = (
            "SELECT label, asked, listed_at FROM names JOIN roots ON root = id WHERE kind <> 'loopback'"
            " ORDER BY used_at DESC LIMIT ?"
        )
        return self._do(lambda db: [(label, asked, at) for label, asked, at in db.execute(query, (limit,))])

    def known(self, key: RootKey) -> KnownRoot | None:
        query = "SELECT kind, host_key, user, path, listed_at, host_time_ns FROM roots WHERE id = ?"
        return self._do(lambda db: known_root(db.execute(query, (root_of(db, key),)).fetchone()))

    def load(self, key: RootKey) -> list[KnownFile]:
        """Every file that is known of a root, in the order of paths; one with damaged bytes counts as not known."""
        query = (
            "SELECT path, stamp, settled, entries.digest, packed, encoded FROM entries"
            " JOIN sources ON sources.digest = entries.digest"
            " LEFT JOIN facts ON facts.digest = entries.digest AND version = ? WHERE root = ? ORDER BY path"
        )
        rows = self._do(lambda db: db.execute(query, (FACTS_VERSION, root_of(db, key))).fetchall())
        unpack = zstandard.ZstdDecompressor().decompress
        files = []
        for path, stamp, settled, digest, packed, encoded in rows:
            with suppress(zstandard.ZstdError, msgspec.DecodeError):
                (known,) = stamps_of([stamp])
                files.append(KnownFile(path, known, bool(settled), digest.hex(), unpack(packed), encoded))
        return files

    def entries(self, key: RootKey) -> list[Entry]:
        """What is known of each file of a root, in the order of paths, without a byte of source or facts being read.

        Only files whose source is in the cache: `sources` and `facts` then give their content by digest, some or all.
        """
        return self._entries("entries", key)

    def _entries(self, table: Literal["entries", "aside"], key: RootKey) -> list[Entry]:
        query = (
            f"SELECT path, stamp, settled, digest FROM {table}"
            f" WHERE root = ? AND EXISTS (SELECT 1 FROM sources WHERE sources.digest = {table}.digest) ORDER BY path"
        )
        rows = self._do(lambda db: db.execute(query, (root_of(db, key),)).fetchall())
        stamps = stamps_of(stamp for _, stamp, *_ in rows)
        return [
            Entry(path, stamp, bool(settled), digest.hex())
            for stamp, (path, _, settled, digest) in zip(stamps, rows, strict=True)
        ]

    def facts(self, digests: Iterable[str]) -> dict[str, bytes]:
        """The encoded facts of those contents whose facts are known, whatever root they came from."""
        wanted = [bytes.fromhex(digest) for digest in digests]
        found: dict[str, bytes] = {}
        query = "SELECT encoded FROM facts WHERE digest = ? AND version = ?"

        def work(db: sqlite3.Connection) -> None:
            for digest in wanted:
                row = db.execute(query, (digest, FACTS_VERSION)).fetchone()
                if row:
                    found[digest.hex()] = row[0]

        self._do(work)
        return found

    def sources(self, digests: Iterable[str]) -> dict[str, bytes]:
        """The bytes of those contents that are known, whatever root has them, or none any more. Damaged ones are forgotten."""
        wanted = [bytes.fromhex(digest) for digest in digests]
        query = "SELECT packed FROM sources WHERE digest = ?"
        packed: dict[bytes, bytes] = {}

        def work(db: sqlite3.Connection) -> None:
            for digest in wanted:
                row = db.execute(query, (digest,)).fetchone()
                if row:
                    packed[digest] = row[0]

        self._do(work)
        unpack = zstandard.ZstdDecompressor().decompress
        found: dict[str, bytes] = {}
        for digest, data in packed.items():
            with suppress(zstandard.ZstdError):
                found[digest.hex()] = unpack(data)
        damaged = [(digest,) for digest in packed if digest.hex() not in found]
        if damaged:
            self._do(lambda db: db.executemany("DELETE FROM sources WHERE digest = ?", damaged))
        return found

    def source(self, digest: str) -> bytes | None:
        """The bytes of one content."""
        return self.sources([digest]).get(digest)

    # ---- keeping a refresh

    def name(self, key: RootKey, label: str, asked: str) -> list[tuple[str, str]]:
        """Remembers where a target led, for the next time the host cannot be reached.

        Where it led there for the first time: the other targets that lead there, each as `label` and `asked`.
        """

        def work(db: sqlite3.Connection) -> list[tuple[str, str]]:
            with transaction(db):
                root = self._touch(db, key)
                known = set(db.execute("SELECT label, asked FROM names WHERE root = ?", (root,)))
                db.execute("INSERT OR REPLACE INTO names VALUES (?, ?, ?)", (label, asked, root))
                return [] if (label, asked) in known else sorted(known)

        return self._do(work)

    def put(self, key: RootKey, files: Sequence[Pulled]) -> None:
        """Puts a batch of a refresh aside, in one transaction; what was known of the root stays until `finish`."""
        pack = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress
        sources = [(bytes.fromhex(one.digest), pack(one.source)) for one in files if one.source is not None]
        facts = [(bytes.fromhex(one.digest), FACTS_VERSION, one.facts) for one in files if one.facts is not None]

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                root = self._touch(db, key)
                db.executemany("INSERT OR IGNORE INTO sources VALUES (?, ?)", sources)
                db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", facts)
                db.executemany("INSERT OR REPLACE INTO aside VALUES (?, ?, ?, ?, ?)", [row_of(root, f) for f in files])

        self._do(work)

    def put_facts(self, facts: Mapping[str, bytes]) -> None:
        """Encoded facts of contents that are known, by digest."""
        rows = [(bytes.fromhex(digest), FACTS_VERSION, encoded) for digest, encoded in facts.items()]

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", rows)

        self._do(work)

    def aside(self, key: RootKey) -> list[Entry]:
        """What a refresh has put aside that broke off: those of its files that did not change since need not be pulled."""
        return self._entries("aside", key)

    def finish(self, key: RootKey, files: Iterable[Entry | Pulled], host_time_ns: int) -> None:
        """A listing was complete and all of it is kept: from now on exactly these files are known of the root.

        In one transaction, whatever another process has put aside or finished meanwhile.
        """

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                root = self._touch(db, key)
                rows = {row_of(root, file) for file in files}
                known = set(db.execute("SELECT * FROM entries WHERE root = ?", (root,)))
                gone = [row[:2] for row in known - rows]
                db.executemany("DELETE FROM entries WHERE root = ? AND path = ?", gone)
                db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", rows - known)
                db.execute("DELETE FROM aside WHERE root = ?", (root,))
                date(db, root, self._clock(), host_time_ns)

        self._do(work)

    def seen(self, key: RootKey, host_time_ns: int) -> None:
        """A listing was complete and showed just what is known of the root."""

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                date(db, self._touch(db, key), self._clock(), host_time_ns)

        self._do(work)

    # ---- what was worked out about a whole tree

    def learnt(self, key: RootKey, what: str, of: bytes) -> bytes | None:
        """What was worked out about a root, where it was about the very `of`: None otherwise, and where it is damaged."""
        packed = self._do(lambda db: packed_of(db, key, what, of))
        with suppress(zstandard.ZstdError):
            return zstandard.ZstdDecompressor().decompress(packed) if packed else None
        return None

    def put_learnt(self, key: RootKey, what: str, of: bytes, data: bytes) -> None:
        """Keeps it in the place of what was worked out of the kind before. `of` says by whom and from what."""
        packed = zstandard.ZstdCompressor(level=_QUICK, write_checksum=True).compress(data)

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                root = self._touch(db, key)
                db.execute("INSERT OR REPLACE INTO learnt VALUES (?, ?, ?, ?)", (root, what, of, packed))

        self._do(work)

    # ---- library files of the host, outside the root

    def put_libraries(self, key: RootKey, files: Sequence[KnownLibrary]) -> None:
        """Keeps library files that questions about a root have led to, those of before replaced module by module."""
        pack = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress
        sources = [(bytes.fromhex(one.digest), pack(one.source)) for one in files]
        facts = [(bytes.fromhex(one.digest), FACTS_VERSION, one.facts) for one in files if one.facts is not None]

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                root = self._touch(db, key)
                rows = [(root, one.module, one.path, bytes.fromhex(one.digest)) for one in files]
                db.executemany("INSERT OR IGNORE INTO sources VALUES (?, ?)", sources)
                db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", facts)
                db.executemany("INSERT OR REPLACE INTO libraries VALUES (?, ?, ?, ?)", rows)

        self._do(work)

    def libraries(self, key: RootKey) -> list[KnownLibrary]:
        """The library files that were read for a root, in the order of modules."""
        query = (
            "SELECT module, path, libraries.digest, packed, encoded FROM libraries"
            " JOIN sources ON sources.digest = libraries.digest"
            " LEFT JOIN facts ON facts.digest = libraries.digest AND version = ? WHERE root = ? ORDER BY module"
        )
        rows = self._do(lambda db: db.execute(query, (FACTS_VERSION, root_of(db, key))).fetchall())
        unpack = zstandard.ZstdDecompressor().decompress
        files = []
        for module, path, digest, packed, encoded in rows:
            with suppress(zstandard.ZstdError):
                files.append(KnownLibrary(module, path, digest.hex(), unpack(packed), encoded))
        return files

    # ---- looking after it

    def sizes(self) -> Sizes:
        from sondage.store import trimming  # noqa: PLC0415  seldom asked for

        disk = self._on_disk()
        return self._do(lambda db: trimming.sizes(db, disk))

    def gc(self, *, older_than_days: float | None = None, host: str | None = None) -> Freed:
        """Forgets roots not used for so long, and all of one host (by the name it was reached by); then leftovers."""
        from sondage.store import trimming  # noqa: PLC0415  as above

        before = self._on_disk()
        limit = None if older_than_days is None else self._clock() - older_than_days * _DAY
        with self._presence.alone() as alone:
            gone = self._do(lambda db: trimming.forget(db, limit, host, alone=alone))
        if alone:
            self._do(trimming.give_back)
        return Freed(gone.roots, gone.sources, max(before - self._on_disk(), 0), gone.kept)

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            self._connection.close()
        self._presence.end()

    # ---- inside

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Runs one piece of work; when the database fails, the same work again on one that does not."""
        with self._lock:
            for remedy in (self._replace, self._start_afresh):
                try:
                    return work(self._connection)
                except sqlite3.ProgrammingError:
                    raise  # used after it was closed: nothing to do with the file
                except sqlite3.Error as error:
                    remedy(error)
            return work(self._connection)

    def _start_afresh(self, error: sqlite3.Error) -> None:
        self.note = f"the cache cannot be used, what is read now is not kept: {reason(error)}"
        self._connection.close()
        self._connection = in_memory()
        self._folder = None

    def _replace(self, error: sqlite3.Error) -> None:
        """A damaged file by a new one; one that cannot be written by a copy in memory."""
        folder = self._folder
        if folder is None:
            return self._start_afresh(error)
        self._connection.close()
        if not is_damaged(error):
            self.note = f"the cache cannot be written, what is read now is not kept: {reason(error)}"
            self._connection = in_memory(folder / FILE_NAME)
            self._folder = None
            return None
        try:
            set_aside(folder, self._inode)
            self._connection = connect(folder)
        except (OSError, sqlite3.Error, StoreError, NotOursError):
            return self._start_afresh(error)
        self._inode = (folder / FILE_NAME).stat().st_ino
        self.note = "the cache was damaged and is built anew"
        return None

    def _touch(self, db: sqlite3.Connection, key: RootKey) -> int:
        """The number of a root, made if it is new; it counts as used now."""
        values = (key.kind, key.host_key, key.user, key.root, self._clock())
        query = (
            "INSERT INTO roots (kind, host_key, user, path, used_at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET used_at = excluded.used_at RETURNING id"
        )
        return int(db.execute(query, values).fetchone()[0])

    def _on_disk(self) -> int:
        if self._folder is None:
            return 0
        return sum(path.stat().st_size for path in self._folder.iterdir() if path.is_file())
