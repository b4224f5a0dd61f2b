"""Owns the drift screen: what a contract found of a class in several targets, what changed, and both sides of one item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from sondage.core.answers.contracts import DriftAnswer, DriftItem
from sondage.core.source.text import SourceText
from sondage.tui import commands
from sondage.tui.chrome import hint_parts
from sondage.tui.models import drift as model
from sondage.tui.models.classes import short
from sondage.tui.models.contract import places_of
from sondage.tui.models.rows import Part
from sondage.tui.panes.base import TextLine
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import Asked, PlaceAsked
from sondage.tui.peek import PeekScreen
from sondage.tui.picker import Picker, narrowing

SourceOf = Callable[[str], SourceText | None]


class DriftScreen(ModalScreen[Asked | None]):
    """The result is a place to go to in the target that is open. `unread` says of each target what was not read, `sources`
    gives the text of a file of each."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.bindings("drift"),
        Binding("ctrl+c", "close", show=False),
    ]

    def __init__(self, answer: DriftAnswer, unread: Sequence[str], sources: Sequence[SourceOf]) -> None:
        super().__init__(id="drift")
        self.sources = sources
        self.answer = answer
        self.unread = unread
        self.only_changed = False
        self.title_line = TextLine(widget_id="drift-title")
        self.list = Lines("drift", widget_id="drift-list")
        self.told = TextLine(widget_id="drift-told")
        self.sides = Lines("drift", widget_id="drift-sides")
        self.keys = TextLine(widget_id="drift-keys")

    def compose(self) -> ComposeResult:
        yield self.title_line
        for target in model.target_rows(self.answer, self.unread):
            yield TextLine(target)
        yield self.list
        yield self.told
        yield self.sides
        yield self.keys

    def on_mount(self) -> None:
        self.sides.can_focus = False
        self.sides.cursor_shown = "never"
        said, tone = model.summary(self.answer)
        classes = ", ".join(short(result.class_) for result in self.answer.results)
        self.title_line.show([Part(" Drift  ", "label"), Part(classes, "accent"), Part("  " + said, tone)])
        table = getattr(self.app, "table", commands.BY_ID)
        self.keys.show(hint_parts(commands.hints("drift", table)))
        self.list.show(model.item_rows(self.answer, only_changed=False))
        self.list.focus()
        self._draw_sides()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw_sides)

    @property
    def item(self) -> DriftItem | None:
        """The item under the cursor."""
        value = self.list.value
        if not isinstance(value, tuple):
            return None
        index, number = value
        return self.answer.results[index].items[number]

    def _draw_sides(self) -> None:
        item = self.item
        self.told.show([Part("─ side by side ", "muted"), Part(item.member, "name")] if item is not None else [])
        width = max(20, (self.sides.size.width or self.app.size.width) - 2)
        self.sides.show(model.side_by_side(item, self.answer.targets, width) if item is not None else [], keep=False)

    @on(LineView.Moved, "#drift-list")
    def _moved(self) -> None:
        self._draw_sides()

    @on(LineView.Clicked, "#drift-list")
    def action_choose(self) -> None:
        verdict = self.item.verdicts[0] if self.item is not None else None
        places = places_of(verdict) if verdict is not None else []
        if places:
            self.dismiss(PlaceAsked(*places[0][:2]))

    def action_places(self) -> None:
        self.run_worker(self._choose_place(), group="screen", exclusive=True, exit_on_error=False)

    async def _choose_place(self) -> None:
        """One of the places of the item: in the target that is open it is gone to, in another one looked at."""
        if self.item is None:
            return
        rows = model.place_rows(self.item, self.answer.targets)
        picker = Picker(f"Places of {self.item.member}", narrowing(rows))
        chosen = await self.app.push_screen_wait(picker)
        if not isinstance(chosen, tuple):
            return
        number, path, line = chosen
        text = self.sources[number](path)
        if number == 0:
            self.dismiss(PlaceAsked(path, line))
        elif text is not None:
            self.app.push_screen(PeekScreen(self.answer.targets[number], path, text, line))

    def action_only_changed(self) -> None:
        self.only_changed = not self.only_changed
        self.list.show(model.item_rows(self.answer, only_changed=self.only_changed))
        self._draw_sides()

    def action_close(self) -> None:
        self.dismiss(None)
