"""Owns the words in which a host is asked for its tree and gives account of it: bytes of the answer → `Found`."""

from __future__ import annotations

import re

from sondage.core.late import late_pattern
from sondage.errors import HostError
from sondage.hosts.base import ListRequest, RemoteFile
from sondage.hosts.commands import request_line
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Steps, Waiting, begin
from sondage.hosts.found import Found, Link, Stamp, check_count, link_kind
from sondage.hosts.names import LONGEST_PATH, is_relative

RECORD_LIMIT = LONGEST_PATH + 256
SEPARATORS = {b"gnu": b"\0", b"stat": b"//\n", b"bsd": b"//\n"}
_UNUSABLE = {b"absent": "no such folder", b"closed": "folder may not be entered", b"file": "not a folder"}
_END = late_pattern(rb"e(\d{1,3}) \s*(\d{1,9})\s+(\S+)\Z")
_TIME = rb"(-?\d{1,19})(?:\.(\d{1,12}))?"
_STAMP = rb"(\d{1,20}) " + _TIME + b" " + _TIME + rb" (\d{1,20})"
_FILE = late_pattern(b"f" + _STAMP + rb" (.+)\Z", re.DOTALL)
_TARGET = late_pattern(_STAMP + rb" ([0-9a-f]{1,8})\Z")


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
