"""Owns how a resolution is told in full: the call, what its receiver can be and how that is known, each way to an answer."""

from __future__ import annotations

from sondage.core.answers.calls import Definition, Resolution
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.rows import Part, Row, row
from sondage.tui.models.source import Place


def rows_of_why(found: Resolution) -> tuple[str, list[Row]]:
    """A title, and the lines below it; those with a place lead there."""
    call = found.call
    if call is None:
        return "Why", [row(Part(" no call and no name that can be followed stands here", "doubt"))]
    written = f"{call.receiver}.{call.name}" if call.receiver else call.name
    rows = [
        row(Part(" receiver  ", "muted"), Part(short(one.class_), "name"), Part(f"  {one_line(one.how)}", "text"))
        for one in found.receiver_types
    ]
    for answer in found.answers:
        rows += _answer_rows(answer)
    if found.unresolved:
        rows.append(row(Part(f" ? {one_line(found.unresolved)}", "doubt")))
    return f"Why {one_line(written)}", rows


def _answer_rows(answer: Definition) -> list[Row]:
    sign = Part(" ✓ ", "good") if answer.certainty == "proved" else Part(" ? ", "doubt")
    head = row(
        sign,
        Part(f"{short(answer.owner)}.{one_line(answer.name)}", "name"),
        Part(f"  {answer.certainty}", "muted"),
        right=[Part(place_text(answer.path, answer.line), "path")],
        value=Place(answer.path, answer.line) if answer.path else None,
    )
    looked = [f"looked into before: {', '.join(map(short, answer.through))}"] if answer.through else []
    return [head, *(row(Part(f"   · {one_line(why)}", "muted")) for why in (*answer.why, *looked))]
