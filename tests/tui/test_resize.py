"""Owns the promise that no window size ends the app, in any pane and on any screen."""

from __future__ import annotations

import pytest
from tests.tui.driving import app_on, running, settle, typed

from sondage.hosts.base import Question
from sondage.tui.screens import Known, LineScreen, QuestionScreen, TooSmallScreen, WelcomeScreen

SIZES = [(200, 60), (140, 40), (100, 30), (80, 24), (40, 12), (30, 8), (29, 8), (12, 5), (6, 3), (3, 2), (2, 1), (1, 1)]
WALK = [*SIZES, *reversed(SIZES)]
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


@pytest.mark.parametrize("screen", [QuestionScreen(KEY), LineScreen("note"), WelcomeScreen([Known("box:/x", "demo")])])
async def test_walk_with_a_question_open_leaves_the_app_alive(screen: object) -> None:
    async with running(size=WALK[0]) as (app, pilot):
        app.push_screen(screen)  # type: ignore[call-overload]
        for size in WALK:
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
