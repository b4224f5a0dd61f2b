"""Owns the one list that is typed into: candidates, definitions, jump list, themes, help and palette are all this screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from sondage.core.safe import one_line
from sondage.tui.models.rows import Part, Row, counted, key_row, row
from sondage.tui.panes.base import Prompt, TextLine
from sondage.tui.panes.lines import Lines, LineView

Source = Callable[[str], Awaitable[Sequence[Row]]]
"""The rows for what was typed, best first; each with the value that choosing it gives back."""


class Picker(ModalScreen[object]):
    """Type to narrow, Enter to choose, Esc to leave. The result is the row's value, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", show=False),
        Binding("ctrl+c", "leave", "Close", show=False),
        Binding("down,ctrl+n", "move(1)", "Down", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("tab,shift+tab", "nothing", show=False),
    ]

    def __init__(self, title: str, source: Source, *, placeholder: str = "type to narrow") -> None:
        super().__init__()
        self.heading = TextLine(row(Part(" " + one_line(title), "heading")), widget_id="picker-title")
        self.source = source
        self.prompt = Prompt(placeholder, widget_id="picker-prompt")
        self.list = Lines("picker", widget_id="picker-list")
        self.filled: str | None = None
        """What the rows of the list were asked for."""

    def compose(self) -> ComposeResult:
        with Vertical(id="picker"):
            yield self.heading
            yield self.prompt
            yield self.list
            yield TextLine(key_row("Enter", "choose", "Esc", "close"), widget_id="picker-keys")

    def on_mount(self) -> None:
        self.list.can_focus = False
        self.list.cursor_shown = "always"
        self.prompt.focus()
        self._ask("")

    @on(Prompt.Changed)
    def _typed(self, event: Prompt.Changed) -> None:
        event.stop()
        self._ask(event.value)

    def _ask(self, query: str, *, take_first: bool = False) -> None:
        self.run_worker(self._fill(query, take_first), group="picker", exclusive=True, exit_on_error=False)

    async def _fill(self, query: str, take_first: bool) -> None:
        rows = await self.source(query)
        self.filled = query
        number = sum(line.value is not None for line in rows)
        self.list.show(rows or [row(Part(" nothing of that name", "muted"))], keep=False)
        self.heading.show(list(self.heading.content.left), [Part(counted(number, "entry", "entries") + " ", "muted")])
        if take_first and self.list.value is not None:
            self.dismiss(self.list.value)

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        """What was typed at one go with its Enter is looked up first: the list must be the one that it asks for."""
        event.stop()
        if event.value != self.filled:
            self._ask(event.value, take_first=True)
        elif self.list.value is not None:
            self.dismiss(self.list.value)

    @on(LineView.Clicked)
    def _clicked(self, event: LineView.Clicked) -> None:
        event.stop()
        self.dismiss(self.list.value)

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        self.list.action_move(by)

    def action_page(self, by: int) -> None:
        self.list.action_page(by)

    def action_nothing(self) -> None:
        """Tab stays here: the prompt is the only thing to type into."""


def narrowing(rows: Sequence[Row]) -> Source:
    """A source that keeps the rows holding all typed words, in any case."""

    async def source(query: str) -> Sequence[Row]:
        words = query.lower().split()
        return [line for line in rows if all(word in line.text.lower() for word in words)]

    return source
