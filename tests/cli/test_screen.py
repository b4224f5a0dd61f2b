"""How the app is started."""

from __future__ import annotations

import datetime
import gc
from pathlib import Path
from typing import Any

import pytest

from sondage import demo
from sondage.cli import screen
from sondage.cli.options import Opening
from sondage.config.settings import Config, ThemeChoice
from sondage.errors import UsageError
from sondage.hosts.base import Address, Target
from sondage.journal import check_name
from sondage.tui.options import Wanted
from sondage.tui.sessions import VERSION, SessionFolder, SessionState

DAY = datetime.date(2026, 3, 1)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the app was started with, instead of the app."""
    calls: list[Any] = []

    def run_app(*arguments: Any) -> int:
        calls.append(arguments)
        return 7

    monkeypatch.setattr(screen, "run_app", run_app)
    return calls


def test_the_app_gets_target_themes_keys_and_log(own_places: Path, started: list[Any]) -> None:
    config = own_places / "config" / "sondage" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('mouse = false\n[theme]\nshow = "light"\n[keys]\nquit = ["x"]\n')
    assert screen.open_app(Opening("box:/srv")) == 7
    ((_, target, options),) = started
    assert target == "box:/srv"
    assert (options.mouse, options.theme, options.keys["quit"]) == (False, "light", ("x",))
    assert options.sessions == own_places / "state" / "sondage" / "sessions"
    assert options.log == own_places / "state" / "sondage" / "log.txt"
    assert {"dark", "light"} <= set(options.themes)


def test_a_target_that_is_none_is_refused_before_the_screen_is_taken(started: list[Any]) -> None:
    with pytest.raises(UsageError):
        screen.open_app(Opening("no such folder"))
    assert started == []


async def test_the_app_always_records(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    async def open_dig(target: Target, settings: Any, *, asker: Any, host: Any) -> None:
        opened.append(settings.session)

    monkeypatch.setattr("sondage.dig.open_dig", open_dig)
    for session in (None, "monday"):
        screen.open_app(Opening("box:/srv", session=session))
        await started[-1][0](Wanted("box:/srv"), None)
    screen.open_app(Opening("box:/srv"))
    await started[-1][0](Wanted("box:/srv", session="tuesday"), None)
    assert opened.pop() == "tuesday"
    assert opened == [screen.session_name(Target("/srv", Address("box")), datetime.date.today()), "monday"]


def test_a_session_alone_opens_the_target_that_it_was_left_at(own_places: Path, started: list[Any]) -> None:
    folder = own_places / "state" / "sondage" / "sessions"
    SessionFolder(folder).save("monday", SessionState(VERSION, "box:/srv", 0.0))
    for session, target in (("monday", "box:/srv"), ("tuesday", None), (None, None)):
        screen.open_app(Opening("", session=session))
        assert started[-1][1] == target


def test_the_mouse_is_left_alone_where_the_command_line_or_the_configuration_says_so(started: list[Any]) -> None:
    screen.open_app(Opening("box:/srv"), mouse=False)
    assert not started[-1][2].mouse
    screen.open_app(Opening("box:/srv"))
    assert started[-1][2].mouse


@pytest.mark.parametrize(
    ("wish", "environment", "alphabet"),
    [(None, {"LANG": "C"}, "all"), (None, {}, "no"), (True, {}, "own"), (False, {"LANG": "C"}, "no")],
)
def test_the_alphabet_is_the_users_choice_before_that_of_the_locale(
    wish: bool | None, environment: dict[str, str], alphabet: str
) -> None:
    assert screen.alphabet(Config(ascii=wish), environment) == alphabet


def test_the_terminal_is_asked_only_where_its_answer_decides_something(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(screen, "ask_background", asked.append)
    monkeypatch.setattr("sys.__stdin__", Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    for choice in (ThemeChoice(show="dark"), ThemeChoice(dark="umber", light="umber")):
        screen.terminal_background(Config(theme=choice))
    monkeypatch.setenv("TERM", "dumb")
    screen.terminal_background(Config())
    assert asked == []
    monkeypatch.setenv("TERM", "screen-256color")
    screen.terminal_background(Config())
    assert asked == [7]


class Terminal:
    """What stands for standard input."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("target", "kept"),
    [(Target("/srv", Address("box")), "/srv"), (Target("./x"), str(Path.cwd() / "x")), (Target("~"), str(Path.home()))],
)
def test_a_folder_of_this_machine_is_kept_by_its_whole_path(target: Target, kept: str) -> None:
    assert screen.anywhere(target) == Target(kept, target.address)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Target("/srv/sglang", Address("box", "ann", 22)), "2026-03-01 ann@box-22-srv-sglang"),
        (Target("./src"), "2026-03-01 src"),
        (Target("/"), "2026-03-01 root"),
        (Target("~/a b/\x1b[2J\udcff"), "2026-03-01 a-b-2J"),
        (Target("/" + "x" * 300), "2026-03-01 " + "x" * 60),
        (Target("/模型"), "2026-03-01 root"),
    ],
)
def test_an_unnamed_session_is_named_after_day_and_target(target: Target, name: str) -> None:
    assert screen.session_name(target, DAY) == name
    assert check_name(name) == name


async def test_the_demo_is_a_host_that_stays_while_the_app_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    monkeypatch.setattr(demo, "library", lambda: tmp_path)
    dig = await demo.open_library(None)
    gc.collect()
    try:
        assert (await dig.refresh()).files == 1
    finally:
        await dig.aclose()
        await demo._serving.aclose()
