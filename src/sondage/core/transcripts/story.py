"""Owns the story in a transcript: the entries that are told, in their order, and the claims they make with their verdicts.

Nothing is ever taken out of a transcript. An entry of the verb `drop` leaves another one out of the story, together with
the verdicts on it; a drop that is dropped itself leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from sondage.core.answers.contracts import ClaimState
from sondage.core.transcripts.transcript import Entry

STATES: tuple[ClaimState, ...] = ("holds", "refuted", "open")


class Step(msgspec.Struct, frozen=True):
    """One entry that is told. `number` counts from 1 over those that are told."""

    number: int
    entry: Entry


class Claim(msgspec.Struct, frozen=True):
    """One line of the ledger: a claim, how it stands now, and the step that said so last."""

    claim: str
    state: ClaimState
    why: tuple[str, ...]
    step: int
    judged: bool
    """Whether the reader said so; otherwise the sources do, or nobody has."""


class Story(msgspec.Struct, frozen=True):
    steps: tuple[Step, ...]
    ledger: tuple[Claim, ...]
    """In the order in which the claims were first made."""
    left_out: int
    """Entries that were dropped, the verdicts on them counted too."""


def tell(entries: Sequence[Entry]) -> Story:
    """The story of a transcript; `entries` oldest first."""
    dropped = _dropped(entries)
    told = [entry for entry in entries if entry.verb != "drop" and entry.id not in dropped]
    steps = tuple(Step(number, entry) for number, entry in enumerate(told, start=1))
    drops = sum(entry.verb == "drop" for entry in entries)
    return Story(steps, tuple(_ledger(steps)), len(entries) - drops - len(told))


def _dropped(entries: Sequence[Entry]) -> frozenset[str]:
    """Ids that are left out. The last drop counts first, since an earlier one may be what it drops."""
    dropped: set[str] = set()
    for entry in reversed(entries):
        if entry.verb == "drop" and entry.id not in dropped:
            dropped.add(str(entry.arguments.get("of", "")))
    dropped |= {entry.id for entry in entries if entry.verb == "verdict" and entry.arguments.get("of") in dropped}
    return frozenset(dropped)


def _ledger(steps: Sequence[Step]) -> Iterator[Claim]:
    claims: dict[str, Claim] = {}
    for step in steps:
        found = _claim(step)
        if found is None:
            continue
        before = claims.get(found.claim)
        claims[found.claim] = _beside(before, found) if before and found.judged and not before.judged else found
    yield from claims.values()


def _claim(step: Step) -> Claim | None:
    entry = step.entry
    text = " ".join(str(entry.arguments.get("claim", "")).split())
    if entry.verb == "hypothesis":
        return Claim(text, "open", (), step.number, judged=False)
    if entry.verb == "verdict":
        why = (" ".join(entry.note.split()),) if entry.note.strip() else ()
        return Claim(text, _state(entry.arguments.get("state")), why, step.number, judged=True)
    if entry.verb == "assume" and isinstance(entry.answer, Mapping):
        said = entry.answer.get("why")
        reasons = tuple(map(str, said)) if isinstance(said, list) else ()
        return Claim(text, _state(entry.answer.get("state")), reasons, step.number, judged=False)
    return None


def _beside(checked: Claim, judged: Claim) -> Claim:
    """A reader's verdict stands; what the sources said against it is not forgotten."""
    if checked.state in ("open", judged.state):
        return replace(judged, why=(*judged.why, *checked.why))
    return replace(judged, why=(*judged.why, f"the sources say {checked.state}", *checked.why))


def _state(value: object) -> ClaimState:
    return next((state for state in STATES if state == value), "open")


# ------------------------------------------------------------------ pins


def taken_for_given(entries: Sequence[Entry], target: str) -> tuple[str, ...]:
    """Claims of the kind `RECEIVER is CLASS` that were made about a target and not refuted, dropped or judged away."""
    story = tell(entries)
    state = {claim.claim: claim.state for claim in story.ledger}
    claims = {
        str(step.entry.answer.get("claim", "")): None
        for step in story.steps
        if step.entry.verb == "assume"
        and step.entry.target == target
        and isinstance(step.entry.answer, Mapping)
        and step.entry.answer.get("kind") == "is"
    }
    return tuple(claim for claim in claims if state.get(claim) != "refuted")
