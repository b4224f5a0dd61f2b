"""Owns going to places: a file is shown in Source with its colours and outline, and the way back is remembered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from sondage.core.safe import one_line
from sondage.core.source.text import SourceText
from sondage.dig import Dig
from sondage.tui import reading
from sondage.tui.chrome import age_text
from sondage.tui.freshness import Freshness
from sondage.tui.models.classes import place_text
from sondage.tui.models.copying import copy_forms
from sondage.tui.models.jumps import JumpList, Marks
from sondage.tui.models.rows import Part, Row, row
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
        self.marks = Marks()
        self.freshness = Freshness(dig, app)
        self._coming: Place | None = None
        """What is shown as soon as its file is here; the user may do something else meanwhile."""
        self.panes.source.age = self._age

    def go(self, place: Place) -> bool:
        """Go there, and remember where one came from. False when its file is not there."""
        here = self.panes.source.here
        if not self.stand(place):
            return False
        if here is not None:
            self.jumps.leave(here)
        self.jumps.push(place)
        self._name_jump()
        self.freshness.look(place.path)
        self.app.go("source")
        return True

    def stand(self, place: Place) -> bool:
        """Show a place in Source. False, and a sentence, when its file is not there: one that is still to come is waited for."""
        coming, text = self.dig.want(place.path), self.dig.source(place.path)
        self._coming = place if coming and text is None else None
        if text is None:
            what = "comes next, and Source shows it then" if coming else "is not in the index"
            self.app.say(f"{place.path} {what}", "plain" if coming else "doubt")
            return False
        source = self.panes.source
        source.view.matches = self.panes.search.spans if place.path in self._hit_paths() else None
        known = source.view.shows(place.path, text)
        source.show(place.path, text, place.line, last=place.last, column=place.column)
        if not known:
            self._colour(source.view, place.path, text)
            self.app.in_background("outline", self._give_outline(place.path))
        return True

    def _age(self) -> str:
        at = self.dig.indexed_at
        return f"{age_text(self.app.options.clock() - at)} old" if at is not None else ""

    def renew(self) -> None:
        """The index was swapped: the file that is open is shown as it is now, at the same line, or the one that was to come."""
        if self._coming is not None and self.dig.source(self._coming.path) is not None:
            self.app.say(f"{self._coming.path} is here")
            self.stand(self._coming)
            return
        here = self.panes.source.here
        text = self.dig.source(here.path) if here is not None else None
        if here is not None and text is not None and not self.panes.source.view.shows(here.path, text):
            self.stand(here)

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

    def _hit_paths(self) -> frozenset[str]:
        found = self.panes.search.found
        return found.paths if found is not None else frozenset()

    async def _give_outline(self, path: str) -> None:
        self.panes.source.take_outline(path, await self.outline(path))
        self._name_jump()

    def _name_jump(self) -> None:
        """The place one stands on gets the name of what is there, as soon as that is known."""
        here = self.panes.source.here
        if here is not None and self.jumps.at >= 0:
            stood = self.jumps.places[self.jumps.at]
            if stood.path == here.path and stood.line == here.line:
                stood.symbol = here.symbol

    async def outline(self, path: str) -> Outline:
        """The definitions of a file; those of the one that is open are known already."""
        view = self.panes.source.view
        if view.path == path and view.outline.definitions:
            return view.outline
        facts = await asyncio.to_thread(self.dig.facts, path)
        return reading.outline_of(facts) if facts is not None else Outline()

    def preview(self, path: str, line: int, *, below: bool) -> None:
        """Beside the list when Source is on the screen, else in the strip `below` it where there is one."""
        text = self.dig.source(path)
        if text is None:
            return
        if self.app.source_is_beside:
            self.stand(Place(path, line))
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

    async def copy_forms(self, place: Place) -> list[tuple[str, str]]:
        """The forms in which a place can be copied: (what it is, the text)."""
        text = self.dig.source(place.path)
        lines = text.lines[place.line - 1 : place.span[1]] if text is not None else ()
        return copy_forms(place, lines, self.dig.module_of(place.path), await self._symbol_at(place))

    def travel(self, direction: int) -> None:
        """Along the jump list."""
        here = self.panes.source.here
        if direction < 0 and here is not None and self.jumps.at == len(self.jumps.places) - 1:
            self.jumps.leave(here)
        place = self.jumps.back() if direction < 0 else self.jumps.forward()
        if place is None:
            self.app.say("no earlier place" if direction < 0 else "no later place")
        elif self.stand(place):
            self.freshness.look(place.path)
            self.app.go("source")

    async def choose_place(self) -> None:
        """The marks by their letters, then the jump list, newest first."""
        marked = [_place_row(one_line(letter), place, place) for letter, place in sorted(self.marks.places.items())]
        visited = [_place_row(" ", place, index) for index, place in reversed(list(enumerate(self.jumps.places)))]
        if not marked and not visited:
            self.app.say("no place was marked or visited yet: Space marks one")
            return
        chosen = await self.app.choose("Marks and jumps", [*marked, *visited])
        if isinstance(chosen, Place):
            self.go(chosen)
        elif isinstance(chosen, int):
            self.jumps.at = chosen
            place = self.jumps.places[chosen]
            if self.stand(place):
                self.freshness.look(place.path)
                self.app.go("source")

    async def mark(self, place: Place) -> None:
        """Mark it, or take the mark away."""
        symbol = place.symbol or await self._symbol_at(place)
        letter, stands = self.marks.toggle(replace(place, symbol=symbol))
        said = f"marked {letter}: {place.spec}; ' lists the marks" if stands else f"mark {letter} taken away"
        self.app.say(said if letter else "all 26 letters are in use: Space on a marked place frees one", "good")

    async def _symbol_at(self, place: Place) -> str:
        around = (await self.outline(place.path)).around(place.line)
        return around.qualname if around is not None else ""

    async def choose_definition(self, path: str, line: int) -> Place | None:
        """One of the definitions of a file with all its lines, as the user chooses; those around `line` are marked."""
        outline = await self.outline(path)
        rows = [
            row(
                Part(" › " if one.first_line <= line <= one.last_line else "   ", "accent"),
                Part("  " * one.qualname.count("."), "muted"),
                Part("class " if one.is_class else "", "muted"),
                Part(one_line(one.qualname.rpartition(".")[2]), "name"),
                right=[Part(f"{one.line}-{one.last_line}", "number")],
                value=Place(path, one.first_line, last=one.last_line),
            )
            for one in outline.definitions
        ]
        if not rows:
            self.app.say("no class and no function is defined in this file")
            return None
        chosen = await self.app.choose(f"Outline of {path.rpartition('/')[2]}", rows)
        return chosen if isinstance(chosen, Place) else None


def _place_row(letter: str, place: Place, value: object) -> Row:
    where = place_text(place.path, place.line).ljust(34)
    return row(
        Part(f" {letter}  ", "key"), Part(where, "path"), Part("  " + one_line(place.symbol), "name"), value=value
    )
