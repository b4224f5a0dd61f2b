"""Owns the window: the five panes and the lines around them, which of them is on the screen, and who is asked what."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, TypeVar

from rich.style import Style
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen

from sondage.tui import commands
from sondage.tui.chrome import Header, Hints, StatusLine, Tabs
from sondage.tui.guide import GuideLine
from sondage.tui.models.layout import PANES, Arrangement, Shape, shape_of
from sondage.tui.models.rows import Part, Row
from sondage.tui.panes.all import Panes
from sondage.tui.panes.base import Ground, Pane, Prompt
from sondage.tui.panes.messages import OtherScrolled, PrefixTyped, Said
from sondage.tui.panes.paint import styles
from sondage.tui.terminal import Alphabet, Ascii
from sondage.tui.wall import Wall, in_turn

Result = TypeVar("Result")
LEFT = ("search", "classes")
"""The panes that share the left column."""
ARRANGING = frozenset({"-two", "-three", "-alone", "-beside"})
"""The classes of the base screen that say which panes stand where."""


class PanesScreen(Screen[object], inherit_bindings=False, inherit_css=False):
    """The screen of the panes. Textual's own Tab would only find what can be focused and is displayed already."""

    BLANK = True  # the panes and the lines around them cover all of it
    COMPONENT_CLASSES: ClassVar[set[str]] = {"screen--selection"}
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,super+c", "screen.copy_text", show=False)]
    AUTO_FOCUS = "#search-list"
    """Keys mean the same from the first frame on: Textual would choose the prompt, into which a `/` would be typed."""
    _was_shown = False

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """When it is shown first its widgets have just been styled; Textual would do it again."""
        event.refresh_styles &= self._was_shown
        self._was_shown = True


class Window(App[int], inherit_bindings=False, inherit_css=False):
    """The app without its actions and without a target: it arranges, focuses and speaks."""

    CSS_PATH = "app.tcss"
    LATER_CSS = Path(__file__).with_name("screens.tcss")
    """What comes over the panes; `complete` reads it."""
    TITLE = "sondage"
    ENABLE_COMMAND_PALETTE = False
    PAUSE_GC_ON_SCROLL = True
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("anywhere")
    paint: Mapping[str, Style] = MappingProxyType({})
    """The style of every role in the present theme."""

    def __init__(self) -> None:
        super().__init__()
        self._disable_tooltips = True  # there are none; Textual would mount a widget for them in every screen
        self.wall = Wall()
        self.panes = Panes()
        self.header = Header()
        self.guide = GuideLine()
        self.tabs = Tabs()
        self.status = StatusLine()
        self.command_line = Prompt("A,B  class Name  contract Class a,b  theme name  save  q", widget_id="command-line")
        self.hints = Hints()
        self.arrangement = Arrangement()
        self.table: Mapping[str, commands.Command] = commands.BY_ID
        """The commands with the keys that the user has given them."""
        self.shape: Shape = "one"
        self.ascii: Alphabet = "no"
        self.mouse_reported = True
        self.is_whole = False
        """Whether all is mounted that the first frame did without."""
        self._completing = asyncio.Lock()
        self._notice: Screen[None] | None = None
        """What was laid over a window too small for anything else."""

    def get_default_screen(self) -> Screen[object]:
        """It is born with the classes of its shape: a class that changes later styles every widget anew."""
        self.shape = shape_of(*self.size)
        return PanesScreen(id="_default", classes=" ".join(self._arranging(self._panes_shown)))

    def get_css_variables(self) -> dict[str, str]:
        """Asked for whenever the theme changes: the roles get their colours from the same variables."""
        variables = super().get_css_variables()
        self.paint = styles(variables, plain=self.current_theme.ansi)
        return variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """NO_COLOR means none at all: Textual alone would leave greys, in 24 bit."""
        kept = [given for given in super().get_line_filters() if not isinstance(given, Monochrome)]
        plain = [Ascii(strict=self.ascii == "all")] if self.ascii != "no" else []
        return [in_turn(*kept, *([NoColor()] if self.no_color else []), self.wall, *plain)]

    def compose(self) -> ComposeResult:
        """What the first frame shows; `complete` brings the rest."""
        panes, shown = self.panes, self._panes_shown
        yield self.header
        if self.guide.steps:
            yield self.guide
        yield self.tabs
        with Ground(id="body"):
            with Ground(id="left"):
                yield from (panes.named(name) for name in LEFT if name in shown)
            yield from (panes.named(name) for name in PANES if name in shown and name not in LEFT)
        yield self.status
        yield self.hints
        self._stand(shown)

    async def complete(self) -> None:
        """Mounts what the first frame did without, once. Whoever is to act on the panes waits for it."""
        async with self._completing:
            if self.is_whole:
                return
            with self.batch_update():  # nothing of it is seen, so that it need not be drawn again and again
                await self._complete()
            self.is_whole = True

    async def _complete(self) -> None:
        self.stylesheet.read(self.LATER_CSS)
        self.stylesheet.parse()
        await self.base.mount(self.command_line, before=self.hints)
        missing = [self.panes.named(name) for name in PANES if name not in self.panes]
        self._stand(self._panes_shown)
        await self.base.query_one("#left").mount(*(pane for pane in missing if pane.place in LEFT))
        await self.base.query_one("#body").mount(*(pane for pane in missing if pane.place not in LEFT))
        for pane in self.panes:
            await pane.complete()
        self.arrange()

    # ------------------------------------------------------------ arranging

    @property
    def base(self) -> Screen[object]:
        """The screen that holds the panes, whatever lies above it."""
        return self.screen_stack[0]

    @property
    def _panes_shown(self) -> tuple[str, ...]:
        """The panes that the shape of the window and the place of the user call for."""
        return self.arrangement.shown("one" if self.shape == "small" else self.shape)

    def _arranging(self, shown: Sequence[str]) -> set[str]:
        """Those of the base screen, which the stylesheet arranges the panes by."""
        classes = {"-alone" if len(shown) == 1 else f"-{self.shape}"}
        if "source" in shown and "search" in shown:
            classes.add("-beside")
        return classes

    def on_resize(self, event: events.Resize) -> None:
        self.shape = shape_of(event.size.width, event.size.height)
        self.arrange()
        covered = self.screen is self._notice
        if self.shape == "small" and not covered:
            from sondage.tui.screens import TooSmallScreen  # noqa: PLC0415  hardly ever wanted

            self._notice = TooSmallScreen()
            self.push_screen(self._notice)
        elif self.shape != "small" and covered:
            self.pop_screen()

    def arrange(self) -> None:
        """Show the panes that the shape of the window and the place of the user call for."""
        shown = self._panes_shown
        self._stand(shown)
        self.base.query_one("#left").display = "search" in shown or "classes" in shown
        classes = self._arranging(shown)
        if self.base.classes & ARRANGING != classes:
            for name in ARRANGING:
                self.base.set_class(name in classes, name, update=False)
            self.base.update_node_styles()  # once: it goes through every widget there is
        self.draw_tabs()
        self.draw_hints()

    def _stand(self, shown: Sequence[str]) -> None:
        for pane in self.panes:
            active = pane.place == self.arrangement.active
            pane.arranged(shown=pane.place in shown, active=active, alone=len(shown) == 1)
        self.tabs.display = self.shape != "three" or self.arrangement.zoomed

    def go(self, name: str) -> None:
        """To a pane, bringing it on the screen."""
        self.arrangement = self.arrangement.entered(name)
        self.arrange()
        self.panes.named(name).enter()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click into another pane makes it the active one. The event may be late: what has the focus now counts."""
        focused = self.base.focused
        for pane in self.panes:
            if focused is not None and pane in focused.ancestors and pane.place != self.arrangement.active:
                self.arrangement = self.arrangement.entered(pane.place)
                self.arrange()
        self.draw_hints()

    def draw_hints(self) -> None:
        """The keys that help where the focus is."""
        place = self.arrangement.active
        if self.base.focused is self.command_line:
            place = "line"
        elif isinstance(self.base.focused, Prompt):
            # The focus may be in a prompt a moment before its pane counts as the active one.
            place = {"search": "typing", "contract": "form"}.get(place, place)
        self.hints.tell(place, self.table)

    @property
    def source_is_beside(self) -> bool:
        """Whether Source stands on the screen next to a list that it can follow."""
        return "source" in self.arrangement.shown(self.shape) and self.arrangement.active != "source"

    @property
    def active_pane(self) -> Pane:
        return self.panes.named(self.arrangement.active)

    def draw_tabs(self) -> None:
        view = self.panes.contract.view if "contract" in self.panes else None
        verdict: list[Part] = []
        if view is not None and view.verdicts:
            said, tone = view.summary
            verdict = [Part(view.counted + "  ", "muted"), Part(said.split(":")[0], tone)]
        self.tabs.tell(self.arrangement.active, verdict)

    # ------------------------------------------------------------ speaking and asking

    def say(self, text: str, tone: str = "plain") -> None:
        """One sentence in the status line, until the next key. Tones: `plain`, `good`, `doubt`, `bad`."""
        self.status.tell(text, tone)

    @on(Said)
    def _said(self, message: Said) -> None:
        self.say(message.text, message.tone)

    @on(OtherScrolled)
    def _other_scrolled(self, message: OtherScrolled) -> None:
        view = self.panes.source.view if self.source_is_beside else self.panes.search.preview
        view.scroll_relative(y=message.by, animate=False)

    @on(PrefixTyped)
    def _prefix_typed(self, message: PrefixTyped) -> None:
        if message.prefix:
            self.status.offer(message.prefix, message.choices)
        else:
            self.say("")

    async def result_of(self, screen: Screen[Result]) -> Result | None:
        """What a screen is dismissed with; may be awaited from any task, a connection's own included."""
        answered: asyncio.Future[Result | None] = asyncio.get_running_loop().create_future()

        def settle(result: Result | None) -> None:
            if not answered.done():
                answered.set_result(result)

        await self.push_screen(screen, settle)
        return await answered

    async def line(self, heading: str, value: str = "") -> str | None:
        """Let the user type a line."""
        from sondage.tui.screens import LineScreen  # noqa: PLC0415  the first frame does not wait for it

        return await self.result_of(LineScreen(heading, value))

    async def choose(self, title: str, rows: Sequence[Row]) -> object:
        """Let the user choose one of some rows: its value, or None."""
        from sondage.tui.picker import Picker, narrowing  # noqa: PLC0415  the first frame does not wait for it

        return await self.result_of(Picker(title, narrowing(rows)))
