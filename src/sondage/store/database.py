"""Owns the database file: making it, setting a damaged one aside, and doing without it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from sondage.errors import StoreError
from sondage.private import make_private_folder, open_private

SCHEMA = 3
"""Raised when a table changes. It is part of the file's name: versions of sondage leave each other's cache alone."""
FILE_NAME = f"cache-{SCHEMA}.sqlite3"
_APPLICATION = 0x736F6E64
"""`sond`: says whose database it is, for `file` and for us."""
_BUSY_SECONDS = 5.0
"""Longest wait for another process; a batch takes milliseconds."""
_MOST_IN_MEMORY = 256 * 1024 * 1024
"""Bytes of a cache that is copied into memory when it can only be read."""

_TABLES = """
CREATE TABLE IF NOT EXISTS roots (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, host_key TEXT NOT NULL, user TEXT NOT NULL, path BLOB NOT NULL,
    listed_at REAL, host_time_ns TEXT NOT NULL DEFAULT '0', used_at REAL NOT NULL,
    UNIQUE (kind, host_key, user, path));
CREATE TABLE IF NOT EXISTS names (
    label TEXT NOT NULL, asked TEXT NOT NULL, root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE,
    PRIMARY KEY (label, asked));
CREATE TABLE IF NOT EXISTS entries (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE, path BLOB NOT NULL, stamp TEXT NOT NULL,
    settled INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entries_by_digest ON entries (digest);
CREATE TABLE IF NOT EXISTS aside (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE, path BLOB NOT NULL, stamp TEXT NOT NULL,
    settled INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (root, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS libraries (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE, module TEXT NOT NULL, path BLOB NOT NULL,
    digest BLOB NOT NULL, PRIMARY KEY (root, module)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS learnt (
    root INTEGER NOT NULL REFERENCES roots (id) ON DELETE CASCADE, what TEXT NOT NULL, of BLOB NOT NULL,
    packed BLOB NOT NULL, PRIMARY KEY (root, what));
CREATE TABLE IF NOT EXISTS sources (digest BLOB PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS facts (
    digest BLOB NOT NULL, version INTEGER NOT NULL, encoded BLOB NOT NULL, PRIMARY KEY (digest, version));
"""


class NotOursError(Exception):
    """The file is a database, but not one of this schema."""


def connect(folder: Path) -> sqlite3.Connection:
    """The database in a folder, made if it is missing.

    Raises StoreError where there can be no file, `sqlite3.Error` or NotOursError where it cannot be used.
    """
    make_private_folder(folder)
    path = folder / FILE_NAME
    os.close(open_private(path, os.O_RDWR | os.O_CREAT))
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def in_memory(copy_of: Path | None = None) -> sqlite3.Connection:
    """A database that nobody else sees; with the content of a file, as far as that can be read."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if copy_of is not None:
        with suppress(OSError, sqlite3.Error):
            _copy(copy_of, connection)
    try:
        _prepare(connection)
    except (sqlite3.Error, NotOursError):
        connection.close()
        return in_memory()
    return connection


def _copy(path: Path, connection: sqlite3.Connection) -> None:
    """Read as a file that nobody changes: where the folder is read-only, SQLite could not even lock it."""
    if path.stat().st_size <= _MOST_IN_MEMORY:
        uri = f"file:{quote(os.fsencode(path))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as source:
            source.backup(connection)


def set_aside(folder: Path, opened: int) -> None:
    """Moves a useless database out of the way, unless another process has done so already.

    `opened` is the inode of the file that proved useless; 0 for whichever is there. Raises StoreError or OSError.
    """
    path = folder / FILE_NAME
    with _alone(folder):
        if path.exists() and opened in (0, path.stat().st_ino):
            for suffix in ("-wal", "-shm"):
                path.with_name(FILE_NAME + suffix).unlink(missing_ok=True)
            path.replace(path.with_name(FILE_NAME + ".broken"))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    descriptor = open_private(folder / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    with transaction(connection):
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and (version, application) != (SCHEMA, _APPLICATION):
            raise NotOursError
        if not tables:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")


@contextmanager
def transaction(connection: sqlite3.Connection, *, writing: bool = True) -> Iterator[None]:
    """All of it, or nothing; waits for other writers first. Not `writing`: all that is read is of one moment."""
    connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def is_damaged(error: sqlite3.Error) -> bool:
    """True where the file itself is wrong, not the disk under it or another process."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def reason(error: Exception) -> str:
    """What to tell the user about a database that cannot be used."""
    if isinstance(error, StoreError):
        return str(error)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
