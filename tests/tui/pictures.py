"""Owns the pictures of the app: what stands on the screen as an SVG of a few kilobytes, and the fixture that compares it.

One run of the app gives many pictures: of several panes, at several sizes, in several themes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any

import pytest
import pytest_textual_snapshot
from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from tests.tui.driving import settle
from textual.app import App
from textual.pilot import Pilot

SIZES = ((80, 24), (100, 30), (140, 40), (200, 60))
THEMES = ("dark", "light")
WIDTH, HEIGHT, BASELINE, MARGIN = 10, 20, 15, 10
"""Of a cell, in the picture's units; where letters stand in it; and what is left free around the screen."""
FONT = "Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Picture:
    """An SVG under way: styles become classes, so that each is written once, and the commonest ground is the page's."""

    def __init__(self, width: int, height: int, page: str) -> None:
        self.width, self.height, self.page = width, height, page
        self.classes: dict[str, str] = {}
        self.body: list[str] = []

    def css(self, declarations: str) -> str:
        return self.classes.setdefault(declarations, f"s{len(self.classes)}")

    def line(self, y: int, segments: list[Segment]) -> None:
        """Grounds first, then the letters of the line as one text, held to its cells whatever the font is like."""
        top, x = MARGIN + y * HEIGHT, 0
        words = []
        for text, style, _ in segments:
            cells = cell_len(text)
            front, ground = colours(style or Style())
            if ground != self.page:
                self.body.append(self.rect(ground, MARGIN + x * WIDTH, top, cells * WIDTH, HEIGHT))
            words.append(f'<tspan class="{self.css(front + attributes(style or Style()))}">{escape(text)}</tspan>')
            x += cells
        self.body.append(f'<text x="{MARGIN}" y="{top + BASELINE}" textLength="{x * WIDTH}">{"".join(words)}</text>')

    def rect(self, ground: str, x: int, y: int, width: int, height: int) -> str:
        return f'<rect class="{self.css(f"fill:{ground}")}" x="{x}" y="{y}" width="{width}" height="{height}"/>'

    def __str__(self) -> str:
        width, height = self.width * WIDTH + 2 * MARGIN, self.height * HEIGHT + 2 * MARGIN
        page = self.rect(self.page, 0, 0, width, height)
        styles = "".join(f".{name}{{{css}}}" for css, name in self.classes.items())
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">\n'
            f"<style>text{{font:16px {FONT};white-space:pre}}{styles}</style>\n"
        )
        return head + "\n".join([page, *self.body]) + "\n</svg>\n"


def colours(style: Style) -> tuple[str, str]:
    """The CSS of the letters' colour, and the ground's colour."""
    front, ground = style.color or Color.default(), style.bgcolor or Color.default()
    shown = [
        colour.get_truecolor(DEFAULT_TERMINAL_THEME, foreground=not i).hex for i, colour in enumerate((front, ground))
    ]
    if style.reverse:
        shown.reverse()
    return f"fill:{shown[0]}", shown[1]


def attributes(style: Style) -> str:
    css = ";font-weight:bold" if style.bold else ""
    css += ";font-style:italic" if style.italic else ""
    css += ";text-decoration:underline" if style.underline else ""
    return css + (";opacity:.6" if style.dim else "")


def picture_of(app: App[Any]) -> str:
    """What stands on the screen, as SVG."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens, simplify=True)
    lines = [[segment for strip in strips for segment in strip] for strips in update.strips]  # type: ignore[union-attr]
    grounds = Counter[str]()
    for text, style, _ in (segment for line in lines for segment in line):
        grounds[colours(style or Style())[1]] += cell_len(text)
    picture = Picture(app.size.width, app.size.height, max(grounds, key=lambda ground: grounds[ground]))
    for y, line in enumerate(lines):
        picture.line(y, line)
    return str(picture)


class Album:
    """Compares pictures with those that were looked at, and says at the end which are others."""

    def __init__(self, snapshot: Any) -> None:
        self._snapshot = snapshot
        self.others: list[str] = []

    def take(self, pilot: Pilot[Any], name: str) -> None:
        if not self._snapshot(name=name) == picture_of(pilot.app):  # noqa: SIM201  the comparison is what takes it
            self.others.append(name)

    async def at_all_sizes(self, pilot: Pilot[Any], name: str) -> None:
        """At each size in each theme; to change the theme takes as long as to change the size, so it is changed in turns."""
        themes = THEMES
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            for theme in themes:
                pilot.app.theme = theme
                await settle(pilot)
                self.take(pilot, f"{name}-{width}x{height}-{theme}")
            themes = themes[::-1]


@pytest.fixture
def album(snapshot: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Album]:
    """The pictures lie in `snapshots/`; `make snapshots` takes them again."""
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    taken = Album(snapshot.use_extension(pytest_textual_snapshot.SVGImageExtension))
    yield taken
    assert taken.others == [], "other pictures than before; `make snapshots` takes them again: look at them"
