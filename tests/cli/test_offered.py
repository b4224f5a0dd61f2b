"""What the welcome screen offers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sondage.cli.browsing import browse
from sondage.cli.offered import known_targets
from sondage.cli.screen import LateTargets
from sondage.config.paths import find_paths
from sondage.errors import ConfigError
from sondage.hosts.base import SshOptions
from sondage.tui.options import Known
from sondage.tui.sessions import VERSION, SessionFolder, SessionState


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host box *.internal\n")
    return tmp_path


def test_hosts_of_the_configuration_this_folder_and_the_demo_are_offered_to_a_new_user(home: Path) -> None:
    known = known_targets(find_paths(), None)
    assert [(one.kind, one.target) for one in known] == [
        ("host", "box:"),
        ("here", "."),
        ("here", "./"),
        ("here", "demo"),
    ]


def test_sessions_to_go_on_with_come_first(home: Path) -> None:
    SessionFolder(find_paths().sessions).save("monday", SessionState(VERSION, "box:/srv", 0.0))
    first = known_targets(find_paths(), "none")[0]
    assert (first.kind, first.session, first.target) == ("session", "monday", "box:/srv")
    assert first.note.startswith("left ") and first.note.endswith(" ago")


async def test_folders_of_this_machine_are_offered_without_a_connection(home: Path) -> None:
    (home / "src").mkdir()
    browser = await browse("", SshOptions(), None)
    assert list(await browser.folders("~")) == [".ssh", "src"]
    assert (await browser.roots())[0].path == "~"


def test_what_is_offered_beside_a_named_target_is_found_out_once_and_only_when_it_is_looked_at(home: Path) -> None:
    asked: list[str] = []

    def find() -> Sequence[Known]:
        asked.append("now")
        return known_targets(find_paths(), None)

    late = LateTargets(find)
    assert not asked
    assert [one.target for one in late][:2] == ["box:", "."]
    assert len(late) == 4
    assert len(late[1:]) == 3
    assert asked == ["now"]


def test_what_cannot_be_offered_leaves_the_line_for_a_target() -> None:
    def find() -> Sequence[Known]:
        raise ConfigError("not readable", "config")

    assert not LateTargets(find)
