"""Owns the tests of copying by escape sequence."""

from __future__ import annotations

import base64
from itertools import repeat

from tests.tui.driving import running

from sondage.tui.clipboard import MOST_BYTES, sequence, text_of, way
from sondage.tui.models.copying import copy_forms
from sondage.tui.models.source import Place


def test_plain_terminal_gets_osc_52() -> None:
    assert sequence("a.py:3", {}) == "\x1b]52;c;" + base64.b64encode(b"a.py:3").decode() + "\x07"
    assert "terminal" in way({})


def test_tmux_gets_it_wrapped_so_that_it_hands_it_on() -> None:
    wrapped = sequence("x", {"TMUX": "/tmp/tmux-0/default,1,0"})
    assert wrapped.startswith("\x1bPtmux;\x1b\x1b]52;c;") and wrapped.endswith("\x1b\\")
    assert "tmux" in way({"TMUX": "1"})


def test_surrogates_do_not_break_the_copy() -> None:
    assert sequence("\udcff", {})


def test_lines_are_copied_for_a_shell_for_python_and_for_a_document() -> None:
    forms = dict(copy_forms(Place("a/it's b.py", 3, last=4), ["def f():", "    '```'"], "a.b", "Core.f"))
    assert forms["path:line"] == "a/it's b.py:3-4"
    assert forms["text"] == "def f():\n    '```'"
    assert forms["sed command"] == 'sed -n 3,4p "a/it\'s b.py"'
    assert forms["full name"] == "a.b.Core.f"
    assert forms["import"] == "from a.b import Core"
    assert forms["Markdown"] == "`a/it's b.py:3-4` `Core.f`\n\n````python\ndef f():\n    '```'\n````"


def test_path_that_looks_like_an_option_stays_a_path() -> None:
    forms = dict(copy_forms(Place("-rf.py", 3), ["x"], "", ""))
    assert forms["sed command"] == "sed -n 3p ./-rf.py"
    assert "import" not in forms and "full name" not in forms


async def test_what_is_too_much_for_a_terminal_is_said() -> None:
    async with running() as (app, _):
        app.copy_to_clipboard("x" * (MOST_BYTES + 1))
        assert ":save" in app.status.said


def test_lines_without_an_end_are_made_into_a_text_only_as_far_as_shows_that_they_are_too_many() -> None:
    assert text_of(["a", "b", ""]) == "a\nb\n"
    whole = "x" * MOST_BYTES
    assert text_of([whole]) == whole
    assert MOST_BYTES < len(text_of(repeat("a line"))) < MOST_BYTES + 10
