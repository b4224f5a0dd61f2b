"""Owns the tests of the start: what stands on the screen before the rest of the app is there, and that no key is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.tui.driving import app_on, screen_text, until
from tests.tui.fake import FakeDig
from textual import events
from textual.pilot import Pilot

from sondage.core.answers.index import IndexSummary, Progress
from sondage.errors import HostError
from sondage.tui.app import SondageApp
from sondage.tui.welcome import WelcomeScreen

SIZES = ((40, 12), (80, 24), (100, 30), (140, 40))


@asynccontextmanager
async def held(size: tuple[int, int]) -> AsyncIterator[tuple[SondageApp, Pilot[Any], asyncio.Event]]:
    """An app that stays at its first frame until the event is set, and on a target that never opens."""
    never, released = asyncio.Event(), asyncio.Event()

    async def opening(_: Any) -> None:
        await never.wait()

    app = app_on(others={"box:/srv/engine": opening})
    complete = app.complete

    async def held_back() -> None:
        await released.wait()
        await complete()

    app.complete = held_back  # type: ignore[method-assign]
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot, released
        released.set()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_first_frame_is_the_one_that_stays(size: tuple[int, int]) -> None:
    async with held(size) as (app, pilot, released):
        first = screen_text(app)
        assert "box:/srv/engine" in first
        assert "type a pattern" in first
        released.set()
        await until(pilot, lambda: app.is_whole)
        assert screen_text(app) == first
        assert len(list(app.panes)) == 5


async def test_where_one_pane_is_shown_the_others_are_not_built_for_the_first_frame() -> None:
    async with held((80, 24)) as (app, pilot, released):
        assert [pane.place for pane in app.panes] == ["search"]
        released.set()
        await until(pilot, lambda: app.is_whole)
        assert [pane.place for pane in app.panes] == ["search", "classes", "source", "contract", "log"]


async def test_keys_typed_before_the_rest_is_there_are_not_lost() -> None:
    async with held((80, 24)) as (app, pilot, released):
        for key in ("slash", *"forward"):
            app.post_message(events.Key(key, "/" if key == "slash" else key))
        released.set()
        await until(pilot, lambda: app.panes.search.pattern.value == "forward")


async def test_window_that_grows_before_the_rest_is_there_shows_all_panes_in_the_end() -> None:
    async with held((80, 24)) as (app, pilot, released):
        await pilot.resize_terminal(140, 40)
        released.set()
        await until(pilot, lambda: app.is_whole)
        assert all(pane.display for pane in app.panes)
        assert "5 Log" in screen_text(app)


@asynccontextmanager
async def slow_to_open() -> AsyncIterator[tuple[SondageApp, Pilot[Any], FakeDig, asyncio.Future[None]]]:
    """An app whose target is opened, or is not, when the future says so."""
    dig, outcome = FakeDig(), asyncio.get_running_loop().create_future()

    async def opening(_: Any) -> FakeDig:
        await outcome
        return dig

    app = app_on(others={"box:/srv/engine": opening})
    async with app.run_test() as pilot:
        yield app, pilot, dig, outcome


async def test_who_types_while_the_target_is_opened_goes_on_typing_there() -> None:
    async with slow_to_open() as (app, pilot, _, outcome):
        await pilot.press("slash", "f", "o")
        outcome.set_result(None)
        await until(pilot, lambda: app.dig is not None)
        await pilot.press("r")
        assert app.panes.search.pattern.value == "for"


async def test_what_is_asked_while_the_target_is_opened_is_asked_once_it_is_open() -> None:
    async with slow_to_open() as (app, pilot, dig, outcome):
        await pilot.press("slash", "f", "o", "r", "enter")
        assert app.status.said == "asked as soon as the first files are here"
        outcome.set_result(None)
        await until(pilot, lambda: bool(dig.log))
        assert [entry.arguments["pattern"] for entry in dig.log] == ["for"]


async def test_what_was_asked_of_a_target_that_cannot_be_opened_is_not_asked_of_another() -> None:
    async with slow_to_open() as (app, pilot, _, outcome):
        await pilot.press("slash", "f", "o", "enter")
        outcome.set_exception(HostError("cannot be reached", "box"))
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        assert "cannot be reached" in screen_text(app)
        assert not app._early


@dataclass
class SlowDig(FakeDig):
    """Its refresh takes until it may end."""

    seen: int | None = 0
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary:
        await self.may_end.wait()
        return await super().refresh(report)


@pytest.mark.parametrize("arriving", [True, False], ids=["first files", "none at all"])
async def test_what_is_asked_before_a_file_is_here_is_asked_once_there_is_one_or_it_is_certain_that_there_is_none(
    arriving: bool,
) -> None:
    dig = SlowDig()
    async with app_on(dig).run_test() as pilot:
        await until(pilot, lambda: pilot.app.dig is dig)  # type: ignore[attr-defined]
        await pilot.press("slash", "f", "o", "enter")
        assert not dig.log
        if arriving:
            dig.arrive()
        else:
            dig.may_end.set()
        await until(pilot, lambda: bool(dig.log))
        assert [entry.arguments["pattern"] for entry in dig.log] == ["fo"]
        dig.may_end.set()
