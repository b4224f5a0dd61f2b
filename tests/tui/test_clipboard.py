"""Owns the tests of copying by escape sequence."""

from __future__ import annotations

import base64

from tests.tui.driving import running

from sondage.tui.clipboard import MOST_BYTES, sequence, way
from sondage.tui.panes.base import place_forms, shell_quoted


def test_plain_terminal_gets_osc_52() -> None:
    assert sequence("a.py:3", {}) == "\x1b]52;c;" + base64.b64encode(b"a.py:3").decode() + "\x07"
    assert "terminal" in way({})


def test_tmux_gets_it_wrapped_so_that_it_hands_it_on() -> None:
    wrapped = sequence("x", {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert wrapped.startswith("\x1bPtmux;\x1b\x1b]52;c;") and wrapped.endswith("\x1b\\")
    assert "tmux" in way({"TMUX": "1"})


def test_surrogates_do_not_break_the_copy() -> None:
    assert sequence("\udcff", {})


def test_paths_are_quoted_for_a_shell_where_they_must_be() -> None:
    assert shell_quoted("a/b.py") == "a/b.py"
    assert shell_quoted("a b'c.py") == "'a b'\\''c.py'"
    assert shell_quoted("-rf") == "'-rf'"
    assert place_forms("a.py", 3, 9, lambda: "text")[2] == ("sed command", "sed -n '3,9p' a.py")


async def test_what_is_too_much_for_a_terminal_is_said() -> None:
    async with running() as (app, _):
        app.copy_to_clipboard("x" * (MOST_BYTES + 1))
        assert ":save" in app.status.said
