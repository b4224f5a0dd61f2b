"""Owns how the values of the cache stand in the rows of its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from msgspec import json

from sondage.store.database import transaction
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


def packed_of(db: sqlite3.Connection, key: RootKey, what: str, of: bytes) -> bytes | None:
    """What was learnt of a root, read in place: megabytes as the value of a column are copied once more.

    In one transaction, so that it is the very row that was found, whatever another process does meanwhile.
    """
    query = "SELECT rowid FROM learnt WHERE root = ? AND what = ? AND of = ?"
    with transaction(db, writing=False):
        row = db.execute(query, (root_of(db, key), what, of)).fetchone()
        if row is None:
            return None
        with db.blobopen("learnt", "packed", row[0], readonly=True) as packed:
            return packed.read()


def row_of(root: int, file: Entry | Pulled) -> tuple[int, bytes, str, int, bytes]:
    """As the tables `entries` and `aside` have it."""
    return root, file.path, _stamp_text(file.stamp), int(file.settled), bytes.fromhex(file.digest)


def _stamp_text(stamp: Stamp) -> str:
    """As text: a host may send numbers that no column of 64 bits holds."""
    return " ".join(map(str, stamp))


def stamps_of(texts: Iterable[str]) -> list[Stamp]:
    """The stamps that `row_of` has written; read as one, in a fifth of the time that it takes one by one."""
    together = "],[".join(texts).replace(" ", ",")
    return json.decode(f"[[{together}]]", type=list[tuple[int, int, int, int]]) if together else []
