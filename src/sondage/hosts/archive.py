"""Owns the strict reader of the archives a host sends: it takes the regular files that were asked for, no more.

An archive is a framed stream of bytes here, never something to unpack: no name of it becomes a local path. Formats:
POSIX ustar and pax (IEEE Std 1003.1, pax), and GNU's long names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from sondage.hosts.commands import GROUP_LIMIT, request_line
from sondage.hosts.feed import Feed, GarbledError, NoAnswerError, Steps, Waiting, begin
from sondage.hosts.found import Stamp
from sondage.hosts.listing import RECORD_LIMIT, SEPARATORS, parse_file
from sondage.hosts.names import LONGEST_PATH

BLOCK = 512
SLACK = 1 << 20
"""Bytes that a file may have grown since it was listed, and still be taken."""
SKIP_LIMIT = 64 << 20
"""Bytes of files grown beyond that, which are passed over before the whole answer is refused."""
_EXTENSION_LIMIT = 64 << 10
_PADDING_LIMIT = 4096
"""Blocks of zeros; tar fills its last record up, to 20 blocks unless it is told otherwise."""
_ZEROS = bytes(BLOCK)
_NOT_REGULAR = b"23456"
_GOOD_TAR = {b"gnu": (0, 1, 2), b"bsd": (0, 1, 2), b"other": (0, 1, 2, 123)}
"""By tar's manual: 1 some files differ or changed, 2 some could not be read; xargs' 123: one of its commands failed."""


class Wanted(msgspec.Struct, frozen=True):
    """An absolute path that was asked for, and its size when it was listed."""

    name: bytes
    size: int


class Read(msgspec.Struct, frozen=True):
    """What one pull saw of one path: its bytes or why there are none, and its stamp after it was read (None: gone)."""

    name: bytes
    data: bytes | None
    problem: str
    stamp: Stamp | None


class _Header(msgspec.Struct):
    name: bytes
    link: bytes
    kind: bytes
    size: int


def pull_request(nonce: bytes, group: int, pack: str, wanted: Sequence[Wanted]) -> bytes:
    """What asks for these, see `hosts.commands`."""
    names = b"".join(one.name + b"\0" for one in wanted)
    return request_line("pull", nonce, len(names), group, pack) + names


def parse_pull(feed: Feed, nonce: bytes, wanted: Sequence[Wanted]) -> Steps[list[Read]]:
    """The answer to a pull, one result a group, in the order asked for; every path appears exactly once."""
    return _Pull(feed, nonce, wanted).parse()


class _Pull:
    def __init__(self, feed: Feed, nonce: bytes, wanted: Sequence[Wanted]) -> None:
        self._feed = feed
        self._nonce = nonce
        self._wanted = wanted
        self._places = {_bare(one.name): place for place, one in enumerate(wanted)}
        self._members: dict[int, bytes | str] = {}
        """Of the present group, by place in `wanted`: the bytes, or why there are none."""
        self._skipped = 0

    def parse(self) -> Steps[list[Read]]:
        yield from begin(self._feed, self._nonce)
        flavour = yield from self._feed.until(b"\0", RECORD_LIMIT)
        tar = yield from self._feed.until(b"\0", RECORD_LIMIT)
        packed = yield from self._feed.until(b"\0", RECORD_LIMIT)
        if flavour not in SEPARATORS or tar not in _GOOD_TAR:
            raise NoAnswerError("the host has no tools to read its files with")
        self._feed.unpack(packed)
        start = 0
        while (yield from self._feed.peek(2)) != b"\0e":
            yield from self._parse_archive()
            status, count = yield from self._parse_trailer()
            if status not in _GOOD_TAR[tar]:
                raise NoAnswerError("the host cannot archive its files", hint=f"tar: status {status}")
            stamps = yield from self._parse_stamps(SEPARATORS[flavour])
            yield self._finish_group(start, count, stamps)
            start += count
        last = (yield from self._feed.until(self._nonce + b"\0", RECORD_LIMIT)).decode("ascii", "replace")
        if not re.fullmatch(r"\0e\d{1,3} ", last) or start != len(self._wanted):
            raise GarbledError("the archive does not hold what was asked for")

    def _parse_archive(self) -> Waiting[None]:
        """Fills `_members` with one group, up to tar's status."""
        self._members = {}
        padding = 0
        while (yield from self._feed.peek(2)) != b"\0t":
            block = yield from self._feed.take(BLOCK)
            if block == _ZEROS:
                padding += 1
                if padding > _PADDING_LIMIT:
                    raise GarbledError("an archive does not end")
                continue
            header = yield from _parse_header(self._feed, block)
            place = self._places.get(_bare(header.name))
            if place is None or place in self._members:
                raise GarbledError("the archive holds what was not asked for")
            self._members[place] = yield from self._parse_member(header, self._wanted[place])

    def _parse_member(self, header: _Header, one: Wanted) -> Waiting[bytes | str]:
        if header.kind in (b"0", b"\0"):
            return (yield from self._parse_file(header, one))
        if header.kind == b"1" and not header.size:
            # The second name of a hard-linked file; its bytes came under the first.
            first = self._places.get(_bare(header.link), -1)
            return self._members.get(first, "a hard link to something that was not asked for")
        if header.kind in _NOT_REGULAR and not header.size:
            return "no longer a regular file"
        raise GarbledError("the archive holds a member of a kind that was not asked for")

    def _parse_file(self, header: _Header, one: Wanted) -> Waiting[bytes | str]:
        padding = -header.size % BLOCK
        if header.size <= one.size + SLACK:
            data = yield from self._feed.take(header.size)
            yield from self._feed.skip(padding)
            return data
        self._skipped += header.size
        if self._skipped > SKIP_LIMIT:
            raise GarbledError("the host sends more than was asked for")
        yield from self._feed.skip(header.size + padding)
        return f"grew from {one.size} to {header.size} bytes since it was listed"

    def _parse_trailer(self) -> Waiting[tuple[int, int]]:
        """Tar's status, and how many paths it was given."""
        yield from self._feed.take(2)
        match = re.fullmatch(rb"(\d{1,3}) (\d{1,3})", (yield from self._feed.until(b"\0", 16)))
        if match is None:
            raise GarbledError("the end of an archive is not in the agreed form")
        return int(match[1]), int(match[2])

    def _parse_stamps(self, separator: bytes) -> Waiting[dict[bytes, Stamp]]:
        stamps: dict[bytes, Stamp] = {}
        while (record := (yield from self._feed.until(separator, RECORD_LIMIT))) != b"g":
            if not record.startswith(b"f") or len(stamps) > GROUP_LIMIT:
                raise GarbledError("an archive is followed by something that is not a record")
            name, stamp = parse_file(record)
            stamps[name] = stamp
        return stamps

    def _finish_group(self, start: int, count: int, stamps: Mapping[bytes, Stamp]) -> list[Read]:
        group = self._wanted[start : start + count]
        if not count or len(group) < count or not all(start <= place < start + count for place in self._members):
            raise GarbledError("the archive does not hold what was asked for")
        return [_read(one, self._members.get(start + place), stamps.get(one.name)) for place, one in enumerate(group)]


def _read(one: Wanted, member: bytes | str | None, stamp: Stamp | None) -> Read:
    if isinstance(member, bytes):
        return Read(one.name, member, "", stamp)
    return Read(one.name, None, member or ("may not be read" if stamp else "no longer there"), stamp)


def _bare(name: bytes) -> bytes:
    """Some tars drop the leading slash."""
    return name.lstrip(b"/").removesuffix(b"/")


# ------------------------------------------------------------------ headers


def _parse_header(feed: Feed, block: bytes) -> Waiting[_Header]:
    """The header that starts with `block`, extensions that belong to it included."""
    long_name = long_link = b""
    size: int | None = None
    for _ in range(8):
        header = _decode(block)
        if header.kind == b"L":
            long_name = (yield from _parse_extension(feed, header)).rstrip(b"\0")
        elif header.kind == b"K":
            long_link = (yield from _parse_extension(feed, header)).rstrip(b"\0")
        elif header.kind == b"x":
            fields = _decode_pax((yield from _parse_extension(feed, header)))
            long_name, long_link = fields.get(b"path", long_name), fields.get(b"linkpath", long_link)
            size = _decimal(fields[b"size"]) if b"size" in fields else size
        elif header.kind == b"g":
            yield from _parse_extension(feed, header)
        else:
            header.name, header.link = long_name or header.name, long_link or header.link
            header.size = header.size if size is None else size
            return header
        block = yield from feed.take(BLOCK)
    raise GarbledError("an archive member has too many extensions")


def _parse_extension(feed: Feed, header: _Header) -> Waiting[bytes]:
    limit = LONGEST_PATH + 1 if header.kind in b"LK" else _EXTENSION_LIMIT
    if header.size > limit:
        raise GarbledError("an extension of an archive member is too long")
    data = yield from feed.take(header.size)
    yield from feed.take(-header.size % BLOCK)
    return data


def _decode(block: bytes) -> _Header:
    """One header block, IEEE Std 1003.1 (pax, ustar Interchange Format)."""
    checksum = sum(block) - sum(block[148:156]) + 8 * 0x20
    if _octal(block[148:156]) != checksum or block[257:262] != b"ustar":
        raise GarbledError("an archive header is damaged")
    name, prefix = _text(block[0:100]), _text(block[345:500])
    if block[257:263] == b"ustar\0" and prefix:
        name = prefix + b"/" + name
    return _Header(name, _text(block[157:257]), block[156:157], _size(block[124:136]))


def _text(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _octal(field: bytes) -> int:
    digits = field.strip(b" \0")
    if not re.fullmatch(rb"[0-7]{1,12}", digits):
        raise GarbledError("a number in an archive header is not a number")
    return int(digits, 8)


def _size(field: bytes) -> int:
    """Octal, or GNU's base-256 for large numbers; negative ones are refused."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    return _octal(field)


def _decode_pax(data: bytes) -> dict[bytes, bytes]:
    """`LENGTH KEY=VALUE` and a line feed, LENGTH counting all of it in bytes. Sparse files are refused."""
    fields: dict[bytes, bytes] = {}
    while data:
        digits, _, _ = data.partition(b" ")
        length = _decimal(digits)
        record, data = data[:length], data[length:]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if len(record) != length or not record.endswith(b"\n") or not equals or key.startswith(b"GNU.sparse"):
            raise GarbledError("an extension of an archive member is damaged")
        fields[key] = value
    return fields


def _decimal(digits: bytes) -> int:
    if not re.fullmatch(rb"\d{1,19}", digits):
        raise GarbledError("a number in an archive header is not a number")
    return int(digits)
