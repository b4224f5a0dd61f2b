"""Owns what a listing means for what is known: which files to fetch, which to keep, which are gone. No I/O here.

A file counts as untouched when its stamp is the same and could be trusted when it was taken. A file that changed in the
moments before it was listed may change again without its stamp showing it (git's `racy-git`): such a stamp is not
trusted, and the file is fetched again next time. Only times of the host's own clock are compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec

Stamp: TypeAlias = tuple[int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds by the host's clock, inode; ctime and inode are 0 where unknown."""

_RACY_NS = 2_000_000_000
"""Two seconds: the coarsest times in use, those of FAT and of some network file systems."""


class Plan(msgspec.Struct, frozen=True):
    """`fetch` and `keep` in the order of the listing; `drop` are known paths that are listed no more."""

    fetch: tuple[bytes, ...]
    keep: tuple[bytes, ...]
    drop: tuple[bytes, ...]


def plan(listing: Iterable[tuple[bytes, Stamp]], known: Mapping[bytes, tuple[Stamp, bool]]) -> Plan:
    """`listing` gives path and stamp of every file there is; `known` the stamp of before and whether it was settled."""
    fetch: list[bytes] = []
    keep: list[bytes] = []
    listed = set()
    for path, stamp in listing:
        listed.add(path)
        (keep if known.get(path) == (stamp, True) else fetch).append(path)
    return Plan(tuple(fetch), tuple(keep), tuple(path for path in known if path not in listed))


def clock_of(host_time_ns: int, stamps: Iterable[Stamp]) -> int:
    """The host's clock when it listed; where the transport cannot tell, the newest change it showed.

    The clock was at least that late then, unless somebody set an mtime ahead of it.
    """
    return host_time_ns or max((ctime or mtime for _, mtime, ctime, _ in stamps), default=0)


def is_settled(stamp: Stamp, host_time_ns: int) -> bool:
    """False where the file changed so shortly before the listing (at `host_time_ns`) that its stamp proves nothing.

    The last change is the ctime, which nobody can set; without one it is the mtime. An mtime set ahead of the clock
    says nothing either way. With an unknown clock (0) no stamp is settled: see `clock_of`.
    """
    _, mtime, ctime, _ = stamp
    last_change = ctime or mtime
    near = abs(mtime - host_time_ns) <= _RACY_NS
    return host_time_ns != 0 and not near and last_change < host_time_ns - _RACY_NS
