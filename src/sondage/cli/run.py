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
from sondage.cli.stderr import say
from sondage.core.answers import Candidates, IndexSummary
from sondage.errors import HostError, TransferError
from sondage.hosts.base import SshOptions
from sondage.hosts.target import parse_target

if TYPE_CHECKING:
    from sondage.dig import Dig, Settings

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
    return asyncio.run(_put(opening, form, ask, report))


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
        if opened.summary.unreadable and answer is not opened.summary:
            files = counted(len(opened.summary.unreadable), "file")
            say(f"note: {files} not read, so not part of the answer; `sondage index` says why")
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
        _warn_of_gaps(opening, dig, summary)
        yield Opened(dig, summary)
    finally:
        await dig.aclose()


def _warn_of_gaps(opening: Opening, dig: Dig, summary: IndexSummary) -> None:
    """An answer from a part of the tree could be wrong: refused, or said to be partial where that was asked for."""
    asked_for = opening.offline or opening.refresh == "never"
    if asked_for and dig.indexed_at is None and not summary.files:
        raise HostError("nothing of this target is in the cache", opening.target, "ask once without --offline")
    if not summary.complete:
        seen = f"{dig.coverage.files_seen} of {dig.coverage.files_listed} files"
        if not asked_for:
            raise TransferError(f"the pull broke off after {seen}", opening.target, "ask again: what arrived is kept")
        say(f"note: only {seen} are in the cache; the answer rests on them")


def settings_of(opening: Opening) -> Settings:
    """The options of the command line as the service takes them."""
    from sondage.dig import Settings  # noqa: PLC0415  as above

    ssh = SshOptions(opening.config_file, opening.port, opening.identities, opening.hops, opening.no_input)
    sizes = {} if opening.max_file_size is None else {"max_file_size": opening.max_file_size}
    return Settings(
        ssh=ssh,
        refresh=opening.refresh,
        offline=opening.offline,
        source_roots=opening.source_roots,
        exclude=opening.exclude,
        jobs=opening.jobs,
        engine=opening.engine,
        session=opening.session,
        deps=opening.deps,
        **sizes,
    )
