"""Owns the screen that is shown while a target is read for the first time: its steps, how far each is, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from sondage.core.answers.index import Progress
from sondage.core.safe import one_line
from sondage.hosts.base import HostIdentity
from sondage.tui.chrome import age_text, rate_text, size_text
from sondage.tui.models.pace import Pace
from sondage.tui.models.rows import Part, Row, counted, key_row, pad, row
from sondage.tui.panes.base import TextLine

STAGES = ("connect", "list", "pull", "done")
"""The stages of a reading, in their order."""
NAME = 12
"""Cells of the name of a step."""


def steps(progress: Progress, pace: Pace, identity: HostIdentity | None) -> list[Row]:
    """A row for each step: done, under way, or still to come, with what is known of it."""
    at = STAGES.index("pull" if progress.stage == "parse" else progress.stage)
    files, size = progress.files_total, progress.bytes_total
    key = one_line(identity.host_key) if identity is not None else ""
    fetched = f"{size_text(progress.bytes_done)} of {size_text(size)}" if at == 2 else ""
    parsed = f"{progress.files_done:,} of {counted(files, 'file')}" if at == 2 else ""
    told = [
        ("connect", 0, ""),
        ("host key", 0, key),
        ("list", 1, counted(files, "file") + " to fetch" if at == 2 else ""),
        ("fetch", 2, "  ".join(filter(None, (fetched, _speed(pace))))),
        ("parse", 2, parsed),
    ]
    return [_step(name, at - stage, said) for name, stage, said in told]


def _speed(pace: Pace) -> str:
    if pace.rate is None or pace.left is None:
        return ""
    return f"{rate_text(pace.rate)}  {age_text(pace.left)} left"


def _step(name: str, behind: int, said: str) -> Row:
    """`behind` counts the stages that came after it: 0 is under way, less is still to come."""
    sign, role = ("✓", "good") if behind > 0 else ("▸", "accent") if behind == 0 else (" ", "muted")
    return row(Part(f" {sign} ", role), Part(pad(name, NAME), "text" if behind >= 0 else "muted"), Part(said, "muted"))


class ConnectingScreen(ModalScreen[bool]):
    """The result is True where the user stopped it. The app closes it as soon as there is something to look at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", show=False),
        Binding("ctrl+c", "stop", show=False),
    ]

    def __init__(self, target: str, pace: Pace) -> None:
        super().__init__()
        self.target = target
        self.pace = pace
        self.ended = False
        self.typed: list[events.Key] = []
        """Keys that are not for this screen, oldest first: what the user already does while he waits."""
        self._lines = [TextLine() for _ in range(5)]
        self._latest: Sequence[Row] = ()

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield TextLine(row(Part(f" Reading {one_line(self.target)}", "heading")), classes="top")
            yield from self._lines
            yield TextLine()
            yield TextLine(key_row("Esc", "stop; what arrived is kept"))

    def tell(self, progress: Progress | None, identity: HostIdentity | None) -> None:
        """None: nothing was reported yet."""
        told = steps(progress or Progress("connect"), self.pace, identity)
        for line, said in zip(self._lines, told, strict=True):
            line.show(list(said.left))

    def end(self) -> None:
        """There is something to look at, or nothing will come: at once, or when what lies above is gone."""
        self.ended = True
        if self.is_current:
            self.dismiss(False)

    def on_screen_resume(self) -> None:
        if self.ended and self.is_current:
            self.dismiss(False)

    def on_key(self, event: events.Key) -> None:
        if event.key not in ("escape", "ctrl+c"):
            self.typed.append(event)
            event.stop()

    def action_stop(self) -> None:
        self.dismiss(True)
