"""Owns what a line on the screen is made of before any colour: parts with roles, rows, columns that align, and cuts.

Widths are terminal cells. Texts are already safe to show (`core.safe`): whoever builds a row has seen to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len, set_cell_size

ELLIPSIS = "…"
LEAST_LEFT = 24
"""Cells that the left half of a row keeps before its right half is dropped."""
LEAST_EXTRA = 12
"""Cells that a part of a row's extra must have to say anything."""
ALL_LEFT = 1000
"""For rows whose right half is only shown where nothing of the left one is lost."""


class Part(msgspec.Struct, frozen=True):
    """Text of one role. A role names a meaning (`path`, `good`); the stylesheet gives it a colour."""

    text: str
    role: str = "text"

    @property
    def width(self) -> int:
        return cell_len(self.text)


class Row(msgspec.Struct, frozen=True):
    """One line of a list. `value` is what Enter acts on; a row without one is skipped by the cursor.

    `extra` stands after the left half where all three fit, and is left out where they do not.
    """

    left: tuple[Part, ...]
    right: tuple[Part, ...] = ()
    value: object = None
    extra: tuple[Part, ...] = ()
    least: int = LEAST_LEFT
    """Cells of the left half that are worth more than the right half."""
    cut_extra: bool = False
    """`extra` may also be shown in part."""

    @property
    def text(self) -> str:
        halves = ("".join(part.text for part in parts) for parts in ((*self.left, *self.extra), self.right))
        return "  ".join(filter(None, halves))


class Rows(Protocol):
    """A list of rows. One that is long makes them when they are looked at; what it knows of all is kept beside."""

    @property
    def stops(self) -> Sequence[int]:
        """The rows that have a value, ascending."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Row: ...

    def index_of(self, value: object) -> int | None:
        """The row of a value."""


class Listed:
    """Rows that are all there."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self.stops: Sequence[int] = [index for index, line in enumerate(self.rows) if line.value is not None]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int, /) -> Row:
        return self.rows[index]

    def index_of(self, value: object) -> int | None:
        return next((index for index in self.stops if self.rows[index].value == value), None)


def row(
    *parts: Part | str,
    right: Iterable[Part] = (),
    value: object = None,
    extra: Iterable[Part] = (),
    least: int = LEAST_LEFT,
    cut_extra: bool = False,
) -> Row:
    """A row from parts or plain strings."""
    left = tuple(Part(part) if isinstance(part, str) else part for part in parts)
    return Row(left, tuple(right), value, tuple(extra), least, cut_extra)


def with_keys(sentence: str, keys: Iterable[tuple[str, str]]) -> list[Row]:
    """What an empty list says: a sentence, and below it keys with what they do."""
    said = row(Part(sentence, "muted"))
    return [said, *(row("  ", Part(key, "accent"), Part("  " + what, "muted")) for key, what in keys)]


def key_row(*pairs: str) -> Row:
    """` Enter open  Esc close`: keys and what they do, in turn."""
    parts: list[Part] = []
    for key, what in zip(pairs[::2], pairs[1::2], strict=True):
        parts += [Part(f" {key}", "key"), Part(f" {what} ", "muted")]
    return row(*parts)


def width_of(parts: Iterable[Part]) -> int:
    return sum(part.width for part in parts)


def cut(text: str, width: int) -> str:
    """`text` in at most `width` cells, its end replaced by an ellipsis where it does not fit."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + ELLIPSIS


def cut_start(text: str, width: int) -> str:
    """As `cut`, but the end is kept: the file name of a path says more than its first folders."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    kept = text[-width:]
    while cell_len(kept) > width - 1:
        kept = kept[1:]
    return ELLIPSIS + kept


def cut_path(path: str, width: int) -> str:
    """As `cut_start`, at a `/` where one is near."""
    short = cut_start(path, width)
    if short == path:
        return path
    slash = short.find("/")
    return ELLIPSIS + short[slash:] if 0 < slash < len(short) - 1 and "/" in short[slash:] else short


def pad(text: str, width: int) -> str:
    """`text` in exactly `width` cells."""
    return set_cell_size(cut(text, width), width)


def cut_parts(parts: Sequence[Part], width: int) -> list[Part]:
    """The parts that fit in `width` cells, the last of them cut."""
    out: list[Part] = []
    room = width
    for part in parts:
        if part.width <= room:
            out.append(part)
            room -= part.width
            continue
        if room > 0:
            out.append(Part(cut(part.text, room), part.role))
        break
    return out


def fit(line: Row, width: int) -> list[Part]:
    """The parts of a row in exactly `width` cells: left, a gap, right; the right half goes first when it is narrow."""
    right = list(line.right)
    extra = _extra(line, width - width_of((*line.left, *right)) - 2)
    line = replace(line, left=(*line.left, *extra))
    if right and width_of(right) > max(0, width - min(line.least, width_of(line.left)) - 2):
        right = []
    room = width - width_of(right) - (2 if right else 0)
    left = cut_parts(line.left, max(0, room))
    gap = width - width_of(left) - width_of(right)
    return [*left, Part(" " * max(0, gap)), *right]


def _extra(line: Row, room: int) -> list[Part]:
    """What is shown of a row's extra parts in some cells."""
    if width_of(line.extra) <= room:
        return list(line.extra)
    return cut_parts(line.extra, room) if line.cut_extra and room >= LEAST_EXTRA else []


def column(texts: Iterable[str], most: int) -> int:
    """The width of a column that holds all texts, and at most `most` cells."""
    return min(most, max((cell_len(text) for text in texts), default=0))


def counted(number: int, one: str, many: str = "") -> str:
    """`1 hit`, `2 hits`, `1,404 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Words on lines of at most `width` cells; a word that is longer is broken. Further lines begin with `indent`."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line.strip() else line + word
        if cell_len(candidate) <= width or not line.strip():
            line = candidate
        else:
            lines.append(line)
            line = indent + word
        while cell_len(line) > width > len(indent) + 1:
            head = set_cell_size(line, width)
            lines.append(head)
            line = indent + line[len(head.rstrip()) :]
    return [*lines, line] if line.strip() or not lines else lines


def nearest(stops: Sequence[int], at: int) -> int:
    """The last of the sorted `stops` at or before `at`, else the first; 0 where there is none."""
    if not stops:
        return 0
    return stops[max(0, bisect_right(stops, at) - 1)]


def moved(stops: Sequence[int], at: int, by: int) -> int:
    """`by` stops on from `at`, held at both ends."""
    if not stops:
        return 0
    index = max(0, bisect_right(stops, at) - 1) + by
    return stops[max(0, min(len(stops) - 1, index))]
