"""Owns the pictures of the Contract pane with a derived contract, of the matrix and of drift."""

from __future__ import annotations

from typing import Any

import pytest
from tests.tui.driving import app_on, settle, typed
from tests.tui.fake import FakeDig
from textual.pilot import Pilot

from sondage.hosts.base import Address, Target

SIZES = {"small": (80, 24), "large": (140, 40)}
THEMES = ("dark", "light")
CONTRACT = "contract Wrapper --from engine/worker.py:Worker --on self.target_worker.model_runner.model"
NEW = "box:/srv/engine-new"
SCREENS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "pane": ((CONTRACT,), ("space",)),
    "matrix": ((CONTRACT, "matrix registered:EntryClass"), ("l", "l", "l", "s", "k")),
    "drift": ((CONTRACT, f"drift {NEW}"), ()),
}


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("screen", SCREENS)
def test_contract(snap_compare: Any, screen: str, size: str, theme: str) -> None:
    lines, keys = SCREENS[screen]

    async def steps(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        for line in lines:
            await pilot.app.typed(line)  # type: ignore[attr-defined]
            await settle(pilot)
        await typed(pilot, *keys)

    others = {NEW: FakeDig(target=Target("/srv/engine-new", Address("box")))}
    assert snap_compare(app_on(theme=theme, others=others), terminal_size=SIZES[size], run_before=steps)
