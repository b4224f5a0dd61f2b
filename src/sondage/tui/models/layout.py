"""Owns the decision which panes are on the screen: by the size of the window, the zoom, and where the user is."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

PANES = ("search", "classes", "source", "contract", "log")
Shape = Literal["small", "one", "two", "three"]

LEAST_WIDTH, LEAST_HEIGHT = 30, 8
"""Below this a list cannot be read, and Textual's own widgets fail: a notice takes the window."""
TWO_WIDTH, THREE_WIDTH = 100, 140
TWO_HEIGHT = 24
"""Two panes above each other need this many rows."""


def shape_of(width: int, height: int) -> Shape:
    """How many columns of panes a window of this size (in cells) holds."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return "small"
    if width < TWO_WIDTH or height < TWO_HEIGHT:
        return "one"
    return "two" if width < THREE_WIDTH else "three"


class Arrangement(msgspec.Struct, frozen=True):
    """Where the user is: the active pane, and which pane last held the left column and the strip below Source."""

    active: str = "search"
    left: str = "search"
    strip: str = "contract"
    zoomed: bool = False

    def entered(self, pane: str) -> Arrangement:
        """After going to a pane."""
        return Arrangement(
            active=pane,
            left=pane if pane in ("search", "classes") else self.left,
            strip=pane if pane in ("contract", "log") else self.strip,
            zoomed=self.zoomed,
        )

    def zoomed_or_not(self) -> Arrangement:
        return replace(self, zoomed=not self.zoomed)

    def shown(self, shape: Shape) -> tuple[str, ...]:
        """The panes on the screen, in the order of their numbers."""
        if shape == "three" and not self.zoomed:
            return PANES
        if shape == "two" and not self.zoomed:
            return tuple(pane for pane in PANES if pane in (self.left, "source", self.strip))
        return (self.active,)
