"""Owns how the values of the cache stand in the rows of its tables."""

from __future__ import annotations

import sqlite3

from sondage.store.planning import Stamp
from sondage.store.values import Entry, KnownRoot, Pulled, RootKey


def root_of(db: sqlite3.Connection, key: RootKey) -> int:
    """The number of a root; 0 for one that is not known."""
    query = "SELECT id FROM roots WHERE kind = ? AND host_key = ? AND user = ? AND path = ?"
    row = db.execute(query, (key.kind, key.host_key, key.user, key.root)).fetchone()
    return int(row[0]) if row else 0


def date(db: sqlite3.Connection, root: int, now: float, host_time_ns: int) -> None:
    """When a root was listed last."""
    db.execute("UPDATE roots SET listed_at = ?, host_time_ns = ? WHERE id = ?", (now, str(host_time_ns), root))


def known_root(row: tuple[str, str, str, bytes, float | None, str] | None) -> KnownRoot | None:
    """A row of `roots`: kind, host key, user, path and the two times."""
    if row is None:
        return None
    kind, host_key, user, path, listed_at, host_time_ns = row
    return KnownRoot(RootKey(kind, host_key, user, path), listed_at, int(host_time_ns))


def row_of(root: int, file: Entry | Pulled) -> tuple[int, bytes, str, int, bytes]:
    """As the tables `entries` and `aside` have it."""
    return root, file.path, _stamp_text(file.stamp), int(file.settled), bytes.fromhex(file.digest)


def _stamp_text(stamp: Stamp) -> str:
    """As text: a host may send numbers that no column of 64 bits holds."""
    return " ".join(map(str, stamp))


def stamp_of(text: str) -> Stamp:
    """The stamp that `row_of` has written."""
    size, mtime, ctime, inode = map(int, text.split(" "))
    return size, mtime, ctime, inode
