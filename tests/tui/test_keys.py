"""Owns the tests of keys as terminals send them: bytes in, actions out."""

from __future__ import annotations

import pytest
from tests.tui.driving import running, settle, typed
from tests.tui.fake import line_of
from textual import events
from textual._xterm_parser import XTermParser

from sondage.tui.commands import COMMANDS

LEGACY = {
    "\t": "tab",
    "\x1b[Z": "shift+tab",
    "\r": "enter",
    "\x0f": "ctrl+o",
    "\x10": "ctrl+p",
    "\x04": "ctrl+d",
    "\x1b[A": "up",
    "\x1b[6~": "pagedown",
    "?": "question_mark",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "'": "apostrophe",
    ":": "colon",
    "G": "G",
    "\x1b[105;5u": "ctrl+i",
}


def keys_of(data: str) -> list[str]:
    """The keys that the terminal's bytes stand for."""
    parser = XTermParser()
    found = [*parser.feed(data), *parser.feed("")]
    return [event.key for event in found if isinstance(event, events.Key)]


@pytest.mark.parametrize(("data", "key"), LEGACY.items(), ids=LEGACY.values())
def test_bytes_of_a_plain_terminal_are_the_keys_of_the_table(data: str, key: str) -> None:
    assert keys_of(data)[:1] == [key]


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.keys], ids=lambda command: command.id)
def test_every_command_can_be_reached_with_bytes_of_a_plain_terminal(command: object) -> None:
    names = {
        **{value: key for key, value in LEGACY.items() if value != "ctrl+i"},
        **{f"ctrl+{letter}": chr(ord(letter) - 96) for letter in "bcdefgklnoprtuvwxyz"},
        **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
        "slash": "/",
        "space": " ",
        "escape": "\x1b",
        "home": "\x1b[H",
        "end": "\x1b[F",
        "pageup": "\x1b[5~",
        "full_stop": ".",
        "plus": "+",
        "minus": "-",
        "left_curly_bracket": "{",
        "right_curly_bracket": "}",
        "number_sign": "#",
        "percent_sign": "%",
    }
    assert any(all(stroke in names for stroke in key.split(" ")) for key in command.keys)  # type: ignore[attr-defined]


async def test_tab_moves_the_focus_and_kitty_ctrl_i_jumps_forward() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:lm_head", "enter", "enter", "1", "j", "enter")
        here = app.panes.source.here
        await typed(pilot, "ctrl+o")
        assert app.panes.source.here != here
        await typed(pilot, *keys_of("\x1b[105;5u"))
        assert app.panes.source.here == here
        await typed(pilot, *keys_of("\t"))
        assert app.arrangement.active == "contract"
        await typed(pilot, *keys_of("\x1b[Z"))
        assert app.arrangement.active == "source"


async def test_letters_are_typed_into_a_prompt_and_do_not_act() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "q", "5", "z", "question_mark")
        assert app.panes.search.pattern.value == "q5z?"
        assert app.arrangement.active == "search"
        await typed(pilot, "escape", "5")
        assert app.arrangement.active == "log"


async def test_half_pages_and_edges_move_in_every_list() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:self", "enter")
        view = app.panes.search.list
        first = view.cursor
        await typed(pilot, "ctrl+d")
        assert view.cursor > first
        await typed(pilot, "ctrl+u", "G")
        assert view.cursor == view.stops[-1]
        await typed(pilot, "g", "g")
        assert view.cursor == view.stops[0]


async def test_click_on_a_hint_does_what_its_key_does() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter")
        await pilot.click("#hints", offset=(3, 0))
        await settle(pilot)
        assert app.arrangement.active == "source"
        assert app.panes.source.view.line == line_of("engine/models/inner.py", "def get_embed_and_head")


async def test_click_on_a_tab_goes_to_its_pane() -> None:
    async with running() as (app, pilot):
        await pilot.click("#tabs", offset=(14, 0))
        await settle(pilot)
        assert app.arrangement.active == "classes"


async def test_text_dragged_over_in_source_is_copied() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def get_embed", "enter", "enter")
        view = app.panes.source.view
        row = view.cursor - round(view.scroll_offset.y)
        await pilot.mouse_down(view, offset=(10, row))
        await pilot.hover(view, offset=(14, row + 1))
        await pilot.mouse_up(view, offset=(14, row + 1))
        await typed(pilot, "ctrl+c")
        assert app.clipboard.startswith("def get_embed_and_head(self):\n")


async def test_what_is_typed_at_one_go_goes_where_each_key_leads() -> None:
    """As a paste or a script types: no key waits until the one before it has been dealt with."""
    names = {"/": "slash", "\t": "tab", "*": "asterisk", ".": "full_stop", "\r": "enter"}
    async with running() as (app, pilot):
        for letter in "/forward\t**/inner.py":
            app.post_message(events.Key(names.get(letter, letter), letter))
        await settle(pilot)
        assert (app.panes.search.pattern.value, app.panes.search.globs.value) == ("forward", "**/inner.py")
