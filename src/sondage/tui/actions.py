"""Owns what the keys that work anywhere do: each method is the action of one command of the table."""

from __future__ import annotations

from collections.abc import Sequence

from textual.widgets import Input

from sondage.tui import commands
from sondage.tui.handing_over import HandingOver
from sondage.tui.models.layout import PANES
from sondage.tui.models.rows import Part, Row, column, pad, row
from sondage.tui.panes.base import Prompt
from sondage.tui.panes.lines import LineView
from sondage.tui.panes.messages import Asked

QUESTIONS = frozenset(kind.group for kind in Asked.__subclasses__())
"""Groups of workers that Esc stops."""


class Actions(HandingOver):
    """The window with its keys. What needs an opened target goes through the desk, where there is one."""

    _interrupted = False

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
        chosen = await self._choose_command(
            place, (place, *(["prompt"] if place == "search" else []), "list", "anywhere")
        )
        await self._run_chosen(chosen)

    def action_screen_help(self, place: str) -> None:
        """The keys of a screen that lies over the panes."""
        self.in_background("screen-help", self._screen_help(place))

    async def _screen_help(self, place: str) -> None:
        screen = self.screen
        chosen = await self._choose_command(place, (place, "list"))
        if isinstance(chosen, str):
            command = self.table[chosen]
            target = screen.query_one(LineView) if command.where == "list" else screen
            await self.run_action(command.action, default_namespace=target)

    async def _choose_command(self, place: str, places: Sequence[str]) -> object:
        """One of the commands that work in some places, by its name or its key."""
        rows = _command_rows([self.table[command.id] for where in places for command in commands.at(where)])

        async def source(query: str) -> list[Row]:
            return _matching(rows, query)

        from sondage.tui.picker import Picker  # noqa: PLC0415  the first frame does not wait for it

        hint = "type a name or a key, Enter does it"
        return await self.result_of(Picker(f"Keys in {place.title()}", source, placeholder=hint))

    def action_palette(self) -> None:
        self.in_background("screen", self._palette())

    async def _palette(self) -> None:
        last = ("list", "typing", "line", "form")
        known = sorted(self.table.values(), key=lambda command: command.where in last)
        rows = _command_rows([c for c in known if c.action and c.where not in commands.SCREENS])

        async def source(query: str) -> list[Row]:
            found = _matching(rows, query)
            return await self.desk.findings(query, found) if self.desk is not None else found

        from sondage.tui.picker import Picker  # noqa: PLC0415  the first frame does not wait for it

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
        from sondage.tui.typed import Complaint, Run, ThemeWanted, read_line  # noqa: PLC0415  the first frame does not wait for it

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
