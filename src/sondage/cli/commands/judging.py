"""Owns `lint` and `assume`: what a class asks of itself, and what the user takes for given."""

from __future__ import annotations

import click

from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.plain import counted
from sondage.cli.plain_verdicts import assumption_lines, lint_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import Assumption, LintAnswer
from sondage.core.late import late_pattern

SINCE = late_pattern(r"\S+\.\w+ unchanged since (?P<target>.+)")
"""The claim that names another target to look at."""


@click.command(cls=AskCommand, epilog="\b\nExample: sondage lint box:/srv/sglang MultiLayerEagleWorker")
@opens_target()
@click.argument("class_names", metavar="[CLASS]...", nargs=-1)
@click.option(
    "--classes",
    "selector",
    metavar="SELECTOR",
    help="registered:NAME, subclasses:CLASS, glob:PATTERN or all. [default: all]",
)
@answers(rows=True)
def lint(opening: Opening, form: Form, class_names: tuple[str, ...], selector: str | None) -> int:
    """List what classes ask of themselves, or of what they hold, that no class of the chain can answer.

    Also calls that do not fit the signature. Exit 1 when there is any.
    """
    if class_names and selector:
        raise click.UsageError("name the classes or select them, not both", click.get_current_context())

    async def ask(opened: Opened) -> LintAnswer | Candidates:
        return await opened.dig.lint(class_names, selector=selector)

    return put(opening, form, ask, _lint_report)


def _lint_report(answer: LintAnswer) -> Report:
    note = f"note: {counted(len(answer.rows), 'place')} in {counted(answer.classes, 'class')}"
    return Report(answer.rows, lint_lines(answer.rows), holds=not answer.rows and answer.classes > 0, notes=(note,))


@click.command(
    cls=AskCommand,
    epilog="\b\nExample: sondage assume box:/srv/sglang --session monday "
    "KimiK25ForConditionalGeneration inherits DeepseekV2ForCausalLM",
)
@opens_target()
@click.argument("words", metavar="CLAIM", nargs=-1, required=True)
@answers(rows=False)
def assume(opening: Opening, form: Form, words: tuple[str, ...]) -> int:
    """Check a CLAIM, and keep it in the session. Exit 0 when it holds, 1 when it is refuted or open.

    \b
    CLASS inherits CLASS
    RECEIVER is CLASS                      later answers of the session take it for given
    CONSUMER on RECEIVER needs only A,B
    CLASS.MEMBER unchanged since TARGET    TARGET is opened too
    anything else                          is kept as a note, which stays open
    """
    claim = " ".join(" ".join(words).split())
    since = SINCE.fullmatch(claim)
    targets = (since["target"],) if since else ()

    notes = () if opening.session else ("note: not kept; --session NAME keeps it for later commands",)

    async def ask(opened: Opened) -> Assumption:
        return await opened.dig.assume(claim, dict(zip(targets, opened.others, strict=True)))

    def report(found: Assumption) -> Report:
        return Report(found, assumption_lines(found), holds=found.state == "holds", notes=notes)

    return put(opening, form, ask, report, others=targets)
