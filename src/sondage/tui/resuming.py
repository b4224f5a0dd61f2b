"""Owns how a session is kept and gone on with: what is on the screen becomes a `SessionState`, and the way back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sondage.errors import SondageError, StoreError
from sondage.tui.models.demand import Demand, parse_demand
from sondage.tui.models.layout import PANES, Arrangement
from sondage.tui.models.source import Place
from sondage.tui.panes.messages import ClassAsked, ContractAsked, SearchAsked
from sondage.tui.sessions import VERSION, SavedContract, SavedPlace, SavedSearch, SessionFolder, SessionState

if TYPE_CHECKING:
    from textual.timer import Timer

    from sondage.tui.app import SondageApp

PAUSE = 2.0
"""Seconds after a change before it is written; further changes meanwhile are written with it."""


class Keeper:
    """Keeps the state of one session of the app, a little after each change and when the app is left."""

    def __init__(self, app: SondageApp, folder: SessionFolder, name: str) -> None:
        self.app = app
        self.folder = folder
        self.name = name
        self.waiting: SessionState | None = None
        """What was kept the last time and is still to be shown: its files have to be there first."""
        self._kept: SessionState | None = None
        self._pause: Timer | None = None

    def load(self) -> str:
        """Take up what was kept. What needs no files is there at once. Returns what the user should hear, or nothing."""
        state, note = self.folder.load(self.name)
        if state is None:
            return note
        assert self.app.desk is not None
        for pattern in state.queries:
            self.app.panes.search.remember(pattern)
        if state.target != str(self.app.desk.dig.target):
            return f"the session was left at {state.target}: where you stood there is not shown here"
        self.waiting = state
        if state.source is not None:
            self.app.desk.dig.want(state.source.path)
        recall(self.app, state)
        return ""

    def due(self) -> SessionState | None:
        """What is to be put on the screen now, once: when the file that was open has come, or all have.

        Nothing where the user has asked something meanwhile.
        """
        state, desk = self.waiting, self.app.desk
        if state is None or desk is None:
            return None
        coverage = desk.dig.coverage
        arrived = state.source is not None and desk.dig.source(state.source.path) is not None
        if not arrived and not (coverage.files_seen and coverage.whole):
            return None
        self.waiting = None
        return None if desk.asked_anything else state

    # ------------------------------------------------------------ keeping

    def changed(self) -> None:
        """Something may have changed: it is written in a moment."""
        if self._pause is None and self.waiting is None:
            self._pause = self.app.set_timer(PAUSE, self._keep_later)

    async def _keep_later(self) -> None:
        self._pause = None
        state = self._fresh()
        if state is not None:
            try:
                await asyncio.to_thread(self.folder.save, self.name, state)
            except SondageError as error:
                self.app.say(f"{error}; the transcript is kept all the same", "doubt")

    def keep(self) -> None:
        """At once: the app is being left, and nobody can be told any more."""
        state = None if self.waiting is not None else self._fresh()
        if state is not None:
            try:
                self.folder.save(self.name, state)
            except StoreError:
                self._kept = None

    def _fresh(self) -> SessionState | None:
        """The state as it is now; None where it was written already."""
        state = capture(self.app)
        same = state is None or (self._kept is not None and _undated(state) == _undated(self._kept))
        if not same:
            self._kept = state
        return None if same else state

    def rename(self, name: str) -> None:
        self.folder.rename(self.name, name)
        self.name = name
        self._kept = None
        self.changed()


def _undated(state: SessionState) -> SessionState:
    return SessionState(**{**{name: getattr(state, name) for name in state.__struct_fields__}, "saved_at": 0.0})


# ------------------------------------------------------------ from the screen


def capture(app: SondageApp) -> SessionState | None:
    """What is on the screen and in memory; None while nothing is open."""
    desk, panes = app.desk, app.panes
    if desk is None:
        return None
    where, jumps, asked = app.arrangement, desk.places.jumps, desk.contracts.asked
    searched, shown = desk.searched, panes.classes.view
    return SessionState(
        version=VERSION,
        target=str(desk.dig.target),
        saved_at=app.options.clock(),
        active=where.active,
        left=where.left,
        strip=where.strip,
        zoomed=where.zoomed,
        source=_save(panes.source.here) if panes.source.here is not None else None,
        jumps=tuple(map(_save, jumps.places)),
        jump=jumps.at,
        marks={letter: _save(place) for letter, place in desk.places.marks.places.items()},
        queries=tuple(panes.search.history),
        search=_search(searched) if searched is not None else None,
        class_name=shown.answer.class_ if shown is not None else "",
        contract=SavedContract(asked.class_name, asked.demand.text, tuple(sorted(panes.contract.read)))
        if asked is not None
        else None,
    )


def _save(place: Place) -> SavedPlace:
    return SavedPlace(place.path, place.line, place.column, place.last, place.symbol)


def _search(asked: SearchAsked) -> SavedSearch:
    return SavedSearch(asked.pattern, asked.globs, asked.fixed, asked.ignore_case, asked.word)


# ------------------------------------------------------------ and back


def recall(app: SondageApp, state: SessionState) -> None:
    """What needs no files: the jump list and the marks."""
    assert app.desk is not None
    jumps = app.desk.places.jumps
    jumps.places[:] = [_place(saved) for saved in state.jumps]
    jumps.at = min(max(state.jump, -1), len(state.jumps) - 1)
    app.desk.places.marks.places.update({letter: _place(saved) for letter, saved in state.marks.items()})


async def show(app: SondageApp, state: SessionState) -> None:
    """Ask again what was on the screen, without recording it, and go where the user was."""
    desk = app.desk
    assert desk is not None
    if state.search is not None:
        desk.searched = asked = _asked(state.search)
        app.panes.search.take(asked)
        await desk.answer(asked)
    if state.class_name:
        await desk.answer(ClassAsked(state.class_name, recorded=False))
    if state.contract is not None:
        demand = parse_demand(state.contract.demand)
        if isinstance(demand, Demand):
            await desk.answer(ContractAsked(state.contract.class_name, demand, recorded=False))
            app.panes.contract.mark_read(frozenset(state.contract.read))
    if state.source is not None:
        desk.places.stand(_place(state.source))
    if state.active in PANES and state.left in PANES and state.strip in PANES:
        app.arrangement = Arrangement(state.active, state.left, state.strip, state.zoomed)
    app.go(app.arrangement.active)


def _asked(saved: SavedSearch) -> SearchAsked:
    return SearchAsked(
        saved.pattern,
        saved.globs,
        fixed=saved.fixed,
        ignore_case=saved.ignore_case,
        word=saved.word,
        committed=False,
    )


def _place(saved: SavedPlace) -> Place:
    return Place(saved.path, saved.line, saved.column, saved.last, saved.symbol)
