"""Owns what the keys that work anywhere do: each method is the action of one command of the table."""

from __future__ import annotations

import os
from collections.abc import Coroutine
from typing import Any

from textual.widgets import Input

from sondage.tui import clipboard, commands
from sondage.tui.desk import Desk
from sondage.tui.models.layout import PANES
from sondage.tui.models.rows import Part, Row, column, pad, row
from sondage.tui.panes.base import Prompt
from sondage.tui.panes.messages import Asked, SaveAsked
from sondage.tui.picker import Picker
from sondage.tui.typed import Complaint, Run, ThemeWanted, read_line
from sondage.tui.window import Window

QUESTIONS = frozenset(kind.group for kind in Asked.__subclasses__())
"""Groups of workers that Esc stops."""


class Actions(Window):
    """The window with its keys. What needs an opened target goes through the desk, where there is one."""

    desk: Desk | None = None
    _interrupted = False

    def put(self, asked: Asked) -> None:
        """Put a question; answered by the app below."""
        raise NotImplementedError

    def in_background(self, group: str, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine as a worker whose errors are reported, never fatal; a newer one of a group replaces it."""
        raise NotImplementedError

    @property
    def theme_names(self) -> list[str]:
        """The themes that can be changed to."""
        raise NotImplementedError

    # ------------------------------------------------------------ running any command

    async def action_run(self, name: str) -> None:
        """A command of the table by its id: from the hint line, the help or the palette."""
        command = commands.BY_ID[name]
        pane = self.active_pane
        if command.where == "anywhere":
            await self.run_action(command.action, default_namespace=self)
        elif command.where == "list":
            await self.run_action(command.action, default_namespace=pane.main)
        else:
            place = "search" if command.where == "prompt" else command.where
            if pane.place != place:
                self.go(place)
            await self.run_action(command.action, default_namespace=self.panes.named(place))

    def action_help(self) -> None:
        self.in_background("screen", self._help())

    async def _help(self) -> None:
        place = self.active_pane.place
        places = (place, "prompt", "list") if place == "search" else (place, "list")
        here = [self.table[command.id] for where in (*places, "anywhere") for command in commands.at(where)]
        rows = _command_rows(here)

        async def source(query: str) -> list[Row]:
            return _matching(rows, query)

        await self._run_chosen(await self.result_of(Picker(f"Keys in {place.title()}", source)))

    def action_palette(self) -> None:
        self.in_background("screen", self._palette())

    async def _palette(self) -> None:
        rows = _command_rows(
            [c for c in self.table.values() if c.action and c.where not in ("list", *commands.SCREENS)]
        )

        async def source(query: str) -> list[Row]:
            found = _matching(rows, query)
            return await self.desk.findings(query, found) if self.desk is not None else found

        hint = "symbol, file, class or command"
        await self._run_chosen(await self.result_of(Picker("Go to anything", source, placeholder=hint)))

    async def _run_chosen(self, chosen: object) -> None:
        if isinstance(chosen, str):
            await self.action_run(chosen)
        elif isinstance(chosen, Asked):
            self.put(chosen)

    # ------------------------------------------------------------ panes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """In a line that is being typed a `/` or `:` is a letter like any other; over the panes other keys are at work."""
        if action in ("search", "command_line", "next_pane") and self.screen is not self.base:
            return False
        return not (action in ("search", "command_line") and isinstance(self.focused, Input))

    def action_pane(self, name: str) -> None:
        self.go(name)

    def action_next_pane(self, by: int) -> None:
        """Round the panes; in the search prompt first to the glob, then to the list.

        The focus moves at once, not at the next idle moment: what is typed fast, or pasted, goes where it was meant to.
        """
        search = self.panes.search
        if self.focused is search.pattern and by > 0:
            self.set_focus(search.globs)
        elif self.focused is search.globs:
            self.set_focus(search.list if by > 0 else search.pattern)
        elif isinstance(self.focused, Prompt) and self.arrangement.active == "contract":
            self.panes.contract.other_field()
        else:
            index = PANES.index(self.arrangement.active)
            self.go(PANES[(index + by) % len(PANES)])

    def action_zoom(self) -> None:
        self.arrangement = self.arrangement.zoomed_or_not()
        self.arrange()

    def action_search(self) -> None:
        self.go("search")
        self.set_focus(self.panes.search.pattern)
        self.panes.search.pattern.action_select_all()

    def action_hit(self, by: int) -> None:
        if self.panes.search.found is None or not self.panes.search.list.stops:
            self.say("no hits to step through: / searches")
        else:
            self.panes.search.action_hit(by)

    def action_step_back(self) -> None:
        """One step: the prompt, a range, the zoom; never out of the app."""
        if self.command_line.display:
            self.close_command_line()
        elif self.active_pane.place == "source" and self.panes.source.give_up():
            return
        elif self.arrangement.zoomed:
            self.action_zoom()
        else:
            for group in QUESTIONS:
                self.workers.cancel_group(self, group)
            self.active_pane.enter()

    # ------------------------------------------------------------ the command line

    def action_command_line(self) -> None:
        self.status.display = False
        self.command_line.display = True
        self.command_line.value = ""
        self.set_focus(self.command_line)

    def close_command_line(self) -> None:
        self.active_pane.enter()
        self.command_line.display = False
        self.status.display = True

    async def typed(self, line: str) -> None:
        """What stood on the command line."""
        self.close_command_line()
        match read_line(line):
            case Complaint(text):
                self.say(text, "bad")
            case Run(name):
                await self.action_run(name)
            case ThemeWanted(name):
                self.set_theme(name)
            case Asked() as asked:
                self.put(asked)

    async def action_guide_next(self) -> None:
        """The next step of the guide, as if it had been typed; it waits for the whole index, so as to tell one story."""
        if self.desk is None or not self.desk.dig.coverage.whole or not self.desk.dig.coverage.files_listed:
            self.say("a moment: the files are still being read")
            return
        step = self.guide.advance()
        if step is None:
            self.say("no guide: sondage demo has one")
        else:
            await self.typed(step.typed)

    # ------------------------------------------------------------ the jump list

    def action_jump_back(self) -> None:
        self._travel(-1)

    def action_jump_forward(self) -> None:
        self._travel(1)

    def _travel(self, direction: int) -> None:
        if self.desk is not None:
            self.desk.places.travel(direction)

    def action_jump_list(self) -> None:
        if self.desk is not None:
            self.in_background("screen", self.desk.places.choose_place())

    # ------------------------------------------------------------ copying and saving

    def action_copy(self) -> None:
        text = self.active_pane.copy_text()
        if text is None:
            self.say("nothing stands under the cursor")
        else:
            self.copy_to_clipboard(text)

    def action_copy_more(self) -> None:
        self.in_background("screen", self._copy_more())

    async def _copy_more(self) -> None:
        forms = self.active_pane.copy_forms()
        rows = [
            row(Part(f" {what:<16}", "accent"), Part(" ".join(text.split())[:200], "text"), value=text)
            for what, text in ((what, text) for what, text in forms)
        ]
        chosen = await self.choose("Copy as", rows) if rows else None
        if isinstance(chosen, str):
            self.copy_to_clipboard(chosen)

    def copy_to_clipboard(self, text: str) -> None:
        """Ask the terminal; what the terminal does with it nobody is told."""
        self._clipboard = text
        if len(text.encode("utf-8", "replace")) > clipboard.MOST_BYTES:
            self.say("too much for the clipboard of a terminal: :save writes a file", "bad")
            return
        if self._driver is not None:
            self._driver.write(clipboard.sequence(text, os.environ))
        lines = text.count("\n") + 1
        what = text if lines == 1 else f"{lines} lines"
        self.say(f"copied {what}  {clipboard.way(os.environ)}", "good")

    def action_save(self) -> None:
        self.put(SaveAsked())

    # ------------------------------------------------------------ themes

    def action_themes(self) -> None:
        self.in_background("screen", self._choose_theme())

    async def _choose_theme(self) -> None:
        rows = [row(Part(f" {name}", "name"), value=name) for name in self.theme_names]
        chosen = await self.choose("Theme", rows)
        if isinstance(chosen, str):
            self.set_theme(chosen)

    def set_theme(self, name: str) -> None:
        if name in self.theme_names:
            self.theme = name
        else:
            self.say(f"no theme {name}; there are {', '.join(self.theme_names)}", "bad")

    # ------------------------------------------------------------ leaving

    def action_quit_or_close(self) -> None:
        """`q`: unzoom first; then leave. All that was asked is on disk already."""
        if self.arrangement.zoomed:
            self.action_zoom()
        else:
            self.exit(0)

    def action_interrupt(self) -> None:
        """ctrl+c a second time in a row leaves."""
        if self._interrupted:
            self.exit(130)
        self._interrupted = True
        self.say("press ^C again to quit")


def _command_rows(shown: list[commands.Command]) -> list[Row]:
    keys = column((command.shown_keys for command in shown), 16)
    titles = column((command.title for command in shown), 30)
    return [
        row(
            Part(" " + pad(command.shown_keys, keys), "key"),
            Part("  " + pad(command.title, titles), "text"),
            Part("  " + command.help, "muted"),
            value=command.id,
        )
        for command in shown
    ]


def _matching(rows: list[Row], query: str) -> list[Row]:
    """Rows that hold all typed words; one whose key is just what was typed comes first."""
    words = query.lower().split()
    found = [line for line in rows if all(word in line.text.lower() for word in words)]
    return sorted(found, key=lambda line: query.strip() not in line.left[0].text.split() if query.strip() else False)
