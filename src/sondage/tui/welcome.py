"""Owns the welcome screen: sessions, targets and hosts to choose from, below a line for a target of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType

from sondage.core.safe import one_line
from sondage.tui.chooser import Chooser
from sondage.tui.models.rows import Part, Row, column, pad, row
from sondage.tui.options import Known
from sondage.tui.panes.base import Prompt

HEADINGS = {
    "session": "Go on with a session",
    "recent": "Targets read before",
    "host": "Hosts of your SSH configuration",
    "here": "Without a host",
}


class WelcomeScreen(Chooser[Known | None]):
    """Where to? What was typed comes back as a target of its own; None quits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", show=False),
        Binding("escape", "to_list", show=False),
        Binding("tab,shift+tab", "other", show=False),
    ]
    TYPING = ("Enter", "open", "↓", "choose below", "^C", "quit")
    CHOOSING = ("Enter", "open", "/", "type a target", "q", "quit")

    def __init__(self, known: Sequence[Known], problem: str = "", typed: str = "") -> None:
        super().__init__("host:/path, a host alone, or ./folder", typed)
        self.known = known
        self.problem = problem

    def heading(self) -> list[Row]:
        return [
            row(Part(" sondage", "heading"), Part("   code archaeology over SSH", "muted")),
            row(""),
            row(
                Part(" Open", "text"),
                Part("   nothing is installed or written there, none of its code is run", "muted"),
            ),
        ]

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self.tell, self.problem, "bad")
        self.list.show(rows_of(self.known))

    @on(Prompt.Changed)
    def _typed(self, event: Prompt.Changed) -> None:
        """What is typed narrows the list."""
        event.stop()
        typed = event.value.strip()
        self.list.show(rows_of([one for one in self.known if typed in f"{one.session} {one.target}"]), keep=False)

    def take_typed(self, text: str) -> None:
        """A target of its own; where it can be none, the marked line of those that it has left in the list.

        The name of a known host alone asks for a folder of it.
        """
        hosts = {one.target: one for one in self.known if one.kind == "host"}
        meant = hosts.get(text) or hosts.get(text + ":")
        if meant is None and not _can_be_target(text) and isinstance(self.list.value, Known):
            meant = self.list.value
        self.dismiss(meant or Known(text, kind="host" if text.endswith(":") else "recent"))

    def action_choose(self) -> None:
        if isinstance(self.list.value, Known):
            self.dismiss(self.list.value)

    def action_to_list(self) -> None:
        self.set_focus(self.list)

    def action_other(self) -> None:
        self.set_focus(self.list if self.focused is self.prompt else self.prompt)


def _can_be_target(text: str) -> bool:
    return ":" in text or text.startswith((".", "/", "~")) or Path(text).is_dir()


def rows_of(known: Sequence[Known]) -> list[Row]:
    """The targets under the headings of their kinds, in the order of `HEADINGS`."""
    width = column((one_line(one.session or one.target) for one in known), 44)
    rows: list[Row] = []
    for kind, heading in HEADINGS.items():
        of_kind = [one for one in known if one.kind == kind]
        if of_kind:
            rows += [row("")] if rows else []
            rows.append(row(Part(heading, "muted")))
            rows += [_known_row(one, width) for one in of_kind]
    return rows


def _known_row(known: Known, width: int) -> Row:
    said = f"{known.target}   {known.note}" if known.session else known.note
    name = Part(pad(one_line(known.session or known.target), width), "name" if known.session else "path")
    return row("  ", name, Part("   " + one_line(said), "muted"), value=known)
