"""Owns the source pane: one file, where the user reads, asks for definitions and callers, and frames ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from sondage.core.safe import census, one_line
from sondage.core.source.text import SourceText
from sondage.tui import commands
from sondage.tui.models.demand import Demand
from sondage.tui.models.rows import Part, counted, cut_path, width_of
from sondage.tui.models.source import Frame, Outline, Place
from sondage.tui.panes.base import Pane
from sondage.tui.panes.code import CodeView
from sondage.tui.panes.lines import LineView
from sondage.tui.panes.messages import (
    CallersAsked,
    ClassAsked,
    DemandChosen,
    FindAsked,
    JumpAsked,
    OutlineAsked,
    OverridesAsked,
    PlaceAsked,
    Said,
    WhyAsked,
)

DIGEST_SHOWN = 8
"""Hexadecimal digits of a file's digest that the title tells; `Y` copies all of them."""


class SourcePane(Pane):
    number = 3
    place = "source"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("source")

    def __init__(self) -> None:
        super().__init__()
        self.view = CodeView(self.place, widget_id="source-view")
        self.notes: tuple[str, ...] = ()
        self.warning = ""
        """What came to be known of the file after it was shown."""
        self.age: Callable[[], str] = str
        """How long ago the file was read, in words; empty where that is not known."""
        self._selecting_from: int | None = None
        self.view.moved = self._moved

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.view

    def on_mount(self) -> None:
        self._draw_title()

    @property
    def main(self) -> LineView:
        return self.view

    # ------------------------------------------------------------ showing

    def show(self, path: str, text: SourceText, line: int, *, last: int = 0, column: int = 1) -> None:
        """A file with the cursor on a line; with `last` the lines up to there are framed."""
        self._selecting_from = None
        if not self.view.shows(path, text):
            self.view.show(path, text)
            self.warning, self.notes = "", _notes(text)
        total = max(1, text.line_count)
        first = max(1, min(line, total))
        self.view.stand(first, column, Frame(first, max(first, min(last, total))) if last else None)
        self._draw_title()

    def take_outline(self, path: str, outline: Outline) -> None:
        """The definitions of a file, found a moment after it was shown."""
        if path == self.view.path:
            self.view.outline = outline
            self._draw_title()

    def warn(self, path: str, warning: str) -> None:
        """Something about a file that a reader must know, found a moment after it was shown."""
        if path == self.view.path:
            self.warning = warning
            self._draw_title()

    @property
    def here(self) -> Place | None:
        """Where the user stands; None while no file is open."""
        if self.view.text is None:
            return None
        last = self.view.frame.last if self.view.frame else 0
        line = self.view.frame.first if self.view.frame else self.view.line
        return Place(self.view.path, line, self.view.column if not last else 1, last, self.symbol)

    @property
    def symbol(self) -> str:
        around = self.view.outline.around(self.view.line)
        return around.qualname if around else ""

    def _draw_title(self) -> None:
        if self.view.text is None:
            self.entitle([Part("no file open", "muted")])
            return
        total = self.view.count
        frame = self.view.frame
        position = frame.named(total) if frame else f"{self.view.line:,} of {total:,}"
        label = 13 if self.labelled else 1
        notes = [Part(" ! " + note + " ", "warn") for note in (*self.notes, self.warning) if note]
        room = max(16, self.size.width - label - len(self.symbol) - len(position) - width_of(notes) - 6)
        subject = [Part(cut_path(one_line(self.view.path), room), "path")]
        if self.symbol:
            subject.append(Part("  " + one_line(self.symbol), "name"))
        left = self.size.width - label - width_of((*subject, *notes)) - len(position) - 3
        self.entitle([*subject, *notes], [Part(self._facts(left) + position, "muted")])

    def _facts(self, room: int) -> str:
        """Which bytes these are, and of when, as far as there is room for it."""
        digest = self.view.text.digest[:DIGEST_SHOWN] if self.view.text is not None else ""
        said = [f"SHA-256 {digest}…", self.age()]
        while said and len(" · ".join(filter(None, said))) + 3 > room:
            said.pop()
        return "".join(f"{one} · " for one in said if one)

    def _moved(self) -> None:
        if self._selecting_from is not None:
            first, last = sorted((self._selecting_from, self.view.line))
            self.view.frame = Frame(first, last)
            self.view.changed()
        self._draw_title()

    def on_resize(self) -> None:
        self._draw_title()

    # ------------------------------------------------------------ actions

    def action_definition(self) -> None:
        if self._selecting_from is not None:
            self._end_selection()
        elif self.view.text is not None:
            self.post_message(JumpAsked(self.view.path, self.view.line, self.view.column))

    def action_callers(self) -> None:
        if self.view.text is not None:
            self.post_message(CallersAsked(self.view.path, self.view.line, self.view.column))

    def action_show_class(self) -> None:
        if self.view.text is not None:
            around = self.view.outline.class_around(self.view.line)
            self.post_message(ClassAsked(around.qualname if around else "", self.view.path, self.view.line))

    def action_name(self, by: int) -> None:
        self.view.step_name(by)

    def action_sideways(self, by: int) -> None:
        self.view.sideways(by)

    def action_select(self) -> None:
        """Begin a range here, or end it."""
        if self.view.text is None:
            return
        if self._selecting_from is not None:
            self._end_selection()
            return
        self._selecting_from = self.view.line
        self.view.frame = Frame(self.view.line, self.view.line)
        self.view.changed()
        self.post_message(Said("range: move, then Enter frames it, Esc gives it up"))

    def _end_selection(self) -> None:
        frame, self._selecting_from = self.view.frame, None
        if frame is not None:
            self.post_message(PlaceAsked(self.view.path, frame.first, frame.last))

    def give_up(self) -> bool:
        """Esc: end a selection, or take the frame away. False when there was neither."""
        had = self._selecting_from is not None or self.view.frame is not None
        self._selecting_from, self.view.frame = None, None
        if had:
            self.view.changed()
            self._draw_title()
        return had

    def action_widen(self, by: int) -> None:
        if self.view.text is not None:
            frame = self.view.frame or Frame(self.view.line, self.view.line)
            self.view.frame = frame.grown(by, self.view.count)
            self.view.changed()
            self._draw_title()

    def action_definition_near(self, direction: int) -> None:
        near = self.view.outline.near(self.view.line, direction)
        if near is not None:
            self.view.stand(near.line)
            self._draw_title()

    def action_outline(self) -> None:
        if self.view.text is not None:
            self.post_message(OutlineAsked(self.view.path, self.view.line))

    def action_super(self) -> None:
        self._ask_overrides("up")

    def action_override(self) -> None:
        self._ask_overrides("next")

    def action_provider(self) -> None:
        self._ask_overrides("mro", self.view.caret_name)

    def _ask_overrides(self, way: str, member: str = "") -> None:
        if self.view.text is not None:
            self.post_message(OverridesAsked(way, member=member, path=self.view.path, line=self.view.line))

    def action_why(self) -> None:
        if self.view.text is not None:
            self.post_message(WhyAsked(self.view.path, self.view.line, self.view.column))

    def action_find(self) -> None:
        if self.view.text is not None:
            self.post_message(FindAsked(self.view.path))

    def action_contract(self) -> None:
        """What the class (or the function, or the file) around the line uses of the name under the caret."""
        receiver = self.view.receiver
        if not receiver:
            self.post_message(Said("no name whose members are used stands under the caret: h and l step over names"))
            return
        outline, line = self.view.outline, self.view.line
        around = outline.class_around(line) or outline.around(line)
        consumer = f"{self.view.path}:{around.qualname}" if around else self.view.path
        self.post_message(DemandChosen(Demand(consumers=(consumer,), receiver=receiver)))

    def action_wrap(self) -> None:
        if not self.view.wrap(on=not self.view.wrapped):
            self.post_message(Said("this file has too many lines to wrap: H and L scroll to the side", "doubt"))

    def action_numbers(self) -> None:
        self.view.numbers = not self.view.numbers
        self.view.changed()

    def copy_forms(self) -> list[tuple[str, str]]:
        return [("SHA-256", self.view.text.digest)] if self.view.text is not None else []


def _notes(text: SourceText) -> tuple[str, ...]:
    """What a reader must know about a file before believing what is seen: odd encodings, characters that hide."""
    notes = [text.problem] if text.problem else []
    hidden = census("\n".join(text.lines)) if not text.utf8.isascii() else None
    if hidden is not None and hidden.total:
        notes.append(counted(hidden.total, "hidden character"))
    return tuple(one_line(note) for note in notes)
