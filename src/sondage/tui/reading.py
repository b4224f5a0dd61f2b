"""Owns the small readings of core values that the app needs: colours, outlines, match spans, palette and log rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sondage.core.answers.text import SymbolRow
from sondage.core.safe import one_line
from sondage.core.search.pattern import compile_pattern, spans_in
from sondage.core.source.facts import ClassScope, FileFacts
from sondage.core.source.highlight import Highlighter
from sondage.core.source.text import SourceText
from sondage.core.transcripts.transcript import Entry
from sondage.errors import UsageError
from sondage.tui.models.classes import place_text
from sondage.tui.models.demand import Demand
from sondage.tui.models.log import first_place
from sondage.tui.models.rows import Part, Row, row
from sondage.tui.models.search import Spans
from sondage.tui.models.source import Definition, Outline, Place
from sondage.tui.panes.code import Colours
from sondage.tui.panes.messages import (
    Asked,
    ClassAsked,
    ContractAsked,
    LintAsked,
    MatrixAsked,
    PlaceAsked,
    SearchAsked,
    SpecAsked,
)

FILES_LISTED = 40
"""Files the palette shows for one query."""


def outline_of(facts: FileFacts) -> Outline:
    """All classes and functions of a file."""
    return Outline(
        tuple(
            Definition(s.qualname, s.span.line, s.span.first_line, s.span.last_line, isinstance(s, ClassScope))
            for s in facts.scopes[1:]
        )
    )


def spans_of(pattern: str, *, ignore_case: bool, word: bool, fixed: bool) -> Spans | None:
    """Where a line matches a pattern."""
    try:
        compiled = compile_pattern(pattern, ignore_case=ignore_case, word=word, fixed=fixed)
    except UsageError:
        return None
    return partial(spans_in, compiled)


SMALL_FILE = 50_000
"""Bytes of a file that is parsed for its colours in less than the blink of an eye."""


def colours_of(text: SourceText) -> Colours:
    """The syntax colours of a file, asked for by visible lines; the first asking parses the whole file."""
    return Highlighter(text).spans


def is_in_module(full_name: str, path: str) -> bool:
    """Whether a name `pkg.module.Class` can stand in the file `…/pkg/module.py`."""
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = full_name.split(".")
    return any(dotted == m or dotted.endswith("." + m) for m in (".".join(parts[:n]) for n in range(1, len(parts))))


def symbol_row(symbol: SymbolRow) -> Row:
    """A palette row; choosing a class shows it in Classes, anything else in Source."""
    asked: Asked
    asked = (
        ClassAsked(symbol.qualname, symbol.path, symbol.line)
        if symbol.kind == "class"
        else PlaceAsked(symbol.path, symbol.line)
    )
    return row(
        Part(f" {symbol.kind:<10}", "muted"),
        Part(one_line(symbol.qualname), "name"),
        right=[Part(place_text(symbol.path, symbol.line), "path")],
        value=asked,
    )


def recent_row(place: Place) -> Row:
    """A palette row for a place that was visited."""
    return row(
        Part(f" {'recent':<10}", "muted"),
        Part(one_line(place.symbol), "name"),
        right=[Part(place_text(place.path, place.line), "path")],
        value=PlaceAsked(place.path, place.line),
    )


def file_rows(files: Sequence[str], query: str) -> list[Row]:
    """Files whose path holds the query, those whose name does first."""
    wanted = query.lower()
    found = [path for path in files if wanted in path.lower()]
    found.sort(key=lambda path: (wanted not in path.rpartition("/")[2].lower(), len(path), path))
    return [
        row(Part(f" {'file':<10}", "muted"), Part(one_line(path), "path"), value=PlaceAsked(path, 1))
        for path in found[:FILES_LISTED]
    ]


def _demand_of(contract: Mapping[str, Any]) -> Demand:
    """How the contract of an entry can be asked for again."""
    if contract.get("consumers"):
        return Demand(consumers=tuple(contract["consumers"]), receiver=str(contract.get("receiver", "")))
    base = str(contract.get("base", ""))
    if base:
        return Demand(siblings=base) if "least" in contract else Demand(base=base)
    return Demand(names=tuple(item["member"] for item in contract.get("items", ())))


def question_of(entry: Entry) -> Asked | None:
    """What to ask to see again what an entry showed; None where it showed no place."""
    arguments = entry.arguments
    place = first_place(entry)
    match entry.verb:
        case "mro" | "subclasses":
            return ClassAsked(str(arguments.get("class", "")))
        case "check":
            demand = _demand_of(arguments.get("contract", {}))
            selector = str(arguments.get("selector", ""))
            classes = arguments.get("classes") or [""]
            return MatrixAsked(selector, demand) if selector else ContractAsked(classes[0], demand)
        case "derive":
            return ContractAsked("", _demand_of(arguments))
        case "lint":
            return LintAsked(str(next(iter(arguments.get("classes", ())), "")))
        case "search":
            globs = tuple(arguments.get("globs", ()))
            how = {name: bool(arguments.get(name)) for name in ("fixed", "ignore_case", "word")}
            return SearchAsked(str(arguments.get("pattern", "")), globs, committed=False, **how)
        case "show":
            return SpecAsked(str(arguments.get("spec", "")), recorded=False)
        case _:
            return PlaceAsked(place.path, place.line, recorded=False) if place else None
