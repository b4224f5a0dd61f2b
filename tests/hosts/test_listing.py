"""From the bytes of a listing to files, links and doubts."""

from __future__ import annotations

import pytest

from sondage.errors import HostError
from sondage.hosts.base import ListRequest, RemoteFile
from sondage.hosts.feed import GarbledError, Reply
from sondage.hosts.found import Found, Link, judge, link_kind
from sondage.hosts.listing import list_request, parse_list

NONCE = b"0123456789abcdef0123456789abcdef"
REQUEST = ListRequest(b"/srv/x", prune=(b".git", b"venv"))
END = b"e0 0\n " + NONCE


def parse(*records: bytes, flavour: bytes = b"gnu", root: bytes = b"/srv/x", clock: bytes = b"1700000000") -> Found:
    separator = b"\0" if flavour == b"gnu" else b"//\n"
    head = b"\0" + b"\0".join([NONCE, flavour, b"Linux", clock, root]) + b"\0"
    reply = Reply(lambda feed: parse_list(feed, REQUEST, NONCE))
    found = reply.feed(head + b"".join(record + separator for record in records))
    found += reply.end()
    return found[0]


def file(path: bytes, size: int = 1) -> RemoteFile:
    return RemoteFile(path, size, 0)


# ------------------------------------------------------------------ parsing


@pytest.mark.parametrize("flavour", [b"gnu", b"stat", b"bsd"])
def test_files_come_with_their_stamp(flavour: bytes) -> None:
    found = parse(b"f12 1.5000000000 -3 9 ./a b/\nc.py", END, flavour=flavour)
    assert found.files == [RemoteFile(b"a b/\nc.py", 12, 1_500_000_000, -3_000_000_000, 9)]
    assert (found.root, found.host_time_ns) == (b"/srv/x", 1_700_000_000 * 10**9)


def test_links_come_with_what_they_lead_to() -> None:
    found = parse(b"l./a.py", b"/srv/x/b.py", b"3 1.000000002 2 7 81a4", b"l./gone.py", b"", b"", END)
    assert found.links == [Link(b"a.py", b"/srv/x/b.py", "file", (3, 10**9 + 2, 2 * 10**9, 7)), Link(b"gone.py")]


@pytest.mark.parametrize("path", [b"../x.py", b"/etc/x.py", b"a//x.py", b"a/../../x.py", b"."])
def test_a_name_no_honest_host_sends_is_dropped_and_counted(path: bytes) -> None:
    found = parse(b"f1 1 1 1 " + path, b"l" + path, b"", b"", END)
    assert (found.files, found.links, found.suspicious) == ([], [], 2)


@pytest.mark.parametrize(
    "records",
    [
        (b"f1 1 1 1 ./a",),
        (b"f1 1 1 1 ./a", b"e0 0 " + b"x" * 32),
        (b"f1 1 1 ./a", END),
        (b"fx 1 1 1 ./a", END),
        (b"f-1 1 1 1 ./a", END),
        (b"f1 1e9 1 1 ./a", END),
        (b"f1 1 1 1 ", END),
        (b"what", END),
        (b"a job in the background", END),
        (b"l./a", b"/b", b"1 1 1 1 zz", END),
        (b"e2 0 " + NONCE,),
        (b"e143 0 " + NONCE,),
        (b"f1 1 1 1 ./" + b"a" * 9000, END),
    ],
)
def test_a_listing_like_this_is_refused(records: tuple[bytes, ...]) -> None:
    with pytest.raises(GarbledError):
        parse(*records)


@pytest.mark.parametrize(
    ("end", "unreadable"), [(b"e1 2\n ", 2), (b"e1        12\n ", 12), (b"e1 0 ", 1), (b"e0 0 ", 0)]
)
def test_the_lines_of_find_are_what_could_not_be_read(end: bytes, unreadable: int) -> None:
    assert parse(end + NONCE).unreadable == unreadable


# ------------------------------------------------------------------ asking


def test_the_request_is_data_and_nothing_but_data() -> None:
    request = ListRequest(b"/a'$(x)\n", patterns=(b"*.py",), prune=(b".git",))
    assert list_request(request, NONCE) == (
        b"list " + NONCE + b" 54 1 plain\n" + NONCE + b"\0/a'$(x)\n\x001\0.git\0*.py\0"
    )


@pytest.mark.parametrize("root", [b"", b"x", b"-rf", b"~other/x", b"/a\0b"])
def test_a_root_that_is_not_absolute_is_refused(root: bytes) -> None:
    with pytest.raises(HostError):
        list_request(ListRequest(root), NONCE)


# ------------------------------------------------------------------ judging


def test_files_are_in_order_and_each_once() -> None:
    judged = judge(Found(b"/srv/x", [file(b"b.py"), file(b"a.py"), file(b"b.py")]), REQUEST)
    assert [one.path for one in judged.listing.files] == [b"a.py", b"b.py"]
    assert judged.listing.suspicious == 1


LINKS = {
    "to a listed file": (Link(b"l.py", b"/srv/x/a.py", "file"), "silent"),
    "to a file of another name": (Link(b"l.py", b"/srv/x/a.txt", "file"), "read"),
    "to a file in a pruned folder": (Link(b"l.py", b"/srv/x/venv/m.py", "file"), "read"),
    "to a folder inside": (Link(b"l", b"/srv/x/pkg", "folder"), "silent"),
    "to the root": (Link(b"pkg/l", b"/srv/x", "folder"), "silent"),
    "to a pruned folder": (Link(b"l", b"/srv/x/venv/lib", "folder"), "shown"),
    "out of the root": (Link(b"l.py", b"/etc/passwd", "file"), "shown"),
    "to a folder outside": (Link(b"l", b"/etc", "folder"), "shown"),
    "to a root of a longer name": (Link(b"l.py", b"/srv/xy/a.py", "file"), "shown"),
    "to nothing": (Link(b"l.py"), "shown"),
    "to a device": (Link(b"l.py", b"/srv/x/dev", "other"), "shown"),
    "of a name not asked for": (Link(b"l.so", b"/srv/x/a.so", "file"), "silent"),
    "of a pruned name": (Link(b"venv", b"/opt/venv", "folder"), "silent"),
}


@pytest.mark.parametrize("kind", LINKS)
def test_a_link(kind: str) -> None:
    link, fate = LINKS[kind]
    judged = judge(Found(b"/srv/x", [file(b"a.py")], [link]), REQUEST)
    assert judged.sources == ({link.path: link.real} if fate == "read" else {})
    assert judged.listing.links == ((link.path,) if fate == "shown" else ())
    assert len(judged.listing.files) == (2 if fate == "read" else 1)


def test_two_links_to_one_file_read_it_once() -> None:
    links = [Link(b"2.py", b"/srv/x/a.txt", "file"), Link(b"1.py", b"/srv/x/a.txt", "file")]
    judged = judge(Found(b"/srv/x", [], links), REQUEST)
    assert [one.path for one in judged.listing.files] == [b"1.py"]
    assert judged.listing.links == (b"2.py",)


def test_kinds_are_those_of_stat() -> None:
    assert [link_kind(mode) for mode in (0o100644, 0o040755, 0o010644, 0o020644, 0o120777, 0)] == [
        "file",
        "folder",
        *["other"] * 4,
    ]
