"""Owns the definitions of one member, above and below a class, as places: to list, to choose from, to step through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sondage.core.answers.classes import OverrideRow, OverridesAnswer
from sondage.core.safe import one_line
from sondage.core.source.text import SourceText
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.rows import Part, Row, column, pad, row
from sondage.tui.models.search import Spot, Spots
from sondage.tui.models.source import Place

SIGNATURES = {True: ("the same signature", "muted"), False: ("! another signature", "warn"), None: ("", "muted")}
"""What is said of how a signature compares with the one asked about, and the role it is said in."""


def definitions(answer: OverridesAnswer, *directions: str) -> list[OverrideRow]:
    """The definition that a lookup finds, then those of the other classes: without `directions` the ones above."""
    own = OverrideRow(answer.owner, answer.path, answer.line, "up", answer.signature, None)
    return [own, *(one for one in answer.rows if one.direction in (directions or ("up",)))]


def ring_of(answer: OverridesAnswer) -> tuple[Place, ...]:
    """The definition asked for and all below it, in an order that stays; those without source are left out."""
    member = answer.of.rpartition(".")[2]
    found = [one for one in definitions(answer, "down") if one.path]
    return tuple(Place(one.path, one.line, symbol=f"{short(one.class_)}.{member}") for one in found)


def spots_of_overrides(answer: OverridesAnswer, source: Callable[[str], SourceText | None]) -> Spots:
    """Every definition as a place of the list, what has no source, or was not read, below."""
    all_of_them = definitions(answer, "up", "down")
    spots = tuple(_spot(one, source(one.path)) for one in all_of_them if one.path)
    notes = [f"{one_line(one.class_)}: no source" for one in all_of_them if not one.path]
    notes += [one_line(why) for why in answer.why_incomplete]
    files = len({spot.path for spot in spots})
    return Spots(f"definitions of {answer.of}", spots, len(spots), files, tuple(notes), is_search=False)


def _spot(one: OverrideRow, text: SourceText | None) -> Spot:
    line = text.line(one.line) if text is not None and one.line <= text.line_count else one.signature
    said = SIGNATURES[one.same_signature][0] if one.same_signature is False else ""
    return Spot(one.path, one.line, 1, f"{line.strip()}   {said}".rstrip(), short(one.class_))


def rows_of_definitions(found: Sequence[OverrideRow]) -> list[Row]:
    """To choose from: the first is what a lookup finds, the others are hidden by it."""
    width = column((short(one.class_) for one in found), 34)
    return [_row(index, one, width) for index, one in enumerate(found)]


def _row(index: int, one: OverrideRow, width: int) -> Row:
    text, role = SIGNATURES[one.same_signature]
    return row(
        Part(" ✓ " if index == 0 else "   ", "good"),
        Part(pad(short(one.class_), width), "name"),
        Part("  " + one_line(one.signature), "text"),
        Part("  " + text, role),
        right=[Part(place_text(one.path, one.line), "path")],
        value=Place(one.path, one.line) if one.path else None,
    )
