"""Owns the app as a whole: questions are answered, workers reported, sessions kept, and the terminal is left clean."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Coroutine
from inspect import CORO_CREATED, getcoroutinestate
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual import events, on
from textual.theme import Theme
from textual.worker import Worker, WorkerState

from sondage.core.safe import one_line
from sondage.errors import SondageError
from sondage.tui import terminal, themes
from sondage.tui.chrome import HeaderState
from sondage.tui.commands import remapped
from sondage.tui.crash import write_crash
from sondage.tui.guide import GuideLine
from sondage.tui.housekeeping import Housekeeping
from sondage.tui.leaving import watch_hangup, watch_signals
from sondage.tui.opening import PATIENCE
from sondage.tui.options import Opener, Options
from sondage.tui.panes.base import Prompt
from sondage.tui.panes.messages import Asked, NoteAsked
from sondage.tui.pauses import shorten_collections, shorten_turns

if TYPE_CHECKING:
    from sondage.dig import Dig
    from sondage.tui.desk import Desk

WORKING = "working…  Esc stops"


class SondageApp(Housekeeping):
    """`opener` opens targets; with a `target` the welcome screen is left out."""

    def __init__(self, opener: Opener, target: str | None = None, options: Options | None = None) -> None:
        self.options = options or Options()
        self._themes: dict[str, Theme] = {}
        no_color = "NO_COLOR" in os.environ
        chosen = themes.wanted(self.options.theme, self.options.themes, no_color=no_color)
        self.set_reactive(
            SondageApp.theme, chosen
        )  # before Textual works out its colours: a change of theme styles all anew
        super().__init__()
        self.guide = GuideLine(self.options.guide, self.options.guide_ending)
        self.opener = opener
        self.target = target
        self.table, self.refused_keys = remapped(self.options.keys)
        self.set_keymap({name: self.table[name].bound for name in self.options.keys if name in self.table})
        self._newest: dict[str, Coroutine[Any, Any, None]] = {}
        self._early: dict[str, Asked] = {}
        """What was asked before there was anything to ask: of each group the newest."""
        self.ascii = self.options.ascii
        self.mouse_reported = self.options.mouse
        self._typed_before = list(terminal.keys(self.options.typed))
        self._focus_click = terminal.FocusClick()
        self._late_reply = terminal.LateReply() if self.options.late_reply else None

    @property
    def theme_names(self) -> list[str]:
        return sorted(self.options.themes)

    @property
    def available_themes(self) -> dict[str, Theme]:
        """Ours alone: Textual's own know nothing of marks and source."""
        return {name: self._textual_theme(name) for name in self.options.themes}

    def get_theme(self, theme_name: str) -> Theme | None:
        """One of them; asked for again and again while widgets are styled, and without need of the others."""
        return self._textual_theme(theme_name) if theme_name in self.options.themes else None

    def _textual_theme(self, name: str) -> Theme:
        if name not in self._themes:
            self._themes[name] = themes.textual_theme(self.options.themes[name])
        return self._themes[name]

    def on_mount(self) -> None:
        if not self.is_headless:
            watch_signals(self._leave)
            watch_hangup(self._leave)
        if self.refused_keys:
            self.say("; ".join(self.refused_keys), "doubt")
        if self.target is not None:
            self.header.tell(HeaderState(self.target, opening=True))
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """The first frame is on the screen: what opens targets may be imported now."""
        shorten_collections()
        self.in_background("open", self._complete_and_open())

    async def _complete_and_open(self) -> None:
        from multiprocessing import resource_tracker  # noqa: PLC0415  the first frame does not wait for it

        await self.complete()
        # Textual's stand-in for stderr has no file descriptor, and the tracker of a process pool wants one when it starts.
        with contextlib.redirect_stderr(sys.__stderr__):
            resource_tracker.ensure_running()
        await self.open_target(self.target)

    def take_typed(self) -> None:
        """There is something to type into: what was typed before the app started goes there."""
        for key in self._typed_before:
            self.post_message(key)
        self._typed_before = []

    # ------------------------------------------------------------ a target and its session

    def desk_of(self, dig: Dig) -> Desk:
        from sondage.tui.desk import Desk  # noqa: PLC0415  the first frame does not wait for what answers questions

        return Desk(dig, self)

    def opened(self, dig: Dig) -> None:
        """A session was opened with the target: what was kept of it is taken up."""
        if dig.session and self.options.sessions is not None:
            from sondage.tui.resuming import Keeper  # noqa: PLC0415  the first frame does not wait for it
            from sondage.tui.sessions import SessionFolder  # noqa: PLC0415  as above

            self.keeper = Keeper(self, SessionFolder(self.options.sessions), dig.session)
            note = self.keeper.load()
            if note:
                self.say(note, "doubt")

    def closed(self) -> None:
        self.keeper = None
        self._early = {}

    def grown(self) -> None:
        super().grown()
        if self.dig is not None and self.dig.coverage.files_seen:
            self._put_early()
        state = self.keeper.due() if self.keeper is not None else None
        if state is not None:
            from sondage.tui.resuming import show  # noqa: PLC0415  the first frame does not wait for it

            self.in_background("resume", show(self, state))

    # ------------------------------------------------------------ questions

    @on(Asked)
    def put(self, asked: Asked) -> None:
        reading = self._reading is not None and self.dig is not None and not self.dig.coverage.files_seen
        if self.desk is None or (reading and asked.of_sources):
            self._put_off(asked)
        elif isinstance(asked, NoteAsked) and not asked.text:
            self.in_background("screen", self._type_note())
        else:
            self.in_background(asked.group, self._answer(asked))

    async def refresh_index(self) -> None:
        await super().refresh_index()
        self._put_early()

    def _put_early(self) -> None:
        early, self._early = self._early, {}
        for asked in early.values():
            self.put(asked)

    def _put_off(self, asked: Asked) -> None:
        """An answer that rests on no file is no evidence. Where nothing is being opened there is nothing to wait for."""
        if self.desk is not None or self.header.state.opening:
            self._early[asked.group] = asked
            self.say("asked as soon as the first files are here")
        else:
            self.say("no target is open yet")

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
        text = await self.line("A note for the transcript")
        if text:
            self.put(NoteAsked(text))

    def in_background(self, group: str, work: Coroutine[Any, Any, None]) -> None:
        if not self.is_running:
            work.close()  # the index can still grow while the app closes
            return
        self.run_worker(work, group=group, exclusive=True, exit_on_error=False)
        replaced = self._newest.get(group)
        if replaced is not None and getcoroutinestate(replaced) == CORO_CREATED:
            replaced.close()  # given up before its first step: nobody will await it
        self._newest[group] = work

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed says so; the app goes on."""
        error = event.worker.error
        if self.keeper is not None and event.state is WorkerState.SUCCESS:
            self.keeper.changed()
        if event.state is WorkerState.ERROR and error is not None and event.worker.group != "refresh":
            if isinstance(error, SondageError):
                self.say(str(error), "bad")
            else:
                self.say(write_crash(error, self.options.log).removeprefix("sondage: error: "), "bad")

    @on(Prompt.Submitted, "#command-line")
    async def _command_typed(self, event: Prompt.Submitted) -> None:
        await self.typed(event.value)

    async def on_event(self, event: events.Event) -> None:
        """Before a key is handled: the last message has been read, and the age is looked at anew."""
        if not event.is_forwarded and self._focus_click.takes(event):
            return
        if isinstance(event, events.InputEvent) and not event.is_forwarded:
            await self.complete()
        if isinstance(event, events.Key) and not event.is_forwarded:
            if self._late_reply is not None and self._late_reply.takes(event):
                return
            self.say("")
            if event.key != "ctrl+c":
                self._interrupted = False
            self.draw_header()
            if self.keeper is not None:
                self.keeper.changed()
        await super().on_event(event)

    # ------------------------------------------------------------ leaving

    def _leave(self, code: int) -> None:
        self.exit(code)

    async def on_unmount(self) -> None:
        if self.keeper is not None:
            self.keeper.keep()
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
    shorten_turns()
    app = SondageApp(opener, target, options)
    left_with = app.run(mouse=options.mouse)
    if app._exception is not None:
        return 4
    return left_with if left_with is not None else app.return_code or 0
