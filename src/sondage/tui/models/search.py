"""Owns the list of places the search pane shows: hits of a pattern or callers, under their files or classes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby
from typing import Any, NamedTuple, TypeAlias

import msgspec

from sondage.core.answers.calls import CallersAnswer
from sondage.core.answers.text import Hit, Hits, SearchAnswer
from sondage.core.safe import one_line, show_line
from sondage.tui.models.asking import SHOW_HIDDEN
from sondage.tui.models.rows import ALL_LEFT, Part, Row, column, counted, cut_start, row

Spans = Callable[[str], Sequence[tuple[int, int]]]
"""Where a line matches: code points from 0, the end not included."""


class Spot(msgspec.Struct, frozen=True):
    """One place of the list. `sign` is `?` where it is only possible; `why` says what led to it."""

    path: str
    line: int
    column: int
    text: str
    symbol: str
    sign: str = ""
    why: str = ""

    @classmethod
    def of(cls, found: Found) -> Spot:
        return found if isinstance(found, Spot) else cls(found.path, found.line, found.column, found.text, found.symbol)


Found: TypeAlias = Spot | Hit
"""A hit becomes a place of the list when it is looked at: there may be tens of thousands."""


class Spots(msgspec.Struct, frozen=True, dict=True):
    """A list of places with the sentence that stands above it."""

    title: str
    spots: Sequence[Found]
    total: int
    files: int
    notes: tuple[str, ...] = ()
    is_search: bool = True
    """False for a list that does not come from the prompt."""
    goes_on: bool = False
    """True while the search has not seen all files."""

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(one.path for one in (self.spots.files if isinstance(self.spots, Hits) else self.spots))

    @property
    def counted(self) -> str:
        """`10 hits in 9 files`, or how many of them are listed."""
        text = f"{counted(self.total, 'hit')} in {counted(self.files, 'file')}"
        if self.goes_on:
            return f"{text} so far"
        return text if len(self.spots) == self.total else f"first {len(self.spots):,} of {text}"


def spots_of_search(answer: SearchAnswer, *, goes_on: bool = False) -> Spots:
    notes: tuple[str, ...] = ()
    if answer.unsearched:
        notes = (f"{counted(len(answer.unsearched), 'file')} could not be looked at",)
    return Spots(answer.pattern, answer.hits, answer.total, answer.files, notes, goes_on=goes_on)


def spots_of_callers(answer: CallersAnswer) -> Spots:
    spots = tuple(
        Spot(r.path, r.line, r.column, r.text, r.symbol, "?" if r.certainty == "possible" else "", "; ".join(r.why))
        for r in answer.rows
    )
    notes: tuple[str, ...] = ()
    if answer.unresolved:
        notes = (f"{counted(answer.unresolved, 'more call')} of this name: the receiver is not known",)
    return Spots(
        f"callers of {answer.of}", spots, len(spots), len({spot.path for spot in spots}), notes, is_search=False
    )


class Grouped(msgspec.Struct, frozen=True):
    """How the list is cut into groups."""

    by_class: bool = False
    hidden: frozenset[str] = frozenset()

    def rows(self, found: Spots, spans: Spans | None = None) -> SpotRows:
        """A heading for each group, then its places; notes at the end."""
        kept = _without(found.spots, self.hidden) if self.hidden else found.spots
        below = []
        if self.hidden:
            hidden = f"  {counted(len(self.hidden), 'file')} hidden: Enter here shows all"
            below.append(row(Part(hidden, "muted"), value=SHOW_HIDDEN))
        below += (row(Part("  ? " + note, "doubt")) for note in found.notes)
        shown, sizes = _by_class(kept) if self.by_class else (kept, _by_file(kept))
        return SpotRows(shown, sizes, self._key, below, spans, self.by_class)

    def _key(self, spot: Found) -> str:
        return spot.symbol.partition(".")[0] if self.by_class else spot.path


class _Group(NamedTuple):
    """Places under one heading: from `first` on, in the order shown, and the row of the heading."""

    name: str
    first: int
    size: int
    row: int


class SpotRows:
    """The list as `Rows`: thousands of places, of which only those on the screen are ever made into rows."""

    def __init__(
        self,
        spots: Sequence[Found],
        sizes: Iterable[tuple[str, int]],
        key: Callable[[Found], str],
        below: Sequence[Row],
        spans: Spans | None,
        by_class: bool,
    ) -> None:
        self.spots = spots
        self.key = key
        self.below = below
        self.spans = spans
        self.by_class = by_class
        self.groups: list[_Group] = []
        first = 0
        for number, (name, size) in enumerate(sizes):
            self.groups.append(_Group(name, first, size, first + number))
            first += size
        self._rows = [group.row for group in self.groups]
        self.stops: Sequence[int] = SpotStops(self)

    def __len__(self) -> int:
        return len(self.spots) + len(self.groups) + len(self.below)

    def __getitem__(self, index: int, /) -> Row:
        if index >= len(self) - len(self.below):
            return self.below[index - len(self)]
        number = bisect_right(self._rows, index) - 1
        group = self.groups[number]
        if index == group.row:
            return _heading(group.name, group.size, self.by_class)
        spot = Spot.of(self.spots[index - number - 1])
        return _spot_row(spot, self.spans, _place(spot.path, spot.line, self.by_class).rjust(self._width))

    @cached_property
    def _width(self) -> int:
        """Cells of the column of line numbers."""
        return column((_place(path, line, self.by_class) for path, line in _last_lines(self.spots)), 30)

    def row_of(self, number: int) -> int:
        """The row of a place, by its number in the order shown."""
        return number + bisect_right(self.groups, number, key=lambda group: group.first)

    def index_of(self, value: object) -> int | None:
        if isinstance(value, Spot):
            return next(
                (index for group in self._named.get(self.key(value), ()) for index in self._in(group, value)), None
            )
        return next((len(self) - len(self.below) + n for n, one in enumerate(self.below) if one.value == value), None)

    @cached_property
    def _named(self) -> dict[str, list[_Group]]:
        named: dict[str, list[_Group]] = {}
        for group in self.groups:
            named.setdefault(group.name, []).append(group)
        return named

    def _in(self, group: _Group, value: Spot) -> Iterator[int]:
        for number in range(group.first, group.first + group.size):
            spot = self.spots[number]
            if spot.line == value.line and Spot.of(spot) == value:
                yield self.row_of(number)


class SpotStops(Sequence[int]):
    """The rows of the places, and of what is offered below them; worked out when they are asked for."""

    def __init__(self, rows: SpotRows) -> None:
        self.rows = rows
        self.offers = [len(rows) - len(rows.below) + n for n, one in enumerate(rows.below) if one.value is not None]

    def __len__(self) -> int:
        return len(self.rows.spots) + len(self.offers)

    def __getitem__(self, index: Any, /) -> Any:
        number = range(len(self))[index]
        return self.rows.row_of(number) if number < len(self.rows.spots) else self.offers[number - len(self.rows.spots)]

    def __contains__(self, row: object) -> bool:
        return isinstance(row, int) and 0 <= row < len(self.rows) and self.rows[row].value is not None


def _without(spots: Sequence[Found], hidden: frozenset[str]) -> Sequence[Found]:
    """The places in all files but the hidden ones."""
    return spots.without(hidden) if isinstance(spots, Hits) else [one for one in spots if one.path not in hidden]


def _by_file(spots: Sequence[Found]) -> Iterable[tuple[str, int]]:
    """The files that follow one another, with the number of places in each."""
    if isinstance(spots, Hits):
        return [(file.path, len(file)) for file in spots.files]
    return _sizes(spot.path for spot in spots)


def _by_class(spots: Sequence[Found]) -> tuple[Sequence[Found], Iterable[tuple[str, int]]]:
    """The places in the order of the classes they stand in, and the number in each class."""
    symbols = chain.from_iterable(file.symbols for file in spots.files) if isinstance(spots, Hits) else None
    names = [symbol.partition(".")[0] for symbol in symbols or (spot.symbol for spot in spots)]
    order = sorted(range(len(spots)), key=names.__getitem__)
    return _InOrder(spots, order), _sizes(names[number] for number in order)


def _sizes(names: Iterable[str]) -> Iterable[tuple[str, int]]:
    return [(name, sum(1 for _ in members)) for name, members in groupby(names)]


def _last_lines(spots: Sequence[Found]) -> Iterable[tuple[str, int]]:
    """Paths with lines, of each file at least the last."""
    if isinstance(spots, _InOrder):
        return _last_lines(spots.spots)
    if isinstance(spots, Hits):
        return ((file.path, file.last_line) for file in spots.files)
    return ((spot.path, spot.line) for spot in spots)


class _InOrder(Sequence[Found]):
    """Places in another order than their own."""

    def __init__(self, spots: Sequence[Found], order: Sequence[int]) -> None:
        self.spots = spots
        self.order = order

    def __len__(self) -> int:
        return len(self.order)

    def __getitem__(self, index: Any, /) -> Any:
        return self.spots[self.order[index]]


def _heading(name: str, number: int, by_class: bool) -> Row:
    count = [Part(str(number), "muted")]
    if by_class:
        return row(Part(one_line(name) or "module level", "heading"), right=count)
    folder, _, file = one_line(name).rpartition("/")
    return row(Part(file, "heading"), Part("  " + folder if folder else "", "muted"), right=count)


def _place(path: str, line: int, with_file: bool) -> str:
    """The line number, in a list that is not cut by files with the file's name before it."""
    return f"{cut_start(one_line(path.rpartition('/')[2]), 24)}:{line}" if with_file else f"{line}"


def _spot_row(spot: Spot, spans: Spans | None, place: str) -> Row:
    sign = Part("? " if spot.sign else "  ", "doubt")
    symbol = [Part(cut_start(one_line(_around(spot)), 36), "name")] if spot.symbol else []
    return row(
        sign,
        Part(place, "number"),
        "  ",
        *highlighted(spot.text, spans),
        right=symbol,
        least=ALL_LEFT,
        value=spot,
    )


def _around(spot: Spot) -> str:
    """What the line stands in: of a definition what is around it, its own name stands in the line."""
    around, _, name = spot.symbol.rpartition(".")
    return around if re.match(rf"\s*(?:async\s+def|def|class)\s+{re.escape(name)}\b", spot.text) else spot.symbol


def highlighted(text: str, spans: Spans | None) -> list[Part]:
    """A line without its indentation, the matches in a role of their own."""
    line = show_line(text, tab_size=4)
    done = len(line.text) - len(line.text.lstrip())
    parts: list[Part] = []
    for start, end in spans(text) if spans else ():
        first, last = max(done, line.shown_column(start)), line.shown_column(end)
        if first < last:
            parts += (Part(line.text[done:first]), Part(line.text[first:last], "match"))
            done = last
    return [part for part in [*parts, Part(line.text[done:])] if part.text]
