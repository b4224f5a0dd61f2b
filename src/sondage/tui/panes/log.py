"""Owns the log pane: the transcript as it grows, each entry a question with its answer, to be gone to again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from sondage.core.safe import one_line
from sondage.core.transcripts import wording
from sondage.core.transcripts.quotes import plain_commands
from sondage.core.transcripts.transcript import Entry
from sondage.tui import commands
from sondage.tui.models import log as model
from sondage.tui.models.rows import Part, counted, row
from sondage.tui.models.source import Place
from sondage.tui.panes.base import Pane
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import DropAsked, EntryAsked, NoteAsked, SaveAsked


class LogPane(Pane):
    number = 5
    place = "log"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("log")

    def __init__(self) -> None:
        super().__init__()
        self.list = Lines(self.place, widget_id="log-list")
        self.entries: Sequence[Entry] = ()
        self.states: Mapping[str, str] = {}
        """By id: how entries stand that were asked again after the sources changed."""

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.list

    def on_mount(self) -> None:
        self.show((), "")

    @property
    def main(self) -> LineView:
        return self.list

    def show(self, entries: Sequence[Entry], session: str) -> None:
        """All entries; the cursor goes to a new last one, unless the user is reading further up."""
        at_end = not self.list.stops or self.list.cursor >= self.list.stops[-1]
        grew = len(entries) > len(self.entries)
        self.entries = entries
        name = [Part(one_line(session), "accent")] if session else [Part("not recorded", "muted")]
        self.entitle(name, [Part(counted(len(entries), "entry", "entries"), "muted")])
        empty = [row(Part("Every question you ask is written down here.", "muted"))]
        self.list.show(model.log_rows(entries, self.states) if entries else empty)
        if at_end and grew:
            self.list.action_edge(1)

    @property
    def entry(self) -> Entry | None:
        value = self.list.value
        return self.entries[value] if isinstance(value, int) and value < len(self.entries) else None

    @on(LineView.Moved, "#log-list")
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()

    @on(LineView.Clicked, "#log-list")
    def action_choose(self) -> None:
        if self.entry is not None:
            self.post_message(EntryAsked(self.entry))

    def action_save(self) -> None:
        self.post_message(SaveAsked())

    def action_drop(self) -> None:
        if self.entry is not None:
            self.post_message(DropAsked(self.entry.id))

    def action_note(self) -> None:
        self.post_message(NoteAsked())

    @property
    def here(self) -> Place | None:
        place = model.first_place(self.entry) if self.entry is not None else None
        return Place(place.path, place.line) if place is not None else None

    def copy_text(self) -> str | None:
        """An entry without a place is copied as its question."""
        return super().copy_text() or (model.question_text(self.entry) if self.entry is not None else None)

    def copy_forms(self) -> list[tuple[str, str]]:
        if self.entry is None:
            return []
        question, finding = wording.question(self.entry), wording.finding(self.entry)
        commands = [("command", command) for command in plain_commands(self.entry)]
        return [("question", question), ("finding", finding), ("both", f"{question} {finding}"), *commands]
