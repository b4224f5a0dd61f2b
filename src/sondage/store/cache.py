"""Owns the cache's questions and answers: what is known of a root, and how a refresh is kept.

A refresh is kept batch by batch, one transaction each, so that a broken-off one can be resumed; what is gone from the
host is only dropped by `finish`, which belongs to a complete listing. Nothing here raises because of the cache itself.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

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
from sondage.store.planning import Stamp
from sondage.store.values import Freed, KnownFile, KnownRoot, Pulled, RootKey

T = TypeVar("T")

_LEVEL = 3
"""Zstandard's own default: 0.1 s for 20 MB of Python, a quarter of its size; higher levels cost more than they save."""
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

    @property
    def in_memory(self) -> bool:
        """True where nothing outlives this process."""
        return self._folder is None

    # ---- what is known

    def last_known(self, label: str, asked: str) -> KnownRoot | None:
        """The root that a target led to last time: `label` names the host, `asked` the path as the user wrote it."""
        query = "SELECT kind, host_key, user, path, listed_at, host_time_ns FROM roots JOIN names ON root = id"
        return self._do(
            lambda db: _known(db.execute(f"{query} WHERE label = ? AND asked = ?", (label, asked)).fetchone())
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
        return self._do(lambda db: _known(db.execute(query, (_root(db, key),)).fetchone()))

    def load(self, key: RootKey) -> list[KnownFile]:
        """Every file that is known of a root, in the order of paths; one with damaged bytes counts as not known."""
        query = (
            "SELECT path, stamp, settled, entries.digest, packed, encoded FROM entries"
            " JOIN sources ON sources.digest = entries.digest"
            " LEFT JOIN facts ON facts.digest = entries.digest AND version = ? WHERE root = ? ORDER BY path"
        )
        rows = self._do(lambda db: db.execute(query, (FACTS_VERSION, _root(db, key))).fetchall())
        unpack = zstandard.ZstdDecompressor().decompress
        files = []
        for path, stamp, settled, digest, packed, encoded in rows:
            with suppress(zstandard.ZstdError, ValueError):
                files.append(KnownFile(path, _stamp(stamp), bool(settled), digest.hex(), unpack(packed), encoded))
        return files

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

    def source(self, digest: str) -> bytes | None:
        """The bytes of a content, also of one that no root has any more."""
        query = "SELECT packed FROM sources WHERE digest = ?"
        row = self._do(lambda db: db.execute(query, (bytes.fromhex(digest),)).fetchone())
        with suppress(zstandard.ZstdError):
            return zstandard.ZstdDecompressor().decompress(row[0]) if row else None
        return None

    # ---- keeping a refresh

    def name(self, key: RootKey, label: str, asked: str) -> None:
        """Remembers where a target led, for the next time the host cannot be reached."""

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                db.execute("INSERT OR REPLACE INTO names VALUES (?, ?, ?)", (label, asked, self._touch(db, key)))

        self._do(work)

    def put(self, key: RootKey, files: Sequence[Pulled]) -> None:
        """Keeps a batch in one transaction; files of before are replaced path by path.

        With new sources among them the root counts as not completely listed until `finish`: it is old and new mixed.
        """
        pack = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress
        sources = [(bytes.fromhex(one.digest), pack(one.source)) for one in files if one.source is not None]
        facts = [(bytes.fromhex(one.digest), FACTS_VERSION, one.facts) for one in files if one.facts is not None]

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                root = self._touch(db, key)
                rows = [(root, f.path, _stamp_text(f.stamp), f.settled, bytes.fromhex(f.digest)) for f in files]
                db.executemany("INSERT OR IGNORE INTO sources VALUES (?, ?)", sources)
                db.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", facts)
                db.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?)", rows)
                if sources:
                    db.execute("UPDATE roots SET listed_at = NULL WHERE id = ?", (root,))

        self._do(work)

    def finish(self, key: RootKey, paths: Iterable[bytes], host_time_ns: int) -> None:
        """A listing was complete and everything in it is kept: `paths` are all there are, the others are dropped."""
        present = set(paths)

        def work(db: sqlite3.Connection) -> None:
            with transaction(db):
                root = self._touch(db, key)
                known = db.execute("SELECT path FROM entries WHERE root = ?", (root,)).fetchall()
                gone = [(root, path) for (path,) in known if path not in present]
                db.executemany("DELETE FROM entries WHERE root = ? AND path = ?", gone)
                times = (self._clock(), str(host_time_ns), root)
                db.execute("UPDATE roots SET listed_at = ?, host_time_ns = ? WHERE id = ?", times)

        self._do(work)

    # ---- looking after it

    def sizes(self) -> dict[str, int]:
        """In bytes: the files on `disk`, the packed `sources`, the `facts`; and how many `roots` there are."""
        queries = {
            "sources": "SELECT coalesce(sum(length(packed)), 0) FROM sources",
            "facts": "SELECT coalesce(sum(length(encoded)), 0) FROM facts",
            "roots": "SELECT count(*) FROM roots",
        }
        found = self._do(lambda db: {name: int(db.execute(query).fetchone()[0]) for name, query in queries.items()})
        return {"disk": self._on_disk(), **found}

    def gc(self, *, older_than_days: float | None = None, host: str | None = None) -> Freed:
        """Forgets roots not used for so long, and all of one host (by the name it was reached by); then leftovers."""
        before = self._on_disk()
        limit = None if older_than_days is None else self._clock() - older_than_days * _DAY

        def work(db: sqlite3.Connection) -> tuple[int, int]:
            with transaction(db):
                roots = 0
                if limit is not None:
                    roots += db.execute("DELETE FROM roots WHERE used_at < ?", (limit,)).rowcount
                if host is not None:
                    names = db.execute("SELECT label, root FROM names").fetchall()
                    wanted = {root for label, root in names if host in (label, _bare_host(label))}
                    roots += db.executemany("DELETE FROM roots WHERE id = ?", [(root,) for root in wanted]).rowcount
                unused = "DELETE FROM {} WHERE digest NOT IN (SELECT digest FROM entries)"
                sources = db.execute(unused.format("sources")).rowcount
                db.execute(unused.format("facts"))
                db.execute("DELETE FROM facts WHERE version <> ?", (FACTS_VERSION,))
            with suppress(sqlite3.OperationalError):  # another process reads: the space is given back next time
                db.execute("VACUUM")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return max(roots, 0), sources

        roots, sources = self._do(work)
        return Freed(roots, sources, max(before - self._on_disk(), 0))

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            self._connection.close()

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


def _root(db: sqlite3.Connection, key: RootKey) -> int:
    query = "SELECT id FROM roots WHERE kind = ? AND host_key = ? AND user = ? AND path = ?"
    row = db.execute(query, (key.kind, key.host_key, key.user, key.root)).fetchone()
    return int(row[0]) if row else 0


def _known(row: tuple[str, str, str, bytes, float | None, str] | None) -> KnownRoot | None:
    if row is None:
        return None
    kind, host_key, user, path, listed_at, host_time_ns = row
    return KnownRoot(RootKey(kind, host_key, user, path), listed_at, int(host_time_ns))


def _stamp_text(stamp: Stamp) -> str:
    """As text: a host may send numbers that no column of 64 bits holds."""
    return " ".join(map(str, stamp))


def _stamp(text: str) -> Stamp:
    size, mtime, ctime, inode = map(int, text.split(" "))
    return size, mtime, ctime, inode


def _bare_host(label: str) -> str:
    """`box` for `user@box:2222`."""
    host = label.rpartition("@")[2]
    name, colon, port = host.rpartition(":")
    return name.strip("[]") if colon and port.isdigit() else host
