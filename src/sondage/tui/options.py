"""Owns how the app is run: what can be opened, how, and with which looks."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from sondage.config.themes import Theme
from sondage.hosts.base import Asker, Host
from sondage.tui import themes
from sondage.tui.guide import GuideStep
from sondage.tui.terminal import Alphabet
from sondage.tui.themes import FALLBACK

if TYPE_CHECKING:
    from sondage.dig import Dig

HERE = "."
"""The folder that sondage was started in, as a target."""
BROWSED = "./"
"""What stands for any folder of this machine, still to be chosen."""
DEMO = "demo"
"""What stands for the demo's own host."""


class Known(msgspec.Struct, frozen=True):
    """A target the welcome screen offers, under a heading of its `kind`, and what to say of it (`read 2 h ago`).

    A host alone ends with its colon: its folder is still to be chosen. `session` is the one to go on with.
    """

    target: str
    note: str = ""
    kind: Literal["session", "recent", "host", "here"] = "recent"
    session: str = ""


class Wanted(msgspec.Struct, frozen=True):
    """What to open: the target as typed, the session to go on with, and a connection that is open already."""

    target: str
    session: str = ""
    """Empty: the one of the target and the day."""
    host: Host | None = None


class OfferedRoot(msgspec.Struct, frozen=True):
    """A folder of a host that may be what the user wants, and why it is offered."""

    path: str
    why: str


class Browser(Protocol):
    """The folders of one host, to choose a root from. Methods may raise `SondageError`."""

    host: Host

    async def folders(self, folder: str) -> Sequence[str]:
        """The names of the folders in a folder, sorted."""
        ...

    async def roots(self) -> Sequence[OfferedRoot]:
        """Folders worth offering that are there."""
        ...


Opener = Callable[[Wanted, Asker], "Awaitable[Dig]"]
"""Opens what the user wants; raises SondageError."""
Browse = Callable[[str, Asker], Awaitable[Browser]]
"""Connects to a host (empty: this machine) to choose a folder of it; raises SondageError."""


class Options(msgspec.Struct, frozen=True):
    """How the app is run. `known` are the targets the welcome screen offers; `log` is where a crash is written."""

    themes: Mapping[str, Theme] = msgspec.field(default_factory=themes.shipped)
    """By name; the shipped ones are among them."""
    theme: str = FALLBACK
    known: Sequence[Known] = ()
    browse: Browse | None = None
    """None: a folder of a host can only be typed."""
    sessions: Path | None = None
    """The folder that the state of sessions is kept in; None keeps none."""
    keys: Mapping[str, Sequence[str]] = msgspec.field(default_factory=dict)
    log: Path | None = None
    mouse: bool = True
    ascii: Alphabet = "no"
    typed: str = ""
    """What the user typed before the app started."""
    late_reply: bool = False
    """Whether the terminal may still answer a question that was put to it before the app started."""
    guide: Sequence[GuideStep] = ()
    guide_ending: str = ""
    clock: Callable[[], float] = time.time
