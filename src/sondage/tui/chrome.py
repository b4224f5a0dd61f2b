"""Owns the four lines around the panes: header, tabs, status, hints. Nothing in them ticks: they change on events only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from textual import events

from sondage.core.answers.certainty import Coverage
from sondage.core.answers.index import Progress
from sondage.core.safe import one_line
from sondage.tui.commands import BY_ID, Command, hints, show_key
from sondage.tui.models.layout import PANES
from sondage.tui.models.rows import Part, Row, counted, cut_start, width_of
from sondage.tui.panes.base import TextLine

if TYPE_CHECKING:
    from sondage.dig.reach import Link

STAGES = {"connect": "connecting", "list": "listing", "pull": "pulling", "parse": "reading", "done": ""}
BAR = 12
"""Cells of the progress bar."""


class HeaderState(msgspec.Struct, frozen=True):
    """What the header tells.

    `age`, `round_trip` and `next_try` (from now on) in seconds; `age` is None while nothing is indexed.
    """

    target: str = ""
    coverage: Coverage = msgspec.field(default_factory=lambda: Coverage(0, 0))
    lines: int = 0
    age: float | None = None
    online: bool = False
    is_local: bool = True
    round_trip: float | None = None
    progress: Progress | None = None
    time_left: float | None = None
    """Seconds until what is under way has ended, where that is known."""
    link: Link | None = None
    """How it stands with the connection, where there has been one."""
    next_try: float | None = None
    opening: bool = False
    """Whether the target is still being opened: nothing but its name is known."""


def age_text(seconds: float) -> str:
    """`12 s`, `3 min`, `5 h`, `2 days`: one unit, rounded down."""
    for size, unit in ((86400, "day"), (3600, "h"), (60, "min")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'s' if unit == 'day' and number > 1 else ''}"
    return f"{max(0, int(seconds))} s"


def size_text(number: int) -> str:
    """Bytes as `812 kB` or `19.8 MB`."""
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.0f} kB"


def rate_text(rate: float) -> str:
    """Bytes per second as `2.1 MB/s`."""
    return f"{size_text(round(rate))}/s"


def lines_text(number: int) -> str:
    """`538k lines`."""
    return f"{number // 1000:,}k lines" if number >= 10_000 else counted(number, "line")


def progress_parts(progress: Progress, time_left: float | None = None) -> list[Part]:
    """A bar where a total is known, the counts, and the time left."""
    done, total = progress.files_done, progress.files_total
    parts = [Part(STAGES[progress.stage] + " ", "text")]
    if total:
        filled = min(BAR, BAR * done // total)
        parts += [Part("━" * filled, "accent"), Part("╌" * (BAR - filled), "muted")]
        parts.append(Part(f" {done:,}/{total:,} files"))
    if progress.bytes_total:
        parts.append(Part(f" {progress.bytes_done / 1e6:.1f}/{size_text(progress.bytes_total)}", "muted"))
    if time_left is not None:
        parts.append(Part(f" {age_text(time_left)} left", "muted"))
    return parts


def header_parts(state: HeaderState, width: int) -> tuple[list[Part], list[Part]]:
    """Left: what is open and how large. Right: how far it is, or how old, and the link."""
    right = _freshness(state)
    size = []
    if state.coverage.files_listed:
        size.append(f"{state.coverage.files_listed:,} py")
    if state.lines:
        size.append(lines_text(state.lines))
    sized = [Part("   " + " · ".join(size), "muted")] if size else []
    room = max(12, width - width_of(right) - width_of(sized) - 4)
    return [Part(" "), Part(cut_start(one_line(state.target), room), "accent"), *sized], [*right, Part(" ")]


def _freshness(state: HeaderState) -> list[Part]:
    if state.opening:
        return [Part("opening…", "muted")]
    if state.progress is not None and state.progress.stage != "done":
        return progress_parts(state.progress, state.time_left)
    parts = []
    if state.coverage.files_listed and not state.coverage.whole:
        parts.append(Part(f"{state.coverage.files_seen:,} of {state.coverage.files_listed:,} files · ", "doubt"))
    if state.link is not None and state.link.state in ("lost", "reconnecting"):
        return [*parts, Part(_lost_text(state, state.link), "doubt")]
    parts.append(Part("no index yet" if state.age is None else f"index {age_text(state.age)} old", "muted"))
    if state.is_local:
        parts.append(Part(" · local", "muted"))
    elif not state.online:
        parts.append(Part(" · offline", "doubt"))
    else:
        link = f" · ssh {state.round_trip * 1000:.0f} ms" if state.round_trip is not None else " · ssh"
        parts.append(Part(link, "good"))
    return parts


def _lost_text(state: HeaderState, link: Link) -> str:
    """What answers rest on meanwhile, and what happens next."""
    synced = "never synced" if state.age is None else f"last synced {age_text(state.age)} ago"
    if link.state == "reconnecting":
        return f"offline, {synced}, trying again"
    if state.next_try is None:
        return f"offline, {synced}, R connects"
    return f"offline, {synced}, next try in {age_text(max(1, math.ceil(state.next_try)))}"


class Header(TextLine):
    def __init__(self) -> None:
        super().__init__(widget_id="header")
        self.state = HeaderState()

    def tell(self, state: HeaderState) -> None:
        """The age is another at each key; it is drawn when it reads otherwise."""
        before, self.state = self.row(self.size.width), state
        if self.row(self.size.width) != before:
            self.refresh()

    def row(self, width: int) -> Row:
        left, right = header_parts(self.state, width)
        return Row(tuple(left), tuple(right))


class Tabs(TextLine):
    """The five panes by number, the active one marked; at its right what the contract has come to."""

    def __init__(self) -> None:
        super().__init__(widget_id="tabs")
        self.active = ""
        self.verdict: list[Part] = []

    def tell(self, active: str, verdict: Sequence[Part]) -> None:
        self.active, self.verdict = active, list(verdict)
        parts: list[Part] = []
        for number, name in enumerate(PANES, 1):
            here = name == active
            parts.append(Part(f" {number} {name.title()} ", "tab" if here else "muted"))
        self.show(parts, [*self.verdict, Part(" ")])

    def on_click(self, event: events.Click) -> None:
        edge = 0
        for number, name in enumerate(PANES, 1):
            edge += len(f" {number} {name} ")
            if event.x < edge:
                self.app.call_later(self.app.run_action, f"app.pane('{name}')")
                return


class StatusLine(TextLine):
    """One sentence, kept until the next key."""

    def __init__(self) -> None:
        super().__init__(widget_id="status")
        self.said = ""

    def tell(self, text: str, tone: str = "plain") -> None:
        self.said = text
        sign = {"bad": "✗ ", "doubt": "? ", "good": "✓ "}.get(tone, "")
        role = "text" if tone == "plain" else tone
        self.show([Part(" " + sign + one_line(text), role)] if text else [])

    def offer(self, prefix: str, choices: Sequence[Command]) -> None:
        """The keys that can follow a first one."""
        parts = [Part(f" {prefix}…", "accent")]
        for command in choices:
            rest = next(key for key in command.keys if key.startswith(prefix + " "))
            parts += [Part(f"   {show_key(rest.split(' ')[1])}", "key"), Part(f" {command.title.lower()}", "muted")]
        self.show(parts)


class Hints(TextLine):
    """The next keys, read from the table of commands; a click on one does what the key does."""

    def __init__(self) -> None:
        super().__init__(widget_id="hints")
        self._place = ""
        self._table: Mapping[str, Command] = BY_ID
        self._spots: list[tuple[int, int, Command]] = []

    def tell(self, place: str, table: Mapping[str, Command] = BY_ID) -> None:
        """The keys of a pane, in a table with those of the user."""
        if (place, table) != (self._place, self._table):
            self._place, self._table = place, table
            self.refresh()

    def row(self, width: int) -> Row:
        """The pane's own keys at the left as far as they fit, the two that always work at the right."""
        always = hints("anywhere", self._table)
        right = hint_parts(always)
        room = width - width_of(right) - 3
        left: list[Part] = []
        shown: list[Command] = []
        for command in hints(self._place, self._table):
            more = hint_parts([command])
            if width_of(left) + width_of(more) > room:
                break
            left += more
            shown.append(command)
        self._remember(shown, always, width)
        return Row(tuple(left), tuple(right))

    def _remember(self, shown: Sequence[Command], always: Sequence[Command], width: int) -> None:
        """Where each hint stands, for clicks."""
        self._spots = []
        edge = 0
        for command in shown:
            end = edge + width_of(hint_parts([command]))
            self._spots.append((edge, end, command))
            edge = end
        edge = width
        for command in reversed(always):
            start = edge - width_of(hint_parts([command]))
            self._spots.append((start, edge, command))
            edge = start

    def on_click(self, event: events.Click) -> None:
        for start, end, command in self._spots:
            if start <= event.x < end:
                self.app.call_later(self.app.run_action, f"app.run('{command.id}')")
                return


def hint_parts(shown: Sequence[Command]) -> list[Part]:
    """Keys with what they do, as the hint line writes them."""
    parts: list[Part] = []
    for command in shown:
        key = "J/K" if command.keys[0] == "J" else command.shown_key
        parts += [Part(f" {key}", "key"), Part(f" {command.short or command.title.lower()} ", "muted")]
    return parts
