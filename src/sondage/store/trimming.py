"""Owns what is taken out of the cache again, and how large it is.

Roots are forgotten at once. Contents that no root has any more go only while no other process has the cache open: it
may still read them by their digest, from an index that was loaded before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from sondage.core.source.facts import FACTS_VERSION
from sondage.store.database import transaction
from sondage.store.values import Sizes

_UNUSED = "digest NOT IN (SELECT digest FROM entries UNION ALL SELECT digest FROM aside UNION ALL SELECT digest FROM libraries)"


class Forgotten(msgspec.Struct, frozen=True):
    """How many roots and sources are gone, and how many sources are kept though no root has them."""

    roots: int
    sources: int
    kept: int


def forget(db: sqlite3.Connection, before: float | None, host: str | None, *, alone: bool) -> Forgotten:
    """Forgets the roots that were last used before a time, and those of one host (by the name it was reached by).

    `alone`: no other process has the cache open.
    """
    with transaction(db):
        roots = 0
        if before is not None:
            roots += db.execute("DELETE FROM roots WHERE used_at < ?", (before,)).rowcount
        if host is not None:
            roots += _forget_roots(db, _roots_of(db, host))
        if not alone:
            return Forgotten(roots, 0, _count(db, f"SELECT count(*) FROM sources WHERE {_UNUSED}"))
        sources = db.execute(f"DELETE FROM sources WHERE {_UNUSED}").rowcount
        db.execute(f"DELETE FROM facts WHERE {_UNUSED} OR version <> ?", (FACTS_VERSION,))
    return Forgotten(roots, sources, 0)


def give_back(db: sqlite3.Connection) -> None:
    """Gives the disk the room of what is gone, to the last byte. Where another process writes, the next trimming does."""
    with suppress(sqlite3.OperationalError):
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def sizes(db: sqlite3.Connection, disk: int) -> Sizes:
    """`disk` is what the files take, in bytes."""
    return Sizes(
        disk=disk,
        sources=_count(db, "SELECT coalesce(sum(length(packed)), 0) FROM sources"),
        facts=_count(db, "SELECT coalesce(sum(length(encoded)), 0) FROM facts"),
        roots=_count(db, "SELECT count(*) FROM roots"),
    )


def _roots_of(db: sqlite3.Connection, host: str) -> set[int]:
    names = db.execute("SELECT label, root FROM names").fetchall()
    return {root for label, root in names if host in (label, _bare_host(label))}


def _forget_roots(db: sqlite3.Connection, roots: Iterable[int]) -> int:
    return max(db.executemany("DELETE FROM roots WHERE id = ?", [(root,) for root in roots]).rowcount, 0)


def _count(db: sqlite3.Connection, query: str) -> int:
    return int(db.execute(query).fetchone()[0])


def _bare_host(label: str) -> str:
    """`box` for `user@box:2222`."""
    host = label.rpartition("@")[2]
    name, colon, port = host.rpartition(":")
    return name.strip("[]") if colon and port.isdigit() else host
