"""Owns how lint and claims stand in the list of places and in the status line."""

from __future__ import annotations

from sondage.core.answers.contracts import Assumption, LintAnswer
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.rows import counted
from sondage.tui.models.search import Spot, Spots

TONES = {"holds": "good", "refuted": "bad", "open": "doubt"}


def spots_of_lint(answer: LintAnswer, wanted: str) -> Spots:
    """Each expression that nothing answers, with why, at its place."""
    spots = tuple(
        Spot(
            found.path,
            found.line,
            found.column,
            f"{found.what}   {'; '.join(found.why)}",
            found.symbol,
            "?" if found.certainty == "possible" else "",
        )
        for found in answer.rows
    )
    of = wanted if ":" in wanted else short(wanted)
    title = f"lint of {of}, {counted(answer.classes, 'class', 'classes')}"
    return Spots(title, spots, len(spots), len({spot.path for spot in spots}), is_search=False)


def spots_of_claim(answer: Assumption) -> Spots:
    """The lines that show how a claim stands; why stands below them."""
    spots = tuple(Spot(e.path, e.line, 1, e.quote, "") for e in answer.evidence)
    title = f"{answer.state}: {answer.claim}"
    notes = tuple(one_line(why) for why in answer.why)
    return Spots(title, spots, len(spots), len({spot.path for spot in spots}), notes, is_search=False)


def claim_said(answer: Assumption) -> tuple[str, str]:
    """A sentence and its tone: the state, the claim, why, and the first line that shows it."""
    why = f": {'; '.join(answer.why)}" if answer.why else ""
    shown = answer.evidence[-1] if answer.evidence else None
    where = f" ({place_text(shown.path, shown.line)})" if shown else ""
    return f"{answer.state}: {answer.claim}{why}{where}", TONES[answer.state]
