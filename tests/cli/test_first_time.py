"""A first time over SSH: from the welcome screen to a folder of a real host, with one login."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.sshd import running_sshd
from tests.tui.driving import until

from sondage.cli import screen
from sondage.cli.options import Opening
from sondage.tui.app import SondageApp
from sondage.tui.folder_screen import FolderScreen
from sondage.tui.options import Known
from sondage.tui.screens import QuestionScreen


@pytest.mark.sshd
async def test_the_way_from_a_host_alone_to_its_sources_takes_one_login(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "srv" / "engine"
    tree.mkdir(parents=True)
    (tree / "one.py").write_text("class One:\n    pass\n")
    with running_sshd(tmp_path / "sshd", trusted=False) as server:
        app = made(monkeypatch, Opening("", config_file=str(server.config)))
        async with app.run_test() as pilot:
            await until(pilot, lambda: hasattr(app.screen, "known"))
            assert Known("box:", "choose a folder of it", "host") in app.screen.known  # type: ignore[attr-defined]
            await pilot.press(*"box", "enter")
            await until(pilot, lambda: isinstance(app.screen, QuestionScreen))
            await pilot.press(*"yes", "enter")
            await until(pilot, lambda: isinstance(app.screen, FolderScreen) and bool(app.screen.list.stops))
            app.screen.prompt.value = f"{tmp_path}/srv/e"  # type: ignore[attr-defined]
            await until(pilot, lambda: app.screen.list.value == str(tree))  # type: ignore[attr-defined]
            await pilot.press("tab", "enter")
            await until(pilot, lambda: app.dig is not None and app.dig.coverage.files_seen == 1)
            assert app.dig is not None and app.dig.files() == ["one.py"]
        assert server.log.count("Accepted publickey") == 1


def made(monkeypatch: pytest.MonkeyPatch, opening: Opening) -> SondageApp:
    """The app that the command line would run."""
    apps: list[SondageApp] = []

    def run_app(opener: Any, target: str | None, options: Any) -> int:
        apps.append(SondageApp(opener, target, options))
        return 0

    monkeypatch.setattr(screen, "run_app", run_app)
    screen.open_app(opening)
    return apps[0]
