"""Owns which colours a theme has, and which of them stand on which: each such pair has a least contrast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sondage.config.colours import SIGN, TEXT, contrast

PALETTE = (
    "primary",
    "secondary",
    "background",
    "surface",
    "panel",
    "foreground",
    "success",
    "warning",
    "error",
    "accent",
)
"""What `[palette]` sets: the fields of a Textual theme."""

SOURCE = {
    "keyword": "code-keyword",
    "string": "code-string",
    "comment": "code-comment",
    "number": "code-number",
    "constant": "code-constant",
    "name.function": "code-function",
    "name.class": "code-type",
    "decorator": "code-decorator",
    "builtin": "code-builtin",
    "self": "code-self",
    "operator": "code-operator",
}
"""What `[source]` sets: for each style of `core.source.highlight`, the variable of the stylesheet that has its colour."""

MARKS = ("good", "bad", "doubt", "warn")
"""What `[marks]` sets: the colours of ✓, ✗, ? and !, and of sentences that go with them."""

_WORDS = ("muted", "path", "name", "accent-text", *MARKS)
_GROUNDS = ("bar-ground", "bar-focus-ground", "cursor-ground", "cursor-away-ground")
VARIABLES = (
    *(word for word in _WORDS if word not in MARKS),
    "number",
    "mark",
    "frame",
    "match",
    "match-ground",
    "caret-ground",
    *_GROUNDS,
    "text-disabled",
    "input-cursor-foreground",
    "input-cursor-background",
    "input-selection-foreground",
    "input-selection-background",
    "screen-selection-foreground",
    "screen-selection-background",
    "ansi-foreground",
    "ansi-background",
)
"""What `[variables]` sets: the other names of the stylesheet, and those of Textual that decide what is legible."""


class Pair(NamedTuple):
    """Two names of colours that meet on the screen."""

    text: str
    ground: str
    least: float


def pairs() -> Iterator[Pair]:
    """Every text and sign with every ground it can stand on."""
    code = tuple(SOURCE.values())
    lines = ("background", "cursor-ground", "cursor-away-ground")
    yield from _each(("foreground", "match", *_WORDS), ("background", *_GROUNDS), TEXT)
    yield from _each(code, (*lines, "caret-ground"), TEXT)
    yield from _each(("foreground", "match"), ("caret-ground", "surface", "panel"), TEXT)
    yield Pair("match", "match-ground", TEXT)
    yield from _each(("text-disabled",), ("bar-ground", "cursor-ground"), TEXT)
    for place in ("input-cursor", "input-selection", "screen-selection", "ansi"):
        yield Pair(f"{place}-foreground", f"{place}-background", TEXT)
    yield from _each(("number", "mark", "frame"), lines, SIGN)
    yield from _each(("primary", "secondary", "accent", "success", "warning", "error"), ("background",), SIGN)


def _each(texts: tuple[str, ...], grounds: tuple[str, ...], least: float) -> Iterator[Pair]:
    return (Pair(text, ground, least) for text in texts for ground in grounds)


def faint(colours: Mapping[str, str]) -> Iterator[tuple[Pair, float]]:
    """The pairs that are too faint in a theme of hex colours, each with its contrast."""
    for pair in pairs():
        found = contrast(colours[pair.text], colours[pair.ground])
        if found < pair.least:
            yield pair, found
