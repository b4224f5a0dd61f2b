"""Owns the second wall before the terminal: whatever slipped past `core.safe` is taken out of the finished lines.

Text that a user pastes into a prompt comes this way too; there is no first wall for it.
"""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from sondage.core.late import late_pattern

_DANGEROUS = late_pattern("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Controls, bidirectional controls and surrogates: all but the last take no cell, so that taking them out keeps columns."""


class Wall(LineFilter):
    """Drops dangerous characters from every line of every widget."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isprintable() for segment in segments):
            return segments  # nearly every line: nothing dangerous is printable
        return [Segment(_harmless(text), style, control) for text, style, control in segments]


class InTurn(LineFilter):
    """Several filters as one: Textual makes a line anew for each filter that it knows."""

    def __init__(self, filters: tuple[LineFilter, ...]) -> None:
        super().__init__()
        self.filters = filters

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for line_filter in self.filters:
            segments = line_filter.apply(segments, background)
        return segments


@lru_cache(maxsize=8)
def in_turn(*filters: LineFilter) -> InTurn:
    """The same one for the same filters: lines know by it that they went through them."""
    return InTurn(filters)


def _harmless(text: str) -> str:
    return _DANGEROUS.sub(lambda match: "?" if match[0] >= "\ud800" else "", text)
