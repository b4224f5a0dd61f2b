"""Owns `doctor`: the way to a target, examined step by step and told as it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import structs

from sondage.cli.asking import terminal_asker
from sondage.cli.log import start_log
from sondage.cli.opening import Opening
from sondage.cli.options import AskCommand, Form, answers, opens_target
from sondage.cli.out import deliver, tell
from sondage.cli.progress import ProgressLine
from sondage.cli.report import Report
from sondage.cli.settings import settings_of
from sondage.core.safe import one_line
from sondage.errors import HostError, UsageError
from sondage.hosts.base import Target
from sondage.hosts.target import parse_target

if TYPE_CHECKING:
    from sondage.hosts.doctor import Diagnosis, Step

MARKS = {"ok": "✓", "doubt": "?", "failed": "✗"}


@click.command(cls=AskCommand, epilog="\b\nExample: sondage doctor box:/srv/sglang > report.txt")
@opens_target()
@answers(rows=False)
def doctor(opening: Opening, form: Form) -> int:
    """Examine the way to TARGET: what was resolved, tried, offered and refused, and what to do about it.

    Fit to be pasted into a bug report: homes and users are shortened, no secret is in it. Exit 3 when a step fails.
    """
    start_log()
    target = parse_target(opening.target)
    if opening.offline and target.address:
        raise UsageError("the way to a host cannot be examined without going it", "--offline")
    diagnosis = asyncio.run(_examine(target, opening, plain=form == "plain"))
    if form != "plain":
        deliver(Report({**structs.asdict(diagnosis), "healthy": diagnosis.healthy}, (), diagnosis.healthy), form)
        return 0 if diagnosis.healthy else HostError.exit_code
    tell(_ending(diagnosis))
    return 0 if diagnosis.healthy else HostError.exit_code


async def _examine(target: Target, opening: Opening, *, plain: bool) -> Diagnosis:
    from sondage.dig.refresh import PATTERNS  # noqa: PLC0415  it brings SSH, store and parser: no `--help` waits for them
    from sondage.hosts.doctor import examine  # noqa: PLC0415

    progress = ProgressLine.for_stderr()

    def say_step(step: Step) -> None:
        progress.clear()
        for line in step_lines(step) if plain else ():
            tell(line)
        progress.doing("examining")

    asker = terminal_asker(opening.no_input, before=progress.clear)
    progress.doing("examining")
    try:
        return await examine(target, settings_of(opening).ssh, asker, PATTERNS, say_step)
    finally:
        progress.clear()


def step_lines(step: Step) -> Iterator[str]:
    """A step as people read it; whatever the host said can harm no terminal."""
    yield f"{MARKS[step.state]} {step.step}" + (f"  {one_line(step.host)}" if step.host else "")
    for name in ("resolved", "tried", "offered", "refused"):
        for line in getattr(step, name):
            yield f"    {name:<9} {one_line(line)}"
    if step.remedy:
        yield f"    {'remedy':<9} {one_line(step.remedy)}"


def _ending(diagnosis: Diagnosis) -> str:
    failed = next((step for step in diagnosis.steps if step.state == "failed"), None)
    target = one_line(diagnosis.target)
    return f"{target} cannot be read: it ends at the step {failed.step}" if failed else f"{target} can be read"
