"""Owns the tests of what is asked of the terminal: its background, its alphabet, and answers that come too late."""

from __future__ import annotations

import os
import pty

import pytest
from rich.segment import Segment
from tests.tui.driving import running, screen_text, typed
from textual.color import Color

from sondage.tui.terminal import Ascii, LateReply, answers, ask_background, is_ascii, keys, lightness_of

WHITE = b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"


@pytest.mark.parametrize(
    ("reply", "lightness"),
    [
        (WHITE, 1.0),
        (b"\x1b]11;rgb:00/00/00\x07", 0.0),
        (b"\x1b]11;rgba:8080/8080/8080/ffff\x07", 0.5),
        (b"\x1b]11;rgb:f/0/0\x07", 0.2),
        (b"\x1b]11;rgb:ffff/ffff", None),
        (b"jjj\x1b[B", None),
        (b"", None),
    ],
)
def test_lightness_is_read_from_the_forms_of_an_answer(reply: bytes, lightness: float | None) -> None:
    found = lightness_of(reply)
    assert found is lightness or (found is not None and lightness is not None and abs(found - lightness) < 0.02)


def test_what_is_typed_before_and_after_the_answer_is_kept() -> None:
    master, slave = pty.openpty()
    try:
        os.write(master, b"jk\r" + WHITE + b"\x1b[B")
        said = ask_background(slave, limit=5.0)
        assert said.lightness == 1.0
        assert [key.key for key in keys(said.typed)] == ["j", "k", "enter", "down"]
        shown = b""
        while b"\x1b]11;?" not in shown:  # behind the echo of what was typed
            shown += os.read(master, 1000)
    finally:
        os.close(master)
        os.close(slave)


def test_terminal_that_is_silent_is_waited_for_no_longer_than_the_limit() -> None:
    master, slave = pty.openpty()
    try:
        said = ask_background(slave, limit=0.01)
        assert (said.lightness, said.typed) == (None, "")
    finally:
        os.close(master)
        os.close(slave)


def test_no_terminal_is_no_answer() -> None:
    reading, writing = os.pipe()
    try:
        assert ask_background(reading).lightness is None
    finally:
        os.close(reading)
        os.close(writing)
    assert not answers({"TERM": "dumb"}) and not answers({}) and answers({"TERM": "xterm-256color"})


@pytest.mark.parametrize("reply", [WHITE.decode(), "\x1b]11;rgb:1e1e/1e1e/1e1e\x07"], ids=["ST", "BEL"])
def test_answer_that_comes_late_is_taken_out_of_the_keys(reply: str) -> None:
    late = LateReply()
    assert [key.key for key in keys("j" + reply + "q1b") if not late.takes(key)] == ["j", "q", "1", "b"]


@pytest.mark.parametrize(
    ("environment", "alone"),
    [
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ({"LC_CTYPE": "C.UTF-8"}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, True),
        ({"LANG": "C", "LC_ALL": "en_US.utf8"}, False),
        ({"LANG": "en_US.UTF-8", "LC_ALL": ""}, False),
    ],
)
def test_alphabet_goes_by_the_locale(environment: dict[str, str], alone: bool) -> None:
    assert is_ascii(environment) is alone


def test_own_signs_become_ascii_of_the_same_width_and_other_writing_stays_unless_the_terminal_is_ascii() -> None:
    line = [Segment("▌✓ a → 名…")]
    ground = Color(0, 0, 0)
    assert [segment.text for segment in Ascii(strict=False).apply(line, ground)] == ["|v a > 名~"]
    assert [segment.text for segment in Ascii(strict=True).apply(line, ground)] == ["|v a > ??~"]
    plain = [Segment("abc")]
    assert Ascii(strict=True).apply(plain, ground) is plain


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_ascii_of_the_users_choice_draws_no_box_and_no_sign(size: tuple[int, int]) -> None:
    async with running(size=size, ascii="own") as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "c")
        await typed(pilot, "colon", "text:contract Wrapper forward,nothing", "enter", "question_mark")
        assert {sign for sign in drawn(app) if not sign.isascii()} == set()


def drawn(app: object) -> str:
    """What leaves for the terminal, filters applied."""
    filters = app.get_line_filters()  # type: ignore[attr-defined]
    out = []
    for strip in app.screen._compositor.render_strips():  # type: ignore[attr-defined]
        segments = list(strip)
        for one in filters:
            segments = one.apply(segments, Color(0, 0, 0))
        out.append("".join(segment.text for segment in segments))
    return "\n".join(out)


async def test_mouse_is_given_back_by_key_and_by_command_and_said() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "percent_sign")
        assert app.status.said == "the terminal has the mouse, % takes it"
        await typed(pilot, "colon", "text:mouse on", "enter")
        assert app.mouse_reported
        await typed(pilot, "colon", "text:mouse off", "enter")
        assert not app.mouse_reported
        await typed(pilot, "colon", "text:mouse maybe", "enter")
        assert "write :mouse on or :mouse off" in app.status.said


async def test_copying_can_be_tried_and_says_what_terminals_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/tmux,1,0")
    async with running() as (app, pilot):
        await typed(pilot, "colon", "text:copy-test", "enter")
        shown = screen_text(app)
        assert app.clipboard == "sondage can copy"
        assert "through tmux" in shown and "set-clipboard on" in shown and "Terminal.app" in shown
        await typed(pilot, "escape")
        assert app.screen is app.base
