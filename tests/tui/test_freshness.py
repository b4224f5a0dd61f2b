"""Owns the tests of what the app says of a connection that comes and goes, and of a file that changed on the host."""

from __future__ import annotations

from tests.tui.driving import NOW, running, screen_text, settle, typed
from tests.tui.fake import FakeDig

from sondage.core.source.text import SourceText
from sondage.dig import Link

INNER = "engine/models/inner.py"
OPEN_INNER = ("colon", f"text:open {INNER}:3", "enter")
CHANGED = "changed on host since 12 s ago, R"


async def test_opened_file_that_changed_on_the_host_says_so() -> None:
    dig = FakeDig(changed_there={INNER})
    async with running(dig, (120, 24)) as (app, pilot):
        await typed(pilot, *OPEN_INNER)
        await settle(pilot)
        assert app.panes.source.warning == CHANGED
        assert "changed on host since" in screen_text(app)


async def test_file_one_comes_back_to_still_says_so_without_being_asked_about_again() -> None:
    dig = FakeDig(changed_there={INNER})
    async with running(dig, (120, 24)) as (app, pilot):
        await typed(pilot, *OPEN_INNER, "colon", "text:open engine/worker.py:1", "enter")
        assert app.panes.source.warning == ""
        await typed(pilot, *OPEN_INNER)
        assert app.panes.source.warning == CHANGED
        assert dig.looked_at.count(INNER) == 1


async def test_opened_file_that_is_as_it_was_says_nothing() -> None:
    async with running(FakeDig(), (120, 24)) as (app, pilot):
        await typed(pilot, *OPEN_INNER)
        assert "changed on host" not in screen_text(app)


async def test_file_opened_twice_in_a_moment_is_asked_about_once_for_each_state_of_the_index() -> None:
    dig = FakeDig()
    async with running(dig) as (_, pilot):
        await typed(pilot, *OPEN_INNER)
        await typed(pilot, *OPEN_INNER)
        assert dig.looked_at == [INNER]
        dig.indexed_at = 999.0
        await typed(pilot, *OPEN_INNER)
        assert dig.looked_at == [INNER, INNER]


async def test_without_a_connection_nothing_is_asked() -> None:
    dig = FakeDig(online=False)
    async with running(dig) as (_, pilot):
        await typed(pilot, *OPEN_INNER)
        assert dig.looked_at == []


async def test_after_a_refresh_the_open_file_is_shown_as_it_is_now() -> None:
    dig = FakeDig(changed_there={INNER})
    async with running(dig, (120, 24)) as (app, pilot):
        await typed(pilot, *OPEN_INNER)
        dig.texts[INNER] = SourceText(b"# one\n# two\n# three, and new\n")
        dig.changed_there.clear()
        dig.revision += 1
        await typed(pilot, "R")
        assert "# three, and new" in screen_text(app)
        assert "changed on host" not in screen_text(app)
        here = app.panes.source.here
        assert here is not None
        assert (here.path, here.line) == (INNER, 3)


async def test_lost_connection_stands_in_the_header_and_is_said_once() -> None:
    dig = FakeDig()
    async with running(dig, (120, 24)) as (app, pilot):
        dig.lose(Link("lost", NOW, NOW + 4, "the host hung up"), "the connection is lost: the host hung up")
        await settle(pilot)
        assert "offline, last synced 12 s ago, next try in 4 s" in screen_text(app)
        assert "the connection is lost: the host hung up" in screen_text(app)

        dig.lose(Link("online", NOW), "connected again; R refreshes")
        await settle(pilot)
        assert "ssh 41 ms" in screen_text(app)
        assert "connected again; R refreshes" in screen_text(app)
