"""Owns what was said of a target on the command line, and the way into the app with it."""

from __future__ import annotations

import os
import sys
from typing import Literal

import msgspec

from sondage.errors import UsageError

SESSION = "SONDAGE_SESSION"
"""The variable that names the session where `--session` does not."""


class Opening(msgspec.Struct, frozen=True):
    """A target as the user named it, and how it is to be opened. None: as the configuration says."""

    target: str
    config_file: str | None = None
    port: int | None = None
    identities: tuple[str, ...] = ()
    hops: str | None = None
    transport: Literal["auto", "asyncssh", "ssh"] | None = None
    no_input: bool = False
    refresh: Literal["auto", "never", "always"] = "auto"
    offline: bool = False
    source_roots: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_file_size: int | None = None
    deps: Literal["auto", "never"] | None = None
    jobs: int | None = None
    engine: str | None = None
    session: str | None = None


def opening_alone(target: str) -> Opening:
    """A target with no option beside it."""
    return Opening(target, session=os.environ.get(SESSION) or None)


def enter_app(opening: Opening, *, mouse: bool = True) -> int:
    """Runs the app until it is left; the exit code. Raises UsageError where there is no terminal for it."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the app needs a terminal", opening.target or "", "without one: sondage search TARGET PATTERN")
    from sondage.tui.lean import import_textual  # noqa: PLC0415  its help must not load the screen

    import_textual()
    from sondage.cli.screen import open_app  # noqa: PLC0415  as above

    return open_app(opening, mouse=mouse)
