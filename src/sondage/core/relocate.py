"""Owns where a question by line has to be asked in a file that has changed: at the lines it was asked about, wherever they are.

A jump is asked about a call on a line, an excerpt about a block of lines. The entry quotes them; where the file now has
other text at that place, the quoted text is looked for, and of several equal places the nearest is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sondage.core.transcript import Entry

_RANGE = re.compile(r"(?P<path>.+):(?P<first>\d+)(?:[-,](?P<last>\d+))?")


def place_asked(entry: Entry) -> str | None:
    """The path of the file that a question by line is about; None for any other question."""
    if entry.verb == "jump":
        return str(entry.arguments.get("path", ""))
    found = _RANGE.fullmatch(str(entry.arguments.get("spec", ""))) if entry.verb == "show" else None
    answer = entry.answer
    if found is None or not isinstance(answer, Mapping) or answer.get("path") != found["path"]:
        return None
    return found["path"]


def relocated(entry: Entry, lines: Sequence[str]) -> dict[str, Any] | None:
    """The arguments to ask with, the ones of the entry where its lines have not moved; None where they are nowhere.

    `lines` are those of the file that `place_asked` names, as it is now.
    """
    return _jump(entry, lines) if entry.verb == "jump" else _show(entry, lines)


def _jump(entry: Entry, lines: Sequence[str]) -> dict[str, Any] | None:
    arguments = entry.arguments
    path, line, column = arguments["path"], arguments["line"], arguments["column"]
    quote = next((one.quote for one in entry.evidence if (one.path, one.line) == (path, line)), None)
    if quote is None:
        return arguments
    wanted = quote.strip()
    at = _nearest(_places([wanted], [text.strip() for text in lines]), line)
    if at is None:
        return None
    indented = _indent(lines[at - 1]) - _indent(quote)
    return {**arguments, "line": at, "column": max(column + indented, 1)}


def _show(entry: Entry, lines: Sequence[str]) -> dict[str, Any] | None:
    """Found by the lines that the entry kept of it, which may be only its first ones."""
    answer = entry.answer
    first, last, kept = answer["first_line"], answer["last_line"], list(answer.get("lines") or ())
    at = _nearest(_places(kept, lines), first) if kept else first
    if at == first:
        return entry.arguments
    return None if at is None else {**entry.arguments, "spec": f"{answer['path']}:{at}-{at + last - first}"}


def _places(block: Sequence[str], lines: Sequence[str]) -> Iterator[int]:
    """Every line, from 1, at which the block begins."""
    for number in range(1, len(lines) - len(block) + 2):
        if lines[number - 1] == block[0] and list(lines[number - 1 : number - 1 + len(block)]) == list(block):
            yield number


def _nearest(places: Iterator[int], to: int) -> int | None:
    return min(places, key=lambda place: abs(place - to), default=None)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
