"""Owns what all panes share: a title line above whatever the pane holds, and the way to the app.

What the first frame is made of goes by our stylesheet alone: to read those of Textual takes as long.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual.geometry import Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from sondage.tui.models.rows import Part, Row, fit
from sondage.tui.models.source import Place
from sondage.tui.panes.lines import MARK, LineView
from sondage.tui.panes.messages import MarkAsked, OtherScrolled
from sondage.tui.panes.paint import paint_of


class Still(Widget, inherit_css=False):
    """What never scrolls: to have got its size is no reason to arrange and draw the screen once more."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0), repaint=False)


class TextLine(Still):
    """One line of parts, the right half at the right border; drawn without any markup."""

    def __init__(self, content: Row | None = None, *, widget_id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=widget_id, classes=classes)
        self.content = content or Row(())

    def show(self, left: list[Part], right: list[Part] | None = None) -> None:
        """Another content; nothing is drawn when it is the same."""
        content = Row(tuple(left), tuple(right or ()))
        if content != self.content:
            self.content = content
            self.refresh()

    def row(self, width: int) -> Row:
        """What stands there in so many cells."""
        return self.content

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        base = self.rich_style
        if y or width <= 0:
            return Strip.blank(max(0, width), base)
        paint = paint_of(self)
        segments = [Segment(part.text, base + paint[part.role]) for part in fit(self.row(width), width)]
        return Strip(segments).adjust_cell_length(width, base)


class Prompt(Input, inherit_css=False):
    """A line to type into. Never blinks: a blinking cursor costs a kilobyte a second over a slow link."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"input--cursor", "input--placeholder", "input--selection"}

    def __init__(self, placeholder: str = "", *, widget_id: str | None = None, password: bool = False) -> None:
        super().__init__(placeholder=placeholder, id=widget_id, password=password, select_on_focus=False)
        self.cursor_blink = False


class Ground(Still):
    """Holds other widgets, which cover all of it."""

    BLANK: ClassVar[bool] = True


class Pane(Still):
    """One of the five. `name_shown` and its number stand in the title line when several panes are on the screen."""

    number: ClassVar[int] = 0
    place: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__(id=self.place, classes="pane")
        self.title = TextLine(classes="pane-title")
        self._subject: list[Part] = []
        self._detail: list[Part] = []
        self.labelled = True
        """False when the pane is alone on the screen: the tab line names it then."""

    @property
    def main(self) -> LineView:
        """What takes the focus when the user comes to the pane."""
        raise NotImplementedError

    async def complete(self) -> None:
        """Mounts what the first frame has nothing to show in."""

    def enter(self) -> None:
        """The user comes to this pane. The focus is set at once: what is hidden next must not hold it."""
        self.screen.set_focus(self.main)

    def entitle(self, subject: list[Part], detail: list[Part] | None = None) -> None:
        """What the title line says: what the pane is about, and a count or a position at its right."""
        self._subject = subject
        self._detail = detail or []
        self.draw_title()

    def arranged(self, *, shown: bool, active: bool, alone: bool) -> None:
        """How the pane stands on the screen: the active one bears a mark before its name."""
        self.display = shown
        self.labelled = not alone
        self.set_class(active, "-active", update=self.is_attached)
        self.draw_title()

    def draw_title(self) -> None:
        label = [Part(f"{self.number} ", "key"), Part(self.place.title() + "  ", "label")] if self.labelled else []
        mark = Part(MARK if self.labelled and self.has_class("-active") else " ", "mark")
        self.title.show([mark, *label, *self._subject], [*self._detail, Part(" ")])

    @property
    def here(self) -> Place | None:
        """What stands under the cursor, as lines of a file; None where it is no place."""
        return None

    def action_mark(self) -> None:
        if self.here is not None:
            self.post_message(MarkAsked(self.here))

    def action_scroll_other(self, by: int) -> None:
        self.post_message(OtherScrolled(3 * by))

    def copy_text(self) -> str | None:
        """What `y` copies: `path:line` of what is under the cursor."""
        return self.here.spec if self.here is not None else None

    def copy_forms(self) -> list[tuple[str, str]]:
        """What `Y` offers besides the forms of the place under the cursor: (what it is, the text)."""
        return []
