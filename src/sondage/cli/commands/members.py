"""Owns `locate` and `overrides`: which class provides a member, and which others define it too."""

from __future__ import annotations

import click

from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.plain_classes import override_lines
from sondage.cli.plain_verdicts import locate_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import OverridesAnswer
from sondage.core.answers.contracts import LocateAnswer


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


@click.command(cls=AskCommand, epilog="\b\nExample: sondage overrides box:/srv/sglang BasePrefixCache.match_prefix")
@opens_target()
@click.argument("member", metavar="CLASS.METHOD")
@answers(rows=True)
def overrides(opening: Opening, form: Form, member: str) -> int:
    """List the other definitions of METHOD in the classes above and below CLASS.

    = marks the same signature, annotations left aside; ≠ another one. Exit 1 when there is no other definition.
    """
    if "." not in member.strip("."):
        raise click.UsageError(f"{member!r} is not of the form CLASS.METHOD", click.get_current_context())

    async def ask(opened: Opened) -> OverridesAnswer | Candidates:
        return await opened.dig.overrides(member)

    return put(opening, form, ask, _overrides_report)


def _overrides_report(answer: OverridesAnswer) -> Report:
    notes = tuple(f"note: not all classes above were read: {why}" for why in answer.why_incomplete)
    return Report(answer.rows, override_lines(answer), holds=bool(answer.rows), notes=notes)
