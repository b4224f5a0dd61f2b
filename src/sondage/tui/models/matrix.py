"""Owns the matrix as the screen shows it: classes by items, in an order, narrowed, and cut to the columns that fit.

Column 0 is the class, 1 whether it meets the contract, the items follow.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

import msgspec
from msgspec.structs import replace

from sondage.core.answers.contracts import ClassReport, ContractReport, Verdict
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.contract import ORDER_OF_MARK, ROLE_OF_MARK, sign, word
from sondage.tui.models.rows import Part, column, counted, cut, pad

CLASS, MET, FIRST_ITEM = 0, 1, 2
MET_WORDS = {True: "yes", None: "undecided", False: "no"}
_MET_MARKS = {True: "✓", None: "?", False: "✗"}
_WORST_FIRST = (False, None, True)
_SIGNS = ("✓", "!", "?", "✗")
GAP = 2
MOST_CLASS, LEAST_CLASS = 44, 16
MOST_ITEM, LEAST_ITEM = 28, 4
"""Cells of an item's column; the least hold the mark with its doubts."""
LEAST_WORD = 9
"""Cells that a column must have to say the verdict in words."""


class Grid(msgspec.Struct, frozen=True, dict=True):
    """A report with the order and the filter it is looked at. `by` is the column it is sorted by."""

    report: ContractReport
    selector: str
    by: int = -1
    """-1: as the selector gave them."""
    turned: bool = False
    query: str = ""
    whole: bool = True
    """Whether all files had been read when it was asked."""
    _text: dict[str, str] = msgspec.field(default_factory=dict)
    _sizes: dict[int, list[int]] = msgspec.field(default_factory=dict)

    # ------------------------------------------------------------ rows

    @cached_property
    def rows(self) -> tuple[ClassReport, ...]:
        """The classes that hold all words of the filter, in order."""
        words = self.query.lower().split()
        kept = [result for result in self.report.results if all(word in self._haystack(result) for word in words)]
        if self.by >= 0:
            kept.sort(key=self._key, reverse=self.turned)
        return tuple(kept)

    def _haystack(self, result: ClassReport) -> str:
        """What the filter looks at: class, path, `met:no`, `member:verdict`."""
        known = self._text.get(result.class_)
        if known is None:
            cells = " ".join(f"{verdict.member}:{word(verdict)}" for verdict in result.items)
            known = f"{result.class_} {result.path} met:{MET_WORDS[result.met]} {cells}".lower()
            self._text[result.class_] = known
        return known

    def _key(self, result: ClassReport) -> tuple[object, ...]:
        where = (result.path, result.line)
        if self.by == CLASS:
            return (short(result.class_).lower(), *where)
        if self.by == MET:
            return (_WORST_FIRST.index(result.met), *where)
        verdict = result.items[self.by - FIRST_ITEM]
        return (ORDER_OF_MARK[sign(verdict)], verdict.verdict, not verdict.doubtful, *where)

    def sorted_by(self, by: int) -> Grid:
        """By another column; by the same one once more, turned round."""
        return replace(self, by=by, turned=by == self.by and not self.turned)

    def narrowed(self, query: str) -> Grid:
        return replace(self, query=query)

    # ------------------------------------------------------------ columns

    @property
    def columns(self) -> int:
        return FIRST_ITEM + len(self.report.contract.items)

    def head(self, index: int) -> str:
        """What a column is called."""
        return (
            ("class", "met")[index]
            if index < FIRST_ITEM
            else one_line(self.report.contract.items[index - FIRST_ITEM].member)
        )

    def verdict(self, row: int, index: int) -> Verdict | None:
        """Of a cell; None in the first two columns."""
        return self.rows[row].items[index - FIRST_ITEM] if index >= FIRST_ITEM and row < len(self.rows) else None

    def widths(self, width: int) -> list[int]:
        """Cells of every column: names in full where they fit, else as much of them as there is room for."""
        if width not in self._sizes:
            self._sizes[width] = self._measured(width)
        return self._sizes[width]

    def _measured(self, width: int) -> list[int]:
        names = column((short(result.class_) for result in self.report.results), MOST_CLASS)
        first = max(LEAST_CLASS, min(names, max(LEAST_CLASS, width * 2 // 5)))
        wanted = [
            min(MOST_ITEM, max(LEAST_WORD + 5, len(self.head(index)))) for index in range(FIRST_ITEM, self.columns)
        ]
        room = width - first - 3 - GAP - GAP * len(wanted)
        if sum(wanted) > room and wanted:
            each = max(LEAST_ITEM, room // len(wanted))
            wanted = [min(size, each) for size in wanted]
        return [first, 3, *wanted]

    def visible(self, width: int, first: int) -> list[tuple[int, int]]:
        """(column, cells) of what fits: the class always, the others from column `first` on."""
        sizes = self.widths(width)
        out, room = [(CLASS, sizes[CLASS])], width - sizes[CLASS]
        for index in range(max(1, first), self.columns):
            room -= sizes[index] + GAP
            if room < 0:
                break
            out.append((index, sizes[index]))
        return out

    def first_for(self, width: int, first: int, current: int) -> int:
        """The first column to be shown so that the current one is, moving as little as can be."""
        if current == CLASS:
            return 1
        first = min(first, current)
        while first < current and current not in (index for index, _ in self.visible(width, first)):
            first += 1
        return first

    # ------------------------------------------------------------ lines

    def head_parts(self, width: int, first: int, current: int) -> list[Part]:
        out: list[Part] = []
        for index, size in self.visible(width, first):
            arrow = ("▴" if self.turned else "▾") if index == self.by else ""
            name = pad(cut(self.head(index), size - len(arrow)) + arrow, size)
            out += [Part(name, "tab" if index == current else "heading"), Part(" " * GAP)]
        return out

    def row_parts(self, row: int, width: int, first: int, current: int) -> list[Part]:
        """One class; `current` is the column of the cursor where it stands on this row, else -1."""
        result = self.rows[row]
        out: list[Part] = []
        for index, size in self.visible(width, first):
            cell = self._cell(result, index, size)
            out += [Part(part.text, "caret") for part in cell] if index == current else cell
            out.append(Part(" " * GAP))
        place = place_text(result.path, result.line)
        used = sum(part.width for part in out)
        return [*out, Part(place, "path")] if used + len(place) <= width else out

    @staticmethod
    def _cell(result: ClassReport, index: int, size: int) -> list[Part]:
        if index == CLASS:
            return [Part(pad(short(result.class_), size), "name")]
        if index == MET:
            mark = _MET_MARKS[result.met]
            return [Part(pad(mark, size), ROLE_OF_MARK[mark])]
        verdict = result.items[index - FIRST_ITEM]
        mark = sign(verdict)
        possible = "?" if verdict.certainty == "possible" and mark != "?" else " "
        doubt = "*" if verdict.doubtful else " "
        said = f" {verdict.verdict}" if size >= LEAST_WORD else ""
        role = "warn" if verdict.doubtful else ROLE_OF_MARK[mark]
        return [
            Part(mark, ROLE_OF_MARK[mark]),
            Part(possible, "doubt"),
            Part(doubt, "warn"),
            Part(pad(said, size - 3), role),
        ]

    # ------------------------------------------------------------ sentences

    @property
    def counted(self) -> str:
        """`239 classes: 61 met, 20 undecided, 158 not met`."""
        states = Counter(result.met for result in self.report.results)
        classes = counted(len(self.report.results), "class", "classes")
        said = f"{classes}: {states[True]:,} met, {states[None]:,} undecided, {states[False]:,} not met"
        return said if self.whole else said + ", while the index grew"

    def told(self, row: int, index: int) -> list[Part]:
        """What the cell under the cursor is, in words: for a column how often each mark stands in it."""
        if row >= len(self.rows):
            return [Part("─ no class of that kind", "muted")]
        result, verdict = self.rows[row], self.verdict(row, index)
        out = [Part("─ ", "muted"), Part(short(result.class_), "name")]
        if verdict is None:
            return [*out, Part(f" · {place_text(result.path, result.line)} · met: {MET_WORDS[result.met]}", "muted")]
        counts = Counter(sign(each.items[index - FIRST_ITEM]) for each in self.report.results)
        optional = " (optional)" if verdict.required == "optional" else ""
        tally = "  ".join(f"{mark} {counts[mark]:,}" for mark in _SIGNS if counts[mark])
        return [*out, Part(" · ", "muted"), Part(self.head(index) + optional, "accent"), Part(f"   {tally}", "muted")]
