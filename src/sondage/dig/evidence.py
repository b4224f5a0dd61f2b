"""Owns what an answer rests on: the lines of source it names, quoted exactly, with the digest of their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from msgspec import structs

from sondage.core.answers.calls import CallersAnswer, Resolution
from sondage.core.answers.certainty import Evidence
from sondage.core.answers.classes import MroAnswer, OverridesAnswer, SubclassesAnswer
from sondage.core.answers.contracts import (
    Assumption,
    Contract,
    ContractReport,
    DriftAnswer,
    LintAnswer,
    LocateAnswer,
    Verdict,
)
from sondage.core.answers.text import Excerpt, SearchAnswer, SymbolRow
from sondage.dig.index import Index

A = TypeVar("A")

MOST_EVIDENCE = 20
"""Rows of evidence an entry of the transcript keeps; the answer itself says how many there were."""


def places_of(answer: Any) -> Iterator[tuple[str, int]]:
    """The places (path, line) an answer names, the most telling first. Places without source are left out."""
    for path, line in _places(answer):
        if path and line > 0:
            yield path, line


def _places(answer: Any) -> Iterable[tuple[str, int]]:
    match answer:
        case SearchAnswer():
            return ((hit.path, hit.line) for hit in answer.hits)
        case MroAnswer():
            return ((step.path, step.line) for step in answer.order)
        case SubclassesAnswer() | CallersAnswer():
            return ((row.path, row.line) for row in answer.rows)
        case OverridesAnswer():
            return [(answer.path, answer.line), *((row.path, row.line) for row in answer.rows)]
        case Resolution():
            asked = [(answer.call.path, answer.call.line)] if answer.call else []
            return [*asked, *((definition.path, definition.line) for definition in answer.answers)]
        case LocateAnswer():
            return (place for verdict in answer.verdicts for place in _of_verdict(verdict))
        case ContractReport():
            return (place for result in answer.results for item in result.items for place in _of_verdict(item))
        case Contract():
            shown = ((one.path, one.line) for item in answer.items for one in item.evidence)
            return [*shown, *((use.path, use.line) for item in answer.items for use in item.uses)]
        case LintAnswer():
            return ((row.path, row.line) for row in answer.rows)
        case Assumption():
            return ((one.path, one.line) for one in answer.evidence)
        case DriftAnswer():
            first = (item.verdicts[0] for result in answer.results for item in result.items if item.verdicts)
            return (place for verdict in first if verdict is not None for place in _of_verdict(verdict))
        case tuple():
            return ((row.path, row.line) for row in answer if isinstance(row, SymbolRow | MroAnswer))
        case _:
            return ()


def _of_verdict(verdict: Verdict) -> Iterator[tuple[str, int]]:
    yield from ((one.path, one.line) for one in verdict.evidence)
    yield verdict.path, verdict.line
    if verdict.target:
        yield verdict.target.path, verdict.target.line


def evidence_of(answer: Any, index: Index, most: int | None = MOST_EVIDENCE) -> tuple[Evidence, ...]:
    """At most so many quoted lines, all of them where None; for an excerpt every line of it up to that many.

    Of a comparison of trees the lines of the first one, which the index is of.
    """
    if isinstance(answer, Excerpt):
        rows = enumerate(answer.lines[:most], start=answer.first_line)
        return tuple(Evidence(answer.path, number, line, answer.digest) for number, line in rows)
    found: dict[tuple[str, int], Evidence] = {}
    for path, line in places_of(answer):
        if len(found) == most:
            break
        text = index.text(path)
        if text is not None and (path, line) not in found:
            found[path, line] = Evidence(path, line, text.line(line), text.digest)
    return tuple(found.values())


def quoted(answer: A, index: Index) -> A:
    """The same answer with the lines filled in that the core named but, having no text at hand, did not quote."""
    match answer:
        case LocateAnswer():
            return structs.replace(answer, verdicts=tuple(_quoted(one, index) for one in answer.verdicts))
        case ContractReport():
            results = tuple(
                structs.replace(result, items=tuple(_quoted(one, index) for one in result.items))
                for result in answer.results
            )
            return structs.replace(answer, results=results)
        case Contract():
            items = tuple(structs.replace(item, evidence=_all(item.evidence, index)) for item in answer.items)
            return structs.replace(answer, items=items)
        case Assumption():
            return structs.replace(answer, evidence=_all(answer.evidence, index))
        case _:
            return answer


def _quoted(verdict: Verdict, index: Index) -> Verdict:
    return structs.replace(verdict, evidence=_all(verdict.evidence, index))


def _all(evidence: tuple[Evidence, ...], index: Index) -> tuple[Evidence, ...]:
    return tuple(_with_quote(one, index) for one in evidence)


def _with_quote(one: Evidence, index: Index) -> Evidence:
    text = None if one.quote else index.text(one.path)
    return structs.replace(one, quote=text.line(one.line), digest=text.digest) if text else one
