"""Owns how the app is started: what the command line, the configuration and the terminal say of it."""

from __future__ import annotations

import asyncio
import datetime
import importlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

from msgspec import structs

from sondage.cli.log import start_log
from sondage.cli.opening import Opening
from sondage.cli.settings import configuration, settings_of
from sondage.cli.stderr import say
from sondage.config.paths import Paths, find_paths
from sondage.config.settings import Config
from sondage.config.themes import read_themes
from sondage.errors import SondageError
from sondage.hosts.base import Asker, Target
from sondage.hosts.target import parse_target
from sondage.tui.app import run_app
from sondage.tui.options import DEMO, Browser, Known, Options, Wanted
from sondage.tui.terminal import Alphabet, Background, answers, ask_background, is_ascii

if TYPE_CHECKING:
    from sondage.dig import Dig

LONGEST_NAME = 60
"""Characters (and bytes) of a target that go into the name of its session; what tells targets apart stands at the end."""
MOST_LOOKED_AT = 1000
"""Sessions among which one is looked for by its name."""
BROWSING = "sondage.cli.browsing"
"""The way to the folders of a host, imported in a thread: it brings SSH."""
LIGHT = 0.5
"""The lightness of a background from which on it is a light one."""


def open_app(opening: Opening, *, mouse: bool = True) -> int:
    """Runs the app until it is left, and returns its exit code. What is no target is refused before the screen is taken."""
    start_log()
    if opening.target:
        parse_target(opening.target)
    config, paths = configuration(), find_paths()

    def asked_by(asker: Asker) -> Asker | None:
        return None if opening.no_input else asker

    async def opener(wanted: Wanted, asker: Asker) -> Dig:
        if wanted.target == DEMO:
            from sondage.demo import open_library  # noqa: PLC0415  it brings a server of its own

            return await open_library(asked_by(asker))
        from sondage.dig import open_dig  # noqa: PLC0415  the first frame does not wait for it

        target = anywhere(parse_target(wanted.target))
        session = wanted.session or opening.session or session_name(target, datetime.date.today())
        recorded = structs.replace(settings_of(opening, config), session=session)
        return await open_dig(target, recorded, asker=asked_by(asker), host=wanted.host)

    async def browser(host: str, asker: Asker) -> Browser:
        browsing = await asyncio.to_thread(importlib.import_module, BROWSING)
        connected: Browser = await browsing.browse(host, settings_of(opening, config).ssh, asked_by(asker))
        return connected

    def offer() -> Sequence[Known]:
        from sondage.cli.offered import known_targets  # noqa: PLC0415  the app on a target does not wait for it

        return known_targets(paths, opening.config_file)

    to_open = opening.target or (target_of(paths, opening.session) if opening.session else None)
    options = structs.replace(
        looks(mouse=mouse),
        known=LateTargets(offer) if to_open else offer(),
        browse=browser,
        sessions=paths.sessions,
    )
    return run_app(opener, to_open, options)


def target_of(paths: Paths, session: str) -> str | None:
    """Where a session was left; None where that is not known. A state that cannot be used is told of when it is opened."""
    from sondage.tui.sessions import SessionFolder  # noqa: PLC0415  only who goes on with a session waits for it

    sessions = SessionFolder(paths.sessions).resumable(MOST_LOOKED_AT)
    return next((one.target for one in sessions if one.name == session), None)


class LateTargets(Sequence[Known]):
    """What is offered, found out when it is looked at: where a target was named that may never be."""

    def __init__(self, find: Callable[[], Sequence[Known]]) -> None:
        self._find = find

    @cached_property
    def _found(self) -> Sequence[Known]:
        try:
            return self._find()
        except SondageError:
            return ()  # what cannot be read of cache and configuration was told when the target could not be opened

    @overload
    def __getitem__(self, index: int) -> Known: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Known]: ...
    def __getitem__(self, index: int | slice) -> Known | Sequence[Known]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)


def looks(*, mouse: bool = True) -> Options:
    """How the app looks and which keys it has, by the configuration and the terminal. Bad themes are told on stderr."""
    config, paths = configuration(), find_paths()
    themes = read_themes(paths.themes)
    for problem in themes.problems:
        say(f"note: {problem}")
    background = terminal_background(config)
    lightness = background.lightness if background is not None else None
    return Options(
        themes=themes.found,
        theme=config.theme.name(terminal_is_dark=lightness is None or lightness < LIGHT),
        keys=config.keys,
        log=paths.log,
        mouse=config.mouse and mouse,
        ascii=alphabet(config, os.environ),
        typed=background.typed if background is not None else "",
        late_reply=background is not None and lightness is None,
    )


def terminal_background(config: Config) -> Background | None:
    """What the terminal says; it is asked only where the answer decides something, and where it can answer."""
    choice = config.theme
    stdin = sys.__stdin__
    asked = choice.show == "auto" and choice.dark != choice.light and answers(os.environ)
    if not asked or stdin is None or not stdin.isatty():
        return None
    return ask_background(stdin.fileno())


def alphabet(config: Config, environment: Mapping[str, str]) -> Alphabet:
    """ASCII for sondage's own signs where the user wants it so, for everything where the terminal knows nothing else."""
    if config.ascii is None:
        return "all" if is_ascii(environment) else "no"
    return "own" if config.ascii else "no"


def anywhere(target: Target) -> Target:
    """The same target from whatever folder sondage is started next time: sessions and recent targets are kept."""
    return target if target.address else Target(str(Path(target.path).expanduser().absolute()))


def session_name(target: Target, day: datetime.date) -> str:
    """The transcript of an unnamed session: one for each target and day, so that an investigation is found again."""
    said = re.sub(r"[^A-Za-z0-9_.+@=-]+", "-", str(target).removeprefix("ssh://")).strip("-.")
    return f"{day.isoformat()} {said[-LONGEST_NAME:].lstrip('-.') or 'root'}"
