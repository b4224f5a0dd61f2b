"""Owns the values that the cache takes and gives: whose tree it is, and its files as they were pulled."""

from __future__ import annotations

import msgspec

from sondage.store.planning import Stamp


class RootKey(msgspec.Struct, frozen=True):
    """Whose tree it is. A host is its key, not its address: a rebuilt box behind an old address is another host."""

    kind: str
    """`local`, `ssh` or `loopback`."""
    host_key: str
    """`SHA256:…`; empty for a local folder."""
    user: str
    root: bytes
    """Absolute, as the host resolved it."""


class KnownRoot(msgspec.Struct, frozen=True):
    """What is known of a root without its files. Times are None and 0 while no listing of it has been complete."""

    key: RootKey
    listed_at: float | None
    """Seconds since 1970 by this machine's clock, of the last complete listing."""
    host_time_ns: int
    """The same moment by the host's clock; 0 where it was unknown."""


class Entry(msgspec.Struct, frozen=True):
    """A file of a listing, and what it held."""

    path: bytes
    stamp: Stamp
    settled: bool
    digest: str
    """SHA-256 of its source, in hex."""


class KnownLibrary(msgspec.Struct, frozen=True):
    """A file of the host's Python library folders as it was last read. `path` is absolute; `facts` as in `KnownFile`."""

    module: str
    path: bytes
    digest: str
    source: bytes
    facts: bytes | None


class KnownFile(msgspec.Struct, frozen=True):
    """A file as it was last pulled. `facts` is None where those stored are of another version, or missing."""

    path: bytes
    stamp: Stamp
    settled: bool
    digest: str
    """SHA-256 of `source`, in hex."""
    source: bytes
    facts: bytes | None


class Pulled(msgspec.Struct, frozen=True):
    """A file to be kept. `source` and `facts` may be None where the cache has them already, under the digest."""

    path: bytes
    stamp: Stamp
    settled: bool
    digest: str
    source: bytes | None
    facts: bytes | None


class Freed(msgspec.Struct, frozen=True):
    """What trimming took away: roots, sources, and bytes on disk.

    `kept` are sources that no root has any more but another process may still read; the next trimming takes them.
    """

    roots: int
    sources: int
    bytes: int
    kept: int = 0


class Sizes(msgspec.Struct, frozen=True):
    """In bytes: the cache's files on `disk`, the packed `sources` and the encoded `facts` in them; how many `roots`."""

    disk: int
    sources: int
    facts: int
    roots: int
