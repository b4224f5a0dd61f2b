"""Owns how answers about classes, members and calls read as plain lines; stable, so that scripts may cut them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sondage.cli.plain import place, table
from sondage.core.answers import (
    CallersAnswer,
    ClassReport,
    ContractReport,
    LocateAnswer,
    MroAnswer,
    Resolution,
    SubclassRow,
    Verdict,
)


def mro_lines(answer: MroAnswer) -> Iterator[str]:
    """The order, numbered from 0; an open end says why it was not read. Then whether that is all, and why not."""
    if answer.error:
        yield f"no MRO: {answer.error}"
    for step, line in zip(answer.order, table(_step_cells(answer)), strict=True):
        yield line + (f"  ({step.note})" if step.note else "")
    if answer.complete:
        yield "complete"
    yield from (f"incomplete: {why}" for why in answer.why_incomplete)
    if answer.members is not None:
        yield from table(
            (name, row.kind, row.owner, place(row.path, row.line)) for name, row in sorted(answer.members.items())
        )


def _step_cells(answer: MroAnswer) -> Iterator[tuple[str, str, str]]:
    for number, step in enumerate(answer.order):
        end = f"? {step.open}" if step.open is not None else place(step.path, step.line)
        yield str(number), step.class_, end


def class_lines(classes: Iterable[MroAnswer]) -> Iterator[str]:
    """One class a line: its name, where it stands, and the end of its MRO in a word."""
    return (f"{row.class_}  {place(row.path, row.line)}  {_state(row)}" for row in classes)


def _state(row: MroAnswer) -> str:
    return "no MRO" if row.error else "complete" if row.complete else "incomplete"


def subclass_lines(rows: Iterable[SubclassRow]) -> Iterator[str]:
    return (f"{'  ' * (row.depth - 1)}{row.class_}  {place(row.path, row.line)}" for row in rows)


def locate_lines(answer: LocateAnswer) -> Iterator[str]:
    yield from _verdict_lines(answer.verdicts)
    found = sum(verdict.mark == "✓" for verdict in answer.verdicts)
    yield f"{found} of {len(answer.verdicts)} found on {answer.class_}"


def contract_lines(report: ContractReport) -> Iterator[str]:
    """For each class its table and whether it keeps the contract; an empty line sets classes apart."""
    for number, result in enumerate(report.results):
        if number:
            yield ""
        yield from _verdict_lines(result.items)
        yield _conclusion(result)


def _conclusion(result: ClassReport) -> str:
    required = [verdict for verdict in result.items if verdict.required == "required"]
    if result.met:
        return f"met: {result.class_} has every required member ({len(required)})"
    if result.met is None:
        doubtful = ", ".join(verdict.member for verdict in required if verdict.mark == "?")
        return f"undecided: {result.class_} hangs on {doubtful}"
    failing = ", ".join(verdict.member for verdict in required if verdict.mark == "✗" or verdict.call_fits is False)
    return f"not met: {result.class_} fails on {failing}"


def _verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """One line a member, and below it, indented, why."""
    for verdict, line in zip(verdicts, table(map(_verdict_cells, verdicts)), strict=True):
        yield line
        yield from (f"     {why}" for why in verdict.why)
        yield from (f"     guard: {guard}" for guard in verdict.guards)
        yield from (f"     {place(seen.path, seen.line)}: {seen.quote.strip()}" for seen in verdict.evidence)


def _verdict_cells(verdict: Verdict) -> tuple[str, ...]:
    """`!` beside the mark: a recorded call does not fit the signature."""
    where = place(verdict.path, verdict.line)
    via = f"via {verdict.via}" if verdict.via else ""
    handed_to = place(verdict.target.path, verdict.target.line) if verdict.target else ""
    if verdict.target and handed_to != where:
        via += f" → {verdict.target.owner} {handed_to}"
    sign = verdict.mark + ("!" if verdict.call_fits is False else "")
    return sign, verdict.member, verdict.verdict, verdict.certainty, verdict.owner, where, via.strip()


def resolution_lines(answer: Resolution) -> Iterator[str]:
    """The call, what its receiver can be, then each definition with the reasons that lead to it."""
    if answer.call:
        written = f"{answer.call.receiver}.{answer.call.name}" if answer.call.receiver else answer.call.name
        yield f"{written}  {place(answer.call.path, answer.call.line)}:{answer.call.column}"
    yield from (f"  receiver {receiver.class_}: {receiver.how}" for receiver in answer.receiver_types)
    for found in answer.answers:
        yield f"→ {found.owner}.{found.name}  {place(found.path, found.line)}  {found.certainty}"
        yield from (f"     {why}" for why in found.why)
    if answer.unresolved is not None:
        yield f"? {answer.unresolved}"


def caller_lines(answer: CallersAnswer) -> Iterator[str]:
    """`path:line:column:certainty:text`, and below, indented, why."""
    for row in answer.rows:
        yield f"{place(row.path, row.line)}:{row.column}:{row.certainty}:{row.text}"
        yield from (f"     {why}" for why in row.why)
