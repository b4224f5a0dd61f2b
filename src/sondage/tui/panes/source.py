"""Owns the source pane: one file, where the user reads, asks for definitions and callers, and frames ranges."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from sondage.core.safe import census, one_line
from sondage.core.source.text import SourceText
from sondage.tui import commands
from sondage.tui.models.rows import Part, counted, cut_path
from sondage.tui.models.source import Frame, Outline, Place
from sondage.tui.panes.base import Pane, place_forms
from sondage.tui.panes.code import CodeView
from sondage.tui.panes.lines import LineView
from sondage.tui.panes.messages import CallersAsked, ClassAsked, JumpAsked, PlaceAsked, Said


class SourcePane(Pane):
    number = 3
    place = "source"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("source")

    def __init__(self) -> None:
        super().__init__()
        self.view = CodeView(self.place, widget_id="source-view")
        self.notes: tuple[str, ...] = ()
        self._selecting_from: int | None = None

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
        total = max(1, text.line_count)
        first = max(1, min(line, total))
        self.view.stand(first, column, Frame(first, max(first, min(last, total))) if last else None)
        self.notes = _notes(text)
        self._draw_title()

    def take_outline(self, path: str, outline: Outline) -> None:
        """The definitions of a file, found a moment after it was shown."""
        if path == self.view.path:
            self.view.outline = outline
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
        room = max(16, self.size.width - label - len(self.symbol) - len(position) - 6)
        subject = [Part(cut_path(one_line(self.view.path), room), "path")]
        if self.symbol:
            subject.append(Part("  " + one_line(self.symbol), "name"))
        notes = [Part(" ! " + note + " ", "warn") for note in self.notes]
        self.entitle([*subject, *notes], [Part(position, "muted")])

    @on(LineView.Moved, "#source-view")
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
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

    def action_numbers(self) -> None:
        self.view.numbers = not self.view.numbers
        self.view.changed()

    # ------------------------------------------------------------ copying

    def copy_text(self) -> str | None:
        here = self.here
        if here is None:
            return None
        return f"{here.path}:{here.line}-{here.last}" if here.last > here.line else f"{here.path}:{here.line}"

    def copy_forms(self) -> list[tuple[str, str]]:
        here, text = self.here, self.view.text
        if here is None or text is None:
            return []
        last = max(here.last, here.line)
        forms = place_forms(here.path, here.line, last, lambda: "\n".join(text.lines[here.line - 1 : last]))
        return [*forms, ("qualified name", self.symbol)] if self.symbol else forms


def _notes(text: SourceText) -> tuple[str, ...]:
    """What a reader must know about a file before believing what is seen: odd encodings, characters that hide."""
    notes = [text.problem] if text.problem else []
    hidden = census("\n".join(text.lines)) if not text.utf8.isascii() else None
    if hidden is not None and hidden.total:
        notes.append(counted(hidden.total, "hidden character"))
    return tuple(one_line(note) for note in notes)
