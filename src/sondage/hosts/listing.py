"""Owns what a host's account of its tree means: from the bytes of the answer, or from raw entries, to a `Listing`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from sondage.errors import HostError, TransferError
from sondage.hosts.base import Listing, ListRequest, RemoteFile
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Steps, Waiting, begin
from sondage.hosts.names import LONGEST_PATH, below, is_relative

RECORD_LIMIT = LONGEST_PATH + 256
SEPARATORS = {b"gnu": b"\0", b"stat": b"//\n", b"bsd": b"//\n"}
_UNUSABLE = {b"absent": "no such folder", b"closed": "folder may not be entered", b"file": "not a folder"}
_TIME = re.compile(rb"(-?\d{1,19})(?:\.(\d{1,12}))?\Z")
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
    name = path.rsplit(b"/", 1)[-1]
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def check_count(count: int, request: ListRequest) -> None:
    if count > request.max_files:
        where = request.root.decode("utf-8", "backslashreplace")
        raise TransferError(f"more than {request.max_files} files", where, "choose a folder further down")


def _is_asked_for(link: Link, request: ListRequest) -> bool:
    name = link.path.rsplit(b"/", 1)[-1]
    return not matches(name, request.prune) and (link.kind == "folder" or matches(link.path, request.patterns))


def _is_pruned(real: bytes, request: ListRequest, *, folder: bool) -> bool:
    """A pruned folder is not entered through a link either; a single file of it may be asked for by a link."""
    return folder and any(matches(part, request.prune) for part in real.split(b"/"))


def list_input(request: ListRequest, nonce: bytes) -> bytes:
    """What the LIST command reads. Raises HostError for a root it could not take."""
    if b"\0" in request.root or not (request.root.startswith((b"/", b"~/")) or request.root == b"~"):
        raise HostError("not an absolute path, nor one below the home folder", request.root.decode("utf-8", "replace"))
    words = [nonce, request.root, b"%d" % len(request.prune), *request.prune, *request.patterns]
    return b"".join(word + b"\0" for word in words)


def parse_list(feed: Feed, request: ListRequest, nonce: bytes) -> Steps[Found]:
    """The answer to LIST, as `hosts.commands` describes it; its only result is the last one."""
    noise = yield from begin(feed, nonce)
    flavour = yield from feed.until(b"\0", RECORD_LIMIT)
    system = yield from feed.until(b"\0", RECORD_LIMIT)
    clock = yield from feed.until(b"\0", RECORD_LIMIT)
    root = yield from feed.until(b"\0", RECORD_LIMIT)
    if flavour in _UNUSABLE:
        raise HostError(_UNUSABLE[flavour], request.root.decode("utf-8", "backslashreplace"))
    if flavour not in SEPARATORS or not root.startswith(b"/"):
        raise NoAnswerError("the host has neither find nor stat", hint=system.decode("ascii", "replace")[:40])
    found = Found(root=root, host_time_ns=parse_time(clock) if clock else 0)
    if noise:
        found.notes.append(f"the host printed {len(noise)} bytes before its answer; they were ignored")
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
        elif record.startswith(b"e") and record.endswith(b" " + nonce):
            if record[1 : -len(nonce) - 1] not in (b"0", b"1"):
                raise GarbledError("the listing failed", hint="find: status " + record[1:5].decode("ascii", "replace"))
            found.unreadable += record[1:2] == b"1"
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
    else:
        head, _, mode = target.rpartition(b" ")
        found.links.append(Link(path, real, link_kind(_number(mode, 16)), parse_stamp(head)))


def link_kind(mode: int) -> str:
    """What a link leads to, by the `st_mode` of its target (POSIX sys/stat.h)."""
    return {_DIRECTORY: "folder", _REGULAR: "file"}.get(mode & _KIND, "other")


def refused_entries(errors: bytes, nonce: bytes) -> int:
    """How many lines find wrote on standard error; what start-up files wrote around them does not count."""
    _, _, inside = errors.partition(nonce + b"\n")
    return inside.partition(nonce + b"\n")[0].count(b"\n")


def parse_file(record: bytes) -> tuple[bytes, Stamp]:
    """`fSIZE MTIME CTIME INODE PATH`; the path may hold anything but NUL."""
    parts = record[1:].split(b" ", 4)
    if len(parts) != 5 or not parts[4]:
        raise GarbledError("a record of the listing is incomplete")
    return parts[4], parse_stamp(b" ".join(parts[:4]))


def parse_stamp(text: bytes) -> Stamp:
    parts = text.split(b" ")
    if len(parts) != 4:
        raise GarbledError("a record of the listing is incomplete")
    return (_number(parts[0]), parse_time(parts[1]), parse_time(parts[2]), _number(parts[3]))


def parse_time(text: bytes) -> int:
    """Seconds, with a fraction or not, to whole nanoseconds."""
    match = _TIME.match(text)
    if match is None:
        raise GarbledError("a time in the listing is not a number")
    return int(match[1]) * 10**9 + int((match[2] or b"").ljust(9, b"0")[:9])


def _number(text: bytes, base: int = 10) -> int:
    if not re.fullmatch(rb"[0-9a-f]{1,20}", text):
        raise GarbledError("a number in the listing is not a number")
    try:
        return int(text, base)
    except ValueError:
        raise GarbledError("a number in the listing is not a number") from None
