"""Owns what keys and commands do to the terminal and to the session: the mouse, a trial of copying, another name."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from sondage.core.safe import one_line
from sondage.errors import SondageError
from sondage.tui import clipboard
from sondage.tui.models.rows import Part, Row, row, wrap
from sondage.tui.opening import Opening
from sondage.tui.terminal import mouse_reports

if TYPE_CHECKING:
    from sondage.tui.resuming import Keeper

SAMPLE = "sondage can copy"
"""What the trial of copying puts into the clipboard."""
TELLING_WIDTH = 68


class Housekeeping(Opening):
    """The window with a target and its session, in a terminal."""

    keeper: Keeper | None = None

    async def typed(self, line: str) -> None:
        """`:mouse on|off`, `:session NAME`, `:stop` and `:copy-test` are answered here, all others below."""
        word, _, rest = line.strip().removeprefix(":").partition(" ")
        answers: dict[str, Callable[[str], None]] = {
            "mouse": self._mouse_wanted,
            "session": self._session_wanted,
            "stop": lambda _: self.action_stop(),
            "copy-test": lambda _: self.action_copy_test(),
        }
        if word in answers:
            self.close_command_line()
            answers[word](rest.strip())
        else:
            await super().typed(line)

    # ------------------------------------------------------------ the mouse

    def action_mouse(self) -> None:
        self.report_mouse(on=not self.mouse_reported)

    def _mouse_wanted(self, wish: str) -> None:
        if wish in ("on", "off", ""):
            self.report_mouse(on=wish == "on" if wish else not self.mouse_reported)
        else:
            self.say("write :mouse on or :mouse off", "bad")

    def report_mouse(self, *, on: bool) -> None:
        """Let the terminal report the mouse, or keep it for selecting text by itself."""
        self.mouse_reported = on
        driver = self._driver
        if driver is not None and not self.is_headless:
            driver.write(mouse_reports(on=on))
            driver.flush()
            driver._mouse = on  # what Textual goes by when it hands the terminal over, and leaves it
        key = self.table["mouse"].shown_key
        self.say(
            f"the mouse acts here again, {key} releases it" if on else f"the terminal has the mouse, {key} takes it"
        )

    # ------------------------------------------------------------ copying

    def action_copy_test(self) -> None:
        self.in_background("screen", self._test_copying())

    async def _test_copying(self) -> None:
        """Copies a sentence, and says how to see whether it arrived, and what to set where it did not."""
        from sondage.tui.screens import NoticeScreen  # noqa: PLC0415  the first frame does not wait for it

        self.copy_to_clipboard(SAMPLE)
        await self.result_of(NoticeScreen(f"Copied: {SAMPLE}", _advice(clipboard.way(os.environ))))

    # ------------------------------------------------------------ the session

    def action_session(self) -> None:
        self.in_background("screen", self._type_session())

    async def _type_session(self) -> None:
        before = self.dig.session if self.dig is not None else None
        name = await self.line("Another name for the session and its transcript", before or "")
        if name:
            self._session_wanted(name)

    def _session_wanted(self, name: str) -> None:
        if self.dig is None or self.desk is None:
            self.say("no target is open yet")
            return
        if not name:
            self.say(f"the session is {self.dig.session or 'kept nowhere'}; :session NAME renames it")
            return
        try:
            self.dig.rename(name)
        except SondageError as error:
            self.say(str(error), "bad")
            return
        if self.keeper is not None:
            self.keeper.rename(name)
        self.desk.recorded()
        self.say(
            f"the session is {one_line(name)} from now on; sondage TARGET --session {one_line(name)} goes on", "good"
        )


def _advice(way: str) -> list[Row]:
    """What the terminals and programs in between need."""
    text = [
        f"It was copied {way}. Paste it somewhere: if it does not appear, the terminal did not take it.",
        "tmux: set -g set-clipboard on, and set -g allow-passthrough on; then start a new pane.",
        "Terminal.app takes no copies from programs: % releases the mouse, then select by hand.",
        "iTerm2: Settings, General, Selection: applications may access the clipboard.",
        "GNU screen hands nothing on: copy outside of it, or select by hand after %.",
    ]
    return [
        row(Part(" " + line, "text" if advice is text[0] else "muted"))
        for advice in text
        for line in wrap(advice, TELLING_WIDTH, "  ")
    ]
