"""Owns the search pane: a prompt with its filters, the places found, and a preview of the one under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal
from textual.timer import Timer

from sondage.core.safe import one_line
from sondage.tui import commands
from sondage.tui.models import search as model
from sondage.tui.models.rows import Part, cut_path, row
from sondage.tui.panes.base import Pane, Prompt, TextLine
from sondage.tui.panes.code import CodeView
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import ClassAsked, PlaceAsked, PreviewAsked, SearchAsked

PAUSE = 0.15
"""Seconds of silence after which what was typed is searched."""


class SearchPane(Pane):
    number = 1
    place = "search"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("search", "prompt")

    def __init__(self) -> None:
        super().__init__()
        self.pattern = Prompt("pattern (RE2)", widget_id="pattern")
        self.globs = Prompt("**/*.py", widget_id="globs")
        self.flags = TextLine(widget_id="search-flags")
        self.count = TextLine(widget_id="search-count")
        self.problem = TextLine(widget_id="search-problem")
        self.list = Lines(self.place, widget_id="search-list")
        self.preview_title = TextLine(widget_id="preview-title")
        self.preview = CodeView(self.place, widget_id="preview")
        self.found: model.Spots | None = None
        self.spans: model.Spans | None = None
        self.fixed = False
        self.ignore_case = False
        self.grouped = model.Grouped()
        self.history: list[str] = []
        self._recalled = 0
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.title
        with Container(id="search-prompt"):
            with Horizontal(id="prompt-pattern", classes="prompt-row"):
                yield TextLine(row(Part(" /", "accent")), classes="prompt-label")
                yield self.pattern
                yield self.flags
            with Horizontal(id="prompt-globs", classes="prompt-row"):
                yield TextLine(row(Part(" in", "muted")), classes="prompt-label")
                yield self.globs
                yield self.count
        yield self.problem
        yield self.list
        yield self.preview_title
        yield self.preview

    def on_mount(self) -> None:
        self.list.show(model.rows_to_begin())
        self._draw_flags()
        self.entitle([Part("nothing searched yet", "muted")])
        self.preview.can_focus = False

    @property
    def main(self) -> LineView:
        return self.list

    # ------------------------------------------------------------ asking

    @property
    def filters(self) -> model.Filters:
        return model.Filters(self.fixed, self.ignore_case, tuple(self.globs.value.split()))

    def ask(self, *, committed: bool) -> None:
        """Put what stands in the prompt; without a pattern there is nothing to ask."""
        self._stop_pause()
        pattern = self.pattern.value
        if not pattern:
            return
        if committed and pattern not in self.history[-1:]:
            self.history.append(pattern)
        self._recalled = len(self.history)
        filters = self.filters
        self.post_message(
            SearchAsked(
                pattern, filters.globs, fixed=filters.fixed, ignore_case=filters.ignore_case, committed=committed
            )
        )

    def again(self) -> None:
        """The filters changed, or the index: ask without recording."""
        if self.pattern.value:
            self.ask(committed=False)

    @on(Prompt.Changed)
    def _typed(self) -> None:
        self._stop_pause()
        self._pause = self.set_timer(PAUSE, self.again)

    @on(Prompt.Submitted)
    def _submitted(self) -> None:
        if self.pattern.value:
            self.ask(committed=True)
            self.list.focus()

    def _stop_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def on_key(self, event: events.Key) -> None:
        """Up and Down in the prompt recall earlier patterns."""
        if not self.pattern.has_focus or event.key not in ("up", "down"):
            return
        event.stop()
        self._recalled = max(0, min(len(self.history), self._recalled + (-1 if event.key == "up" else 1)))
        self.pattern.value = self.history[self._recalled] if self._recalled < len(self.history) else ""
        self.pattern.cursor_position = len(self.pattern.value)

    def take(self, asked: SearchAsked) -> None:
        """Let the prompt say what is asked from elsewhere: the log, the command line."""
        with self.prevent(Prompt.Changed):
            self.pattern.value, self.globs.value = asked.pattern, " ".join(asked.globs)
        self.fixed, self.ignore_case = asked.fixed, asked.ignore_case
        self._draw_flags()

    # ------------------------------------------------------------ showing

    def show(self, found: model.Spots, searched: int, spans: model.Spans | None = None) -> None:
        """The places of an answer. `searched` counts the files looked at."""
        self.complain("")
        fresh = self.found is None or self.found.title != found.title
        self.found, self.spans = found, spans
        if fresh:
            self.grouped = model.Grouped(self.grouped.by_class)
        name = [] if found.is_search else [Part(one_line(found.title) + "  ", "accent")]
        self.entitle([*name, Part(found.counted, "muted")])
        self.set_class(not found.is_search, "-listing")
        self.count.show([Part(f" {found.counted} ", "muted")])
        self.count.styles.width = len(found.counted) + 2
        if found.total:
            self._draw_rows(keep=not fresh)
        else:
            filters = self.filters
            self.list.show(model.rows_for_nothing(found.title, filters, searched))
        if not self.list.stops:
            self.preview.clear()
            self.preview_title.show([])
        else:
            self._ask_preview()

    def complain(self, problem: str) -> None:
        """Say under the prompt why a pattern cannot be read; the last good answer stays. Empty: nothing is wrong."""
        self.problem.show([Part("   " + one_line(problem), "bad")] if problem else [])
        self.problem.display = bool(problem)

    def _draw_rows(self, *, keep: bool) -> None:
        if self.found is not None:
            self.list.show(self.grouped.rows(self.found, self.spans), keep=keep)

    def _draw_flags(self) -> None:
        how = Part(" text " if self.fixed else " regex", "accent" if self.fixed else "muted")
        case = Part("  a=A " if self.ignore_case else "  Aa ", "accent" if self.ignore_case else "muted")
        self.flags.show([how, case])

    @property
    def spot(self) -> model.Spot | None:
        value = self.list.value
        return value if isinstance(value, model.Spot) else None

    @on(LineView.Moved, "#search-list")
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._ask_preview()

    def _ask_preview(self) -> None:
        if self.spot is not None:
            self.post_message(PreviewAsked(self.spot.path, self.spot.line, by=self.place))

    def entitle_preview(self, path: str, line: int, symbol: str) -> None:
        parts = [Part("─ ", "muted"), Part(f"{cut_path(one_line(path), 48)}:{line}", "path")]
        self.preview_title.show([*parts, Part("  " + one_line(symbol), "name")])

    # ------------------------------------------------------------ actions

    @on(LineView.Clicked, "#search-list")
    def action_choose(self) -> None:
        if self.spot is not None:
            self.post_message(PlaceAsked(self.spot.path, self.spot.line, column=self.spot.column))

    def action_show_class(self) -> None:
        if self.spot is not None:
            self.post_message(ClassAsked(self.spot.symbol, self.spot.path, self.spot.line))

    def action_hit(self, by: int) -> None:
        """The next hit of the list, gone to."""
        before = self.list.cursor
        self.list.action_move(by)
        if self.list.cursor != before and self.spot is not None:
            self.post_message(PlaceAsked(self.spot.path, self.spot.line, column=self.spot.column, recorded=False))

    def action_toggle_regex(self) -> None:
        self.fixed = not self.fixed
        self._draw_flags()
        self.again()

    def action_toggle_case(self) -> None:
        self.ignore_case = not self.ignore_case
        self._draw_flags()
        self.again()

    def action_glob(self) -> None:
        """To the glob; from there, clear it."""
        if self.globs.has_focus:
            self.globs.value = ""
        self.globs.focus()

    def action_group(self) -> None:
        """By file or by class; files that were hidden come back."""
        self.grouped = model.Grouped(not self.grouped.by_class)
        self._draw_rows(keep=True)

    def action_hide_file(self) -> None:
        if self.spot is not None:
            self.grouped = model.Grouped(self.grouped.by_class, self.grouped.hidden | {self.spot.path})
            self._draw_rows(keep=False)

    def action_scroll_other(self, by: int) -> None:
        self.preview.scroll_relative(y=by * 3, animate=False)

    def copy_text(self) -> str | None:
        return f"{self.spot.path}:{self.spot.line}" if self.spot else None
