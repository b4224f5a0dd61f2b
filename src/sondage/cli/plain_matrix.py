"""Owns the matrix of classes and members: its order, and how it reads as text, Markdown and CSV."""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sondage.cli.plain import counted, place, table
from sondage.cli.plain_classes import bare
from sondage.cli.plain_verdicts import wrapped
from sondage.core.answers.certainty import VerdictName
from sondage.core.answers.contracts import ClassReport, ContractItem, ContractReport, Verdict
from sondage.core.safe import one_line, path_text
from sondage.errors import UsageError

LETTERS: dict[VerdictName, str] = {
    "own": "o",
    "inherited": "i",
    "forwarded": "f",
    "assigned": "s",
    "instance": "n",
    "dynamic": "d",
    "unknown": "u",
    "held": "h",
    "abstract": "b",
    "absent": "a",
}
MET = {False: "✗", None: "?", True: "✓"}
_MET_WORDS = {False: "no", None: "undecided", True: "yes"}
_WORST_FIRST = ("✗", "!", "?", "✓")


def sign(verdict: Verdict) -> str:
    """The mark, or `!` where it is there and a recorded call does not fit."""
    return "!" if verdict.mark == "✓" and verdict.call_fits is False else verdict.mark


# ------------------------------------------------------------------ order


def in_order(report: ContractReport, column: str | None) -> ContractReport:
    """The rows by a column: `class`, `path`, `met` or a member; what fails comes first.

    None leaves them as they are. Raises `UsageError` for any other column.
    """
    if column is None:
        return report
    members = [item.member for item in report.contract.items]
    if column not in ("class", "path", "met", *members):
        near = difflib.get_close_matches(column, ("class", "path", "met", *members), n=1)
        hint = f"did you mean {near[0]}?" if near else "class, path, met or a member of the contract"
        raise UsageError("no such column to sort by", column, hint)

    def key(row: ClassReport) -> tuple[object, ...]:
        if column == "class":
            return (bare(row.class_), row.class_)
        if column == "path":
            return (row.path, row.line)
        if column == "met":
            return (_WORST_FIRST.index(MET[row.met]), row.path, row.line)
        verdict = row.items[members.index(column)]
        return (_WORST_FIRST.index(sign(verdict)), verdict.verdict, row.path, row.line)

    return replace(report, results=tuple(sorted(report.results, key=key)))


# ------------------------------------------------------------------ text


def matrix_lines(report: ContractReport) -> Iterator[str]:
    """Each member above its column, a row of marks for each class, how often each mark stands in each column."""
    if report.results:
        grid = [[MET[row.met], *map(_cell, row.items)] for row in report.results]
        heads = ["met", *(_head(item) for item in report.contract.items)]
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        yield from _stairs(heads, widths)
        rows = zip(report.results, table(grid), strict=True)
        yield from table((marks, bare(row.class_), _place(row)) for row, marks in rows)
        yield ""
        yield from _counts(report)
        yield ""
        yield from wrapped(_legend(report), "")
    yield _sum(report)


def _cell(verdict: Verdict) -> str:
    return sign(verdict) + LETTERS[verdict.verdict] + ("*" if verdict.doubtful else "")


def _head(item: ContractItem) -> str:
    return item.member if item.required == "required" else f"{item.member} (optional)"


def _stairs(heads: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The name of each column, one line each, with a line down to where the column begins."""
    for number, head in enumerate(heads):
        yield "".join("│".ljust(width + 2) for width in widths[:number]) + head


def _place(row: ClassReport) -> str:
    return place(row.path, row.line)


def _counts(report: ContractReport) -> Iterator[str]:
    columns = [("met", Counter(MET[row.met] for row in report.results))]
    for number, item in enumerate(report.contract.items):
        columns.append((item.member, Counter(sign(row.items[number]) for row in report.results)))
    signs = [one for one in ("✓", "!", "?", "✗") if one != "!" or any(counts["!"] for _, counts in columns)]
    widths = [max(len(f"{counts[one]:,}") for _, counts in columns) for one in signs]
    longest = max(len(name) for name, _ in columns)
    yield " " * longest + "".join(f"  {one.rjust(width)}" for one, width in zip(signs, widths, strict=True))
    for name, counts in columns:
        numbers = (f"  {counts[one]:>{width},}" for one, width in zip(signs, widths, strict=True))
        yield name.ljust(longest) + "".join(numbers)


def _legend(report: ContractReport) -> str:
    """What the letters in this matrix mean."""
    verdicts = [verdict for row in report.results for verdict in row.items]
    there = {verdict.verdict for verdict in verdicts}
    words = [f"{letter} {name}" for name, letter in LETTERS.items() if name in there]
    words += ["! a call does not fit"] * any(sign(verdict) == "!" for verdict in verdicts)
    words += ["* its body reads what was not found"] * any(verdict.doubtful for verdict in verdicts)
    return ", ".join(words)


def _sum(report: ContractReport) -> str:
    states = Counter(row.met for row in report.results)
    classes = counted(len(report.results), "class")
    return f"{classes}: {states[True]:,} met, {states[None]:,} undecided, {states[False]:,} not met"


# ------------------------------------------------------------------ Markdown and CSV


def markdown_lines(report: ContractReport) -> Iterator[str]:
    """A table as GitHub reads it."""
    heads = ["class", "where", "met", *(_code(item.member) for item in report.contract.items)]
    yield _markdown_row(heads)
    yield _markdown_row(["---"] * len(heads))
    for row in report.results:
        cells = [f"{sign(verdict)} {verdict.verdict}" + ("*" if verdict.doubtful else "") for verdict in row.items]
        yield _markdown_row([_code(bare(row.class_)), _code(_place(row)), MET[row.met], *cells])


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """A code span; text that would end one, or the cell, is escaped as prose instead."""
    shown = one_line(text)
    if not re.search(r"[`|]", shown):
        return f"`{shown}`" if shown else ""
    return re.sub(r"([\\`*_{}\[\]<>|#!])", r"\\\1", shown)


def csv_lines(report: ContractReport) -> Iterator[str]:
    """`class,path,line,met` and a column of verdicts for each member (RFC 4180, but for the line ends)."""
    yield _csv_row(["class", "path", "line", "met", *(item.member for item in report.contract.items)])
    for row in report.results:
        place_of = (row.class_, path_text(row.path), str(row.line), _MET_WORDS[row.met])
        yield _csv_row([*place_of, *(_csv_cell(verdict) for verdict in row.items)])


def _csv_cell(verdict: Verdict) -> str:
    besides = ["does not fit"] * (sign(verdict) == "!") + ["doubtful"] * verdict.doubtful
    return ", ".join([verdict.verdict, *besides])


def _csv_row(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([_no_formula(cell) for cell in cells])
    return out.getvalue()


def _no_formula(cell: str) -> str:
    """A file of the host may be called `=HYPERLINK(…)`: spreadsheets would run what begins like that."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t") else cell
