"""Owns the view of one file: gutter, colours of the visible lines, a framed range, and a caret that steps over names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from sondage.core.safe import ShownLine, show_line
from sondage.core.source.text import SourceText
from sondage.tui.models.rows import Part
from sondage.tui.models.source import Frame, NameSpan, Outline, first_stop, names_on, receiver_at
from sondage.tui.models.wrapping import MOST_LINES, Wrapping, cuts
from sondage.tui.panes.lines import MARK, LineView

Colours = Callable[[int, int], Sequence[Sequence[tuple[int, int, str]]]]
"""For lines first to last (from 1, both included): a list of (start, end, style) in code points from 0."""

TAB_SIZE = 4
CHUNK = 32
"""Lines that are coloured at a time."""
SIDEWAYS = 8
"""Cells of one step to the side."""


class CodeView(LineView):
    """Shows a `SourceText`. Line `index` of the view is line `index + 1` of the file."""

    def __init__(self, place: str, *, widget_id: str | None = None) -> None:
        super().__init__(place, widget_id=widget_id)
        self.path = ""
        self.text: SourceText | None = None
        self.outline = Outline()
        self.frame: Frame | None = None
        self.numbers = True
        self.matches: Callable[[str], Sequence[tuple[int, int]]] | None = None
        self.moved: Callable[[], None] | None = None
        """What is to be done when the cursor came to another line."""
        self._colours: Colours | None = None
        self._chunks: dict[int, Sequence[Sequence[tuple[int, int, str]]]] = {}
        self._caret = 0
        self._left = 0
        self._wrapping: Wrapping | None = None
        """None where lines run off the side."""

    # ------------------------------------------------------------ content

    def shows(self, path: str, text: SourceText) -> bool:
        """Whether this very text is shown already."""
        return path == self.path and self.text is not None and text.digest == self.text.digest

    def show(self, path: str, text: SourceText) -> None:
        """Another file. Frame and caret are set afterwards by `stand`."""
        if not self.shows(path, text):
            self.outline = Outline()
        self.path, self.text, self.frame = path, text, None
        self._colours, self._chunks, self._left = None, {}, 0
        self._wrap_anew()
        self.virtual_size = Size(self.size.width, self.row_count)
        self.changed(keep=True)

    def colour(self, path: str, colours: Colours) -> None:
        """Colours that took a moment to be worked out."""
        if path == self.path:
            self._colours, self._chunks = colours, {}
            self._strips.clear()
            self.refresh()

    def clear(self) -> None:
        self.path, self.text, self.frame, self._chunks = "", None, None, {}
        self.changed(keep=False)

    def stand(self, line: int, column: int = 1, frame: Frame | None = None) -> None:
        """Put the cursor on a line, the caret on the name at `column`, and show the frame from its first line on."""
        self.frame = frame
        self._strips.clear()
        index = max(0, min(self.count - 1, line - 1))
        if index != self.cursor:
            self.cursor = index
        self._caret = self._name_at(column) if column > 1 else first_stop(self.names)
        self._centre(frame)
        self.show_caret()
        self.refresh()

    def _centre(self, frame: Frame | None) -> None:
        """A place just come to stands in the upper third, a frame below a little of what goes before it."""
        height = max(1, self.scrollable_content_region.height)
        above = 2 if frame and frame.first != frame.last else max(1, height // 3)
        top = self.row_of(frame.first - 1 if frame else self.cursor) - above
        self.scroll_to(y=max(0, top), animate=False, force=True)
        self.show_cursor()

    @property
    def count(self) -> int:
        return self.text.line_count if self.text is not None else 0

    @property
    def line(self) -> int:
        """The line of the cursor, from 1."""
        return self.cursor + 1

    def plain(self, index: int) -> str:
        return " " * (self._gutter_width + 2) + self._shown(index).text

    def _shown(self, index: int) -> ShownLine:
        return _safe_line(self.text.line(index + 1)) if self.text is not None else ShownLine("")

    # ------------------------------------------------------------ long lines

    @property
    def wrapped(self) -> bool:
        return self._wrapping is not None

    def wrap(self, *, on: bool) -> bool:
        """Break long lines over several rows, or let them run off the side. False where the file is too long for it."""
        if on and self.count > MOST_LINES:
            return False
        self._left = 0
        below_top = self.row_of(self.cursor) - round(self.scroll_offset.y)
        self._wrapping = self._measured() if on else None
        self.changed()
        self.scroll_to(y=max(0, self.row_of(self.cursor) - below_top), animate=False, force=True)
        return True

    def _wrap_anew(self) -> None:
        """The text, the window or the numbers changed."""
        if self._wrapping is not None:
            self._wrapping = self._measured() if self.count <= MOST_LINES else None

    def _measured(self) -> Wrapping:
        return Wrapping((self._shown(index).text for index in range(self.count)), self._room)

    @property
    def _room(self) -> int:
        """Cells of the code beside the gutter."""
        return max(1, self.scrollable_content_region.width - self._gutter_width - 2)

    @property
    def row_count(self) -> int:
        return self._wrapping.rows if self._wrapping is not None else self.count

    def row_of(self, index: int) -> int:
        return self._wrapping.row_of(index) if self._wrapping is not None else index

    def line_at(self, row: int) -> int:
        return self._wrapping.at(row)[0] if self._wrapping is not None else row

    def changed(self, *, keep: bool = True) -> None:
        if self._wrapping is not None and self._wrapping.width != self._room:
            self._wrap_anew()
        super().changed(keep=keep)

    def on_resize(self) -> None:
        self._wrap_anew()
        super().on_resize()

    def render_line(self, y: int) -> Strip:
        if self._wrapping is None:
            return super().render_line(y)
        width, top, _ = self._common
        row = y + top
        if row >= self._wrapping.rows or width < 2:
            return super().render_line(y)
        index, part = self._wrapping.at(row)
        ground = self._ground_of(index)
        code = Strip(self._code(index, ground))
        starts = [*cuts(self._shown(index).text, self._wrapping.width), code.cell_length]
        room = self._wrapping.width
        piece = code.crop(starts[part], starts[part + 1]).extend_cell_length(room, ground)
        strip = Strip([*self._gutter(index, ground, first=part == 0), *piece]).adjust_cell_length(width, ground)
        return self._placed(self._selected(strip, index, starts[part]), index, starts[part])

    # ------------------------------------------------------------ the caret

    @property
    def names(self) -> list[NameSpan]:
        return names_on(self.text.line(self.line)) if self.text is not None else []

    @property
    def column(self) -> int:
        """The column of the caret, from 1, in code points of the file's own line."""
        names = self.names
        return names[min(self._caret, len(names) - 1)].start + 1 if names else 1

    @property
    def caret_name(self) -> str:
        names = self.names
        if not names or self.text is None:
            return ""
        span = names[min(self._caret, len(names) - 1)]
        return self.text.line(self.line)[span.start : span.end]

    @property
    def receiver(self) -> str:
        """The expression up to the caret, or what the call under it is made on; empty where there is none."""
        names = self.names
        if not names or self.text is None:
            return ""
        return receiver_at(self.text.line(self.line), names[min(self._caret, len(names) - 1)])

    def _name_at(self, column: int) -> int:
        before = [index for index, name in enumerate(self.names) if name.start < column]
        return before[-1] if before else 0

    def step_name(self, by: int) -> None:
        """The next or previous name of the line."""
        names = self.names
        if names:
            self._caret = max(0, min(len(names) - 1, min(self._caret, len(names) - 1) + by))
            self.show_caret()
            self.refresh_index(self.cursor)

    def sideways(self, by: int) -> None:
        self._left = max(0, self._left + by * SIDEWAYS)
        self._strips.clear()
        self.refresh()

    def show_caret(self) -> None:
        """Scroll to the side so far that the caret's name is on the screen."""
        width = self.scrollable_content_region.width - self._gutter_width - 2
        names = self.names
        if not names or width <= 8 or self._wrapping is not None:
            return
        end = self._shown(self.cursor).shown_column(names[min(self._caret, len(names) - 1)].end)
        left = 0 if end <= width else end - width + SIDEWAYS
        if (end > self._left + width or end <= self._left) and left != self._left:
            self._left = left
            self._strips.clear()
            self.refresh()

    def watch_cursor(self, before: int, after: int) -> None:
        self._caret = first_stop(self.names)
        super().watch_cursor(before, after)
        if self._left:
            self.show_caret()

    def tell_moved(self) -> None:
        """At once, not by a message: what stands around is drawn in the same frame, and the next key finds it so."""
        if self.moved is not None:
            self.moved()

    # ------------------------------------------------------------ drawing

    @property
    def _gutter_width(self) -> int:
        """Cells of the line numbers."""
        return max(4, len(str(self.count))) if self.numbers else 0

    def parts(self, index: int, width: int) -> list[Part]:
        raise NotImplementedError

    def _draw(self, index: int, width: int) -> Strip:
        ground, text = self._ground_of(index), self._shown(index).text
        gutter, code = self._gutter(index, ground), self._code(index, ground)
        room = width - self._gutter_width - 2 - len(text)
        if text.isascii() and room >= 0 and not self._left:  # as nearly all are: nothing has to be measured
            return Strip([*gutter, *code, Segment(" " * room, ground)] if room else [*gutter, *code], width)
        return Strip([*gutter, *Strip(code).crop(self._left)]).adjust_cell_length(width, ground)

    def _ground_of(self, index: int) -> Style:
        """What a line and its gutter stand on."""
        if index != self.cursor:
            return self.ground
        return self.ground + self.role_style("cursor" if self.has_focus else "cursor-away")

    def _gutter(self, index: int, ground: Style, *, first: bool = True) -> list[Segment]:
        """The mark of the cursor, the number of the line on its `first` row, the frame."""
        here = index == self.cursor
        framed = self.frame is not None and index + 1 in self.frame
        number = f"{index + 1 if first else '':>{self._gutter_width}}" if self.numbers else ""
        return [
            Segment(MARK, ground + self.role_style("mark")) if here else Segment(" ", ground),
            Segment(number, self._over("number", ground, here=here)),
            Segment("▕", ground + self.role_style("frame")) if framed else Segment(" ", ground),
        ]

    def _code(self, index: int, ground: Style) -> list[Segment]:
        """The whole line in pieces, each with the style of all that covers it: colour, stand-in, match, caret."""
        line = self._shown(index)
        here = index == self.cursor
        if self.frame is not None and index + 1 not in self.frame and not here:
            return [Segment(line.text, self.inked("muted"))] if line.text else []
        over = self._over_colours(index, line, here=here)
        if over or here or line.swaps:
            return self._layered(line.text, ground, [*self._colour_layers(index, line), *over])
        return self._coloured_pieces(line.text, ground, self._coloured(index))

    def _coloured_pieces(self, text: str, ground: Style, spans: Sequence[tuple[int, int, str]]) -> list[Segment]:
        """A line that is shown as it is written, with nothing over its colours."""
        pieces, done = [], 0
        for start, end, style in spans:
            if done < start:
                pieces.append(Segment(text[done:start], ground))
            pieces.append(Segment(text[start:end], self.inked("code-" + style)))
            done = end
        if done < len(text):
            pieces.append(Segment(text[done:], ground))
        return pieces

    def _layered(self, text: str, ground: Style, layers: Sequence[tuple[int, int, str]]) -> list[Segment]:
        """A line under spans (start, end, role), later ones on top."""
        edges = (min(max(0, edge), len(text)) for start, end, _ in layers for edge in (start, end))
        pieces = []
        for start, end in pairwise(sorted({0, len(text), *edges})):
            style = ground
            for first, last, role in layers:
                if first <= start and end <= last:
                    style += self.role_style(role)
            pieces.append(Segment(text[start:end], style))
        return pieces

    def _colour_layers(self, index: int, line: ShownLine) -> list[tuple[int, int, str]]:
        column = line.shown_column
        return [(column(start), column(end), "code-" + style) for start, end, style in self._coloured(index)]

    def _over_colours(self, index: int, line: ShownLine, *, here: bool) -> list[tuple[int, int, str]]:
        """What lies over the colours of a line."""
        column = line.shown_column
        layers = [(start, end, "stand-in") for start, end in line.marks]
        if self.matches is not None and self.text is not None:
            layers += [(column(start), column(end), "match") for start, end in self.matches(self.text.line(index + 1))]
        if here and self.has_focus and (names := self.names):
            name = names[min(self._caret, len(names) - 1)]
            layers.append((column(name.start), column(name.end), "caret"))
        return layers

    def _coloured(self, index: int) -> Sequence[tuple[int, int, str]]:
        """The colours of one line; asked for in chunks around what is visible, never for the whole file."""
        if self._colours is None:
            return ()
        chunk = index // CHUNK
        if chunk not in self._chunks:
            first = chunk * CHUNK + 1
            self._chunks[chunk] = self._colours(first, min(first + CHUNK - 1, self.count))
        lines = self._chunks[chunk]
        return lines[index % CHUNK] if index % CHUNK < len(lines) else ()


@lru_cache(maxsize=2048)
def _safe_line(text: str) -> ShownLine:
    return show_line(text, TAB_SIZE)
