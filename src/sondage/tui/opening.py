"""Owns the way to an opened target: where to is asked, it is read, and what that came to is told."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from textual import events
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from sondage.core.safe import one_line
from sondage.errors import SondageError, UsageError
from sondage.tui.actions import Actions
from sondage.tui.chrome import HeaderState
from sondage.tui.models.pace import Pace
from sondage.tui.models.rows import counted
from sondage.tui.options import BROWSED, Known, Opener, Options, Wanted

if TYPE_CHECKING:
    from sondage.core.answers.index import IndexSummary, Progress
    from sondage.dig import Dig
    from sondage.hosts.base import Question
    from sondage.tui.connecting import ConnectingScreen
    from sondage.tui.desk import Desk

SERVICE = "sondage.tui.desk"
"""What opens targets and answers questions: imported in a thread while the first frame stands on the screen already."""
PATIENCE = 0.4
"""Seconds after which work that still goes on is spoken of."""
PROGRESS_PAUSE = 0.1
"""Seconds between two drawings of the progress."""
STOPPED = "stopped"
REFRESHING = "asking the host what has changed…  {key} or :stop stops it"


class Opening(Actions):
    """The window with a target in it, once one is open. `opener` opens targets."""

    options: Options
    opener: Opener
    dig: Dig | None = None
    progress: Progress | None = None

    def __init__(self) -> None:
        super().__init__()
        self.pace = Pace(time.monotonic)
        self._drawn_at = 0.0
        self._steps: ConnectingScreen | None = None
        self._reading: Worker[IndexSummary] | None = None

    def desk_of(self, dig: Dig) -> Desk:
        """Who answers questions about an opened target."""
        raise NotImplementedError

    def opened(self, dig: Dig) -> None:
        """Called when a target was opened, before it is read."""

    def take_typed(self) -> None:
        """Called when there is something to type into."""

    def closed(self) -> None:
        """Called when it could not be opened, or was closed again because nothing of it could be read."""

    # ------------------------------------------------------------ where to

    async def open_target(self, target: str | None) -> None:
        """Until something is open; without a target the user is asked for one. Leaves the app when there is no answer."""
        wanted = Wanted(target) if target is not None else None
        problem = typed = ""
        while True:
            if wanted is None:
                wanted = await self._ask_where(problem, typed)
            if wanted is None:
                self.exit(0)
                return
            self.header.tell(HeaderState(wanted.target, opening=True))
            try:
                await self._take(await self._open(wanted))
            except SondageError as error:
                self.header.tell(HeaderState())
                problem, typed, wanted = str(error), wanted.target, None
            else:
                return

    async def _open(self, wanted: Wanted) -> Dig:
        """Raises SondageError; a connection that was made for choosing is closed then."""
        if SERVICE not in sys.modules:
            await asyncio.to_thread(import_module, SERVICE)
        try:
            return await self.opener(wanted, self.ask_user)
        except SondageError:
            self.closed()
            if wanted.host is not None:
                await wanted.host.aclose()
            raise

    async def ask_user(self, question: Question) -> str | None:
        """A question of the host, put to the user without any time limit; what needs no answer is said."""
        if question.kind == "touch":
            self.say(question.text)
            return None
        from sondage.tui.screens import QuestionScreen  # noqa: PLC0415  the first frame does not wait for it

        return await self.result_of(QuestionScreen(question))

    async def _ask_where(self, problem: str, typed: str) -> Wanted | None:
        """A target of the welcome screen; for a host alone one of its folders, from which the user may come back."""
        from sondage.tui.welcome import WelcomeScreen  # noqa: PLC0415  the first frame does not wait for it

        while True:
            self.call_after_refresh(self.take_typed)
            known = await self.result_of(WelcomeScreen(self.options.known, problem, typed))
            if known is None:
                return None
            if not known.target.endswith(":") and known.target != BROWSED:
                return Wanted(known.target, known.session)
            wanted = await self._ask_folder(known)
            if wanted is not None:
                return wanted
            problem = typed = ""

    async def _ask_folder(self, known: Known) -> Wanted | None:
        from sondage.tui.folder_screen import FolderScreen, used_roots  # noqa: PLC0415  the first frame does not wait for it

        host = known.target if known.target.endswith(":") else ""
        used = used_roots(self.options.known, host) if host else ()
        screen = FolderScreen(host, self.options.browse, self.ask_user, used)
        chosen = await self.result_of(screen)
        if chosen is not None and host:
            return Wanted(_target(host, chosen.path), host=chosen.browser.host if chosen.browser else None)
        if screen.browser is not None:
            await screen.browser.host.aclose()
        if chosen is None:
            return None
        return Wanted(chosen.path if chosen.path.startswith((".", "/", "~")) else f"./{chosen.path}")

    # ------------------------------------------------------------ reading it

    async def _take(self, dig: Dig) -> None:
        """A target was opened: read it. Raises SondageError, and closes it again, where nothing of it could be read."""
        self.dig = dig
        self.desk = self.desk_of(dig)
        self.opened(dig)
        dig.listen(self.grown)
        dig.watch(self._link_changed)
        self.draw_header()
        self.desk.recorded()
        self.take_typed()
        steps = self.set_timer(PATIENCE, self._show_steps)
        try:
            await self.refresh_index()
        except SondageError:
            if dig.coverage.files_seen:
                return
            self.dig = self.desk = None
            self.closed()
            await dig.aclose()
            raise
        finally:
            steps.stop()
            self._end_steps()

    def _show_steps(self) -> None:
        """Once nothing else lies over the panes, while there is nothing in them to look at."""
        if self.dig is None or self._reading is None or self.dig.coverage.files_seen:
            return
        if self.screen is not self.base:
            self.set_timer(PATIENCE, self._show_steps)
            return
        from sondage.tui.connecting import ConnectingScreen  # noqa: PLC0415  the first frame does not wait for it

        self._steps = ConnectingScreen(str(self.dig.target), self.pace)
        self.push_screen(self._steps, self._steps_left)
        self.call_after_refresh(self._tell_steps)

    def _steps_left(self, stopped: bool | None) -> None:
        typed = self._steps.typed if self._steps is not None else []
        self._steps = None
        if stopped:
            self.action_stop()
            return
        for key in typed if self.dig is not None else ():  # behind the screen's own end, so that they reach the panes
            self.call_after_refresh(self.post_message, events.Key(key.key, key.character))

    def _end_steps(self) -> None:
        if self._steps is not None:
            self._steps.end()

    def _tell_steps(self) -> None:
        if self._steps is not None and self.dig is not None:
            self._steps.tell(self.progress, self.dig.identity)

    async def refresh_index(self) -> None:
        """Bring the index up to date, and tell what that came to. Raises SondageError, told as well."""
        assert self.dig is not None
        worker = self.run_worker(self.dig.refresh(self._report), group="refresh", exit_on_error=False)
        self._reading = worker
        try:
            summary = await worker.wait()
        except WorkerCancelled:
            self.say("stopped: answers rest on what had arrived; R goes on", "doubt")
            raise SondageError(STOPPED, str(self.dig.target)) from None
        except WorkerFailed as failed:
            if not isinstance(failed.error, SondageError):
                raise failed.error from None
            self.say(f"{failed.error}; R tries again", "bad")
            raise failed.error from None
        else:
            self._tell_summary(summary, self.dig.take_notes())
            if summary.parsed and self.desk is not None:
                self.in_background("log", self.desk.ask_log_again())
        finally:
            self._reading = self.progress = None
            self.draw_header()
            self.grown()

    def _tell_summary(self, summary: IndexSummary, notes: Sequence[str]) -> None:
        trouble = [*summary.problems, *summary.unreadable]
        if not summary.complete:
            self.say("the refresh broke off: answers rest on what had arrived; R tries again", "doubt")
        elif trouble:
            more = f" (and {len(trouble) - 1} more)" if len(trouble) > 1 else ""
            self.say(f"not all could be read as it should: {trouble[0]}{more}", "doubt")
        elif notes:
            self.say("; ".join(notes))

    def _report(self, progress: Progress) -> None:
        """Called for each step of a refresh; drawn a few times a second."""
        self.progress = progress
        self.pace.take(progress)
        now = time.monotonic()
        if now - self._drawn_at >= PROGRESS_PAUSE:
            self._drawn_at = now
            self.draw_header()
            self._tell_steps()

    def grown(self) -> None:
        """The index was swapped: what is on the screen is asked again."""
        if self.desk is not None and self.dig is not None:
            if self.dig.coverage.files_seen:
                self._end_steps()
            self.in_background("growth", self.desk.grow())

    def action_refresh_index(self) -> None:
        if self._reading is not None:
            self.say("it is being read")
        elif self.dig is not None:
            self.in_background("open", self._refresh_asked())

    async def _refresh_asked(self) -> None:
        """As the user asked for it: what it came to is told where they are by then, what went wrong in the status line."""
        assert self.dig is not None
        before, started = self.dig.revision, time.monotonic()
        self.say(REFRESHING.format(key=self.table["index.stop"].shown_key))
        said = self.status.said
        try:
            await self.refresh_index()
        except SondageError:
            return
        if self.status.said == said:
            self.say("")
        if time.monotonic() - started > PATIENCE:
            what = (
                "the index is as the host has it" if self.dig.revision == before else "the index was brought up to date"
            )
            size = counted(self.dig.coverage.files_listed, "file")
            self.notify(f"{what}: {size} of {one_line(str(self.dig.target))}", markup=False)

    def action_stop(self) -> None:
        """Stop what is read at the moment; what has arrived is kept."""
        if self._reading is None:
            self.say("nothing is being read")
        else:
            self._reading.cancel()

    # ------------------------------------------------------------ the header

    def _link_changed(self) -> None:
        """The connection was lost or made: the header shows it, and what is to be said once is said."""
        self.draw_header()
        if self.dig is not None and self._reading is None and (notes := self.dig.take_notes()):
            self.say("; ".join(notes), "plain" if self.dig.online else "doubt")

    def draw_header(self) -> None:
        """The age is worked out here, on an event: nothing ticks."""
        dig = self.dig
        if dig is None:
            return
        now = self.options.clock()
        age = None if dig.indexed_at is None else now - dig.indexed_at
        self.header.tell(
            HeaderState(
                target=str(dig.target),
                coverage=dig.coverage,
                lines=dig.lines,
                age=age,
                online=dig.online,
                is_local=dig.target.address is None,
                round_trip=dig.round_trip,
                progress=self.progress,
                time_left=self.pace.left if self.progress is not None else None,
                link=dig.link,
                next_try=None if dig.link.next_try is None else dig.link.next_try - now,
            )
        )


def _target(host: str, path: str) -> str:
    """A folder of a host that was written with its colon. What is no host is told when it is opened."""
    from sondage.hosts.target import folder_of  # noqa: PLC0415  the first frame does not wait for it

    try:
        return str(folder_of(host.removesuffix(":"), path))
    except UsageError:
        return host + path
