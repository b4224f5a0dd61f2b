"""Owns whether Source shows what the host has: a file that is opened is looked at there, and nobody waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sondage.dig import Dig
from sondage.tui.chrome import age_text

if TYPE_CHECKING:
    from sondage.tui.app import SondageApp

AGAIN = 10.0
"""Seconds in which a file that is opened once more is not looked at again."""


class Freshness:
    """What is known of the files that were opened since the index was read."""

    def __init__(self, dig: Dig, app: SondageApp) -> None:
        self.dig = dig
        self.app = app
        self._found: dict[tuple[str, float | None], tuple[bool, float]] = {}
        """By path and state of the index: whether the host has another file by now, and when that was found."""

    def look(self, path: str) -> None:
        """A file was opened: is it still the one that was read?"""
        stale, at = self._found.get((path, self.dig.indexed_at), (False, -AGAIN))
        if stale:
            self._warn(path)
        elif self.dig.online and self.app.options.clock() - at >= AGAIN:
            self.app.in_background("freshness", self._look(path, self.dig.indexed_at))

    async def _look(self, path: str, indexed_at: float | None) -> None:
        stale = await self.dig.stale(path)
        if stale is not None:
            self._found[path, indexed_at] = stale, self.app.options.clock()
        if stale:
            self._warn(path)

    def _warn(self, path: str) -> None:
        at = self.dig.indexed_at
        since = f"{age_text(self.app.options.clock() - at)} ago" if at is not None else "it was read"
        self.app.panes.source.warn(path, f"changed on host since {since}, R")
