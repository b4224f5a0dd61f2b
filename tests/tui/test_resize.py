"""Owns the promise that no window size ends the app, in any pane and on any screen."""

from __future__ import annotations

import pytest
from tests.tui.driving import app_on, running, screen_text, settle, typed

from sondage.hosts.base import Question
from sondage.tui.connecting import ConnectingScreen
from sondage.tui.folder_screen import FolderScreen
from sondage.tui.models.pace import Pace
from sondage.tui.models.rows import row
from sondage.tui.options import Known, OfferedRoot
from sondage.tui.screens import LineScreen, NoticeScreen, QuestionScreen, TooSmallScreen
from sondage.tui.welcome import WelcomeScreen

SIZES = [(200, 60), (140, 40), (100, 30), (80, 24), (40, 12), (30, 8), (29, 8), (12, 5), (6, 3), (3, 2), (2, 1), (1, 1)]
WALK = [*SIZES, *reversed(SIZES)]
SHORT_WALK = [(200, 60), (40, 12), (29, 8), (6, 3), (2, 1), (1, 1), (30, 8), (140, 40)]
KEY = Question("host_key", "box", "unknown", details={"type": "ssh-ed25519", "fingerprint": "SHA256:abc"})


@pytest.mark.parametrize("pane", ["1", "2", "3", "4", "5"])
async def test_walk_to_one_cell_and_back_leaves_every_pane_alive(pane: str) -> None:
    async with running(size=WALK[0]) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "j", "c", "c", "text:forward", "enter", pane)
        for size in WALK:
            await pilot.resize_terminal(*size)
        await settle(pilot)
        assert app.is_running
        assert not isinstance(app.screen, TooSmallScreen)


@pytest.mark.parametrize("key", ["question_mark", "p", "colon", "apostrophe"])
async def test_walk_with_a_list_open_leaves_the_app_alive(key: str) -> None:
    async with running(size=WALK[0]) as (app, pilot):
        await typed(pilot, key)
        for size in WALK:
            await pilot.resize_terminal(*size)
        await settle(pilot)
        assert app.is_running


SCREENS = {
    "question": lambda: QuestionScreen(KEY),
    "line": lambda: LineScreen("note"),
    "notice": lambda: NoticeScreen("told", [row("a line")]),
    "welcome": lambda: WelcomeScreen([Known("box:/x", "demo")], "no answer: box"),
    "folder": lambda: FolderScreen("box:", None, nobody, [OfferedRoot("/srv", "read 2 h ago")]),
    "connecting": lambda: ConnectingScreen("box:/srv", Pace(lambda: 0.0)),
}


async def nobody(question: Question) -> None:
    """Answers nothing."""


@pytest.mark.parametrize("name", SCREENS)
async def test_walk_with_a_screen_open_leaves_the_app_alive(name: str) -> None:
    async with running(size=WALK[0]) as (app, pilot):
        app.push_screen(SCREENS[name]())  # type: ignore[arg-type]
        for size in SHORT_WALK:
            await pilot.resize_terminal(*size)
        await settle(pilot)
        assert app.is_running


async def test_window_too_small_takes_every_key_but_q() -> None:
    async with running() as (app, pilot):
        await pilot.resize_terminal(20, 6)
        await typed(pilot, "5", "slash", "colon", "p")
        assert isinstance(app.screen, TooSmallScreen)
        assert app.arrangement.active == "search"
        await pilot.press("q")
    assert app.return_value is None or app.return_value == 0


async def test_too_small_from_the_start_shows_the_notice() -> None:
    app = app_on()
    async with app.run_test(size=(20, 5)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, TooSmallScreen)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert not isinstance(app.screen, TooSmallScreen)


async def test_hints_are_those_that_fit_after_a_window_too_small_has_grown_again() -> None:
    async with running() as (app, pilot):
        hint_line = screen_text(app).splitlines()[-1]
        for width, height in ((25, 6), (80, 24)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
        assert screen_text(app).splitlines()[-1] == hint_line
