"""Owns `jump` and `callers`: from a call to its definitions, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from sondage.cli.batch import BatchLine, batch_report, read_batch
from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.plain_classes import caller_lines, resolution_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers.calls import CallersAnswer, Resolution
from sondage.core.answers.certainty import Candidates
from sondage.core.late import late_pattern

POSITION = late_pattern(r"(?P<path>.+):(?P<line>[1-9][0-9]{0,8}):(?P<column>[1-9][0-9]{0,8})", re.DOTALL)


@click.command(cls=AskCommand, epilog="\b\nExample: sondage jump box:/srv/sglang sglang/srt/models/kimi_k25.py:773:33")
@opens_target()
@click.argument("position", metavar="PATH:LINE:COL", required=False)
@click.option("--batch", metavar="FILE", type=click.File("rb"), help="Questions as JSON lines; - is stdin.")
@answers(rows=True)
def jump(opening: Opening, form: Form, position: str | None, batch: Iterable[bytes] | None) -> int:
    """Go from the call at a position to the definitions it can reach, and say why.

    Lines and columns count from 1. Exit 1 when nothing was found.

    A line of --batch is {"id": …, "path": …, "line": …, "column": …}; the answers
    come in the same order as JSON lines, each with its id.
    """
    if (position is None) == (batch is None):
        raise click.UsageError("give either PATH:LINE:COL or --batch", click.get_current_context())
    if batch is not None:
        return _jump_all(opening, form, read_batch(batch))
    path, line, column = _position(str(position))

    async def ask(opened: Opened) -> Resolution | Candidates:
        return await opened.dig.jump(path, line, column)

    return put(opening, form, ask, _jump_report)


def _position(text: str) -> tuple[str, int, int]:
    found = POSITION.fullmatch(text)
    if not found:
        raise click.UsageError(f"{text!r} is not of the form PATH:LINE:COL", click.get_current_context())
    return found["path"], int(found["line"]), int(found["column"])


def _jump_report(answer: Resolution) -> Report:
    return Report(answer, resolution_lines(answer), holds=bool(answer.answers))


def _jump_all(opening: Opening, form: Form, lines: list[BatchLine]) -> int:
    async def ask(opened: Opened) -> list[Resolution | Candidates]:
        return [await opened.dig.jump(line.path, line.line, line.column) for line in lines]

    # People who pipe questions in read answers the same way: JSON lines unless one document is asked for.
    return put(opening, "jsonl" if form == "plain" else form, ask, lambda found: batch_report(lines, found))


@click.command(cls=AskCommand, epilog="\b\nExample: sondage callers box:/srv/sglang DeepseekV2ForCausalLM.load_weights")
@opens_target()
@click.argument("member", metavar="CLASS.METHOD")
@answers(rows=True)
def callers(opening: Opening, form: Form, member: str) -> int:
    """List the calls that can reach CLASS.METHOD, each with how sure that is."""

    async def ask(opened: Opened) -> CallersAnswer | Candidates:
        return await opened.dig.callers(member)

    return put(opening, form, ask, _callers_report)


def _callers_report(answer: CallersAnswer) -> Report:
    notes = (
        (f"note: {answer.unresolved:,} more calls bear this name on a receiver that is not known",)
        if answer.unresolved
        else ()
    )
    return Report(answer.rows, caller_lines(answer), holds=bool(answer.rows), notes=notes)
