"""Which names a host can be believed to have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.hosts.names import below, is_component, is_relative, join, shown


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b", b"/", b"a\0b", b"n" * 5000])
def test_no_honest_entry_is_called(name: bytes) -> None:
    assert not is_component(name)


@pytest.mark.parametrize("name", [b"...", b"a b", b"-x", b"\\", b"\x1b", b"\xff", b"a\nb"])
def test_an_honest_entry_can_be_called(name: bytes) -> None:
    assert is_component(name)


@pytest.mark.parametrize("path", [b"/a", b"a//b", b"a/", b"./a", b"a/../b", b"..", b""])
def test_a_path_that_may_lead_elsewhere_is_not_relative(path: bytes) -> None:
    assert not is_relative(path)


@given(st.lists(st.sampled_from([b"", b".", b"..", b"...", b"a", b".a", b"a.", b"\0", b"\n", b"a b"]), max_size=4))
def test_a_path_is_relative_when_each_part_is_a_component(parts: list[bytes]) -> None:
    path = b"/".join(parts)
    assert is_relative(path) == all(map(is_component, path.split(b"/")))


def test_below_and_join_are_each_others_reverse() -> None:
    for root in (b"/", b"/srv/x"):
        assert below(root, join(root, b"a/b")) == b"a/b"
    assert below(b"/srv/x", b"/srv/x") == b""
    assert below(b"/srv/x", b"/srv/xy") is None


def test_what_a_host_said_is_shown_as_its_first_line() -> None:
    assert shown(b"\n caf\xe9\nmore") == "caf\\xe9"
    assert shown(b"") == ""
