"""Owns the checking of contracts: members located on a class, and classes held against what is asked of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from sondage.core import fitting, judge
from sondage.core.answers import (
    ClassReport,
    Contract,
    ContractItem,
    ContractReport,
    LocateAnswer,
    Verdict,
    is_met,
)
from sondage.core.codebase import Codebase
from sondage.core.refs import ClassRef


def locate(code: Codebase, ref: ClassRef, members: Iterable[str]) -> LocateAnswer:
    """One verdict a member, in the order asked."""
    return LocateAnswer(ref.name, tuple(judge.judged(code, ref, member) for member in members))


def check(code: Codebase, refs: Sequence[ClassRef], contract: Contract) -> ContractReport:
    """Every class against every item: the matrix, of which one class is a row."""
    return ContractReport(contract, tuple(checked(code, ref, contract) for ref in refs))


def checked(code: Codebase, ref: ClassRef, contract: Contract) -> ClassReport:
    """One class against a contract."""
    verdicts = tuple(judge_item(code, ref, item) for item in contract.items)
    facts = code.hierarchy.class_facts(ref)
    return ClassReport(ref.name, is_met(verdicts), verdicts, ref.path, facts.span.line if facts else 0)


def judge_item(code: Codebase, ref: ClassRef, item: ContractItem) -> Verdict:
    """The verdict on one item, with what its recorded calls and its stated signature add."""
    verdict = judge.judged(code, ref, item.member)
    call_fits: bool | None = None
    same: bool | None = None
    why = verdict.why
    if verdict.mark == "✓":
        call_fits, refused = fitting.fits(code, ref, item)
        same, differs = fitting.compared(code, ref, item, verdict.signature)
        why = (*why, *refused, *differs)
    return dataclasses.replace(verdict, required=item.required, call_fits=call_fits, same_signature=same, why=why)


def required(members: Iterable[str], name: str = "") -> Contract:
    """A contract stated by names alone (`--require A,B`)."""
    items = tuple(ContractItem(member) for member in dict.fromkeys(members))
    return Contract(name or ", ".join(item.member for item in items), items)
