"""Owns drift: the same contract on the same class in several trees, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import ClassDrift, Contract, ContractItem, DriftAnswer, DriftItem, Verdict
from sondage.core.classes.codebase import Codebase, Steps, finished
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import contract


class Version(NamedTuple):
    """One of the trees that are compared, under the name that the user gave it."""

    name: str
    code: Codebase


def drift(versions: Sequence[Version], classes: Sequence[str], asked: Contract) -> DriftAnswer | Candidates:
    """Every item on every class in every version, in the order given; Candidates where a name is not clear."""
    return finished(drift_in_steps(versions, classes, asked))


def drift_in_steps(
    versions: Sequence[Version], classes: Sequence[str], asked: Contract
) -> Steps[DriftAnswer | Candidates]:
    """As `drift`, an item at a step."""
    results = []
    for name in classes:
        refs = [version.code.hierarchy.find_class(name) for version in versions]
        unclear = next((ref for ref in refs if isinstance(ref, Candidates) and ref.reason == "ambiguous"), None)
        found = [ref if isinstance(ref, ClassRef) else None for ref in refs]
        if unclear is not None:
            return unclear
        first = next((ref for ref in found if ref is not None), None)
        if first is None:
            return refs[0] if isinstance(refs[0], Candidates) else Candidates(name, "class", "absent")
        items = []
        for item in asked.items:
            items.append(_item(versions, found, item))
            yield None
        results.append(ClassDrift(first.name, tuple(items)))
    return DriftAnswer(asked, tuple(version.name for version in versions), tuple(results))


def _item(versions: Sequence[Version], refs: Sequence[ClassRef | None], item: ContractItem) -> DriftItem:
    verdicts = tuple(
        contract.judge_item(version.code, ref, item) if ref is not None else None
        for version, ref in zip(versions, refs, strict=True)
    )
    steps = zip(verdicts, verdicts[1:], versions[1:], strict=False)
    changes = [(version.name, tuple(differences(before, after))) for before, after, version in steps]
    first = next(((name, what) for name, what in changes if what), None)
    return DriftItem(item.member, verdicts, first is not None, first[0] if first else None, first[1] if first else ())


def differences(before: Verdict | None, after: Verdict | None) -> Iterator[str]:
    """What is another thing in the second verdict, in words; where a definition stands in its file does not count."""
    if before is None or after is None:
        if before is not after:
            yield "the class is new" if before is None else "the class is gone"
        return
    for field in ("verdict", "owner", "kind", "signature", "call_fits", "via"):
        old, new = getattr(before, field), getattr(after, field)
        if old != new:
            yield f"{field.replace('_', ' ')}: {_shown(old)} → {_shown(new)}"
    if before.guards != after.guards:
        yield f"guards: {_shown(' and '.join(before.guards))} → {_shown(' and '.join(after.guards))}"


def _shown(value: object) -> str:
    return "none" if value in ("", None) else str(value)
