"""Owns long lines broken over several rows: which row of the screen shows which part of which line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

from rich.cells import cell_len

MOST_LINES = 20_000
"""Lines of a file that is wrapped: all of them have to be measured first."""


def cuts(text: str, width: int) -> list[int]:
    """The cells at which the rows of a text begin, 0 first; no row is wider than `width`, and no character is cut."""
    if text.isascii():
        return list(range(0, max(1, len(text)), width))
    starts, cell = [0], 0
    for character in text:
        wide = cell_len(character)
        if cell + wide - starts[-1] > width and cell > starts[-1]:
            starts.append(cell)
        cell += wide
    return starts


class Wrapping:
    """The rows of all lines of a file at one width. `texts` are the lines as they are shown."""

    def __init__(self, texts: Iterable[str], width: int) -> None:
        self.width = max(1, width)
        self._first = [0, *accumulate(len(cuts(text, self.width)) for text in texts)]

    @property
    def rows(self) -> int:
        return self._first[-1]

    def row_of(self, index: int) -> int:
        """The first row of a line; lines and rows count from 0."""
        return self._first[min(index, len(self._first) - 1)]

    def at(self, row: int) -> tuple[int, int]:
        """The line that a row shows, and which of its rows it is."""
        index = bisect_right(self._first, row) - 1
        return index, row - self._first[index]
