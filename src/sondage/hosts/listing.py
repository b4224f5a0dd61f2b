"""Owns what a host's account of its tree means: from the bytes of the answer, or from raw entries, to a `Listing`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from fnmatch import translate
from functools import lru_cache

from sondage.core.frozen import dataclass
from sondage.errors import HostError, TransferError
from sondage.hosts.base import INSTALLED, Listing, ListRequest, RemoteFile
from sondage.hosts.commands import request_line
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Steps, Waiting, begin
from sondage.hosts.names import LONGEST_PATH, below, is_relative

RECORD_LIMIT = LONGEST_PATH + 256
SEPARATORS = {b"gnu": b"\0", b"stat": b"//\n", b"bsd": b"//\n"}
_UNUSABLE = {b"absent": "no such folder", b"closed": "folder may not be entered", b"file": "not a folder"}
_END = re.compile(rb"e(\d{1,3}) \s*(\d{1,9})\s+(\S+)\Z")
_TIME = rb"(-?\d{1,19})(?:\.(\d{1,12}))?"
_STAMP = rb"(\d{1,20}) " + _TIME + b" " + _TIME + rb" (\d{1,20})"
_FILE = re.compile(b"f" + _STAMP + rb" (.+)\Z", re.DOTALL)
_TARGET = re.compile(_STAMP + rb" ([0-9a-f]{1,8})\Z")
_DIRECTORY, _REGULAR, _KIND = 0o040000, 0o100000, 0o170000

Stamp = tuple[int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds since 1970, inode: `RemoteFile.stamp`."""


@dataclass(frozen=True)
class Link:
    """A symbolic link below the root. `real` is absolute, and empty where the link leads nowhere."""

    path: bytes
    real: bytes = b""
    kind: str = "other"
    """What it leads to: `folder`, `file`, `other`."""
    stamp: Stamp = (0, 0, 0, 0)


@dataclass
class Found:
    """Everything a host showed below a root, not judged yet."""

    root: bytes
    files: list[RemoteFile] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    unreadable: int = 0
    suspicious: int = 0
    host_time_ns: int = 0
    is_environment: bool = False
    """Whether the root is one, see `inside_environment`."""
    noise: int = 0
    """Bytes that came ahead of the answer and were no part of it."""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Judged:
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
    return _matcher(tuple(patterns))(path.rsplit(b"/", 1)[-1]) is not None


@lru_cache(maxsize=64)
def _matcher(patterns: tuple[bytes, ...]) -> Callable[[bytes], re.Match[bytes] | None]:
    """All patterns in one: each name of a tree is held against them."""
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


def list_request(request: ListRequest, nonce: bytes) -> bytes:
    """What asks for it, see `hosts.commands`. Raises HostError for a root that no host could take."""
    if b"\0" in request.root or not (request.root.startswith((b"/", b"~/")) or request.root == b"~"):
        raise HostError("not an absolute path, nor one below the home folder", request.root.decode("utf-8", "replace"))
    words = [nonce, request.root, b"%d" % len(request.prune), *request.prune, *request.patterns]
    given = b"".join(word + b"\0" for word in words)
    return request_line("list", nonce, len(given)) + given


def parse_list(feed: Feed, request: ListRequest, nonce: bytes) -> Steps[Found]:
    """The answer to a list, as `hosts.commands` describes it; its only result is the last one."""
    noise = yield from begin(feed, nonce)
    flavour = yield from feed.until(b"\0", RECORD_LIMIT)
    system = yield from feed.until(b"\0", RECORD_LIMIT)
    clock = yield from feed.until(b"\0", RECORD_LIMIT)
    root = yield from feed.until(b"\0", RECORD_LIMIT)
    if flavour in _UNUSABLE:
        raise HostError(_UNUSABLE[flavour], request.root.decode("utf-8", "backslashreplace"))
    if flavour not in SEPARATORS or not root.startswith(b"/"):
        raise NoAnswerError("the host has neither find nor stat", hint=system.decode("ascii", "replace")[:40])
    found = Found(root=root, host_time_ns=parse_time(clock) if clock else 0, noise=len(noise))
    yield from _parse_records(feed, found, SEPARATORS[flavour], request, nonce)
    yield found


def _parse_records(feed: Feed, found: Found, separator: bytes, request: ListRequest, nonce: bytes) -> Waiting[None]:
    while True:
        record = yield from feed.until(separator, RECORD_LIMIT)
        if record.startswith(b"f"):
            path, stamp = parse_file(record)
            _add_file(found, path, stamp)
            check_count(len(found.files), request)
        elif record.startswith(b"l"):
            real = yield from feed.until(separator, RECORD_LIMIT)
            target = yield from feed.until(separator, RECORD_LIMIT)
            _add_link(found, record[1:], real, target)
        elif (end := _END.match(record)) and end[3] == nonce:
            if end[1] not in (b"0", b"1"):
                raise GarbledError("the listing failed", hint=f"find: status {int(end[1])}")
            found.unreadable = int(end[2]) or int(end[1])
            return
        else:
            raise GarbledError("the listing holds something that is not a record")


def _add_file(found: Found, path: bytes, stamp: Stamp) -> None:
    path = path.removeprefix(b"./")
    if is_relative(path):
        found.files.append(RemoteFile(path, *stamp))
    else:
        found.suspicious += 1


def _add_link(found: Found, path: bytes, real: bytes, target: bytes) -> None:
    path = path.removeprefix(b"./")
    if not is_relative(path):
        found.suspicious += 1
    elif not target or not real.startswith(b"/"):
        found.links.append(Link(path))
    elif match := _TARGET.match(target):
        found.links.append(Link(path, real, link_kind(int(match[7], 16)), _stamp(match)))
    else:
        raise GarbledError("a record of the listing is not in the agreed form")


def link_kind(mode: int) -> str:
    """What a link leads to, by the `st_mode` of its target (POSIX sys/stat.h)."""
    return {_DIRECTORY: "folder", _REGULAR: "file"}.get(mode & _KIND, "other")


def parse_file(record: bytes) -> tuple[bytes, Stamp]:
    """`fSIZE MTIME CTIME INODE PATH`; the path may hold anything but NUL."""
    match = _FILE.match(record)
    if match is None:
        raise GarbledError("a record of the listing is not in the agreed form")
    return match[7], _stamp(match)


def _stamp(match: re.Match[bytes]) -> Stamp:
    size, modified, part, changed, other_part, inode = match.group(1, 2, 3, 4, 5, 6)
    return int(size), _nanoseconds(modified, part), _nanoseconds(changed, other_part), int(inode)


def _nanoseconds(seconds: bytes, fraction: bytes | None) -> int:
    return int(seconds) * 10**9 + (int(fraction.ljust(9, b"0")[:9]) if fraction else 0)


def parse_time(text: bytes) -> int:
    """Seconds, with a fraction or not, to whole nanoseconds."""
    match = re.fullmatch(_TIME, text)
    if match is None:
        raise GarbledError("a time in the listing is not a number")
    return _nanoseconds(match[1], match[2])
