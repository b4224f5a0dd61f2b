"""Owns the tests on a real pseudo-terminal: signals and crashes leave it clean, idling writes nothing, colours obey."""

from __future__ import annotations

import json
import os
import re
import signal
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from tests.tui.real_terminal import CLEAN, Terminal, on_folder, on_made_up_answers, opened, places_below
from textual.color import Color

from sondage.tui.themes import shipped


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.txt"


def terminal(
    log: Path, target: str = "box:/srv", theme: str = "dark", **environment: str
) -> AbstractContextManager[Terminal]:
    return opened(on_made_up_answers(target, theme, log), **environment)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_leaves_the_terminal_clean(log: Path, number: signal.Signals) -> None:
    with terminal(log) as app:
        app.until_started()
        app.process.send_signal(number)
        assert app.ended() == 128 + number
        assert all(sequence in app.output for sequence in CLEAN)


def test_crash_is_one_line_without_secrets_and_leaves_the_terminal_clean(log: Path) -> None:
    with terminal(log, "crash") as app:
        assert app.ended() == 4
        assert all(sequence in app.output for sequence in CLEAN)
        said = app.output[app.output.rindex("\x1b[?1049l") :]
        assert "sondage: error: internal error: RuntimeError" in said
        assert "Traceback" not in said
        assert "sentinel-secret" not in app.output + log.read_text()
        assert "boom" in log.read_text()
        assert oct(log.stat().st_mode)[-3:] == "600"


def test_closed_terminal_ends_the_process(log: Path) -> None:
    with terminal(log) as app:
        app.until_started()
        os.close(app.master)
        app.master = os.open(os.devnull, os.O_RDONLY)
        assert app.process.wait(10) is not None


def test_idle_app_writes_nothing(log: Path) -> None:
    with terminal(log) as app:
        app.until_started()
        assert app.read(seconds=2.0) == ""


def test_step_of_the_cursor_writes_little(log: Path) -> None:
    with terminal(log, COLORTERM="truecolor") as app:
        app.until_started()
        app.type(b"/self\r")
        app.read(seconds=2.0)
        for key in (b"j", b"j", b"k"):
            app.type(key)
            assert 0 < len(app.read(seconds=1.0).encode()) < 6000


def test_terminal_theme_sends_only_the_sixteen_colours(log: Path) -> None:
    with terminal(log, theme="terminal", COLORTERM="truecolor") as app:
        app.until_started()
        app.type(b"/forward\r")
        app.read(seconds=2.0)
        assert not re.search(r"[34]8;[25]", app.output)


def test_no_color_sends_no_colour_at_all(log: Path) -> None:
    with terminal(log, COLORTERM="truecolor", NO_COLOR="1") as app:
        app.until_started()
        app.type(b"/forward\r")
        app.read(seconds=2.0)
        assert not re.search(r"[34]8;[25]", app.output)
        assert not re.search(r"\x1b\[(?:[0-9;]*;)?(?:3|4|9|10)[0-7]m", app.output)


@pytest.mark.parametrize("term", ["screen", "tmux-256color", "xterm", "linux", "dumb"])
def test_app_starts_on_every_terminal(log: Path, term: str) -> None:
    with terminal(log, TERM=term) as app:
        app.until_started()
        assert "Search" in app.output
        app.type(b"q")
        assert app.ended() == 0


@pytest.mark.parametrize(("target", "seen"), [("asks", "box asks"), ("connects", "Reading")])
def test_signal_while_a_question_is_put_or_a_host_is_read_leaves_the_terminal_clean(
    log: Path, target: str, seen: str
) -> None:
    with terminal(log, target) as app:
        app.read(seen)
        app.process.send_signal(signal.SIGTERM)
        assert app.ended() == 128 + signal.SIGTERM
        assert all(sequence in app.output for sequence in CLEAN)


def test_signal_while_the_editor_has_the_terminal_leaves_it_clean(log: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho EDITING $1\nkill -TERM $PPID\n")
    editor.chmod(0o700)
    with terminal(log, EDITOR=str(editor)) as app:
        app.until_started()
        app.type(b"/get_embed\r")
        app.read("hits")
        app.read(seconds=1.0)
        app.type(b"e")
        app.read("EDITING")
        assert app.ended() == 128 + signal.SIGTERM
        assert all(sequence in app.output for sequence in CLEAN)


def test_kill_leaves_transcript_and_session_complete(tmp_path: Path) -> None:
    """The command line itself on a folder: what was asked and where the user stood is on the disk, and nothing elsewhere."""
    tree, home = tmp_path / "tree", tmp_path / "home"
    places = places_below(tmp_path) | {"HOME": str(home)}
    tree.mkdir()
    home.mkdir()
    (tree / "one.py").write_text("class One:\n    def evict(self):\n        pass\n")
    with opened(on_folder(tree), **places) as app:
        app.until_started()
        app.type(b"/evict\r")
        app.read("1 hit")
        app.read(seconds=1.0)
        app.type(b"\r")
        app.read(seconds=1.0)
        app.process.send_signal(signal.SIGHUP)
        assert app.ended() == 128 + signal.SIGHUP
        assert all(sequence in app.output for sequence in CLEAN)
    assert list(home.iterdir()) == []
    state = tmp_path / "state" / "sondage"
    (transcript,), (session,) = (state / "transcripts").iterdir(), (state / "sessions").iterdir()
    verbs = [json.loads(line)["verb"] for line in transcript.read_text().splitlines()]
    assert verbs == ["search", "show"]
    kept = json.loads(session.read_text())
    assert (kept["target"], kept["active"], kept["source"]["path"]) == (str(tree), "source", "one.py")


def test_no_sequence_of_a_file_reaches_the_terminal(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    hostile = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x9b2J\x1b[2J\u202e"
    (tree / f"odd{hostile}.py").write_text(f"# {hostile} evict\nclass Odd: pass\n")
    with opened(on_folder(tree), **places_below(tmp_path)) as app:
        app.until_started()
        app.type(b"/evict\r")
        app.read("1 hit")
        app.read(seconds=1.0)
        app.type(b"\r")
        app.read(seconds=2.0)
        assert "owned" in app.output
        for sequence in ("]0;owned", "]52;c;b3", "\x9b", "\x1b[2J", "\u202e"):
            assert f"\x1b{sequence}" not in app.output if sequence[0] == "]" else sequence not in app.output
        app.process.terminate()
        app.ended()


# ------------------------------------------------------------ what the terminal is asked, and told


@pytest.mark.parametrize(
    ("background", "ground"),
    [("rgb:ffff/ffff/f0f0", "light"), ("rgb:1e1e/1e1e/1e1e", "dark"), ("", "dark")],
    ids=["light", "dark", "no answer"],
)
def test_theme_goes_by_the_background_that_the_terminal_tells(tmp_path: Path, background: str, ground: str) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    with opened(on_folder(tree), background=background, COLORTERM="truecolor", **places_below(tmp_path)) as app:
        app.until_started()
        red, green, blue = Color.parse(shipped()[ground].palette["background"]).rgb
        assert f"48;2;{red};{green};{blue}" in app.output
        if not background:  # it comes after all, through a slow link: none of it may be taken for keys
            app.type(b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
            assert app.read(seconds=1.0) == ""
        app.type(b"q")
        assert app.ended() == 0


def test_terminal_without_utf8_gets_nothing_but_ascii_and_no_mouse_where_none_is_wanted(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "one.py").write_text("x = '名 ✓'\n")
    with opened(on_folder(tree, "--no-mouse"), LC_ALL="C", **places_below(tmp_path)) as app:
        app.until_started()
        app.type(b"/x =\r")
        app.read("1 hit")
        app.type(b"p")
        app.read("anything", seconds=5.0)
        assert app.output.isascii()
        assert "?1000h" not in app.output
        app.process.terminate()
        app.ended()


def test_mouse_is_released_and_taken_again_while_the_app_runs(log: Path) -> None:
    with terminal(log) as app:
        app.until_started()
        app.type(b"%")
        assert "\x1b[?1000l" in app.read("?1006l")
        app.type(b":mouse on\r")
        assert "\x1b[?1000h" in app.read("?1006h")
        app.type(b"%")
        app.read("?1006l")
        app.type(b"q")
        assert app.ended() == 0
        assert "?1000h" not in app.output[app.output.rindex("\x1b[?1000l") :]
