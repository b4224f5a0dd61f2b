"""Owns the search pane: a prompt with its filters, the places found, and a preview of the one under the cursor."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer

from sondage.core.safe import one_line
from sondage.tui import clipboard, commands
from sondage.tui.models import asking
from sondage.tui.models import search as model
from sondage.tui.models.rows import Part, cut_path, row
from sondage.tui.models.source import Place
from sondage.tui.panes.base import Ground, Pane, Prompt, TextLine
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import ClassAsked, PlaceAsked, PreviewAsked, Said, SearchAsked

if TYPE_CHECKING:
    from sondage.tui.panes.code import CodeView

PAUSE = 0.15
"""Seconds of silence after which what was typed is searched."""
LOW = 16
"""Rows of a window in which what the list says at first needs all the room that the preview leaves it."""
MOST_REMEMBERED = 200
"""Patterns that the arrow keys of the prompt bring back."""


class SearchPane(Pane):
    BLANK = True  # what it holds covers all of it
    number = 1
    place = "search"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("search", "prompt")

    def __init__(self) -> None:
        super().__init__()
        self.pattern = Prompt("pattern -g GLOB", widget_id="pattern")
        self.globs = Prompt("**/*.py", widget_id="globs")
        self.switches = Switches()
        self.count = TextLine(widget_id="search-count")
        self.problem = TextLine(widget_id="search-problem")
        self.list = Lines(self.place, widget_id="search-list")
        self.preview_title = TextLine(widget_id="preview-title")
        self.found: model.Spots | None = None
        self.spans: model.Spans | None = None
        self.fixed = False
        self.ignore_case = False
        self.word = False
        self.grouped = model.Grouped()
        self.history: list[str] = []
        """The patterns that were searched, each once, the newest last."""
        self._recalled = 0
        self._draft = ""
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        yield self.title
        with Ground(id="search-prompt"):
            with TextLine(row(Part(" /", "accent")), classes="prompt-row"):
                yield self.pattern
                yield self.switches
            with TextLine(row(Part(" in", "muted")), classes="prompt-row"):
                yield self.globs
                yield self.count
        yield self.list
        if self.app.size.height < LOW:
            yield from (self.preview_title, self.preview)

    async def complete(self) -> None:
        await self.mount(self.problem, before=self.list)
        if not self.preview.is_attached:
            await self.mount(self.preview_title, self.preview)

    def on_mount(self) -> None:
        self.list.show(asking.rows_to_begin())
        self._draw_switches()
        self.entitle([Part("nothing searched yet", "muted")])

    @cached_property
    def preview(self) -> CodeView:
        from sondage.tui.panes.code import CodeView  # noqa: PLC0415  the first frame has nothing to show in it

        view = CodeView(self.place, widget_id="preview")
        view.can_focus = False
        return view

    @property
    def main(self) -> LineView:
        return self.list

    # ------------------------------------------------------------ asking

    @property
    def filters(self) -> asking.Filters:
        return asking.Filters(self.fixed, self.ignore_case, self.word, tuple(self.globs.value.split()))

    def ask(self, *, committed: bool) -> None:
        """Put what stands in the prompt; without a pattern there is nothing to ask."""
        self._stop_pause()
        pattern, globs = self._read_prompt(committed=committed)
        if not pattern:
            return
        if committed:
            self.remember(pattern)
        filters = self.filters
        self.post_message(
            SearchAsked(
                pattern,
                globs or filters.globs,
                fixed=filters.fixed,
                ignore_case=filters.ignore_case,
                word=filters.word,
                committed=committed,
            )
        )

    def _read_prompt(self, *, committed: bool) -> tuple[str, tuple[str, ...]]:
        """The pattern, and globs typed behind it: they move to their own field once the search is committed."""
        typed = self.pattern.value
        if not committed:
            return asking.read_prompt(asking.unfinished(typed))
        pattern, globs = asking.read_prompt(typed)
        if globs:
            self._fill(pattern, globs)
        return pattern, globs

    def _fill(self, pattern: str, globs: tuple[str, ...]) -> None:
        with self.prevent(Prompt.Changed):
            self.pattern.value, self.globs.value = pattern, " ".join(globs)

    def remember(self, pattern: str) -> None:
        """For the arrow keys of the prompt."""
        self.history[:] = [*(one for one in self.history if one != pattern), pattern][-MOST_REMEMBERED:]
        self._recalled = len(self.history)

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
        """Up and Down in the prompt recall earlier patterns; what was being typed comes back below the newest."""
        if not self.pattern.has_focus or event.key not in ("up", "down"):
            return
        event.stop()
        if self._recalled >= len(self.history):
            self._draft = self.pattern.value
        self._recalled = max(0, min(len(self.history), self._recalled + (-1 if event.key == "up" else 1)))
        self.pattern.value = self.history[self._recalled] if self._recalled < len(self.history) else self._draft
        self.pattern.cursor_position = len(self.pattern.value)

    def take(self, asked: SearchAsked) -> None:
        """Let the prompt say what is asked from elsewhere: the log, the command line."""
        self._fill(asked.pattern, asked.globs)
        self.fixed, self.ignore_case, self.word = asked.fixed, asked.ignore_case, asked.word
        self._draw_switches()

    def find_in(self, path: str) -> None:
        """A pattern is to be typed for one file."""
        with self.prevent(Prompt.Changed):
            self.globs.value = asking.glob_of(path)
        self.screen.set_focus(self.pattern)
        self.pattern.action_select_all()

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
            _, globs = self._read_prompt(committed=False)
            filters = replace(self.filters, globs=globs or self.filters.globs)
            self.list.show(asking.rows_for_nothing(found.title, filters, searched), keep=False)
        if self.spot is None:
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

    def _draw_switches(self) -> None:
        self.switches.show(self.filters.parts())

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
        elif isinstance(self.list.value, asking.Offer):
            self._take_up(self.list.value)

    def _take_up(self, offer: asking.Offer) -> None:
        """Search again without a filter, or show what was hidden."""
        if not offer.without:
            self.grouped = model.Grouped(self.grouped.by_class)
            self._draw_rows(keep=True)
            return
        filters = self.filters.without(offer.without)
        self._fill(self.pattern.value, filters.globs)
        self.fixed, self.ignore_case, self.word = filters.fixed, filters.ignore_case, filters.word
        self._draw_switches()
        self.ask(committed=True)

    def action_show_class(self) -> None:
        if self.spot is not None:
            self.post_message(ClassAsked(self.spot.symbol, self.spot.path, self.spot.line))

    def action_hit(self, by: int) -> None:
        """The next hit of the list, gone to."""
        before = self.list.cursor
        self.list.action_move(by)
        if self.spot is None:
            self.list.cursor = before
        if self.list.cursor == before:
            self.post_message(Said("that was the last hit" if by > 0 else "that was the first hit"))
        elif self.spot is not None:
            self.post_message(PlaceAsked(self.spot.path, self.spot.line, column=self.spot.column, recorded=False))
            self.post_message(Said(f"hit {self._number} of {self.found.total:,}" if self.found else ""))

    @property
    def _number(self) -> int:
        """Which hit of the list the cursor stands on, from 1."""
        return bisect_right(self.list.stops, self.list.cursor)

    def action_toggle_regex(self) -> None:
        self.fixed = not self.fixed
        self._switched()

    def action_toggle_case(self) -> None:
        self.ignore_case = not self.ignore_case
        self._switched()

    def action_toggle_word(self) -> None:
        self.word = not self.word
        self._switched()

    def _switched(self) -> None:
        self._draw_switches()
        self.again()

    def action_glob(self) -> None:
        """To the glob; from there, clear it."""
        if self.globs.has_focus:
            self.globs.value = ""
        self.globs.focus()

    def action_group(self) -> None:
        """By file or by class."""
        self.grouped = replace(self.grouped, by_class=not self.grouped.by_class)
        self._draw_rows(keep=True)

    def action_hide_file(self) -> None:
        """The hits of this file go; the cursor stays about where it was."""
        if self.spot is not None:
            self.grouped = replace(self.grouped, hidden=self.grouped.hidden | {self.spot.path})
            self._draw_rows(keep=True)

    # ------------------------------------------------------------ copying

    @property
    def here(self) -> Place | None:
        return Place(self.spot.path, self.spot.line, self.spot.column, symbol=self.spot.symbol) if self.spot else None

    def copy_forms(self) -> list[tuple[str, str]]:
        if self.found is None or not self.found.spots:
            return []
        hits = clipboard.text_of(f"{spot.path}:{spot.line}:{spot.text}" for spot in self.found.spots)
        command = [("search", asking.as_command(self.found.title, self.filters))] if self.found.is_search else []
        return [*command, ("all hits", hits)]


class Switches(TextLine):
    """How the pattern is read; a click on one of the three turns it over."""

    def __init__(self) -> None:
        super().__init__(widget_id="search-switches")

    def on_click(self, event: events.Click) -> None:
        event.stop()
        name = ("regex", "case", "word")[min(2, event.x // 4)]
        self.app.call_later(self.app.run_action, f"app.run('search.{name}')")
