"""Commands for a reader's shell, judged by a shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sondage.core.transcripts.shell import command, over_ssh, word

AWKWARD = [
    "plain/path.py",
    "with space",
    "quo'te",
    'dou"ble',
    "$HOME `id` $(id) ${x}",
    "-\x1f",
    "back\\slash\\",
    "bang! and 'quote'",
    "a|b.*(c)\\(d\\)",
    "tab\there",
    "line\nend.py",
    "caf\udce9.py",
    "esc\x1b[31m and 100%",
    "bidi\u202e'x'",
    "日本.py",
    "*?[a]~",
    "",
    "-rf",
]

FAKE_SSH = 'ssh() { while [ "$1" != box ]; do shift; done; shift; sh -c "$*"; }\n'


def arguments_seen_by(line: str) -> list[bytes]:
    """What a program gets when a shell runs the line, in which the program is called `show`."""
    script = f"show() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    printed = subprocess.run(["sh", "-c", os.fsencode(script)], capture_output=True, check=True).stdout
    return printed.split(b"\0")[:-1]


@pytest.mark.parametrize("text", AWKWARD)
def test_shell_reads_a_word_back_as_it_was(text: str) -> None:
    line = command(["show", text])
    assert line is not None
    assert arguments_seen_by(line) == [os.fsencode(text)]


@pytest.mark.parametrize("text", AWKWARD)
def test_remote_shell_reads_a_word_back_as_it_was(text: str, tmp_path: Path) -> None:
    inner = command(["printf", "%s.", text])
    assert inner is not None
    line = over_ssh(["-p", "2222", "box"], inner)
    assert line is not None
    printed = subprocess.run(["sh", "-c", FAKE_SSH + line], capture_output=True, check=True).stdout
    assert printed == os.fsencode(text) + b"."


@given(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=12))
@settings(max_examples=40)
def test_any_word_that_can_be_written_is_read_back(text: str) -> None:
    written = word(text)
    if written is None:
        assert text.endswith("\n")
    else:
        assert arguments_seen_by(f"show {written}") == [text.encode()]


def test_nothing_hidden_stands_in_a_command() -> None:
    for text in AWKWARD:
        assert (word(text) or "").isprintable()


@pytest.mark.parametrize("text", ["a\0b", "ends\n", "\ud800"])
def test_word_that_no_shell_can_be_given_is_not_written(text: str) -> None:
    assert word(text) is None
    assert command(["show", text]) is None


def test_words_are_quoted_in_the_most_readable_way() -> None:
    assert word("/srv/a.py") == "/srv/a.py"
    assert word("a|b") == "'a|b'"
    assert word("it's") == '"it\'s"'
    assert word("caf\udce9.py") == "\"$(printf 'caf\\351.py')\""
    assert over_ssh(["box"], "grep -nE 'a|b' x.py") == "ssh box \"grep -nE 'a|b' x.py\""


def test_host_that_reads_as_an_option_gets_no_command() -> None:
    assert over_ssh(["-oProxyCommand=x"], "true") is None
    assert over_ssh([], "true") is None
