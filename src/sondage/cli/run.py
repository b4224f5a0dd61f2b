"""Owns the flow of every question: open → refresh → ask → say, in this one place."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sondage.cli.asking import terminal_asker
from sondage.cli.log import start_log
from sondage.cli.options import Form, Opening
from sondage.cli.out import deliver
from sondage.cli.plain import counted
from sondage.cli.progress import ProgressLine
from sondage.cli.report import Report, candidates_report
from sondage.cli.settings import settings_of
from sondage.cli.stderr import say
from sondage.core.answers import Candidates, IndexSummary
from sondage.errors import HostError
from sondage.hosts.target import parse_target

if TYPE_CHECKING:
    from sondage.dig import Dig

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Opened:
    """A target that has been opened and brought up to date."""

    dig: Dig
    summary: IndexSummary


def put(
    opening: Opening,
    form: Form,
    ask: Callable[[Opened], Awaitable[Answer | Candidates]],
    report: Callable[[Answer], Report],
) -> int:
    """Puts one question to one target and says the answer. Returns the exit code; failures are raised."""
    start_log()
    try:
        return asyncio.run(_put(opening, form, ask, report))
    except BrokenPipeError as error:  # not that of stdout, which `deliver` takes care of
        raise HostError("the connection broke", opening.target, "ask again: what arrived is kept") from error


async def _put(
    opening: Opening,
    form: Form,
    ask: Callable[[Opened], Awaitable[Answer | Candidates]],
    report: Callable[[Answer], Report],
) -> int:
    async with _opened(opening) as opened:
        answer = await ask(opened)
        said = candidates_report(answer) if isinstance(answer, Candidates) else report(answer)
        code = deliver(said, form)
        for note in opened.dig.take_notes():
            say(f"note: {note}")
        if answer is not opened.summary:
            _say_gaps(opened)
        return code


@contextlib.asynccontextmanager
async def _opened(opening: Opening) -> AsyncIterator[Opened]:
    from sondage.dig import open_dig  # noqa: PLC0415  it brings SSH, store and parser: no `--help` waits for them

    progress = ProgressLine.for_stderr()
    asker = terminal_asker(opening.no_input, before=progress.clear)
    dig = await open_dig(parse_target(opening.target), settings_of(opening), asker=asker)
    try:
        try:
            summary = await dig.refresh(progress)
        finally:
            progress.clear()
        opened = Opened(dig, summary)
        _refuse_emptiness(opening, opened)
        yield opened
    finally:
        await dig.aclose()


def _refuse_emptiness(opening: Opening, opened: Opened) -> None:
    """Nothing is known of a target that was never read: to answer that nothing was found would be a lie."""
    if (opening.offline or opening.refresh == "never") and opened.dig.indexed_at is None and not opened.summary.files:
        raise HostError("nothing of this target is in the cache", opening.target, "read it once: sondage index TARGET")


def _say_gaps(opened: Opened) -> None:
    """An answer that rests on a part of the tree is said to."""
    seen, unreadable = opened.dig.coverage, len(opened.summary.unreadable)
    if unreadable:
        say(f"note: {counted(unreadable, 'file')} not read, so not part of the answer; `sondage index` says why")
    elif not opened.summary.complete:
        say(f"note: only {seen.files_seen:,} of {seen.files_listed:,} files are in the cache; the answer rests on them")
