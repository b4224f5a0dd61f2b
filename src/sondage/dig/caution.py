"""Owns caution: what an answer may still claim while not every file of the tree has been read.

A file that was not read may assign a member from outside, override a method, or bind a name another way. So nothing is
proved then, and the answer says how much it rests on.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from sondage.core.answers.calls import CallersAnswer, Definition, Resolution
from sondage.core.answers.certainty import Coverage
from sondage.core.answers.contracts import ContractReport, LocateAnswer, Verdict

A = TypeVar("A")
Judged = TypeVar("Judged", Verdict, Definition)


def cautious(answer: A, coverage: Coverage) -> A:
    """The same answer where the tree was read whole; otherwise one that claims no more than possible."""
    if coverage.whole:
        return answer
    match answer:
        case LocateAnswer():
            return replace(answer, verdicts=tuple(_lowered(one, coverage) for one in answer.verdicts))
        case ContractReport():
            results = tuple(
                replace(result, items=tuple(_lowered(one, coverage) for one in result.items))
                for result in answer.results
            )
            return replace(answer, results=results)
        case Resolution():
            return replace(answer, answers=tuple(_lowered(one, coverage) for one in answer.answers))
        case CallersAnswer():
            return replace(answer, rows=tuple(replace(row, certainty="possible") for row in answer.rows))
        case _:
            return answer


def _lowered(one: Judged, coverage: Coverage) -> Judged:
    if one.certainty == "possible":
        return one
    seen = f"only {coverage.files_seen} of {coverage.files_listed} files have been read"
    return replace(one, certainty="possible", why=(*one.why, seen))
