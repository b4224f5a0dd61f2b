"""Owns the trial of a new user at 80×24: no help is read, and every next key stands on the screen when it is wanted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.tui.driving import app_on, screen_text, settle, typed
from tests.tui.fake import IN, line_of

from sondage.tui.command import NAMES
from sondage.tui.options import Known

KEYS = {shown: key for key, shown in NAMES.items()}
KNOWN = [Known("box:", "choose a folder of it", "host"), Known("demo", "the standard library", "here")]


async def press_what_is_shown(pilot: Any, what: str) -> None:
    """Press the key that stands before some words on the screen, looking at the hints first; fails where none does."""
    shown = screen_text(pilot.app)
    pattern = re.compile(rf"(?:^|\s)(\S+) +{re.escape(what)}(?:[\s,]|$)")
    found = next(filter(None, map(pattern.search, reversed(shown.split("\n")))), None)
    assert found is not None, f"no key for {what!r} on\n{shown}"
    key = found[1].split("/")[0] or "/"
    await typed(pilot, KEYS.get(key, key))


async def test_way_from_the_start_to_a_saved_transcript_is_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = app_on(target=None, known=KNOWN)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        # To a target.
        await press_what_is_shown(pilot, "choose below")
        await press_what_is_shown(pilot, "open")
        await typed(pilot, "text:/srv/engine")
        await press_what_is_shown(pilot, "open")
        assert app.dig is not None
        # To a search result.
        await press_what_is_shown(pilot, "type a pattern")
        await typed(pilot, "text:class Sparse")
        await press_what_is_shown(pilot, "search")
        assert "1 hit in 1 file" in screen_text(app)
        # To its class, and to the parent's definition.
        await press_what_is_shown(pilot, "class")
        assert "Sparse(Core)" in screen_text(app)
        await press_what_is_shown(pilot, "along the MRO")
        await press_what_is_shown(pilot, "source")
        here = app.panes.source.here
        assert here is not None
        assert (here.path, here.line) == (IN, line_of(IN, "class Core"))
        # To a saved transcript.
        await press_what_is_shown(pilot, "Log")
        await press_what_is_shown(pilot, "save")
        assert "saved" in app.status.said
        assert (tmp_path / "engine.md").exists()
