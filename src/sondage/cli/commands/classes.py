"""Owns `mro`, `classes` and `subclasses`: questions about the hierarchy."""

from __future__ import annotations

import click

from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.plain_classes import class_lines, mro_lines, subclass_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MroAnswer, SubclassesAnswer

CLASS_NAMES = "CLASS is module.Qual.Name; a part of it is enough where only one class bears it."


@click.command(cls=AskCommand, epilog="\b\nExample: sondage mro box:/srv/sglang DeepseekV3ForCausalLM")
@opens_target()
@click.argument("class_name", metavar="CLASS")
@click.option("--members", is_flag=True, help="Also who defines each member.")
@answers(rows=False)
def mro(opening: Opening, form: Form, class_name: str, members: bool) -> int:
    """Show in which order Python looks through the bases of CLASS.

    Bases that were not read stay in the order as open ends, with the reason.
    """

    async def ask(opened: Opened) -> MroAnswer | Candidates:
        return await opened.dig.mro(class_name, members=members)

    return put(opening, form, ask, lambda answer: Report(answer, mro_lines(answer), holds=answer.error is None))


@click.command(cls=AskCommand, epilog="\b\nExample: sondage classes box:/srv/sglang --jsonl --members")
@opens_target()
@click.option("--members", is_flag=True, help="Also who defines each member (JSON only).")
@answers(rows=True)
def classes(opening: Opening, form: Form, members: bool) -> int:
    """List every class, with its MRO in the JSON forms."""

    async def ask(opened: Opened) -> tuple[MroAnswer, ...]:
        return await opened.dig.classes(members=members and form != "plain")

    return put(opening, form, ask, lambda rows: Report(rows, class_lines(rows), holds=bool(rows)))


@click.command(cls=AskCommand, epilog="\b\nExample: sondage subclasses box:/srv/sglang BaseImageProcessor")
@opens_target()
@click.argument("class_name", metavar="CLASS")
@answers(rows=True)
def subclasses(opening: Opening, form: Form, class_name: str) -> int:
    """List the classes below CLASS, indented by depth. Exit 1 when there is none."""

    async def ask(opened: Opened) -> SubclassesAnswer | Candidates:
        return await opened.dig.subclasses(class_name)

    def report(answer: SubclassesAnswer) -> Report:
        notes = tuple(f"not complete: {why}" for why in answer.why_incomplete)
        return Report(answer.rows, subclass_lines(answer.rows), holds=bool(answer.rows), notes=notes)

    return put(opening, form, ask, report)
