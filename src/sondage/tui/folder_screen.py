"""Owns the choice of a folder of a host: roots worth offering, and paths that are completed while they are typed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import msgspec
from textual import on
from textual.binding import Binding, BindingType

from sondage.core.safe import one_line
from sondage.errors import SondageError
from sondage.hosts.base import Asker
from sondage.tui.chooser import Chooser
from sondage.tui.models.rows import Part, Row, column, pad, row
from sondage.tui.options import Browse, Browser, Known, OfferedRoot
from sondage.tui.panes.base import Prompt

MOST_COMPLETIONS = 500
"""Folders that are listed below what was typed."""


class Folder(msgspec.Struct, frozen=True):
    """A folder of a host that was chosen, and the connection that was made for choosing it, where there is one."""

    path: str
    browser: Browser | None = None


class FolderScreen(Chooser[Folder | None]):
    """Which folder of a host? Its names come over a connection that is made meanwhile; a path can be typed at once.

    `host` is what the user calls it, ended by a colon; empty for this machine. None goes back to the targets.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("tab", "complete", show=False),
        Binding("shift+tab", "to_prompt", show=False),
    ]
    TYPING = ("Enter", "open", "Tab", "complete", "↓", "choose below", "Esc", "back")
    CHOOSING = ("Enter", "open", "Tab", "look inside", "/", "type a path", "Esc", "back")

    def __init__(self, host: str, browse: Browse | None, asker: Asker, used: Iterable[OfferedRoot] = ()) -> None:
        super().__init__("/path, or a path from your home folder" if host else "./folder", "" if host else "./")
        self.host = host
        self.browse = browse
        self.asker = asker
        self.offered = list(used)
        self.browser: Browser | None = None
        self._inside: dict[str, Sequence[str]] = {}
        """The folders in each folder that was looked into."""

    @property
    def label(self) -> str:
        return one_line(self.host.removesuffix(":")) or "this machine"

    def heading(self) -> list[Row]:
        return [
            row(Part(f" {self.label}", "heading"), Part("   which folder holds the sources?", "muted")),
            row(""),
        ]

    def on_mount(self) -> None:
        super().on_mount()
        self.prompt.cursor_position = len(self.prompt.value)
        self._show_offered()
        if self.browse is not None:
            self.tell("connecting…" if self.host else "")
            self.run_worker(self._connect(self.browse), group="browse", exit_on_error=False)

    async def _connect(self, browse: Browse) -> None:
        try:
            self.browser = await browse(self.host.removesuffix(":"), self.asker)
            self.offered += [root for root in await self.browser.roots() if root.path not in self._offered_paths()]
        except SondageError as error:
            self.tell(str(error), "bad")
            return
        self.tell("")
        await self._look()

    def _offered_paths(self) -> set[str]:
        return {root.path for root in self.offered}

    # ------------------------------------------------------------ what is typed, and what there is of it

    @on(Prompt.Changed)
    def _typed(self, event: Prompt.Changed) -> None:
        event.stop()
        self.run_worker(self._look(), group="look", exclusive=True, exit_on_error=False)

    async def _look(self) -> None:
        """The folders that what was typed can be the beginning of; what is worth offering where nothing was."""
        text = self.prompt.value
        if not text or (text == "./" and self.browser is None):
            self._show_offered()
            return
        if self.browser is None:
            return
        folder, stem = split(text)
        try:
            if folder not in self._inside:
                self._inside[folder] = await self.browser.folders(folder or "~")
        except SondageError as error:
            self._inside[folder] = ()
            self.tell(str(error), "doubt")
        self.list.show(completions(folder, stem, self._inside[folder]), keep=False)

    def _show_offered(self) -> None:
        width = column((one_line(root.path) for root in self.offered), 56)
        self.list.show(
            [
                row(
                    "  ",
                    Part(pad(one_line(root.path), width), "path"),
                    Part("   " + root.why, "muted"),
                    value=root.path,
                )
                for root in self.offered
            ],
            keep=False,
        )

    def action_complete(self) -> None:
        """From the list: into the folder under the cursor. From the line: as far as all folders agree."""
        paths = [value for stop in self.list.stops if isinstance(value := self.list.rows[stop].value, str)]
        found = f"{self.list.value}/" if self.focused is self.list else agreed(paths)
        if found.isprintable() and len(found) > len(self.prompt.value):
            self.prompt.value = found.replace("//", "/")
            self.prompt.cursor_position = len(self.prompt.value)
        self.set_focus(self.prompt)

    # ------------------------------------------------------------ the answer

    def take_typed(self, text: str) -> None:
        self.dismiss(Folder(text, self.browser))

    def action_choose(self) -> None:
        if isinstance(self.list.value, str):
            self.dismiss(Folder(self.list.value, self.browser))


def split(text: str) -> tuple[str, str]:
    """A path as typed: the folder it is in, with its slash, and the beginning of a name."""
    folder, slash, stem = text.rpartition("/")
    return folder + slash, stem


def agreed(paths: Sequence[str]) -> str:
    """The beginning that all paths have in common; with a slash where that is a whole one."""
    if not paths:
        return ""
    first, last = min(paths), max(paths)
    same = next((index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first + "/" if len(paths) == 1 else first[:same]


def completions(folder: str, stem: str, names: Sequence[str]) -> list[Row]:
    """A row for each folder whose name begins so. Hidden ones are shown to whom types the dot."""
    fitting = [name for name in names if name.startswith(stem) and (stem.startswith(".") or not name.startswith("."))]
    rows = [
        row("  ", Part(one_line(folder + name), "path"), value=folder + name) for name in fitting[:MOST_COMPLETIONS]
    ]
    if len(fitting) > MOST_COMPLETIONS:
        rows.append(row(Part(f"  and {len(fitting) - MOST_COMPLETIONS:,} more: type on", "muted")))
    return rows or [row(Part("  no folder begins so", "muted"))]


def used_roots(known: Sequence[Known], host: str) -> list[OfferedRoot]:
    """The folders of a host (with its colon) that were read before."""
    notes: Mapping[str, str] = {
        one.target.removeprefix(host): one.note for one in known if one.kind == "recent" and one.target.startswith(host)
    }
    return [OfferedRoot(path, note) for path, note in notes.items()]
