"""Owns `locate` and `contract check`: which class provides a member, and whether a contract is kept."""

from __future__ import annotations

import click

from sondage.cli.options import AskCommand, Form, Opening, answers, opens_target
from sondage.cli.plain_classes import contract_lines, locate_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers import Candidates, Contract, ContractItem, ContractReport, LocateAnswer


@click.command(
    cls=AskCommand, epilog="\b\nExample: sondage locate box:/srv/sglang DeepseekV3ForCausalLM get_embed_and_head"
)
@opens_target()
@click.argument("class_name", metavar="CLASS")
@click.argument("members", metavar="MEMBER...", nargs=-1, required=True)
@answers(rows=True)
def locate(opening: Opening, form: Form, class_name: str, members: tuple[str, ...]) -> int:
    """Say which class provides each MEMBER of CLASS, or that none does.

    Exit 0 when all were found. A member held by an attribute only, or in doubt, is not found.
    """

    async def ask(opened: Opened) -> LocateAnswer | Candidates:
        return await opened.dig.locate(class_name, members)

    return put(opening, form, ask, _locate_report)


def _locate_report(answer: LocateAnswer) -> Report:
    found = all(verdict.mark == "✓" for verdict in answer.verdicts)
    return Report(answer.verdicts, locate_lines(answer), holds=found)


@click.group(
    epilog="\b\nExample: sondage contract check box:/srv/sglang KimiK25ForConditionalGeneration --require forward"
)
def contract() -> None:
    """Judge classes by what their callers ask of them."""


def _names(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The members out of `A,B`, each once, in the order given."""
    names = [name.strip() for part in value for name in part.split(",")]
    wrong = [name for name in names if not name.isidentifier()]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is not a Python name", context, parameter)
    return tuple(dict.fromkeys(names))


@contract.command(
    cls=AskCommand,
    epilog="\b\nExample: sondage contract check box:/srv/sglang KimiK25ForConditionalGeneration "
    "--require get_embed_and_head,forward",
)
@opens_target()
@click.argument("class_names", metavar="CLASS...", nargs=-1, required=True)
@click.option(
    "--require", metavar="A,B", multiple=True, required=True, callback=_names, help="Members required; repeatable."
)
@answers(rows=False)
def check(opening: Opening, form: Form, class_names: tuple[str, ...], require: tuple[str, ...]) -> int:
    """Say whether each CLASS has the required members, and which class provides them.

    Exit 0 only when every class keeps the contract.
    """
    wanted = Contract("required", tuple(ContractItem(name) for name in require))

    async def ask(opened: Opened) -> ContractReport | Candidates:
        return await opened.dig.check(class_names, wanted)

    return put(opening, form, ask, lambda report: Report(report, contract_lines(report), holds=report.met is True))
