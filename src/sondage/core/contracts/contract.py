"""Owns the checking of contracts: members located on a class, and classes held against what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from sondage.core.answers.contracts import (
    ClassReport,
    Contract,
    ContractItem,
    ContractReport,
    LintRow,
    LocateAnswer,
    Verdict,
    is_met,
)
from sondage.core.classes.codebase import Codebase, Steps, finished
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import fitting, judge, lint, presence
from sondage.core.contracts.objects import evidence, remembered


def locate(code: Codebase, ref: ClassRef, members: Iterable[str]) -> LocateAnswer:
    """One verdict a member, in the order asked."""
    return LocateAnswer(ref.name, tuple(read_through(code, ref, judge.judged(code, ref, member)) for member in members))


def check(code: Codebase, refs: Sequence[ClassRef], contract: Contract) -> ContractReport:
    """Every class against every item: the matrix, of which one class is a row."""
    return finished(check_in_steps(code, refs, contract))


def check_in_steps(code: Codebase, refs: Sequence[ClassRef], contract: Contract) -> Steps[ContractReport]:
    """As `check`, an item at a step; behind each class it is said how many are done, of how many."""
    results = []
    for ref in refs:
        results.append((yield from checked(code, ref, contract)))
        yield len(results), len(refs)
    return ContractReport(contract, tuple(results))


def checked(code: Codebase, ref: ClassRef, contract: Contract) -> Steps[ClassReport]:
    """One class against a contract."""
    verdicts: tuple[Verdict, ...] = ()
    for item in contract.items:
        verdicts = (*verdicts, judge_item(code, ref, item))
        yield None
    facts = code.hierarchy.class_facts(ref)
    return ClassReport(ref.name, is_met(verdicts), verdicts, ref.path, facts.span.line if facts else 0)


def judge_item(code: Codebase, ref: ClassRef, item: ContractItem) -> Verdict:
    """The verdict on one item, with what its recorded calls and its stated signature add."""
    verdict = read_through(code, ref, judge.judged(code, ref, item.member))
    call_fits: bool | None = None
    same: bool | None = None
    why = verdict.why
    if verdict.mark == "✓":
        call_fits, refused = fitting.fits(code, ref, item)
        same, differs = fitting.compared(code, ref, item, verdict.signature)
        why = (*why, *refused, *differs)
    return structs.replace(verdict, required=item.required, call_fits=call_fits, same_signature=same, why=why)


def read_through(code: Codebase, ref: ClassRef, verdict: Verdict) -> Verdict:
    """A provided verdict with what its body asks of the class and cannot get: `own, but its body reads …`."""
    found = _troubles(code, ref, verdict.member) if verdict.verdict in ("own", "inherited") else ()
    if not found:
        return verdict
    why = tuple(
        f"{verdict.verdict}, but its body reads {row.what} (line {row.line}): {'; '.join(row.why)}" for row in found
    )
    shown = tuple(evidence(code, row.path, row.line) for row in found)
    return structs.replace(verdict, why=(*why, *verdict.why), evidence=(*verdict.evidence, *shown), doubtful=True)


def _troubles(code: Codebase, ref: ClassRef, member: str) -> tuple[LintRow, ...]:
    first = next(iter(presence.of(code, ref, member).body), None)
    if first is None or first.scope < 0 or first.kind not in ("method", "property"):
        return ()
    return remembered(code, ("troubles", ref, member), lambda: tuple(lint.of_function(code, ref, first)))


def required(members: Iterable[str], name: str = "") -> Contract:
    """A contract stated by names alone (`--require A,B`)."""
    items = tuple(ContractItem(member) for member in dict.fromkeys(members))
    return Contract(name or ", ".join(item.member for item in items), items)
