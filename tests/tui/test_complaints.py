"""Owns the checks of complaints about terminal apps that no other file has; README.md has the table of all 43."""

from __future__ import annotations

import asyncio
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.tui.driving import app_on, running, screen_text, settle, typed
from tests.tui.fake import FakeDig
from textual import events

from sondage.core.answers.index import IndexSummary
from sondage.core.answers.text import SearchAnswer
from sondage.core.source.text import SourceText
from sondage.dig import SearchQuery
from sondage.tui import terminal
from sondage.tui.app import SondageApp
from sondage.tui.commands import BY_ID, COMMANDS
from sondage.tui.options import Options, Wanted
from sondage.tui.panes.code import CodeView

ROOT = Path(__file__).parents[2]


def test_every_test_of_the_table_is_there() -> None:
    table = (Path(__file__).parent / "README.md").read_text()
    named = re.findall(r"`([\w./]+\.py)::(\w+)`", table)
    assert len(re.findall(r"^\| \d+ \| .* \|.*::", table, re.MULTILINE)) == 43
    missing = [
        f"{file}::{name}" for file, name in named if f"def {name}(" not in (Path(__file__).parent / file).read_text()
    ]
    assert missing == []


# ------------------------------------------------------------ 4 and 41: keys that not all keyboards and terminals have


def test_no_key_is_a_sign_with_ctrl_and_signs_have_another_key_or_a_place_in_the_palette() -> None:
    for command in COMMANDS:
        for key in command.keys:
            assert not re.fullmatch(r"ctrl\+[a-z]{2,}", key), f"{command.id}: {key} cannot be typed on some keyboards"
        assert command.action == "" or command.title  # what stands in the palette can be run without any key


def test_no_sequence_begins_with_escape_so_that_nothing_waits_for_its_delay() -> None:
    assert not [key for command in COMMANDS for key in command.keys if key.startswith("escape ")]


# ------------------------------------------------------------ 6: Ctrl-D


async def test_ctrl_d_moves_down_in_every_pane() -> None:
    files = {"engine/long.py": "".join(f"class C{n}:\n    def load_weights(self): ...\n\n" for n in range(60))}
    async with running(FakeDig({**FakeDig().files_given, **files})) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "c", "colon", "text:open engine/long.py:1", "enter")
        await app.typed("contract Wrapper " + ",".join(f"n{n}" for n in range(40)))
        await settle(pilot)
        for pane in app.panes:
            app.go(pane.place)
            pane.main.action_edge(-1)
            first = pane.main.cursor
            await pilot.press("ctrl+d")
            assert pane.main.cursor > first, pane.place


# ------------------------------------------------------------ 12: a slow start


async def test_first_picture_does_not_wait_for_any_host() -> None:
    async def never(wanted: Wanted, asker: Any) -> Any:
        await asyncio.Event().wait()

    app = SondageApp(never, "box:/srv", Options())
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "Nothing searched yet." in screen_text(app)


# ------------------------------------------------------------ 13: the app freezes on much data


class SlowDig(FakeDig):
    """Its searches take until the test lets them end."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.go = asyncio.Event()

    async def search(self, query: SearchQuery, **how: Any) -> SearchAnswer:
        await self.go.wait()
        return await super().search(query, **how)


async def test_keys_act_while_an_answer_is_on_its_way() -> None:
    dig = SlowDig()
    async with running(dig) as (app, pilot):
        await pilot.press("slash", "a", "enter", "5", "colon")
        assert app.arrangement.active == "log"
        assert app.command_line.display
        dig.go.set()
        await settle(pilot)
        assert dig.log


# ------------------------------------------------------------ 14: a large file


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The lines of source that were drawn."""
    lines: list[int] = []
    draw = CodeView.parts

    def parts(self: CodeView, index: int, width: int) -> Any:
        lines.append(index)
        return draw(self, index, width)

    monkeypatch.setattr(CodeView, "parts", parts)
    return iter([lines])


async def test_file_of_sixty_thousand_lines_is_drawn_line_by_line(drawn: Iterator[list[int]]) -> None:
    dig = FakeDig({"engine/large.py": "x = 1\n" * 60_000})
    async with running(dig) as (app, pilot):
        await typed(pilot, "colon", "text:open engine/large.py:30000", "enter")
        assert app.panes.source.view.count >= 60_000
        assert len(set(next(drawn))) < 4 * app.size.height


# ------------------------------------------------------------ 23: files that are not UTF-8


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("# coding: latin-1\nname = 'é'\n".encode("latin-1"), "name = 'é'"),
        ("name = 'é'\n".encode("latin-1"), r"name = '\xe9'"),
        ("name = 1\n".encode("utf-16"), "n␀a␀m␀e"),
    ],
    ids=["declared", "undeclared", "utf-16"],
)
async def test_file_in_another_encoding_is_shown(data: bytes, shown: str) -> None:
    dig = FakeDig({"engine/odd.py": "x"})
    dig.texts["engine/odd.py"] = SourceText(data)
    async with running(dig) as (app, pilot):
        await typed(pilot, "colon", "text:open engine/odd.py:1", "enter")
        assert shown in screen_text(app)


# ------------------------------------------------------------ 24: wide characters


async def test_every_line_has_the_width_of_the_window_whatever_stands_in_it() -> None:
    files = {
        "engine/w.py": "\n".join(["名" * 70, "🙂" * 50, "e\u0301" * 90, "\t名\t🙂", "a\ufe0f" * 50, "👩\u200d💻" * 40])
    }
    async with running(FakeDig(files), size=(140, 40)) as (app, pilot):
        await typed(pilot, "slash", "text:.", "enter", "enter")
        widths = {strip.cell_length for strip in app.screen._compositor.render_strips()}
        assert widths == {140}


# ------------------------------------------------------------ 27: panels useless at 80×24


async def test_ten_results_are_seen_at_80_by_24() -> None:
    async with running(FakeDig({"engine/many.py": "load_weights\n" * 60})) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter")
        assert screen_text(app).split("─ engine")[0].count("  load_weights") >= 10


# ------------------------------------------------------------ 33: Nerd Font boxes


def test_no_sign_needs_a_special_font_and_each_has_one_of_ascii() -> None:
    source = "".join(path.read_text() for path in (ROOT / "src" / "sondage" / "tui").rglob("*.py"))
    signs = {sign for sign in source if not sign.isascii()}
    in_words = {"×", "ö", "–", "§", "≥", "≤", "½"}  # of comments, never drawn
    assert not [sign for sign in signs if "\ue000" <= sign <= "\uf8ff" or sign > "\uffff"]
    plain = "".join(terminal._SIGNS.get(ord(sign), sign) for sign in signs - in_words)
    assert plain.isascii()


# ------------------------------------------------------------ 20 and 35: what has to be installed


def test_textual_is_pinned_and_no_clipboard_tool_has_to_be_there() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert [one for one in wanted if one.startswith("textual")] == ["textual==8.2.8"]
    assert not [one for one in wanted if one.startswith("pyperclip")]


# ------------------------------------------------------------ 37: a folder that cannot be read


async def test_what_could_not_be_read_is_told_with_its_reason_and_the_rest_is_there() -> None:
    class Partly(FakeDig):
        async def refresh(self, report: Any = None) -> IndexSummary:
            return replace(await super().refresh(report), unreadable=("engine/secret: Permission denied",))

    async with running(Partly()) as (app, pilot):
        assert "engine/secret: Permission denied" in app.status.said
        await typed(pilot, "slash", "text:forward", "enter")
        assert app.panes.search.found is not None and app.panes.search.found.total


# ------------------------------------------------------------ 38: the click that only brings the window to the front


async def test_click_that_gives_the_terminal_the_focus_does_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal.FocusClick, "WINDOW", 600.0)
    async with running() as (app, pilot):
        app.post_message(events.AppBlur())
        app.post_message(events.AppFocus())
        for place in ("search", "classes"):
            for kind in (events.MouseDown, events.MouseUp):
                app.post_message(kind(None, 14, 1, 0, 0, 1, False, False, False, screen_x=14, screen_y=1))
            await settle(pilot)
            assert app.arrangement.active == place


# ------------------------------------------------------------ 43: work that nobody asked for


async def test_nothing_is_read_again_by_itself() -> None:
    dig = FakeDig()
    read: list[int] = []
    refresh = dig.refresh

    async def counted(report: Any = None) -> IndexSummary:
        read.append(1)
        return await refresh(report)

    dig.refresh = counted  # type: ignore[method-assign]
    app = app_on(dig)
    async with app.run_test() as pilot:
        await settle(pilot)
        assert len(read) == 1
        for event in (events.AppBlur(), events.AppFocus()):
            app.post_message(event)
        await typed(pilot, "slash", "text:forward", "enter", "5", "1", "z", "z")
        await pilot.resize_terminal(140, 40)
        await settle(pilot)
        assert len(read) == 1
        await typed(pilot, "R")
        assert len(read) == 2
        assert BY_ID["index.refresh"].keys == ("R",)
