"""What a TARGET means, and what never gets past the reading of one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sondage.errors import UsageError
from sondage.hosts.base import Address, Target
from sondage.hosts.open import request_root
from sondage.hosts.target import folder_of, parse_address, parse_target

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


def test_a_target_with_a_port_is_shown_as_a_url() -> None:
    assert str(parse_target("ssh://me@box:2222/srv/x y")) == "ssh://me@box:2222/srv/x%20y"
    assert str(parse_target("ssh://box:2222/~/x")) == "ssh://box:2222/~/x"
    assert str(parse_target("ssh://[::1]:22/x")) == "ssh://[::1]:22/x"


def test_a_folder_called_tilde_is_not_the_home_folder() -> None:
    assert parse_target("ssh://box:22/%7E/x").path == "/~/x"


hosts = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,20}", fullmatch=True) | st.ip_addresses(v=6).map(str)
users = st.just("") | st.from_regex(r"[A-Za-z0-9_.+=@\\\\][A-Za-z0-9_.+=@\\\\%#~,-]{0,20}", fullmatch=True)
ports = st.none() | st.integers(1, 65535)
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
folders = names.map("/".__add__) | names.map("~/".__add__) | st.just("~") | st.just("/caf\udce9")


@given(host=hosts, user=users, port=ports, path=folders)
@example(host="box", user="", port=22, path="/~/x")
@example(host="box", user="me@corp", port=22, path="/%7E")
@example(host="box", user="", port=22, path="~/a%2Fb?c#d")
def test_what_is_shown_of_a_target_means_the_same_target(host: str, user: str, port: int | None, path: str) -> None:
    target = Target("~" if path == "~/" else path, Address(host, user, port))
    assert parse_target(str(target), is_folder=lambda _: False) == target


@pytest.mark.parametrize(
    ("host", "path", "text"),
    [
        ("box", "~", "box:~"),
        ("ann@box", "/srv/x", "ann@box:/srv/x"),
        ("box:2222", "~", "ssh://box:2222/~"),
        ("box:2222", "srv", "ssh://box:2222/~/srv"),
        ("[::1]:2222", "/srv", "ssh://[::1]:2222/srv"),
    ],
)
def test_folder_of_a_host_is_named_in_a_form_that_means_it(host: str, path: str, text: str) -> None:
    target = folder_of(host, path)

    assert str(target) == text
    assert parse_target(text) == target
