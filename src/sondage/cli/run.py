"""Owns the flow of every question: open → refresh → ask → say, in this one place."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from sondage.cli.opening import Opening
from sondage.cli.options import Form
from sondage.cli.out import deliver
from sondage.cli.plain import counted
from sondage.cli.progress import ProgressLine
from sondage.cli.report import Report, candidates_report
from sondage.cli.settings import settings_of
from sondage.cli.stderr import say
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.index import IndexSummary, Looked
from sondage.errors import HostError
from sondage.hosts.aside import straight
from sondage.hosts.target import parse_target

if TYPE_CHECKING:
    from sondage.dig import Dig
    from sondage.hosts.base import Asker

Answer = TypeVar("Answer")


class Opened(msgspec.Struct, frozen=True):
    """A target that has been opened and brought up to date."""

    dig: Dig
    summary: IndexSummary | Looked
    others: tuple[Dig, ...] = ()
    """The further targets of a question about several, in the order given."""


def put(
    opening: Opening,
    form: Form,
    ask: Callable[[Opened], Awaitable[Answer | Candidates]],
    report: Callable[[Answer], Report],
    others: Sequence[str] = (),
    *,
    whole: bool = False,
    spec: str = "",
) -> int:
    """Puts one question and says the answer. Returns the exit code; failures are raised.

    `others` are further targets to open in the same way; only the first records the answer. `whole`: the target is read
    to its end before the question is put, which then finds an `IndexSummary`; otherwise as far as the answer takes: that of
    a range of a file, which `spec` may be, takes that file alone.
    """
    openings = [opening, *(replace(opening, target=other, session=None) for other in others)]
    local = all(parse_target(one.target).address is None for one in openings)
    try:
        return (_at_once if local and not whole else _waiting)(_put(openings, form, ask, report, whole, spec))
    except BrokenPipeError as error:  # not that of stdout, which `deliver` takes care of
        raise HostError("the connection broke", opening.target, "ask again: what arrived is kept") from error


def _at_once(work: Coroutine[Any, Any, int]) -> int:
    """Without an event loop."""
    _log_late()
    return straight(work)


def _waiting(work: Coroutine[Any, Any, int]) -> int:
    """On an event loop: for hosts, and where files are parsed while others come."""
    import asyncio  # noqa: PLC0415  its import takes as long as a local question

    from sondage.cli.log import start_log  # noqa: PLC0415  as above

    start_log()
    return asyncio.run(work)


def _log_late() -> None:
    """What Python warns of goes to the log, which is set up by the first warning: hardly a local question has one."""
    before = warnings.showwarning

    def warned(*warning: Any, **named: Any) -> None:
        from sondage.cli.log import start_log  # noqa: PLC0415  see above

        warnings.showwarning = before
        start_log()
        warnings.showwarning(*warning, **named)

    warnings.showwarning = warned


async def _put(
    openings: Sequence[Opening],
    form: Form,
    ask: Callable[[Opened], Awaitable[Answer | Candidates]],
    report: Callable[[Answer], Report],
    whole: bool,
    spec: str,
) -> int:
    async with contextlib.AsyncExitStack() as stack:
        first, *others = [await stack.enter_async_context(_opened(one, whole, spec)) for one in openings]
        answer = await _answer(ask, replace(first, others=tuple(other.dig for other in others)))
        said = candidates_report(answer) if isinstance(answer, Candidates) else report(answer)
        code = deliver(said, form)
        for opening, opened in zip(openings, (first, *others), strict=True):
            which = f"{opening.target}: " if others else ""
            for note in opened.dig.take_notes():
                say(f"note: {which}{note}")
            if answer is not opened.summary:
                _say_gaps(opened, which)
        return code


async def _answer(ask: Callable[[Opened], Awaitable[Answer]], opened: Opened) -> Answer:
    """Hundreds of classes take a while: a terminal shows that it is not stuck."""
    progress = ProgressLine.for_stderr()
    progress.doing("answering")
    try:
        return await ask(opened)
    finally:
        progress.clear()


@contextlib.asynccontextmanager
async def _opened(opening: Opening, whole: bool, spec: str) -> AsyncIterator[Opened]:
    from sondage.dig import open_dig  # noqa: PLC0415  it brings SSH, store and parser: no `--help` waits for them

    progress = ProgressLine.for_stderr()
    target = parse_target(opening.target)
    asker = _asker(opening, progress) if target.address is not None else None
    dig = await open_dig(target, settings_of(opening), asker=asker)
    try:
        try:
            summary = await (dig.refresh(progress) if whole else dig.look(progress, spec=spec))
        finally:
            progress.clear()
        opened = Opened(dig, summary)
        _refuse_emptiness(opening, opened)
        yield opened
    finally:
        await dig.aclose()


def _asker(opening: Opening, progress: ProgressLine) -> Asker | None:
    from sondage.cli.asking import terminal_asker  # noqa: PLC0415  a folder of this machine asks for nothing

    return terminal_asker(opening.no_input, before=progress.clear)


def _refuse_emptiness(opening: Opening, opened: Opened) -> None:
    """Nothing is known of a target that was never read: to answer that nothing was found would be a lie."""
    if (opening.offline or opening.refresh == "never") and opened.dig.indexed_at is None and not opened.summary.files:
        raise HostError("nothing of this target is in the cache", opening.target, "read it once: sondage index TARGET")


def _say_gaps(opened: Opened, which: str) -> None:
    """An answer that rests on a part of the tree is said to. `which` names the target where there are several."""
    seen, unreadable = opened.dig.coverage, len(opened.summary.unreadable)
    if unreadable:
        say(f"note: {which}{counted(unreadable, 'file')} not read, so not part of the answer; `sondage index` says why")
    elif not opened.summary.complete:
        say(
            f"note: {which}only {seen.files_seen:,} of {seen.files_listed:,} files are in the cache; the answer rests on them"
        )
