"""Owns the line views: a scrolling column of lines with a cursor, drawn one strip at a time, however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple, cast

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from sondage.tui import commands
from sondage.tui.models.rows import Listed, Part, Row, Rows, fit, moved, nearest
from sondage.tui.panes.messages import PrefixTyped
from sondage.tui.panes.paint import paint_of, table_of

MARK = "▌"
"""Stands at the left of the cursor's line, so that it is seen without any colour."""


class _Common(NamedTuple):
    """What all rows have in common that are drawn together."""

    width: int
    """Cells of a line."""
    top: int
    """The row of the text that stands in the first row of the view."""
    selection: Selection | None


class LineView(ScrollView, can_focus=True, inherit_css=False):
    """Lines from 0 with a cursor. Children say how many there are, which can be stood on, and of what parts each is.

    Of a stylesheet it takes its place, its background and its scrollbar, and nothing else: see `render_lines`.
    """

    ALLOW_SELECT = True
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("list")
    cursor: reactive[int] = reactive(0, repaint=False)

    class Moved(Message):
        """The cursor stands on another line."""

        def __init__(self, view: LineView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> LineView:
            return self.view

    class Clicked(Moved):
        """A line was clicked that the cursor already stood on: as Enter."""

    def __init__(self, place: str, *, widget_id: str | None = None) -> None:
        super().__init__(id=widget_id)
        self.place = place
        """The pane whose commands are at work here; see `commands`."""
        self.cursor_shown: Literal["by focus", "always", "never"] = "by focus"
        """`always` for a list whose keys come from a prompt above it, `never` for one that is only read."""
        self._prefix = ""
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(512)
        self._ground: Style | None = None
        self._inks: dict[str, Style] = {}
        self._drawing: _Common | None = None

    # ------------------------------------------------------------ what children say

    @property
    def count(self) -> int:
        raise NotImplementedError

    @property
    def stops(self) -> Sequence[int]:
        """Lines that the cursor can stand on, ascending."""
        return range(self.count)

    def parts(self, index: int, width: int) -> list[Part]:
        """Line `index` in exactly `width` cells, the column of the mark not counted."""
        raise NotImplementedError

    def plain(self, index: int) -> str:
        """The text of a line, for copying."""
        raise NotImplementedError

    # ------------------------------------------------------------ where lines stand

    @property
    def row_count(self) -> int:
        """Rows that all lines take; as many as there are lines, unless a child breaks them."""
        return self.count

    def row_of(self, index: int) -> int:
        """The first row of a line."""
        return index

    def line_at(self, row: int) -> int:
        """The line that a row shows."""
        return row

    def refresh_index(self, index: int) -> None:
        """Draw all rows of a line again."""
        for row in range(self.row_of(index), max(self.row_of(index), self.row_of(index + 1) - 1) + 1):
            self.refresh_line(row)

    # ------------------------------------------------------------ drawing

    def changed(self, *, keep: bool = True) -> None:
        """The lines are others now. The cursor is held where it was, or put at the first stop."""
        self._strips.clear()
        self.virtual_size = Size(self.size.width, self.row_count)
        self.set_reactive(LineView.cursor, nearest(self.stops, self.cursor if keep else 0))
        self.show_cursor()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._inks.clear()
        self._ground = None

    @property
    def ground(self) -> Style:
        """The view's own style, kept: to work it out takes as long as to draw the line."""
        if self._ground is None:
            self._ground = self.rich_style
        return self._ground

    def on_focus(self) -> None:
        self.refresh_index(self.cursor)

    def on_blur(self) -> None:
        self._prefix = ""
        self.refresh_index(self.cursor)

    def on_resize(self) -> None:
        self._strips.clear()
        self.virtual_size = Size(self.size.width, self.row_count)
        self.show_cursor()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows as they go to the terminal.

        Textual would lay them on borders, padding and tints, and keep them by their place on the screen. A view has none
        of these and keeps its lines by their number: that way costs more than to draw a line.
        """
        self._drawing = self._common
        try:
            strips = [self.render_line(y) for y in crop.line_range]
        finally:
            self._drawing = None
        background = self.background_colors[1]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        return [strip.crop(*crop.column_span) for strip in strips]

    @property
    def _common(self) -> _Common:
        """Worked out once for all rows that are drawn together."""
        if self._drawing is not None:
            return self._drawing
        return _Common(self.scrollable_content_region.width, self.scroll_offset.y, self.text_selection)

    def render_line(self, y: int) -> Strip:
        width, top, _ = self._common
        index = y + top
        if index >= self.count or width < 2:
            return Strip.blank(max(0, width), self.ground)
        if index == self.cursor:
            strip = self._draw(index, width)
        else:
            strip = self._strips.get((index, width)) or self._draw(index, width)
            self._strips[index, width] = strip
        return self._placed(self._selected(strip, index), index)

    def _placed(self, strip: Strip, index: int, before: int = 0) -> Strip:
        """The strip with its place in the text, which only the mouse wants to know: it asks for a single line."""
        return strip.apply_offsets(before, index) if self._drawing is None else strip

    @property
    def lit(self) -> bool:
        """Whether the keys act on this view's cursor."""
        return self.has_focus or self.cursor_shown == "always"

    def _draw(self, index: int, width: int) -> Strip:
        here = index == self.cursor and bool(self.stops) and self.cursor_shown != "never"
        ground = self.ground
        if here:
            ground += self.role_style("cursor" if self.lit else "cursor-away")
        mark = Segment(MARK if here else " ", ground + self.role_style("mark") if here else ground)
        segments = [
            Segment(part.text, self._over(part.role, ground, here=here)) for part in self.parts(index, width - 1)
        ]
        return Strip([mark, *segments]).adjust_cell_length(width, ground)

    def _over(self, role: str, ground: Style, *, here: bool) -> Style:
        """A role's style on a ground. The cursor's line keeps its own background."""
        if role == "text":
            return ground
        if not here:
            return self.inked(role)
        style = ground + self.role_style(role)
        return style + Style(bgcolor=ground.bgcolor) if ground.bgcolor else style

    def inked(self, role: str) -> Style:
        """A role's style on the view's own ground, kept like that one."""
        if role not in self._inks:
            self._inks[role] = self.ground + self.role_style(role)
        return self._inks[role]

    def role_style(self, role: str) -> Style:
        return paint_of(self)[role]

    # ------------------------------------------------------------ selecting with the mouse

    def _selected(self, strip: Strip, index: int, before: int = 0) -> Strip:
        """The strip with the selected cells marked; `before` are the cells of the line that stand on rows above it."""
        selection = self._common.selection
        span = selection.get_span(index) if selection is not None else None
        if span is None:
            return strip
        start, end = (max(0, edge - before) if edge != -1 else strip.cell_length for edge in span)
        style = self.screen.get_component_rich_style("screen--selection")
        edges = [min(start, strip.cell_length), min(end, strip.cell_length), strip.cell_length]
        head, middle, tail = strip.divide(edges)
        return Strip.join([head, middle.apply_style(style), tail])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        text = "\n".join(self.plain(index) for index in range(self.count))
        return selection.extract(text), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    # ------------------------------------------------------------ moving

    @property
    def page_lines(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    def watch_cursor(self, before: int, after: int) -> None:
        self.refresh_index(before)
        self.refresh_index(after)
        self.show_cursor()
        self.tell_moved()

    def tell_moved(self) -> None:
        self.post_message(self.Moved(self))

    def show_cursor(self) -> None:
        """Scroll so far that the cursor's line is on the screen."""
        height = self.scrollable_content_region.height
        if height <= 0:
            return
        top = round(self.scroll_offset.y)
        first, last = self.row_of(self.cursor), max(self.row_of(self.cursor), self.row_of(self.cursor + 1) - 1)
        if first < top or self.cursor == self.first_stop:
            self.scroll_to(y=0 if self.cursor == self.first_stop else first, animate=False, force=True)
        elif last >= top + height:
            self.scroll_to(y=min(first, last - height + 1), animate=False, force=True)

    @property
    def first_stop(self) -> int:
        return self.stops[0] if self.stops else 0

    def action_move(self, by: int) -> None:
        self.cursor = moved(self.stops, self.cursor, by)

    def action_page(self, direction: int) -> None:
        self.cursor = nearest(self.stops, max(0, self.cursor + direction * self.page_lines))

    def action_half_page(self, direction: int) -> None:
        self.cursor = nearest(self.stops, max(0, self.cursor + direction * max(1, self.page_lines // 2)))

    def action_edge(self, direction: int) -> None:
        if self.stops:
            self.cursor = self.stops[0 if direction < 0 else -1]

    def on_click(self, event: events.Click) -> None:
        index = self.line_at(event.y + self.scroll_offset.y)
        if index not in self.stops:
            return
        if index == self.cursor and event.chain == 2:
            self.post_message(self.Clicked(self))
        self.cursor = index

    # ------------------------------------------------------------ keys of two strokes

    def on_key(self, event: events.Key) -> None:
        known = commands.sequences(table_of(self), "anywhere", "list", self.place)
        if self._prefix:
            sequence, self._prefix = f"{self._prefix} {event.key}", ""
            self.post_message(PrefixTyped("", ()))
            event.stop()
            event.prevent_default()
            if sequence in known:
                self.app.call_later(self._run, known[sequence])
            return
        choices = [command for key, command in known.items() if key.startswith(event.key + " ")]
        if choices:
            self._prefix = event.key
            self.post_message(PrefixTyped(event.key, choices))
            event.stop()
            event.prevent_default()

    async def _run(self, command: commands.Command) -> None:
        target = self if command.where == "list" else self.query_ancestor(f"#{self.place}")
        await self.app.run_action(command.action, default_namespace=target)


class Lines(LineView):
    """A list of rows."""

    def __init__(self, place: str, *, widget_id: str | None = None) -> None:
        super().__init__(place, widget_id=widget_id)
        self.rows: Rows = Listed(())

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def stops(self) -> Sequence[int]:
        return self.rows.stops

    @property
    def value(self) -> object:
        """What the cursor stands on."""
        return self.rows[self.cursor].value if 0 <= self.cursor < len(self.rows) else None

    def show(self, rows: Rows | Sequence[Row], *, keep: bool = True) -> None:
        """Other rows; with `keep` the cursor stays on the value it stood on, where that is still there."""
        value = self.value if keep else None
        self.rows = Listed(rows) if isinstance(rows, list | tuple) else cast("Rows", rows)
        again = self.rows.index_of(value) if value is not None else None
        if again is not None:
            self.set_reactive(LineView.cursor, again)
        self.changed(keep=keep)

    def find(self, value: object) -> bool:
        """Put the cursor on a value; False when it is not there."""
        index = self.rows.index_of(value)
        if index is not None:
            self.cursor = index
        return index is not None

    def parts(self, index: int, width: int) -> list[Part]:
        return fit(self.rows[index], width)

    def plain(self, index: int) -> str:
        return " " + self.rows[index].text
