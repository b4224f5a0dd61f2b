"""Owns the list of places the search pane shows: hits of a pattern or callers, grouped, and the words for finding none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from sondage.core.answers import CallersAnswer, SearchAnswer
from sondage.core.safe import one_line, show_line
from sondage.tui.models.rows import ALL_LEFT, Part, Row, column, counted, cut_start, row, with_keys

Spans = Callable[[str], Sequence[tuple[int, int]]]
"""Where a line matches: code points from 0, the end not included."""


BEGINNINGS = (
    ("/", "type a pattern, Enter searches"),
    ("p", "go to a symbol, file or class by a few letters"),
    ("?", "all keys that work here"),
)


@dataclass(frozen=True)
class Filters:
    """What narrows a search, as the prompt has it. `globs` are separated by spaces there."""

    fixed: bool = False
    ignore_case: bool = False
    globs: tuple[str, ...] = ()

    def named(self) -> str:
        """The filters that are on, in words; empty when none is."""
        words = []
        if self.globs:
            words.append("only files of " + " ".join(one_line(glob) for glob in self.globs))
        if not self.ignore_case:
            words.append("upper and lower case differ")
        if self.fixed:
            words.append("plain text, no pattern")
        return " · ".join(words)


@dataclass(frozen=True)
class Spot:
    """One place of the list. `sign` is `?` where it is only possible; `why` says what led to it."""

    path: str
    line: int
    column: int
    text: str
    symbol: str
    sign: str = ""
    why: str = ""


@dataclass(frozen=True)
class Spots:
    """A list of places with the sentence that stands above it."""

    title: str
    spots: tuple[Spot, ...]
    total: int
    files: int
    notes: tuple[str, ...] = ()
    is_search: bool = True
    """False for a list that does not come from the prompt."""

    @property
    def counted(self) -> str:
        """`10 hits in 9 files`, or how many of them are listed."""
        text = f"{counted(self.total, 'hit')} in {counted(self.files, 'file')}"
        return text if len(self.spots) == self.total else f"first {len(self.spots):,} of {text}"


def spots_of_search(answer: SearchAnswer) -> Spots:
    spots = tuple(Spot(hit.path, hit.line, hit.column, hit.text, hit.symbol) for hit in answer.hits)
    notes: tuple[str, ...] = ()
    if answer.unsearched:
        notes = (f"{counted(len(answer.unsearched), 'file')} could not be looked at",)
    return Spots(answer.pattern, spots, answer.total, answer.files, notes)


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


@dataclass(frozen=True)
class Grouped:
    """How the list is cut into groups."""

    by_class: bool = False
    hidden: frozenset[str] = frozenset()

    def rows(self, found: Spots, spans: Spans | None = None) -> SpotRows:
        """A heading for each group, then its places; notes at the end."""
        kept = [spot for spot in found.spots if spot.path not in self.hidden]
        places = column((_place(spot, self.by_class) for spot in kept), 30)
        lines: list[Row | Spot] = []
        for name, group in groupby(self._sorted(kept), key=self._key):
            members = list(group)
            lines.append(_heading(name, len(members), self.by_class))
            lines.extend(members)
        if self.hidden:
            lines.append(row(Part(f"  {counted(len(self.hidden), 'file')} hidden, o shows all", "muted")))
        lines.extend(row(Part("  ? " + note, "doubt")) for note in found.notes)
        return SpotRows(lines, spans, places, self.by_class)

    def _key(self, spot: Spot) -> str:
        return spot.symbol.split(".")[0] if self.by_class else spot.path

    def _sorted(self, spots: list[Spot]) -> Iterable[Spot]:
        return sorted(spots, key=self._key) if self.by_class else spots


class SpotRows:
    """The list as `Rows`: thousands of places, of which only those on the screen are ever made into rows."""

    def __init__(self, lines: list[Row | Spot], spans: Spans | None, places: int, with_file: bool) -> None:
        self.lines = lines
        self.spans = spans
        self.places = places
        self.with_file = with_file
        self.stops: Sequence[int] = [index for index, line in enumerate(lines) if isinstance(line, Spot)]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int, /) -> Row:
        line = self.lines[index]
        if isinstance(line, Row):
            return line
        return _spot_row(line, self.spans, _place(line, self.with_file).rjust(self.places))

    def index_of(self, value: object) -> int | None:
        return self.lines.index(value) if isinstance(value, Spot) and value in self.lines else None


def _heading(name: str, number: int, by_class: bool) -> Row:
    count = [Part(str(number), "muted")]
    if by_class:
        return row(Part(one_line(name) or "module level", "heading"), right=count)
    folder, _, file = one_line(name).rpartition("/")
    return row(Part(file, "heading"), Part("  " + folder if folder else "", "muted"), right=count)


def _place(spot: Spot, with_file: bool) -> str:
    """The line number, in a list that is not cut by files with the file's name before it."""
    return f"{cut_start(one_line(spot.path.rpartition('/')[2]), 24)}:{spot.line}" if with_file else f"{spot.line}"


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


def rows_for_nothing(pattern: str, filters: Filters, searched: int) -> list[Row]:
    """What to say, and what to press, when nothing was found."""
    out = [
        row(
            Part("No line matches ", "text"),
            Part(one_line(pattern), "name"),
            Part(f" in {counted(searched, 'file')}", "text"),
        ),
    ]
    named = filters.named()
    if named:
        out.append(row(Part("Filters: ", "muted"), Part(named, "doubt")))
    keys = [("^G", "clear or change the glob")] if filters.globs else []
    keys += [("^T", "ignore case")] if not filters.ignore_case else []
    keys += [("^R", "read it as a pattern")] if filters.fixed else []
    out.extend(row("  ", Part(key, "accent"), Part("  " + what, "muted")) for key, what in keys)
    return out


def rows_to_begin() -> list[Row]:
    """What stands in the list before the first search."""
    return with_keys("Nothing searched yet.", BEGINNINGS)
