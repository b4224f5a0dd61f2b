"""Owns what a host was found to hold below a root, and which of it is listed: `Found` → `Listing`, the same for every host."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from functools import lru_cache
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from sondage.errors import TransferError
from sondage.hosts.base import INSTALLED, Listing, ListRequest, RemoteFile
from sondage.hosts.names import below

_DIRECTORY, _REGULAR, _KIND = 0o040000, 0o100000, 0o170000

Stamp = tuple[int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds since 1970, inode: `RemoteFile.stamp`."""


class Link(msgspec.Struct, frozen=True):
    """A symbolic link below the root. `real` is absolute, and empty where the link leads nowhere."""

    path: bytes
    real: bytes = b""
    kind: str = "other"
    """What it leads to: `folder`, `file`, `other`."""
    stamp: Stamp = (0, 0, 0, 0)


class Found(msgspec.Struct):
    """Everything a host showed below a root, not judged yet."""

    root: bytes
    files: list[RemoteFile] = msgspec.field(default_factory=list)
    links: list[Link] = msgspec.field(default_factory=list)
    unreadable: int = 0
    suspicious: int = 0
    host_time_ns: int = 0
    is_environment: bool = False
    """Whether the root is one, see `inside_environment`."""
    noise: int = 0
    """Bytes that came ahead of the answer and were no part of it."""
    notes: list[str] = msgspec.field(default_factory=list)


class Judged(msgspec.Struct, frozen=True):
    """`sources` says for files that are listed by the name of a link which absolute path they are read from."""

    listing: Listing
    sources: dict[bytes, bytes]


def judge(found: Found, request: ListRequest) -> Judged:
    """Each real file once. A link that stays inside the root adds a file only where no other name of it is listed.

    Raises TransferError when the tree is larger than was asked for: a part of it is never shown as the whole.
    """
    files = {file.path: file for file in found.files}
    suspicious = found.suspicious + len(found.files) - len(files)
    sources: dict[bytes, bytes] = {}
    unfollowed: list[bytes] = []
    for link in sorted(found.links, key=lambda link: link.path):
        if not _is_asked_for(link, request):
            continue
        real = below(found.root, link.real) if link.real else None
        if real is None or _is_pruned(real, request, folder=link.kind == "folder") or link.kind == "other":
            unfollowed.append(link.path)
        elif link.kind == "file" and real not in files:
            if link.real in sources.values():
                unfollowed.append(link.path)
            else:
                files[link.path] = RemoteFile(link.path, *link.stamp)
                sources[link.path] = link.real
    check_count(len(files), request)
    ordered = [files[path] for path in sorted(files)]
    check_size(sum(file.size for file in ordered if file.size <= request.max_file_size), request)
    listing = Listing(
        root=found.root,
        files=tuple(file for file in ordered if file.size <= request.max_file_size),
        links=tuple(unfollowed),
        too_large=tuple(file for file in ordered if file.size > request.max_file_size),
        unreadable=found.unreadable,
        suspicious=suspicious,
        host_time_ns=found.host_time_ns,
        notes=tuple(found.notes),
    )
    return Judged(listing, sources)


def matches(path: bytes, patterns: Iterable[bytes]) -> bool:
    """Whether the last component of `path` is one of the file-name patterns."""
    return bool(matcher(tuple(patterns))(path.rsplit(b"/", 1)[-1]))


Matcher: TypeAlias = Callable[[bytes], object]
"""Whether a file name matches: something true, or not."""


@lru_cache(maxsize=64)
def matcher(patterns: tuple[bytes, ...]) -> Matcher:
    """All patterns in one: each name of a tree is held against them."""
    if not any(sign in pattern for pattern in patterns for sign in (b"*", b"?", b"[")):
        return frozenset(patterns).__contains__
    either = "|".join(translate(pattern.decode("latin-1")) for pattern in patterns) or r"(?!)"
    return re.compile(either.encode("latin-1")).match


def check_count(count: int, request: ListRequest) -> None:
    if count > request.max_files:
        where = request.root.decode("utf-8", "backslashreplace")
        raise TransferError(f"more than {request.max_files} files", where, "choose a folder further down")


def check_size(size: int, request: ListRequest) -> None:
    if size > request.max_bytes:
        where = request.root.decode("utf-8", "backslashreplace")
        raise TransferError(
            f"more than {request.max_bytes >> 20} MiB of sources", where, "choose a folder further down"
        )


def inside_environment(request: ListRequest) -> ListRequest:
    """The same of a root that is an environment itself: what is installed there is what somebody wants to read."""
    return replace(request, prune=tuple(name for name in request.prune if name not in INSTALLED))


def _is_asked_for(link: Link, request: ListRequest) -> bool:
    name = link.path.rsplit(b"/", 1)[-1]
    return not matches(name, request.prune) and (link.kind == "folder" or matches(link.path, request.patterns))


def _is_pruned(real: bytes, request: ListRequest, *, folder: bool) -> bool:
    """A pruned folder is not entered through a link either; a single file of it may be asked for by a link."""
    return folder and any(matches(part, request.prune) for part in real.split(b"/"))


def link_kind(mode: int) -> str:
    """What a link leads to, by the `st_mode` of its target (POSIX sys/stat.h)."""
    return {_DIRECTORY: "folder", _REGULAR: "file"}.get(mode & _KIND, "other")
