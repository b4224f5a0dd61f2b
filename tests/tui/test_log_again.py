"""Owns the tests of what the log says after the sources have changed, on a real folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.dig import Dig, Settings, open_dig
from sondage.hosts.base import Asker
from sondage.hosts.target import parse_target
from sondage.tui.app import SondageApp
from sondage.tui.options import Options, Wanted

from .driving import screen_text, settle, typed

BEFORE = "class Base:\n    def load(self):\n        return 1\n\n\nclass Model(Base):\n    pass\n"
AFTER = "class Base:\n    pass\n\n\nclass Model(Base):\n    pass\n"


async def test_after_a_refresh_the_log_names_what_no_longer_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "model.py").write_text(BEFORE)
    (tree / "other.py").write_text("def helper():\n    return 2\n")

    async def opener(wanted: Wanted, asker: Asker) -> Dig:
        return await open_dig(parse_target(wanted.target), Settings(session="again", engine="threads"))

    app = SondageApp(opener, str(tree), Options(clock=lambda: 0.0))
    async with app.run_test(size=(140, 40)) as pilot:
        while app.dig is None or not app.dig.coverage.files_listed or app.progress:
            await pilot.pause(0.02)
        await settle(pilot)
        await typed(pilot, "colon", "text:contract Model load", "enter")
        await typed(pilot, "colon", "text:search def helper", "enter")
        assert "since" not in screen_text(app)

        (tree / "model.py").write_text(AFTER)
        await typed(pilot, "5", "R")
        while app.progress or not app.panes.log.states:
            await pilot.pause(0.02)
        await settle(pilot)

        shown = screen_text(app)
        assert "≠" in shown
        assert "changed since" in shown
        assert "1 entry of the log no longer as written down" in shown
