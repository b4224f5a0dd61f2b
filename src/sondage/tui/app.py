"""Owns the app as a whole: a target is opened and refreshed, questions are answered, and the terminal is left clean."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from rich.text import Text
from textual import events, on
from textual.worker import Worker, WorkerState

from sondage.config.themes import Theme
from sondage.core.answers import IndexSummary, Progress
from sondage.core.safe import one_line
from sondage.dig import Dig
from sondage.errors import SondageError
from sondage.hosts.base import Asker, Question
from sondage.tui import themes
from sondage.tui.actions import Actions
from sondage.tui.chrome import HeaderState
from sondage.tui.commands import remapped
from sondage.tui.crash import write_crash
from sondage.tui.desk import Desk
from sondage.tui.guide import GuideLine, GuideStep
from sondage.tui.leaving import watch_hangup, watch_signals
from sondage.tui.panes.base import Prompt
from sondage.tui.panes.messages import Asked, NoteAsked
from sondage.tui.screens import Known, LineScreen, QuestionScreen, WelcomeScreen
from sondage.tui.themes import FALLBACK

Opener = Callable[[str, Asker], Awaitable[Dig]]
"""Opens what the user typed as a target; raises SondageError."""

WORKING = "working…  Esc stops"
PATIENCE = 0.4
"""Seconds after which a question that is still open is spoken of."""
PROGRESS_PAUSE = 0.1
"""Seconds between two drawings of the progress."""


@dataclass(frozen=True)
class Options:
    """How the app is run. `known` are the targets the welcome screen offers; `log` is where a crash is written."""

    themes: Mapping[str, Theme] = field(default_factory=themes.shipped)
    """By name; the shipped ones are among them."""
    theme: str = FALLBACK
    known: Sequence[Known] = ()
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)
    log: Path | None = None
    mouse: bool = True
    guide: Sequence[GuideStep] = ()
    guide_ending: str = ""
    clock: Callable[[], float] = time.time


class SondageApp(Actions):
    """`opener` opens targets; with a `target` the welcome screen is left out."""

    def __init__(self, opener: Opener, target: str | None = None, options: Options | None = None) -> None:
        self.options = options or Options()
        super().__init__()
        # Textual's stand-in for stderr has no file descriptor, and the tracker of a process pool wants one when it starts.
        resource_tracker.ensure_running()
        self.guide = GuideLine(self.options.guide, self.options.guide_ending)
        self.opener = opener
        self.target = target
        self.dig: Dig | None = None
        self.table, self.refused_keys = remapped(self.options.keys)
        self.set_keymap({name: ",".join(self.table[name].strokes) for name in self.options.keys if name in self.table})
        self.progress: Progress | None = None
        self._drawn_at = 0.0
        for theme in self.options.themes.values():
            self.register_theme(themes.textual_theme(theme))
        self.theme = themes.wanted(self.options.theme, self.options.themes, no_color=self.no_color)

    @property
    def theme_names(self) -> list[str]:
        """Ours alone: Textual's own know nothing of marks and source."""
        return sorted(self.options.themes)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.shipped()[themes.FALLBACK].variables)

    def on_mount(self) -> None:
        if not self.is_headless:
            watch_signals(self._leave)
            watch_hangup(self._leave)
        if self.refused_keys:
            self.say("; ".join(self.refused_keys), "doubt")
        self.in_background("open", self._open(self.target))

    # ------------------------------------------------------------ opening a target

    async def _open(self, target: str | None, problem: str = "", typed: str = "") -> None:
        """Ask for a target until one opens, then refresh its index."""
        while self.dig is None:
            if target is None:
                target = await self.result_of(WelcomeScreen(self.options.known, problem, typed))
                if target is None:
                    self.exit(0)
                    return
            try:
                self.dig = await self.opener(target, self.ask_user)
            except SondageError as error:
                problem, typed, target = str(error), target, None
        self.desk = Desk(self.dig, self)
        self.dig.listen(self._grown)
        self.draw_header()
        self.desk.recorded()
        self.go("search")
        await self._refresh()

    async def ask_user(self, question: Question) -> str | None:
        """A question of the host, put to the user without any time limit."""
        return await self.result_of(QuestionScreen(question))

    async def _refresh(self) -> None:
        assert self.dig is not None
        try:
            summary = await self.dig.refresh(self._report)
        except SondageError as error:
            self.say(f"{error}; R tries again", "bad")
        else:
            self._tell_summary(summary, self.dig.take_notes())
            if summary.parsed and self.desk is not None:
                self.in_background("log", self.desk.ask_log_again())
        finally:
            self.progress = None
            self.draw_header()
        self._grown()

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
        now = time.monotonic()
        if now - self._drawn_at >= PROGRESS_PAUSE:
            self._drawn_at = now
            self.draw_header()

    def _grown(self) -> None:
        if self.desk is not None:
            self.in_background("growth", self.desk.grow())

    def action_refresh_index(self) -> None:
        if self.dig is not None:
            self.in_background("open", self._refresh())

    def draw_header(self) -> None:
        """The age is worked out here, on an event: nothing ticks."""
        dig = self.dig
        if dig is None:
            return
        age = None if dig.indexed_at is None else self.options.clock() - dig.indexed_at
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
            )
        )

    # ------------------------------------------------------------ questions

    @on(Asked)
    def put(self, asked: Asked) -> None:
        if self.desk is None:
            self.say("no target is open yet")
        elif isinstance(asked, NoteAsked) and not asked.text:
            self.in_background("screen", self._type_note())
        else:
            self.in_background(asked.group, self._answer(asked))

    async def _answer(self, asked: Asked) -> None:
        """What takes long says so: a first question may have to fetch library files of the host."""
        assert self.desk is not None
        patience = self.set_timer(PATIENCE, self._say_working)
        try:
            await self.desk.answer(asked)
        finally:
            patience.stop()
            if self.status.said == WORKING:
                self.say("")

    def _say_working(self) -> None:
        if self.screen is self.base:
            self.say(WORKING)

    async def _type_note(self) -> None:
        text = await self.result_of(LineScreen("A note for the transcript"))
        if text:
            self.put(NoteAsked(text))

    def in_background(self, group: str, work: Coroutine[Any, Any, None]) -> None:
        if self.is_running:
            self.run_worker(work, group=group, exclusive=True, exit_on_error=False)
        else:
            work.close()  # the index can still grow while the app closes

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed says so; the app goes on."""
        error = event.worker.error
        if event.state is WorkerState.ERROR and error is not None:
            if isinstance(error, SondageError):
                self.say(str(error), "bad")
            else:
                self.say(write_crash(error, self.options.log).removeprefix("sondage: error: "), "bad")

    @on(Prompt.Submitted, "#command-line")
    async def _command_typed(self, event: Prompt.Submitted) -> None:
        await self.typed(event.value)

    async def on_event(self, event: events.Event) -> None:
        """Before a key is handled: the last message has been read, and the age is looked at anew."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.say("")
            if event.key != "ctrl+c":
                self._interrupted = False
            self.draw_header()
        await super().on_event(event)

    # ------------------------------------------------------------ leaving

    def _leave(self, code: int) -> None:
        self.exit(code)

    async def on_unmount(self) -> None:
        if self.desk is not None:
            await self.desk.aclose()
        if self.dig is not None:
            await self.dig.aclose()

    def _fatal_error(self) -> None:
        """One line and the log's path instead of a traceback with locals, which hold secrets."""
        error = self._exception
        text = write_crash(error, self.options.log) if error is not None else "sondage: error: internal error"
        self._exit_renderables.append(Text(one_line(text)))
        self._close_messages_no_wait()


def run_app(opener: Opener, target: str | None, options: Options) -> int:
    """Run the app on the terminal until it is left; the exit code of the command."""
    app = SondageApp(opener, target, options)
    left_with = app.run(mouse=options.mouse)
    if app._exception is not None:
        return 4
    return left_with if left_with is not None else app.return_code or 0
