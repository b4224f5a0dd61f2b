"""Owns the log as rows: each entry of the transcript with its question in short, what was found, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sondage.core.answers.certainty import Evidence
from sondage.core.safe import one_line
from sondage.core.transcripts import wording
from sondage.core.transcripts.transcript import Entry
from sondage.tui.models.rows import Part, Row, column, pad, row

QUESTIONS = frozenset(
    {"search", "show", "mro", "subclasses", "jump", "callers", "locate", "overrides", "check", "derive", "lint"}
)
LEFT_OUT = "left out"
SIGNS = {"moved": ("→", "doubt"), "changed": ("≠", "bad"), "gone": ("✗", "bad"), LEFT_OUT: ("–", "muted")}
"""How an entry stands after the sources changed, and the colour it is said in; what still holds has no sign."""

MOST_QUESTION = 36
"""Cells of the question's column."""


def question_text(entry: Entry) -> str:
    """The question as short as it can be typed again: `get_embed -g **/kimi*.py`, `deepseek_v2.py:2944-2960`."""
    arguments = entry.arguments
    match entry.verb:
        case "search":
            globs = "".join(f" in {glob}" for glob in arguments.get("globs", ()))
            return f"{arguments.get('pattern', '')}{globs}"
        case "jump":
            return f"{arguments.get('path')}:{arguments.get('line')}:{arguments.get('column')}"
        case "check":
            return f"{_last_names(arguments.get('classes', ()))}: {', '.join(_members(arguments))}"
        case "locate":
            return f"{arguments.get('class')}: {', '.join(arguments.get('members', ()))}"
        case "mro" | "subclasses":
            return _last_names([str(arguments.get("class", ""))])
        case "note":
            return entry.note
        case _:
            return str(next((value for value in arguments.values() if isinstance(value, str)), ""))


def _members(arguments: dict[str, Any]) -> list[str]:
    return [item["member"] for item in arguments.get("contract", {}).get("items", ())]


def _last_names(names: Sequence[str]) -> str:
    return ", ".join(name.rpartition(".")[2] for name in names)


def first_place(entry: Entry) -> Evidence | None:
    """Where to go to see what an entry showed: for a jump the end of its way, else the beginning of the evidence."""
    if not entry.evidence:
        return None
    return entry.evidence[-1] if entry.verb == "jump" else entry.evidence[0]


def clock(entry: Entry) -> str:
    """`14:02:11`, as the entry has it."""
    return entry.time[11:19]


def to_ask_again(entries: Sequence[Entry], digest_of: Callable[[str], str | None]) -> list[Entry]:
    """The entries that a refresh may have made untrue: a file of their evidence is another one now, or they found nothing.

    `digest_of` gives the SHA-256 of a file as it is now, None where it is not there.
    """
    return [
        entry
        for entry in entries
        if entry.verb in QUESTIONS
        and (not entry.evidence or any(digest_of(one.path) != one.digest for one in entry.evidence))
    ]


def log_rows(entries: Sequence[Entry], states: Mapping[str, str] | None = None) -> list[Row]:
    """One row an entry; its value is its index. `states` says by id how those stand that were asked again."""
    dropped = {str(entry.arguments.get("of")): LEFT_OUT for entry in entries if entry.verb == "drop"}
    stand = {**(states or {}), **dropped}
    shown = [(index, entry) for index, entry in enumerate(entries) if entry.verb != "drop"]
    verbs = column((entry.verb for _, entry in shown), 10)
    questions = column((one_line(_short_path(question_text(entry))) for _, entry in shown), MOST_QUESTION)
    return [_row(index, entry, verbs, questions, stand.get(entry.id, "")) for index, entry in shown]


def _row(index: int, entry: Entry, verbs: int, questions: int, state: str) -> Row:
    question = one_line(_short_path(question_text(entry)))
    found = "" if entry.verb == "note" else wording.finding(entry)
    return row(
        Part(f"{clock(entry)} ", "muted"),
        Part(*SIGNS.get(state, (" ", "muted"))),
        Part(pad(entry.verb, verbs), "accent"),
        Part("  " + (question if entry.verb == "note" else pad(question, questions)), "text"),
        *([Part("  " + _said(state), SIGNS[state][1])] if state in SIGNS else []),
        Part("  " + one_line(found), "muted"),
        value=index,
    )


def _said(state: str) -> str:
    return state if state == LEFT_OUT else f"{state} since"


def _short_path(text: str) -> str:
    """A path and lines without its folders; anything else as it is."""
    head, colon, tail = text.partition(":")
    return head.rpartition("/")[2] + colon + tail if head.endswith(".py") and " " not in head else text
