"""Owns what the first screens have in common: a line to type into above a list to choose from."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from sondage.core.safe import one_line
from sondage.tui.models.rows import Part, Row, key_row, wrap
from sondage.tui.panes.base import Prompt, TextLine
from sondage.tui.panes.lines import Lines, LineView

Result = TypeVar("Result")

LINES_TOLD = 2
"""Lines for what went wrong."""
LEAST_TOLD = 24
"""Cells of such a line while the screen has not got its size yet."""


class Chooser(ModalScreen[Result]):
    """A line to type into above a list. ↓ goes into the list; ↑ from its top, or `/`, goes back to the line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", show=False),
        Binding("enter", "choose", show=False),
        Binding("down", "down", show=False, priority=True),
        Binding("up", "up", show=False, priority=True),
        Binding("slash", "to_prompt", show=False),
    ]
    TYPING: ClassVar[tuple[str, ...]] = ()
    """Keys and what they do while the line has the focus, as `key_row` takes them."""
    CHOOSING: ClassVar[tuple[str, ...]] = ()
    """The same for the list."""

    def __init__(self, placeholder: str, typed: str = "") -> None:
        super().__init__()
        self.prompt = Prompt(placeholder, widget_id="welcome-prompt")
        self.prompt.value = typed
        self.told = [TextLine() for _ in range(LINES_TOLD)]
        self.list = Lines("welcome", widget_id="welcome-list")
        self.keys = TextLine(widget_id="welcome-keys")

    def heading(self) -> list[Row]:
        """The lines above the prompt."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with Vertical(id="welcome"):
            for line in self.heading():
                yield TextLine(line)
            yield self.prompt
            yield from self.told
            yield self.list
            yield self.keys

    def on_mount(self) -> None:
        self.set_focus(self.prompt)
        self.draw_keys()

    def tell(self, text: str, role: str = "muted") -> None:
        """One sentence below the prompt, on as many lines as there are for it."""
        sign = {"bad": "✗ ", "doubt": "? "}.get(role, "")
        lines = wrap(sign + one_line(text), max(LEAST_TOLD, self.told[0].size.width - 2), "  ") if text else []
        for number, line in enumerate(self.told):
            line.show([Part(" " + lines[number], role)] if number < len(lines) else [])

    def draw_keys(self) -> None:
        pairs = self.TYPING if self.focused is self.prompt else self.CHOOSING
        self.keys.show(list(key_row(*pairs).left))

    def on_descendant_focus(self) -> None:
        self.draw_keys()

    def action_down(self) -> None:
        """From the line into the list; the focus moves before the next key is looked at, so that typing fast is safe."""
        if self.focused is self.list:
            self.list.action_move(1)
        elif self.list.stops:
            self.set_focus(self.list)

    def action_up(self) -> None:
        if self.focused is self.list and self.list.cursor == self.list.first_stop:
            self.set_focus(self.prompt)
        elif self.focused is self.list:
            self.list.action_move(-1)

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        """Without anything typed it is the marked line of the list that is meant."""
        event.stop()
        if event.value.strip():
            self.take_typed(event.value.strip())
        else:
            self.action_choose()

    def take_typed(self, text: str) -> None:
        raise NotImplementedError

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()

    def action_choose(self) -> None:
        raise NotImplementedError

    @on(LineView.Clicked)
    def _clicked(self, event: LineView.Clicked) -> None:
        event.stop()
        self.action_choose()

    def action_to_prompt(self) -> None:
        self.set_focus(self.prompt)

    def action_leave(self) -> None:
        self.dismiss(None)
