"""Owns going to places: a file is shown in Source with its colours and outline, and the way back is remembered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sondage.core.safe import one_line
from sondage.core.source.text import SourceText
from sondage.dig import Dig
from sondage.tui import reading
from sondage.tui.models.classes import place_text
from sondage.tui.models.jumps import JumpList
from sondage.tui.models.rows import Part, row
from sondage.tui.models.source import Outline, Place
from sondage.tui.panes.code import CodeView, Colours

if TYPE_CHECKING:
    from sondage.tui.app import SondageApp


class Places:
    """Where the user is in the sources of one target, and where they have been."""

    def __init__(self, dig: Dig, app: SondageApp) -> None:
        self.dig = dig
        self.app = app
        self.panes = app.panes
        self.jumps = JumpList()

    def go(self, place: Place) -> bool:
        """Go there, and remember where one came from. False when its file is not there."""
        here = self.panes.source.here
        if not self._stand(place):
            return False
        if here is not None:
            self.jumps.leave(here)
        self.jumps.push(place)
        self.app.go("source")
        return True

    def _stand(self, place: Place) -> bool:
        """Show a place in Source. False, and a sentence, when its file is not there."""
        text = self.dig.source(place.path)
        if text is None:
            self.app.say(f"{place.path} is not in the index", "doubt")
            return False
        source = self.panes.source
        source.view.matches = self.panes.search.spans if place.path in self._hit_paths() else None
        known = source.view.shows(place.path, text)
        source.show(place.path, text, place.line, last=place.last, column=place.column)
        if not known:
            self._colour(source.view, place.path, text)
            self.app.in_background("outline", self._give_outline(place.path))
        return True

    def _colour(self, view: CodeView, path: str, text: SourceText) -> None:
        """Small files get their colours at once, large ones as soon as they are parsed."""
        colours = reading.colours_of(text)
        if len(text.utf8) <= reading.SMALL_FILE:
            view.colour(path, colours)
        else:
            self.app.in_background(f"colours-{view.id}", self._colour_later(view, path, colours))

    async def _colour_later(self, view: CodeView, path: str, colours: Colours) -> None:
        await asyncio.to_thread(colours, 1, 1)
        view.colour(path, colours)

    def _hit_paths(self) -> set[str]:
        found = self.panes.search.found
        return {spot.path for spot in found.spots} if found is not None else set()

    async def _give_outline(self, path: str) -> None:
        self.panes.source.take_outline(path, await self.outline(path))

    async def outline(self, path: str) -> Outline:
        """The definitions of a file; those of the one that is open are known already."""
        view = self.panes.source.view
        if view.path == path and view.outline.definitions:
            return view.outline
        text = self.dig.source(path)
        return await asyncio.to_thread(reading.outline_of, text) if text is not None else Outline()

    def preview(self, path: str, line: int, *, below: bool) -> None:
        """Beside the list when Source is on the screen, else in the strip `below` it where there is one."""
        text = self.dig.source(path)
        if text is None:
            return
        if self.app.source_is_beside:
            self._stand(Place(path, line))
        elif below:
            self._preview_below(path, line, text)

    def _preview_below(self, path: str, line: int, text: SourceText) -> None:
        pane = self.panes.search
        if not pane.preview.shows(path, text):
            pane.preview.show(path, text)
            self._colour(pane.preview, path, text)
        pane.preview.matches = pane.spans
        pane.preview.stand(line)
        pane.entitle_preview(path, line, pane.spot.symbol if pane.spot else "")

    def travel(self, direction: int) -> None:
        """Along the jump list."""
        here = self.panes.source.here
        if direction < 0 and here is not None and self.jumps.at == len(self.jumps.places) - 1:
            self.jumps.leave(here)
        place = self.jumps.back() if direction < 0 else self.jumps.forward()
        if place is None:
            self.app.say("no earlier place" if direction < 0 else "no later place")
        elif self._stand(place):
            self.app.go("source")

    async def choose_place(self) -> None:
        """The jump list as a list to choose from, newest first."""
        rows = [
            row(
                Part(place_text(p.path, p.line).ljust(34), "path"), Part("  " + one_line(p.symbol), "name"), value=index
            )
            for index, p in reversed(list(enumerate(self.jumps.places)))
        ]
        chosen = await self.app.choose("Jump list", rows)
        if isinstance(chosen, int):
            self.jumps.at = chosen
            if self._stand(self.jumps.places[chosen]):
                self.app.go("source")
