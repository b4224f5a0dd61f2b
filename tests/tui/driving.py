"""Helpers that drive the app in tests: open it on a made-up Dig, type, and wait until nothing is under way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.tui.fake import FakeDig
from textual.app import App
from textual.pilot import Pilot

from sondage.hosts.base import Asker
from sondage.tui import desk  # noqa: F401  what opens targets: no test waits for its import
from sondage.tui.app import SondageApp
from sondage.tui.options import Options, Wanted
from sondage.tui.picker import Picker

NOW = 1000.0
"""What the app takes for the time, so that ages stand still."""
WAITING = ("open", "screen")
"""Groups whose workers may wait for the user, at a screen that lies over the panes."""


def app_on(
    dig: FakeDig | None = None,
    target: str | None = "box:/srv/engine",
    others: Mapping[str, Any] | None = None,
    **options: Any,
) -> SondageApp:
    """An app that opens `dig` whatever it is asked for, but for the targets of `others`."""
    opened = dig or FakeDig()

    async def opener(wanted: Wanted, asker: Asker) -> Any:
        other = (others or {}).get(wanted.target, opened)
        return await other(asker) if callable(other) else other

    return SondageApp(opener, target, Options(clock=lambda: NOW, **options))


async def settle(pilot: Pilot[Any]) -> None:
    """Until messages and workers have come to rest."""
    for _ in range(50):
        await pilot.pause()
        if _at_rest(pilot.app):
            break
    await pilot.pause()


def _at_rest(app: App[Any]) -> bool:
    """Whether no worker is at work; one that waits for the user, at a screen over the panes, is not."""
    if isinstance(app, SondageApp) and (not app.is_whole or _is_opening(app)):
        return False
    running = {worker.group for worker in app.workers if worker.is_running}
    if isinstance(app.screen, Picker):
        return app.screen.filled is not None and "picker" not in running
    return not running - ({"open"} if len(app.screen_stack) == 1 else set(WAITING))


def _is_opening(app: SondageApp) -> bool:
    return app.dig is None and app.target is not None and len(app.screen_stack) == 1


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Until a condition holds; a test that waits for what never comes is ended after a minute."""
    async with asyncio.timeout(60):
        while not holds():
            await pilot.pause(0.02)
    await pilot.pause()


async def typed(pilot: Pilot[Any], *keys: str) -> None:
    """Keys by name; a text of several letters with a blank or sign in it is typed letter by letter after `text:`."""
    for key in keys:
        if key.startswith("text:"):
            prompt = pilot.app.focused
            assert prompt is not None
            prompt.value = key[5:]  # type: ignore[attr-defined]
        else:
            await pilot.press(key)
        await settle(pilot)


@asynccontextmanager
async def running(
    dig: FakeDig | None = None, size: tuple[int, int] = (80, 24), **options: Any
) -> AsyncIterator[tuple[SondageApp, Pilot[int]]]:
    """An app on a target, started and at rest."""
    app = app_on(dig, **options)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield app, pilot


def screen_text(app: SondageApp) -> str:
    """What stands on the screen, line by line."""
    height = app.size.height
    lines = app.screen._compositor.render_strips()
    return "\n".join(line.text for line in lines[:height])


def crash_log(folder: Path) -> str:
    log = folder / "log.txt"
    return log.read_text() if log.exists() else ""
