"""Owns the tests of the first screens: where to, which folder of a host, and the steps of a first reading."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.tui.driving import app_on, screen_text, settle, typed, until
from tests.tui.fake import FakeDig
from tests.tui.test_nasty import NASTY, harmless

from sondage.core.answers.index import IndexSummary, Progress
from sondage.errors import ConnectError, HostError
from sondage.hosts.base import Asker, HostIdentity, Question
from sondage.tui import opening
from sondage.tui.app import SondageApp
from sondage.tui.connecting import ConnectingScreen, steps
from sondage.tui.folder_screen import FolderScreen, agreed, completions, split
from sondage.tui.models.pace import Pace
from sondage.tui.options import Known, OfferedRoot, Options, Wanted
from sondage.tui.panes.base import Prompt
from sondage.tui.screens import QuestionScreen
from sondage.tui.welcome import WelcomeScreen

KNOWN = [
    Known("box:/srv/engine", "left 3 h ago", "session", "monday"),
    Known("box:/srv/engine", "read 2 h ago"),
    Known("box:", "choose a folder of it", "host"),
    Known("./", "another folder of this machine", "here"),
    Known("demo", "no host needed", "here"),
]
TREE = {
    "~": ["src", "engine", ".cache"],
    "~/": ["src", "engine", ".cache"],
    "/": ["srv", "opt"],
    "/srv/": ["engine", "engine-new", "models"],
    "/srv/engine/": ["models"],
    "./": ["mine"],
}


@dataclass
class FakeHost:
    identity: HostIdentity = field(default_factory=lambda: HostIdentity("ssh", "box"))
    closed: bool = False

    async def aclose(self) -> None:
        self.closed = True


class FakeBrowser:
    def __init__(self) -> None:
        self.host: Any = FakeHost()

    async def folders(self, folder: str) -> list[str]:
        if folder not in TREE:
            raise HostError("not a folder that can be read", f"box:{folder}", "Permission denied")
        return TREE[folder]

    async def roots(self) -> list[OfferedRoot]:
        return [OfferedRoot("~", "your home folder"), OfferedRoot("/opt/lib/site-packages", "Python libraries")]


@dataclass
class Opened:
    """What the app has opened, and through which browser."""

    wanted: list[Wanted] = field(default_factory=list)
    browsers: list[FakeBrowser] = field(default_factory=list)


def app_at_welcome(
    known: list[Known] | None = None, browse: Callable[..., Any] | None = None
) -> tuple[SondageApp, Opened]:
    opened = Opened()

    async def opener(wanted: Wanted, asker: Asker) -> Any:
        opened.wanted.append(wanted)
        return FakeDig()

    async def browser(host: str, asker: Asker) -> Any:
        opened.browsers.append(FakeBrowser())
        return opened.browsers[-1]

    options = Options(known=KNOWN if known is None else known, browse=browse or browser, clock=lambda: 1000.0)
    return SondageApp(opener, None, options), opened


# ------------------------------------------------------------ where to


async def test_everything_known_stands_under_its_heading_with_the_next_keys() -> None:
    app, _ = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        shown = screen_text(app)
        for text in ("Go on with a session", "monday", "left 3 h ago", "Targets read before", "read 2 h ago"):
            assert text in shown
        for text in ("Hosts of your SSH configuration", "box:", "Without a host", "demo", "Enter open", "^C quit"):
            assert text in shown
        await typed(pilot, "down")
        assert "q quit" in screen_text(app) and "/ type a target" in screen_text(app)


async def test_session_that_is_chosen_is_gone_on_with() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "down", "enter")
        assert opened.wanted == [Wanted("box:/srv/engine", "monday")]


async def test_enter_without_a_word_takes_the_marked_line_and_arrows_lead_there_and_back() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "down", "down", "up", "up", "down", "down", "enter")
        assert opened.wanted == [Wanted("box:/srv/engine")]


async def test_keys_pressed_at_one_go_reach_the_list() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press("down", "down", "down", "enter")
        await settle(pilot)
        assert isinstance(app.screen, FolderScreen)
        assert opened.wanted == []


@pytest.mark.parametrize("keys", [("ctrl+c",), ("down", "q"), ("escape", "q")])
async def test_welcome_is_left_by_its_keys(keys: tuple[str, ...]) -> None:
    app, _ = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, *keys)
    assert app.return_value == 0


async def test_letters_typed_into_the_line_are_letters() -> None:
    app, _ = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "q", "slash", "q")
        assert app.is_running
        assert app.screen.prompt.value == "q/q"  # type: ignore[attr-defined]


async def test_a_few_letters_narrow_the_list_and_enter_takes_what_is_left() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "text:mond")
        assert "Hosts of your SSH configuration" not in screen_text(app)
        await typed(pilot, "enter")
        assert opened.wanted == [Wanted("box:/srv/engine", "monday")]


# ------------------------------------------------------------ a folder of a host


@pytest.mark.parametrize("name", ["box", "box:"])
async def test_host_alone_asks_for_a_folder_and_offers_roots(name: str) -> None:
    app, _ = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, f"text:{name}", "enter")
        shown = screen_text(app)
        assert "which folder holds the sources?" in shown
        for text in ("/srv/engine", "read 2 h ago", "~", "your home folder", "/opt/lib/site-packages"):
            assert text in shown
        for text in ("Enter open", "Tab complete", "↓ choose below", "Esc back"):
            assert text in shown


async def test_path_is_completed_folder_by_folder_and_opened_over_the_same_connection() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "text:box", "enter", "text:/s", "tab")
        prompt = app.screen.prompt  # type: ignore[attr-defined]
        assert prompt.value == "/srv/"
        await typed(pilot, "e", "tab")
        assert prompt.value == "/srv/engine"
        assert "/srv/engine-new" in screen_text(app) and "/srv/models" not in screen_text(app)
        await typed(pilot, "enter")
        assert opened.wanted == [Wanted("box:/srv/engine", host=opened.browsers[0].host)]
        assert not opened.browsers[0].host.closed


async def test_tab_in_the_list_looks_into_the_folder() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "text:box", "enter", "text:/srv/", "down", "tab")
        assert app.screen.prompt.value == "/srv/engine/"  # type: ignore[attr-defined]
        await typed(pilot, "down", "enter")
        assert opened.wanted[0].target == "box:/srv/engine/models"


async def test_folder_that_cannot_be_read_says_why_and_a_path_can_still_be_typed() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "text:box", "enter", "text:/root/")
        assert "not a folder that can be read: box:/root/ (Permission denied)" in " ".join(screen_text(app).split())
        await typed(pilot, "text:/root/x", "enter")
        assert opened.wanted[0].target == "box:/root/x"


async def test_back_from_the_folders_closes_the_connection() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "text:box", "enter", "escape")
        assert isinstance(app.screen, WelcomeScreen)
        assert opened.browsers[0].host.closed
        assert opened.wanted == []


async def test_path_can_be_typed_and_opened_while_the_connection_is_being_made() -> None:
    async def never(host: str, asker: Asker) -> Any:
        await asyncio.Event().wait()

    app, opened = app_at_welcome(browse=never)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await settle_but_browsing(pilot)
        await pilot.press(*"box", "enter")
        await settle_but_browsing(pilot)
        assert "connecting…" in screen_text(app)
        await pilot.press(*"x", "enter")
        await settle_but_browsing(pilot)
        assert opened.wanted == [Wanted("box:~/x")]


async def settle_but_browsing(pilot: Any) -> None:
    for _ in range(4):
        await pilot.pause()


async def test_host_that_cannot_be_reached_says_so_and_a_question_of_it_is_put() -> None:
    async def refusing(host: str, asker: Asker) -> Any:
        answer = await asker(Question("password", "box", "Password:"))
        raise ConnectError("login refused" if answer == "secret" else "no answer", host)

    app, _ = app_at_welcome(browse=refusing)
    async with app.run_test() as pilot:
        await settle(pilot)
        await pilot.press(*"box", "enter")
        await settle_but_browsing(pilot)
        assert isinstance(app.screen, QuestionScreen)
        await typed(pilot, "text:secret", "enter")
        assert isinstance(app.screen, FolderScreen)
        assert "login refused: box" in screen_text(app)
        assert "secret" not in screen_text(app)


async def test_folder_of_this_machine_is_chosen_without_a_host() -> None:
    app, opened = app_at_welcome()
    async with app.run_test() as pilot:
        await settle(pilot)
        await typed(pilot, "down", "down", "down", "down", "enter")
        assert "this machine" in screen_text(app)
        await typed(pilot, "tab", "enter")
        assert opened.wanted == [Wanted("./mine/")]
        assert opened.browsers[0].host.closed


async def test_nasty_names_of_a_host_are_shown_safely_and_not_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TREE, "/", NASTY)
    app, _ = app_at_welcome([Known(f"{text}:", text, "host") for text in NASTY])
    async with app.run_test() as pilot:
        await settle(pilot)
        assert harmless(screen_text(app))
        await typed(pilot, "enter", "text:/")
        assert isinstance(app.screen, FolderScreen)
        screen = app.screen
        assert harmless(screen_text(app)) and screen.list.stops
        app.set_focus(screen.list)
        for stop in screen.list.stops:
            screen.list.cursor = stop
            with screen.prevent(Prompt.Changed):
                screen.prompt.value = "/"
                screen.action_complete()
            assert screen.prompt.value.isprintable()
            app.set_focus(screen.list)
        await settle(pilot)
        assert harmless(screen_text(app))


def test_what_all_names_agree_on_is_completed() -> None:
    assert agreed(["/srv/engine", "/srv/engine-new"]) == "/srv/engine"
    assert agreed(["/srv/engine"]) == "/srv/engine/"
    assert agreed([]) == agreed(["~", "/opt"]) == ""
    assert (split("/srv/en"), split("en"), split("/")) == (("/srv/", "en"), ("", "en"), ("/", ""))


def test_hidden_folders_are_for_whom_types_the_dot() -> None:
    names = [".cache", "src"]
    assert [row.value for row in completions("~/", "", names)] == ["~/src"]
    assert [row.value for row in completions("~/", ".c", names)] == ["~/.cache"]
    assert completions("/x/", "", [])[0].value is None


# ------------------------------------------------------------ the steps of a first reading


class SlowDig(FakeDig):
    """Reads as far as the test lets it: nothing arrives before `go` is set."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.go = asyncio.Event()
        self.seen = 0
        self.stopped = False

    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary:
        assert report is not None
        report(Progress("pull", 351, 1404, 5_000_000, 19_750_000))
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.stopped = True
            raise
        self.arrive(4)
        return await super().refresh(report)


async def test_first_reading_shows_its_steps_and_gives_way_to_the_panes() -> None:
    dig = SlowDig()
    app = app_on(dig)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConnectingScreen) and "fetch" in screen_text(app))
        shown = screen_text(app)
        for text in ("✓ connect", "✓ host key    SHA256:abc", "✓ list", "1,404 files", "▸ fetch", "5.0 MB of 19.8 MB"):
            assert text in shown
        assert "351 of 1,404 files" in shown and "Esc stop" in shown
        dig.go.set()
        await until(pilot, lambda: app.screen is app.base)
        assert app.panes.search.display


async def test_what_is_typed_during_a_first_reading_is_not_lost() -> None:
    dig = SlowDig()
    app = app_on(dig)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConnectingScreen))
        await pilot.press("slash", *"pay")
        dig.go.set()
        await until(pilot, lambda: app.screen is app.base and "pay" in screen_text(app))


async def test_esc_stops_a_first_reading_and_asks_where_to_again() -> None:
    dig = SlowDig()
    app = app_on(dig)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, ConnectingScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen) and "stopped" in screen_text(app))
        assert dig.stopped and dig.closed
        assert app.screen.prompt.value == "box:/srv/engine"  # type: ignore[attr-defined]


async def test_refresh_is_stopped_by_command_and_what_is_there_stays() -> None:
    dig = SlowDig()
    dig.go.set()
    app = app_on(dig)
    async with app.run_test() as pilot:
        await settle(pilot)
        dig.go.clear()
        await pilot.press("R")
        await until(pilot, lambda: app.progress is not None)
        await typed_while_reading(pilot, "stop")
        await until(pilot, lambda: app.progress is None)
        assert "stopped: answers rest on what had arrived; R goes on" in app.status.said
        assert app.dig is dig
        await typed(pilot, "colon", "text:stop", "enter")
        assert app.status.said == "nothing is being read"


async def typed_while_reading(pilot: Any, line: str) -> None:
    await pilot.app.typed(line)


async def test_refresh_that_took_long_ends_with_a_toast_and_a_short_one_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = app_on(FakeDig())
    async with app.run_test(notifications=True) as pilot:
        await settle(pilot)
        monkeypatch.setattr(opening, "PATIENCE", 600.0)
        await typed(pilot, "R")
        assert not list(app._notifications)
        monkeypatch.setattr(opening, "PATIENCE", 0.0)
        await typed(pilot, "R")
        assert [one.message for one in app._notifications] == [
            "the index is as the host has it: 4 files of box:/srv/engine"
        ]


async def test_host_that_fails_before_anything_came_is_asked_for_again_with_the_reason() -> None:
    app = app_on(FakeDig(seen=0, refresh_error=ConnectError("connection refused", "box")))
    async with app.run_test() as pilot:
        await settle(pilot)
        assert isinstance(app.screen, WelcomeScreen)
        assert "connection refused: box" in screen_text(app)
        assert app.desk is None


def test_rate_and_time_left_are_told_after_the_first_second() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    progress = Progress("pull", 100, 400, 5_000_000, 20_000_000)
    pace.take(Progress("pull", 0, 400, 0, 20_000_000))
    now[0] = 0.5
    pace.take(progress)
    assert pace.rate is None and pace.left is None
    now[0] = 2.0
    assert (pace.rate, pace.left) == (2_500_000, 6.0)
    shown = steps(progress, pace, None)[3].text
    assert "5.0 MB of 20.0 MB  2.5 MB/s  6 s left" in shown


def test_steps_to_come_bear_no_mark() -> None:
    marks = [line.text[1] for line in steps(Progress("list"), Pace(lambda: 0.0), None)]
    assert marks == ["✓", "✓", "▸", " ", " "]
