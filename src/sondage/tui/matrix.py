"""Owns the matrix screen: classes by items, a cell under the cursor, its evidence below, a line to narrow by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import ModalScreen

from sondage.core.safe import one_line
from sondage.tui import commands
from sondage.tui.chrome import hint_parts
from sondage.tui.models.contract import ContractView, places_of, proof
from sondage.tui.models.demand import demand_of
from sondage.tui.models.matrix import CLASS, Grid
from sondage.tui.models.rows import Part, Row, counted, row
from sondage.tui.panes.base import Prompt, TextLine
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import Asked, ContractAsked, PlaceAsked


class GridView(LineView):
    """One line a class, drawn when it is looked at. The cursor has a column as well as a line."""

    class ColumnMoved(Message):
        """The cursor stands in another column."""

    def __init__(self, grid: Grid) -> None:
        super().__init__("matrix", widget_id="matrix-grid")
        self.grid = grid
        self.column = CLASS
        self.first = 1
        """The first column that is shown beside the class."""

    @property
    def count(self) -> int:
        return len(self.grid.rows)

    @property
    def stops(self) -> Sequence[int]:
        return range(self.count)

    @property
    def inner_width(self) -> int:
        return max(1, self.scrollable_content_region.width - 1)

    def parts(self, index: int, width: int) -> list[Part]:
        here = self.column if index == self.cursor else -1
        return self.grid.row_parts(index, width, self.first, here)

    def plain(self, index: int) -> str:
        return " " + "".join(part.text for part in self.parts(index, self.inner_width)).rstrip()

    def take(self, grid: Grid) -> None:
        """Another order or filter; the cursor stays on its class where that is still there."""
        rows = self.grid.rows
        here = rows[self.cursor].class_ if self.cursor < len(rows) else ""
        self.grid = grid
        again = next((index for index, result in enumerate(grid.rows) if result.class_ == here), 0)
        self.set_reactive(LineView.cursor, again)
        self.changed()

    def move_column(self, by: int) -> None:
        self.column = max(0, min(self.grid.columns - 1, self.column + by))
        self.show_column()
        self.post_message(self.ColumnMoved())

    def show_column(self) -> None:
        """Shift the columns so far that the current one is on the screen; only then is every line another."""
        first = self.grid.first_for(self.inner_width, self.first, self.column)
        if first != self.first:
            self.first = first
            self._strips.clear()
            self.refresh()
        self.refresh_line(self.cursor)


class MatrixScreen(ModalScreen[Asked | None]):
    """The result is a question for the app: go to a place, or put the contract to a class. `grid` keeps how it was looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *commands.bindings("matrix"),
        Binding("ctrl+c", "close", show=False),
        Binding("tab,shift+tab", "filter", show=False),
    ]

    def __init__(self, grid: Grid, at: tuple[int, int] = (0, CLASS)) -> None:
        super().__init__(id="matrix")
        self.view = GridView(grid)
        self.view.set_reactive(LineView.cursor, at[0])
        self.view.column = at[1]
        self.prompt = Prompt("class, path, met:no or member:verdict", widget_id="matrix-filter")
        self.prompt.value = grid.query
        self.title_line = TextLine(widget_id="matrix-title")
        self.shown = TextLine(widget_id="matrix-shown")
        self.head = TextLine(widget_id="matrix-head")
        self.told = TextLine(widget_id="matrix-told")
        self.proof = Lines("matrix", widget_id="matrix-proof")
        self.keys = TextLine(widget_id="matrix-keys")

    @property
    def grid(self) -> Grid:
        return self.view.grid

    @property
    def at(self) -> tuple[int, int]:
        """The cell under the cursor: row, column."""
        return self.view.cursor, self.view.column

    def compose(self) -> ComposeResult:
        yield self.title_line
        with Horizontal(classes="field"):
            yield TextLine(row(Part(" /", "accent")), classes="prompt-label")
            yield self.prompt
            yield self.shown
        yield self.head
        yield self.view
        yield self.told
        yield self.proof
        yield self.keys

    def on_mount(self) -> None:
        self.proof.can_focus = False
        self.proof.cursor_shown = "never"
        table = getattr(self.app, "table", commands.BY_ID)
        self.keys.show(hint_parts(commands.hints("matrix", table)), [Part("h/l", "key"), Part(" column ", "muted")])
        self.set_focus(self.view)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._draw)

    # ------------------------------------------------------------ showing

    def _draw(self) -> None:
        grid = self.grid
        name = one_line(demand_of(grid.report.contract).text)
        title = [Part(" Matrix  ", "label"), Part(one_line(grid.selector), "accent"), Part("  " + name, "muted")]
        self.title_line.show(title, [Part(grid.counted + " ", "muted")])
        hidden = len(grid.report.results) - len(grid.rows)
        self.shown.show([], [Part(f"{counted(hidden, 'class', 'classes')} hidden " if hidden else "", "doubt")])
        self.view.show_column()
        self.head.show([Part(" "), *grid.head_parts(self.view.inner_width, self.view.first, self.view.column)])
        self._draw_cell()

    def _draw_cell(self) -> None:
        at, grid = self.at, self.grid
        self.told.show(grid.told(*at))
        verdict = grid.verdict(*at)
        items = grid.report.contract.items
        item = next((item for item in items if verdict is not None and item.member == verdict.member), None)
        width = max(10, (self.proof.size.width or self.app.size.width) - 4)
        self.proof.show(proof(verdict, width, item) if verdict is not None else self._items_missing(), keep=False)

    def _items_missing(self) -> list[Row]:
        """What the class under the cursor lacks, or has with a doubt."""
        row_at, _ = self.at
        if row_at >= len(self.grid.rows):
            return []
        result = self.grid.rows[row_at]
        names = tuple(verdict.member for verdict in result.items)
        return ContractView(result.class_, names, result.items, result.met).rows(frozenset(), only_open=True)

    @on(LineView.Moved, "#matrix-grid")
    def _moved(self) -> None:
        self._draw_cell()

    @on(GridView.ColumnMoved)
    def _column_moved(self) -> None:
        self._draw()

    # ------------------------------------------------------------ narrowing and sorting

    @on(Prompt.Changed)
    def _typed(self, event: Prompt.Changed) -> None:
        event.stop()
        if event.value != self.grid.query:
            self.view.take(self.grid.narrowed(event.value))
            self._draw()

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        self.set_focus(self.view)

    def action_filter(self) -> None:
        self.set_focus(self.view if self.prompt.has_focus else self.prompt)

    def action_sort(self) -> None:
        self.view.take(self.grid.sorted_by(self.view.column))
        self._draw()

    def action_column(self, by: int) -> None:
        self.view.move_column(by)

    # ------------------------------------------------------------ leaving

    @property
    def place(self) -> tuple[str, int] | None:
        """The evidence of the cell under the cursor; of the class and of what is absent, the class."""
        row_at, column = self.at
        if row_at >= len(self.grid.rows):
            return None
        verdict, result = self.grid.verdict(row_at, column), self.grid.rows[row_at]
        places = places_of(verdict) if verdict is not None else []
        return places[0][:2] if places else (result.path, result.line)

    @on(LineView.Clicked, "#matrix-grid")
    def action_choose(self) -> None:
        if self.place is not None:
            self.dismiss(PlaceAsked(*self.place))

    def action_copy(self) -> None:
        if self.place is not None:
            self.app.copy_to_clipboard(f"{self.place[0]}:{self.place[1]}")

    def action_contract(self) -> None:
        row_at, _ = self.at
        if row_at < len(self.grid.rows):
            self.dismiss(ContractAsked(self.grid.rows[row_at].class_, demand_of(self.grid.report.contract)))

    def action_close(self) -> None:
        """One step: out of the filter, then out of the screen."""
        if self.prompt.has_focus:
            self.set_focus(self.view)
        else:
            self.dismiss(None)
