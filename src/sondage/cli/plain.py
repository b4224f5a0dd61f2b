"""Owns how answers about text and the index read as plain lines; stable, so that scripts may cut them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sondage.core.answers.index import IndexSummary
from sondage.core.answers.text import Excerpt, Hit, SymbolRow
from sondage.core.safe import path_text


def place(path: str, line: int) -> str:
    """`path:line`, or nothing where there is no place."""
    return f"{path_text(path)}:{line}" if path else ""


def table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Columns aligned, two blanks between, no blanks at the end of a line."""
    rows = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def counted(number: int, noun: str) -> str:
    """`1 file`, `1,404 files`, `3,512 classes`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "es" if noun.endswith("s") else "s")


def hit_lines(hits: Iterable[Hit]) -> Iterator[str]:
    """`path:line:column:text`, as grep prints it."""
    return (f"{path_text(hit.path)}:{hit.line}:{hit.column}:{hit.text}" for hit in hits)


def symbol_lines(rows: Iterable[SymbolRow]) -> Iterator[str]:
    return table((row.kind, row.qualname, place(row.path, row.line)) for row in rows)


def excerpt_lines(excerpt: Excerpt) -> Iterable[str]:
    return excerpt.lines


def index_lines(summary: IndexSummary) -> Iterator[str]:
    """What was found, what it took, and what could not be read."""
    yield summary.root
    yield (
        f"{counted(summary.files, 'file')}, {summary.bytes / 1e6:.2f} MB, {summary.lines:,} lines, "
        f"{summary.classes:,} classes, {summary.functions:,} functions"
    )
    yield f"{summary.parsed:,} parsed, {summary.reused:,} reused; {_seconds(summary.seconds)}"
    remote = summary.remote
    if remote.get("commands") or remote.get("bytes_received"):
        yield (
            f"{counted(remote.get('commands', 0), 'remote command')}, {remote.get('bytes_sent', 0):,} bytes sent, "
            f"{remote.get('bytes_received', 0):,} received"
        )
    yield from _named("unreadable file", summary.unreadable)
    yield from _named("problem", summary.problems)


def _seconds(seconds: dict[str, float]) -> str:
    parts = ", ".join(f"{name} {value:.2f}" for name, value in seconds.items() if name != "total" and value >= 0.005)
    return f"{seconds.get('total', 0.0):.2f} s" + (f" ({parts})" if parts else "")


def _named(noun: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield f"{counted(len(entries), noun)}:"
        yield from (f"  {path_text(entry)}" for entry in entries)
