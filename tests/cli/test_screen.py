"""How the app is started."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from sondage.cli import screen
from sondage.cli.options import Opening
from sondage.errors import UsageError
from sondage.hosts.base import Address, Target
from sondage.journal import check_name

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
    assert options.log == own_places / "state" / "sondage" / "log.txt"
    assert {"dark", "light"} <= set(options.themes)


def test_a_target_that_is_none_is_refused_before_the_screen_is_taken(started: list[Any]) -> None:
    with pytest.raises(UsageError):
        screen.open_app(Opening("no such folder"))
    assert started == []


async def test_the_app_always_records(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    async def open_dig(target: Target, settings: Any, *, asker: Any) -> None:
        opened.append(settings.session)

    monkeypatch.setattr(screen, "open_dig", open_dig)
    for session in (None, "monday"):
        screen.open_app(Opening("box:/srv", session=session))
        await started[-1][0]("box:/srv", None)
    assert opened == [screen.session_name(Target("/srv", Address("box")), datetime.date.today()), "monday"]


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
