"""The choice between the two ways in: a target alone opens the app as its command does."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from sondage.cli import door, opening, screen
from sondage.cli.main import run
from sondage.cli.opening import Opening
from sondage.cli.table import is_target_alone


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Opening]:
    """What the app was opened with, on a terminal that takes everything."""
    seen: list[Opening] = []

    def open_app(wanted: Opening, *, mouse: bool = True) -> int:
        assert mouse
        seen.append(wanted)
        return 0

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(screen, "open_app", open_app)
    monkeypatch.setattr(opening, "sys", SimpleNamespace(stdin=Terminal(), stdout=Terminal()))
    return seen


@pytest.mark.parametrize("session", ["", "night"])
@pytest.mark.parametrize("target", ["box:/srv/engine", "ssh://box:2222/srv/engine", ".", "~/engine"])
def test_target_alone_opens_the_app_as_the_way_over_the_options_does(
    target: str, session: str, opened: list[Opening], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SONDAGE_SESSION", session)
    assert is_target_alone([target])
    assert door.enter([target]) == run([target]) == 0
    assert opened[0] == opened[1]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["demo"], ["box:/srv", "--offline"], ["nowhere"]], ids=" ".join)
def test_everything_else_goes_over_commands_and_options(arguments: list[str]) -> None:
    assert not is_target_alone(arguments)


def test_folder_that_bears_the_name_of_a_command_is_that_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    (tmp_path / "engine").mkdir()
    assert is_target_alone(["engine"])
    assert not is_target_alone(["demo"])


def test_without_a_terminal_both_ways_refuse_alike(capfd: pytest.CaptureFixture[str]) -> None:
    assert door.enter(["box:/srv"]) == 2
    alone = capfd.readouterr().err
    assert run(["box:/srv"]) == 2
    assert alone == capfd.readouterr().err
    assert "the app needs a terminal" in alone
