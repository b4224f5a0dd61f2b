"""Owns the tests of the editor: which command is run, on what, and what is left of it afterwards."""

from __future__ import annotations

import json
import stat
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from tests.tui.driving import running, typed
from tests.tui.fake import FakeDig, line_of

from sondage.errors import UsageError
from sondage.tui.app import SondageApp
from sondage.tui.editing import command_of, editor_of, open_copy, safe_name

INNER_PY = "engine/models/inner.py"


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("vi", ["vi", "+7", "f.py"]),
        ("nano -l", ["nano", "-l", "+7", "f.py"]),
        ("emacs -nw", ["emacs", "-nw", "+7", "f.py"]),
        ("/usr/bin/nvim", ["/usr/bin/nvim", "-R", "--cmd", "set nomodeline", "+7", "f.py"]),
        ("hx", ["hx", "f.py:7"]),
        ("code", ["code", "--wait", "--goto", "f.py:7"]),
        ("code -w -n", ["code", "-w", "-n", "--goto", "f.py:7"]),
        ("'my editor' --flag", ["my editor", "--flag", "f.py"]),
    ],
)
def test_editor_is_given_the_line_in_its_own_words(
    editor: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # what `vi` leads to on this machine is another question
    assert command_of(editor_of({"EDITOR": editor}), "f.py", 7) == command


def test_vim_under_another_name_acts_on_no_line_of_the_file_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vim.basic").write_text("#!/bin/sh\n")
    (tmp_path / "vim.basic").chmod(0o700)
    (tmp_path / "vi").symlink_to("vim.basic")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command_of(["vi"], "f.py", 7) == ["vi", "-R", "--cmd", "set nomodeline", "+7", "f.py"]


def test_visual_comes_before_editor_and_vi_when_there_is_neither() -> None:
    assert editor_of({"VISUAL": "hx", "EDITOR": "nano"}) == ["hx"]
    assert editor_of({}) == ["vi"]


@pytest.mark.parametrize("editor", ["'unclosed", "  "])
def test_editor_that_cannot_be_read_is_said(editor: str) -> None:
    with pytest.raises(UsageError):
        editor_of({"EDITOR": editor})


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/inner.py", "inner.py"),
        ("a/-rf.py", "rf.py"),
        ("a/..", "source"),
        ("a/$(reboot);`x`\x1b]0;t\x07.py", "_reboot_x_0_t_.py"),
        ("a/ünï\udcff.py", "_n_.py"),
        ("a/.hidden", "hidden"),
    ],
)
def test_name_of_the_copy_holds_nothing_that_could_act(path: str, name: str) -> None:
    assert safe_name(path) == name


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that writes down what it was given, with the modes of the copy and of its folder."""
    script = tmp_path / "fake editor"
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, sys, json\n"
        "file = sys.argv[-1]\n"
        "modes = [os.stat(one).st_mode for one in (file, os.path.dirname(file))]\n"
        f"open({str(tmp_path / 'seen.json')!r}, 'w').write(json.dumps([sys.argv[1:], modes, open(file).read()]))\n"
    )
    script.chmod(0o700)
    monkeypatch.setenv("VISUAL", f"'{script}' --flag")
    return tmp_path / "seen.json"


async def test_editor_gets_a_read_only_copy_that_is_gone_afterwards(
    editor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SondageApp, "suspend", lambda self: nullcontext())
    async with running(FakeDig()) as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter", "e")
        assert "read-only copy" in app.status.said
        (arguments, (mode, folder), text) = json.loads(editor.read_text())
        assert arguments[0] == "--flag" and Path(arguments[-1]).name == "inner.py"
        assert (stat.S_IMODE(mode), stat.S_IMODE(folder)) == (0o400, 0o700)
        assert text == FakeDig().files_given[INNER_PY]
        assert not Path(arguments[-1]).parent.exists()
        assert app.panes.search.spot is not None
        assert app.panes.search.spot.line == line_of(INNER_PY, "def get_embed_and_head")


async def test_terminal_that_cannot_be_left_says_so() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter", "e")
        assert "no editor can be opened" in app.status.said


def test_editor_that_is_not_there_says_how_to_choose_another() -> None:
    with pytest.raises(UsageError, match=r"\$VISUAL"):
        open_copy(b"x", "a.py", 1, {"EDITOR": "/nonexistent/editor"})
    with pytest.raises(UsageError, match="ended with 1"):
        open_copy(b"x", "a.py", 1, {"EDITOR": "false"})
