"""Owns where a question by line has to be asked in a file that has changed: at the lines it was asked about, wherever they are.

A jump is asked about a call on a line, an excerpt about a block of lines. The entry quotes them; the quoted text is looked
for, and of several equal places the nearest to the old one is taken.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sondage.core.late import late_pattern
from sondage.core.transcripts.transcript import Entry

_RANGE = late_pattern(r"(?P<path>.+):(?P<first>\d+)(?:[-,](?P<last>\d+))?")


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
    """The arguments to ask with; None for a call whose line is nowhere.

    `lines` are those of the file that `place_asked` names, as it is now.
    """
    return _jump(entry, lines) if entry.verb == "jump" else _show(entry, lines)


def _jump(entry: Entry, lines: Sequence[str]) -> dict[str, Any] | None:
    arguments = entry.arguments
    path, line, column = arguments["path"], arguments["line"], arguments["column"]
    quote = next((one.quote for one in entry.evidence if (one.path, one.line) == (path, line)), None)
    if quote is None:
        return arguments
    same = [number for number, text in enumerate(lines, start=1) if text.strip() == quote.strip()]
    at = min(same, key=lambda number: abs(number - line), default=None)
    if at is None:
        return None
    return {**arguments, "line": at, "column": max(column + _indent(lines[at - 1]) - _indent(quote), 1)}


def _show(entry: Entry, lines: Sequence[str]) -> dict[str, Any]:
    """Moved by as much as most of the lines that the entry kept have moved; not at all where fewer than half of them agree."""
    answer = entry.answer
    first, last = answer["first_line"], answer["last_line"]
    kept = [(number, text) for number, text in enumerate(answer.get("lines") or (), start=first) if text.strip()]
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(lines, start=1):
        numbers[text].append(number)
    votes = Counter(now - then for then, text in kept for now in numbers.get(text, ()))
    by = max(votes, key=lambda moved: (votes[moved], -abs(moved)), default=0)
    if by == 0 or 2 * votes[by] < len(kept) or first + by < 1:
        return entry.arguments
    return {**entry.arguments, "spec": f"{answer['path']}:{first + by}-{last + by}"}


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())
