"""What a TARGET means, and what never gets past the reading of one."""

from __future__ import annotations

import pytest

from sondage.errors import UsageError
from sondage.hosts.base import Address, Target
from sondage.hosts.open import request_root
from sondage.hosts.target import parse_address, parse_target

REMOTE = {
    "box:/srv/x": ("box", "", None, "/srv/x"),
    "me@box:/srv/x": ("box", "me", None, "/srv/x"),
    "box:~/x": ("box", "", None, "~/x"),
    "box:~": ("box", "", None, "~"),
    "box:": ("box", "", None, "~"),
    "box:src/x": ("box", "", None, "~/src/x"),
    "box:/with:colon": ("box", "", None, "/with:colon"),
    "box:/with space/q'$(x)": ("box", "", None, "/with space/q'$(x)"),
    "box:/line\nfeed": ("box", "", None, "/line\nfeed"),
    "[::1]:/x": ("::1", "", None, "/x"),
    "me@[fe80::1%eth0]:/x": ("fe80::1%eth0", "me", None, "/x"),
    "me@corp.example@box:/x": ("box", "me@corp.example", None, "/x"),
    "gpu-01.example.com:/x": ("gpu-01.example.com", "", None, "/x"),
    "ssh://box/srv/x": ("box", "", None, "/srv/x"),
    "ssh://me@box:2222/srv/x": ("box", "me", 2222, "/srv/x"),
    "ssh://[2001:db8::1]:22/x": ("2001:db8::1", "", 22, "/x"),
    "ssh://box/~/x": ("box", "", None, "~/x"),
    "ssh://box/a%20b": ("box", "", None, "/a b"),
    "ssh://box": ("box", "", None, "/"),
}


@pytest.mark.parametrize("text", REMOTE)
def test_remote_forms(text: str) -> None:
    host, user, port, path = REMOTE[text]
    assert parse_target(text, is_folder=lambda _: False) == Target(path, Address(host, user, port))


@pytest.mark.parametrize("text", ["./x", "../x", "/x", "~/x", ".", "..", "~", "./demo", "/a:b", "./box:/x"])
def test_local_forms_need_no_folder_to_be_there(text: str) -> None:
    assert parse_target(text, is_folder=lambda _: False) == Target(text)


def test_an_existing_folder_is_local() -> None:
    assert parse_target("src", is_folder=lambda path: path == "src") == Target("src")


def test_the_colon_wins_over_a_folder_of_the_same_name_as_with_scp() -> None:
    assert parse_target("box:x", is_folder=lambda _: True).address == Address("box")


HOSTILE = [
    "",
    "nothing-of-that-name",
    "-oProxyCommand=touch x:/y",
    "-oProxyCommand=touch:/y",
    "ssh://-oProxyCommand=x/y",
    "me@-oProxyCommand=x:/y",
    "-l@box:/x",
    "bo x:/y",
    "box;id:/y",
    "box|id:/y",
    "$(id):/y",
    "`id`:/y",
    "box\n:/y",
    "box\x1b[31m:/y",
    "bo\u202ex:/y",
    "%h:/y",
    "ssh://%68ost/y",
    "b\u00f6x:/y",
    "a'b:/y",
    "me;id@box:/y",
    "m e@box:/y",
    "ssh://me%0aid@box/y",
    "ssh://box:0/y",
    "ssh://box:65536/y",
    "ssh://box:x/y",
    "ssh:///y",
    "ssh://[::1/y",
    "[::1;id]:/y",
    ":/y",
    "@box:/y",
    "box:~other/x",
    "box:/nul\0",
    "\0",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_target(text, is_folder=lambda _: False)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 or char == "\u202e" for char in str(refused.value))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("jump", Address("jump")),
        ("me@jump:2222", Address("jump", "me", 2222)),
        ("me@[127.0.0.1]:22201", Address("127.0.0.1", "me", 22201)),
        ("[::1]", Address("::1")),
    ],
)
def test_addresses_of_jump_hosts(text: str, address: Address) -> None:
    assert parse_address(text) == address


def test_bytes_that_are_not_utf8_survive_in_the_path() -> None:
    target = parse_target("box:/caf\udce9", is_folder=lambda _: False)
    assert request_root(target) == b"/caf\xe9"


def test_a_target_is_shown_as_it_was_written() -> None:
    assert str(parse_target("me@box:/x")) == "me@box:/x"
