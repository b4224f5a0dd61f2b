"""Owns what leaves the app at the user's wish: text to the clipboard, the transcript to a file, a copy to the editor."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import SuspendNotSupported

from sondage.core.safe import one_line
from sondage.errors import UsageError
from sondage.tui import clipboard
from sondage.tui.models.rows import Part, Row, row
from sondage.tui.panes.base import Pane
from sondage.tui.panes.messages import Asked, SaveAsked
from sondage.tui.window import Window

if TYPE_CHECKING:
    from sondage.tui.desk import Desk


class HandingOver(Window):
    """The window with what it hands over. What needs an opened target goes through the desk, where there is one."""

    desk: Desk | None = None

    def put(self, asked: Asked) -> None:
        """Put a question; answered by the app below."""
        raise NotImplementedError

    def in_background(self, group: str, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine as a worker whose errors are reported, never fatal; a newer one of a group replaces it."""
        raise NotImplementedError

    # ------------------------------------------------------------ copying

    def action_copy(self) -> None:
        text = self.active_pane.copy_text()
        if text is None:
            self.say("nothing stands under the cursor")
        else:
            self.copy_to_clipboard(text)

    def action_copy_more(self) -> None:
        self.in_background("screen", self._copy_more())

    async def _copy_more(self) -> None:
        """The list opens at once: what is typed behind the key must not go to the pane."""
        from sondage.tui.picker import Picker, narrowing  # noqa: PLC0415  the first frame does not wait for it

        pane, rows = self.active_pane, list[Row]()

        async def source(query: str) -> Sequence[Row]:
            if not rows:
                rows[:] = [
                    row(Part(f" {what:<16}", "accent"), Part(one_line(" ".join(text.split())[:200])), value=text)
                    for what, text in await self._copy_forms(pane)
                ]
            return await narrowing(rows)(query)

        chosen = await self.result_of(Picker("Copy as", source))
        if isinstance(chosen, str):
            self.copy_to_clipboard(chosen)

    async def _copy_forms(self, pane: Pane) -> list[tuple[str, str]]:
        """(what it is, the text): of the place under the cursor, then what the pane offers besides."""
        here = pane.here
        of_place = await self.desk.places.copy_forms(here) if self.desk is not None and here is not None else []
        return [*of_place, *pane.copy_forms()]

    def copy_to_clipboard(self, text: str) -> None:
        """Ask the terminal; what the terminal does with it nobody is told."""
        if len(text.encode("utf-8", "replace")) > clipboard.MOST_BYTES:
            self.say("too much for the clipboard of a terminal: :save writes a file", "bad")
            return
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(clipboard.sequence(text, os.environ))
        lines = text.count("\n") + 1
        what = text if lines == 1 else f"{lines} lines"
        self.say(f"copied {what}  {clipboard.way(os.environ)}", "good")

    # ------------------------------------------------------------ to a file, to the editor

    def action_save(self) -> None:
        self.put(SaveAsked())

    def action_edit(self) -> None:
        """The file under the cursor in the user's editor, while the app stands aside."""
        from sondage.tui.editing import open_copy  # noqa: PLC0415  the first frame does not wait for it

        here = self.active_pane.here
        text = self.desk.dig.source(here.path) if self.desk is not None and here is not None else None
        if here is None or text is None:
            self.say("no file stands under the cursor")
            return
        try:
            with self.suspend():
                open_copy(text.data, here.path, here.line, os.environ)
        except SuspendNotSupported:
            self.say("no editor can be opened on this terminal", "bad")
        except UsageError as error:
            self.say(str(error), "bad")
        else:
            self.say(f"that was a read-only copy of {here.path}; it is deleted", "good")
