"""Owns how answers about classes and calls read as plain lines; stable, so that scripts may cut them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sondage.cli.plain import place, table
from sondage.core.answers.calls import CallersAnswer, Resolution
from sondage.core.answers.classes import MroAnswer, OverridesAnswer, SubclassRow


def bare(class_name: str) -> str:
    """A class without its module: beside a path and a line that is enough."""
    return class_name.rpartition(".")[2]


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


def override_lines(answer: OverridesAnswer) -> Iterator[str]:
    """The definition asked for, then the others: `=` the same signature, `≠` another one, which stands below it."""
    yield f"{answer.of}{answer.signature}"
    yield f"     {bare(answer.owner)} at {place(answer.path, answer.line)}"
    cells = [
        (row.direction, _SAME[row.same_signature], bare(row.class_), place(row.path, row.line)) for row in answer.rows
    ]
    for row, line in zip(answer.rows, table(cells), strict=True):
        yield line
        if row.same_signature is not True:
            yield f"     {row.signature or row.kind}"


_SAME = {True: "=", False: "≠", None: "?"}


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
