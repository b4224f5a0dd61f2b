"""Owns what the source pane knows about one file: its lines as shown, names to stand on, definitions, and the frame."""

from __future__ import annotations

import keyword
import re
from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from sondage.core.late import late_pattern

_NAME = late_pattern(r"[^\W\d]\w*")
_CALL = late_pattern(r"\s*\(")
_CHAIN_BEFORE = late_pattern(r"(?<![\w.])[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*$")
_DEFINES = late_pattern(r"\b(?:def|class)\s+$")


class NameSpan(msgspec.Struct, frozen=True):
    """A name on a line. `start` and `end` count code points from 0; `kind` says what the line does with it."""

    start: int
    end: int
    kind: str


def names_on(line: str) -> list[NameSpan]:
    """The identifiers of a line, keywords left out: `call` where a parenthesis follows, `definition` after def or class."""
    found = []
    for match in _NAME.finditer(line):
        if keyword.iskeyword(match[0]):
            continue
        found.append(NameSpan(match.start(), match.end(), _kind(line, match)))
    return found


def _kind(line: str, name: re.Match[str]) -> str:
    if _DEFINES.search(line, 0, name.start()):
        return "definition"
    return "call" if _CALL.match(line, name.end()) else "name"


def receiver_at(line: str, name: NameSpan) -> str:
    """The expression up to a name, `self.worker.model`; of a member that is called, what it is called on.

    Empty where there is none but `self` alone.
    """
    chain = _CHAIN_BEFORE.search(line, 0, name.end)
    written = chain[0] if chain is not None else line[name.start : name.end]
    if name.kind == "call":
        written = written.rpartition(".")[0]
    return "" if written in ("self", "cls") else "".join(written.split())


def first_stop(names: Sequence[NameSpan]) -> int:
    """The name the caret takes when it comes to a line: what is defined there, else the first call, else the first name."""
    for kind in ("definition", "call"):
        for index, name in enumerate(names):
            if name.kind == kind:
                return index
    return 0


class Definition(msgspec.Struct, frozen=True):
    """A class or function of the file, lines from 1. `is_class` tells them apart."""

    qualname: str
    line: int
    first_line: int
    last_line: int
    is_class: bool


class Outline(msgspec.Struct, frozen=True):
    """All definitions of a file, in source order."""

    definitions: tuple[Definition, ...] = ()

    def around(self, line: int) -> Definition | None:
        """The innermost definition that holds a line."""
        holding = [d for d in self.definitions if d.first_line <= line <= d.last_line]
        return max(holding, key=lambda d: d.first_line, default=None)

    def class_around(self, line: int) -> Definition | None:
        holding = [d for d in self.definitions if d.is_class and d.first_line <= line <= d.last_line]
        return max(holding, key=lambda d: d.first_line, default=None)

    def near(self, line: int, direction: int) -> Definition | None:
        """The next definition below (1) or above (-1) a line."""
        starts = [d.line for d in self.definitions]
        index = bisect_right(starts, line) if direction > 0 else bisect_right(starts, line - 1) - 1
        return self.definitions[index] if 0 <= index < len(starts) else None


class Frame(msgspec.Struct, frozen=True):
    """A range of lines, from 1, both included, that the user wants to read."""

    first: int
    last: int

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last

    def grown(self, by: int, total: int) -> Frame:
        """Wider (or narrower) by some lines on both sides, within the file, at least one line."""
        first = max(1, self.first - by)
        last = min(total, self.last + by)
        return Frame(first, last) if first <= last else self

    def named(self, total: int) -> str:
        """`2944-2960 of 2,986`."""
        span = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        return f"{span} of {total:,}"


class Place(msgspec.Struct, eq=False):
    """Where one stands: for the jump list. `last` of 0 means no frame was set; `column` from 1.

    Two are equal where their positions are, whatever symbol is said to stand there.
    """

    path: str
    line: int
    column: int = 1
    last: int = 0
    symbol: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self._position == other._position

    def __hash__(self) -> int:
        return hash(self._position)

    @property
    def _position(self) -> tuple[str, int, int, int]:
        return self.path, self.line, self.column, self.last

    @property
    def span(self) -> tuple[int, int]:
        """First and last line."""
        return self.line, max(self.line, self.last)

    @property
    def spec(self) -> str:
        """`path:line`, or `path:first-last` where a range is framed."""
        first, last = self.span
        return f"{self.path}:{first}-{last}" if last > first else f"{self.path}:{first}"
