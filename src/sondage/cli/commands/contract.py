"""Owns `contract derive`, `check`, `matrix` and `drift`: what callers ask of a class, and whether it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import click

from sondage.cli.contract_out import derived_report, refuse_overwriting
from sondage.cli.demand import Demand, contract_notes, derives_contract, names_contract
from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.plain_matrix import csv_lines, in_order, markdown_lines, matrix_lines
from sondage.cli.plain_verdicts import contract_lines, drift_lines
from sondage.cli.report import Report
from sondage.cli.run import Opened, put
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import Contract, ContractReport, DriftAnswer

SELECTORS = "registered:NAME (classes that modules assign to this name), subclasses:CLASS, glob:PATTERN or all"


@click.group(
    epilog="\b\nExample: sondage contract check box:/srv/sglang KimiK25ForConditionalGeneration --require forward"
)
def contract() -> None:
    """Judge classes by what their callers ask of them."""


@contract.command(
    cls=AskCommand,
    short_help="Write down what is asked, from the code that asks it.",
    epilog="\b\nExample: sondage contract derive box:/srv/sglang -o eagle3.toml "
    "--from sglang/srt/speculative/eagle_worker.py:EAGLEWorker --on self.target_worker.model_runner.model",
)
@opens_target()
@derives_contract
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the contract there. [default: stdout]",
)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@answers(rows=False)
def derive(opening: Opening, form: Form, demand: Demand, output: Path | None, force: bool) -> int:
    """Write what is asked of an object as a contract file (TOML), with every place that asks as a comment.

    Exit 1 when nothing is asked.
    """
    refuse_overwriting(output, force)

    async def ask(opened: Opened) -> Contract | Candidates:
        return await demand.contract(opened.dig, commit=True)

    return put(opening, form, ask, lambda found: derived_report(found, output, force))


@contract.command(
    cls=AskCommand,
    short_help="Hold classes against a contract.",
    epilog="\b\nExample: sondage contract check box:/srv/sglang KimiK25ForConditionalGeneration "
    "--require get_embed_and_head,forward",
)
@opens_target()
@click.argument("class_names", metavar="CLASS...", nargs=-1, required=True)
@names_contract
@answers(rows=False)
def check(opening: Opening, form: Form, class_names: tuple[str, ...], demand: Demand) -> int:
    """Say whether each CLASS keeps a contract, and which class provides each member.

    Exit 0 only when every class keeps it: what is undecided does not count as kept.
    """

    async def ask(opened: Opened) -> ContractReport | Candidates:
        wanted = await demand.contract(opened.dig)
        return wanted if isinstance(wanted, Candidates) else await opened.dig.check(class_names, wanted)

    return put(opening, form, ask, lambda report: _judged(report, contract_lines(report)))


def _judged(report: ContractReport, lines: Iterator[str]) -> Report:
    """Nothing asked, or nobody asked, is nothing kept: a check that looks at nothing must not pass."""
    notes = contract_notes(report.contract)
    if not report.results:
        notes = (*notes, "note: no class is selected")
    holds = report.met is True and bool(report.results) and bool(report.contract.items)
    return Report(report, lines, holds=holds, notes=notes)


MATRICES: dict[str, Callable[[ContractReport], Iterator[str]]] = {
    "text": matrix_lines,
    "md": markdown_lines,
    "csv": csv_lines,
}


@contract.command(
    cls=AskCommand,
    short_help="Hold many classes against it, as a table.",
    epilog="\b\nExample: sondage contract matrix box:/srv/sglang --classes registered:EntryClass "
    "--contract eagle3.toml --sort met",
)
@opens_target()
@click.option(
    "--classes",
    "selector",
    metavar="SELECTOR",
    help=f"{SELECTORS}. [default: with --base the classes below it, else all]",
)
@names_contract
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "md", "csv", "json"]),
    default="text",
    show_default=True,
    help="Form.",
)
@click.option("--sort", "column", metavar="COLUMN", help="class, path, met or a member: what fails comes first.")
@answers(rows=False)
def matrix(
    opening: Opening,
    form: Form,
    selector: str | None,
    demand: Demand,
    shape: Literal["text", "md", "csv", "json"],
    column: str | None,
) -> int:
    """Hold all classes of SELECTOR against a contract: a row for each class, a column for each member.

    Exit 0 only when every class keeps it.
    """
    selected = selector or (f"subclasses:{demand.base}" if demand.base else "all")

    async def ask(opened: Opened) -> ContractReport | Candidates:
        wanted = await demand.contract(opened.dig)
        return wanted if isinstance(wanted, Candidates) else await opened.dig.matrix(selected, wanted)

    def report(found: ContractReport) -> Report:
        ordered = in_order(found, column)
        return _judged(ordered, MATRICES[shape](ordered) if shape != "json" else iter(()))

    return put(opening, "json" if shape == "json" else form, ask, report)


@contract.command(
    cls=AskCommand,
    short_help="Hold the same classes against it in several versions.",
    epilog="\b\nExample: sondage contract drift old:/srv/sglang new:/srv/sglang "
    "--class KimiK25ForConditionalGeneration --contract eagle3.toml",
)
@opens_target()
@click.argument("others", metavar="TARGET...", nargs=-1, required=True)
@click.option("--class", "class_names", metavar="CLASS", multiple=True, required=True, help="Repeatable.")
@names_contract
@answers(rows=False)
def drift(opening: Opening, form: Form, others: tuple[str, ...], class_names: tuple[str, ...], demand: Demand) -> int:
    """Say what changes for CLASS from one TARGET to the next: versions, hosts or folders, in the order given.

    A contract that is to be derived is derived from the first TARGET. Exit 1 when anything changed.
    """

    async def ask(opened: Opened) -> DriftAnswer | Candidates:
        wanted = await demand.contract(opened.dig)
        return wanted if isinstance(wanted, Candidates) else await opened.dig.drift(opened.others, class_names, wanted)

    return put(opening, form, ask, _drift_report, others)


def _drift_report(answer: DriftAnswer) -> Report:
    compared = any(result.items for result in answer.results)
    return Report(
        answer, drift_lines(answer), holds=compared and not answer.changed, notes=contract_notes(answer.contract)
    )
