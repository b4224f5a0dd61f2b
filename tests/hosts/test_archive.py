"""The strict archive reader: generated archives, honest and not; nothing that was not asked for is ever taken."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from sondage.errors import TransferError
from sondage.hosts.archive import SLACK, Read, Wanted, parse_pull, pull_request
from sondage.hosts.feed import GarbledError, NoAnswerError, Reply

NONCE = b"0123456789abcdef0123456789abcdef"
HEAD = b"noise\0" + NONCE + b"\0gnu\0gnu\0plain\0"
STAMP = (5, 10**9, 2 * 10**9, 7)


def member(name: bytes, data: bytes = b"hello", kind: bytes = b"0", **fields: object) -> bytes:
    info = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
    info.type = kind
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    header = info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
    return header + data + bytes(-len(data) % 512)


def group(members: bytes, names: list[bytes], status: int = 0, stamped: list[bytes] | None = None) -> bytes:
    stamps = b"".join(b"f5 1 2 7 %s\0" % name for name in (names if stamped is None else stamped))
    return members + bytes(1024) + b"\0t%d %d\0" % (status, len(names)) + stamps + b"g\0"


def answer(*groups: bytes, status: int = 0) -> bytes:
    return HEAD + b"".join(groups) + b"\0e%d %s\0" % (status, NONCE)


def read(data: bytes, wanted: list[bytes], sizes: int = 5, step: int = 1 << 20) -> list[Read]:
    reply = Reply(lambda feed: parse_pull(feed, NONCE, [Wanted(name, sizes) for name in wanted]))
    found = [reads for start in range(0, len(data), step) for reads in reply.feed(data[start : start + step])]
    found += reply.end()
    assert reply.complete
    return [one for reads in found for one in reads]


def test_what_was_asked_for_is_read_with_its_stamp() -> None:
    data = answer(group(member(b"/r/a") + member(b"/r/b", b"world"), [b"/r/a", b"/r/b"]))
    assert read(data, [b"/r/a", b"/r/b"]) == [
        Read(b"/r/a", b"hello", "", STAMP),
        Read(b"/r/b", b"world", "", STAMP),
    ]


def test_a_tar_that_drops_the_leading_slash_is_understood() -> None:
    assert read(answer(group(member(b"r/a"), [b"/r/a"])), [b"/r/a"])[0].data == b"hello"


def test_groups_come_as_they_are_complete() -> None:
    reply = Reply(lambda feed: parse_pull(feed, NONCE, [Wanted(b"/a", 5), Wanted(b"/b", 5)]))
    whole = answer(group(member(b"/a"), [b"/a"]), group(member(b"/b"), [b"/b"]))
    cut = len(HEAD) + len(group(member(b"/a"), [b"/a"]))
    assert [one.name for reads in reply.feed(whole[:cut]) for one in reads] == [b"/a"]
    assert not reply.complete


def test_order_inside_a_group_is_that_of_the_request() -> None:
    data = answer(group(member(b"/b") + member(b"/a"), [b"/a", b"/b"]))
    assert [one.name for one in read(data, [b"/a", b"/b"])] == [b"/a", b"/b"]


@pytest.mark.parametrize(
    "name",
    [
        b"/r/" + b"n" * 200,
        b"/r/" + b"d" * 90 + b"/" + b"n" * 90,
        b"/r/\xff\xfe",
        b"/r/new\nline",
        b"/r/tail ",
        b"/r/\x1b[m",
    ],
    ids=["long", "long folders", "not utf-8", "line feed", "trailing space", "escape"],
)
@pytest.mark.parametrize(
    "form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT], ids=["gnu", "pax", "ustar"]
)
def test_every_format_carries_unusual_names(name: bytes, form: int) -> None:
    buffer = io.BytesIO()
    try:
        with tarfile.open(fileobj=buffer, mode="w", format=form, errors="surrogateescape") as archive:
            info = tarfile.TarInfo(name.decode("utf-8", "surrogateescape"))
            info.size = 5
            archive.addfile(info, io.BytesIO(b"hello"))
    except ValueError:
        pytest.skip("this format cannot carry the name")
    assert read(answer(group(buffer.getvalue(), [name])), [name])[0].data == b"hello"


def test_several_archives_in_one_group_are_one() -> None:
    two = member(b"/a") + bytes(10240) + member(b"/b")
    assert [one.data for one in read(answer(group(two, [b"/a", b"/b"])), [b"/a", b"/b"])] == [b"hello", b"hello"]


def test_a_missing_member_is_gone_or_may_not_be_read() -> None:
    data = answer(group(b"", [b"/gone", b"/shut"], status=2, stamped=[b"/shut"]))
    assert [(one.problem, one.stamp) for one in read(data, [b"/gone", b"/shut"])] == [
        ("no longer there", None),
        ("may not be read", STAMP),
    ]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE])
def test_what_is_no_regular_file_has_no_bytes(kind: bytes) -> None:
    one = read(answer(group(member(b"/a", b"", kind, linkname="/etc/passwd"), [b"/a"])), [b"/a"])[0]
    assert (one.data, one.problem) == (None, "no longer a regular file")


def test_the_second_name_of_a_hard_link_gets_the_bytes_of_the_first() -> None:
    two = member(b"/a") + member(b"/b", b"", tarfile.LNKTYPE, linkname="/a")
    assert [one.data for one in read(answer(group(two, [b"/a", b"/b"])), [b"/a", b"/b"])] == [b"hello", b"hello"]


def test_a_hard_link_to_something_else_has_no_bytes() -> None:
    one = read(answer(group(member(b"/a", b"", tarfile.LNKTYPE, linkname="/etc/shadow"), [b"/a"])), [b"/a"])[0]
    assert one.data is None


def test_a_file_that_grew_much_is_passed_over_and_the_next_is_read() -> None:
    big = member(b"/a", bytes(SLACK + 6))
    reads = read(answer(group(big + member(b"/b"), [b"/a", b"/b"])), [b"/a", b"/b"])
    assert (reads[0].data, reads[1].data) == (None, b"hello")
    assert "grew" in reads[0].problem


def patched(data: bytes, offset: int, value: bytes) -> bytes:
    """A member with another header field, and the right checksum for it."""
    header = bytearray(data[:512])
    header[offset : offset + len(value)] = value
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data[512:]


REFUSED = {
    "not asked for": group(member(b"/r/evil"), [b"/a"]),
    "climbing out": group(member(b"/r/../a"), [b"/a"]),
    "twice": group(member(b"/a") + member(b"/a"), [b"/a"]),
    "of a later group": group(member(b"/b"), [b"/a"]),
    "sparse": group(member(b"/a", b"", tarfile.GNUTYPE_SPARSE), [b"/a"]),
    "a link with a body": group(member(b"/a", b"hello", tarfile.SYMTYPE), [b"/a"]),
    "of unknown kind": group(member(b"/a", b"", b"Z"), [b"/a"]),
    "negative size": group(patched(member(b"/a"), 124, b"\xff" * 12), [b"/a"]),
    "size of 2^62": group(patched(member(b"/a"), 124, b"\x80\0\0\0\x40" + bytes(7)), [b"/a"]),
    "size that is no number": group(patched(member(b"/a"), 124, b"0000000x005\0"), [b"/a"]),
    "damaged checksum": group(b"/A" + member(b"/a")[2:], [b"/a"]),
    "no magic": group(patched(member(b"/a"), 257, b"star! \0\0"), [b"/a"]),
    "endless zeros": bytes(512 * 5000) + group(member(b"/a"), [b"/a"]),
    "huge name": group(patched(member(b"x", b"", b"L"), 124, b"00000777777\0"), [b"/a"]),
    "huge extension": group(patched(member(b"x", b"", b"x"), 124, b"00007777777\0"), [b"/a"]),
    "extensions only": group(b"".join(member(b"x", b"5 a=\n", b"x") for _ in range(9)), [b"/a"]),
    "damaged extension": group(member(b"x", b"99 path=/a\n", b"x") + member(b"/a"), [b"/a"]),
    "sparse by extension": group(member(b"x", b"22 GNU.sparse.major=1\n", b"x") + member(b"/a"), [b"/a"]),
    "empty group": group(b"", []),
    "too large a group": group(member(b"/a"), [b"/a", b"/b", b"/c"]),
    "trailer that is no number": member(b"/a") + bytes(1024) + b"\0tx 1\0g\0",
    "record that is none": member(b"/a") + bytes(1024) + b"\0t0 1\0nonsense\0g\0",
    "noise instead of a header": b"a background job says hello" * 40,
}


@pytest.mark.parametrize("kind", REFUSED)
def test_an_answer_with_a_member_like_this_is_refused(kind: str) -> None:
    with pytest.raises(TransferError):
        read(answer(REFUSED[kind]), [b"/a", b"/b"])


def test_an_answer_that_leaves_something_out_is_refused() -> None:
    with pytest.raises(GarbledError):
        read(answer(group(member(b"/a"), [b"/a"])), [b"/a", b"/b"])


def test_the_end_mark_must_be_ours() -> None:
    with pytest.raises(GarbledError):
        read(answer(group(member(b"/a"), [b"/a"]))[:-33] + b"x" * 32 + b"\0", [b"/a"])


def test_a_host_without_tar_gives_no_answer() -> None:
    with pytest.raises(NoAnswerError):
        read(answer(group(b"", [b"/a"], status=127)), [b"/a"])


WHOLE = answer(
    group(member(b"/a") + member(b"/b", b"x" * 600) + member(b"/" + b"n" * 150), [b"/a", b"/b", b"/" + b"n" * 150]),
    group(member(b"/c", b""), [b"/c"]),
)
NAMES = [b"/a", b"/b", b"/" + b"n" * 150, b"/c"]


@pytest.mark.parametrize("step", [1, 7, 511, 512, 513, 4096])
def test_the_size_of_the_pieces_does_not_matter(step: int) -> None:
    assert [len(one.data or b"") for one in read(WHOLE, NAMES, 600, step)] == [5, 600, 5, 0]


@given(st.integers(0, len(WHOLE) - 1))
def test_a_truncated_answer_is_never_complete(length: int) -> None:
    with pytest.raises(TransferError):
        read(WHOLE[:length], NAMES, 600)


@given(st.integers(len(HEAD), len(WHOLE) - 1), st.binary(min_size=1, max_size=40))
def test_damage_never_yields_a_path_that_was_not_asked_for(place: int, noise: bytes) -> None:
    damaged = WHOLE[:place] + noise + WHOLE[place + len(noise) :]
    try:
        reads = read(damaged, NAMES, 600)
    except TransferError:
        return
    assert [one.name for one in reads] == NAMES


@given(st.binary(max_size=3000))
def test_no_bytes_make_the_reader_fail_otherwise_than_by_its_own_error(data: bytes) -> None:
    with pytest.raises(TransferError):
        read(HEAD + data, NAMES)


def test_the_request_is_a_line_and_the_names() -> None:
    sent = pull_request(NONCE, 4, "far", [Wanted(b"/a", 1), Wanted(b"/b\n", 2)])
    assert sent == b"pull " + NONCE + b" 7 4 far\n/a\0/b\n\0"


@pytest.mark.parametrize("pack", [b"gzip", b"zstd"])
@pytest.mark.parametrize("step", [1, 100, 1 << 20])
def test_a_packed_answer_reads_like_a_plain_one(pack: bytes, step: int) -> None:
    packed = gzip.compress(WHOLE[len(HEAD) :]) if pack == b"gzip" else zstandard.compress(WHOLE[len(HEAD) :])
    head = HEAD.removesuffix(b"plain\0") + pack + b"\0"
    assert read(head + packed, NAMES, 600, step) == read(WHOLE, NAMES, 600)


def test_a_packed_flood_is_refused_after_what_was_asked_for() -> None:
    flood = gzip.compress(member(b"/a", bytes(70 << 20)), 1)
    head = HEAD.removesuffix(b"plain\0") + b"gzip\0"
    with pytest.raises(GarbledError, match="more than was asked for"):
        read(head + flood, [b"/a"])


def test_an_answer_packed_in_an_unknown_way_is_refused() -> None:
    with pytest.raises(GarbledError, match="unknown way"):
        read(HEAD.removesuffix(b"plain\0") + b"rot13\0", [b"/a"])


def test_the_archive_is_never_held_together() -> None:
    names = [b"/%d" % number for number in range(400)]
    data = bytes(100_000)
    reply = Reply(lambda feed: parse_pull(feed, NONCE, [Wanted(name, len(data)) for name in names]))
    reply.feed(HEAD)
    tracemalloc.start()
    for start in range(0, len(names), 40):
        part = names[start : start + 40]
        stamps = [b"f100000 1 2 7 %s\0" % name for name in part]
        for piece in (*(member(name, data) for name in part), bytes(1024), b"\0t0 40\0", *stamps, b"g\0"):
            reply.feed(piece)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reply.feed(b"\0e0 " + NONCE + b"\0") == []
    assert reply.complete
    # A group of 4 MB, of 40 MB together.
    assert peak < 3 * 40 * len(data)
