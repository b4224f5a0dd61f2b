"""Owns how the app is started: what the command line and the configuration say of it."""

from __future__ import annotations

import dataclasses
import datetime
import re
import time
from pathlib import Path

from sondage.cli.log import start_log
from sondage.cli.options import Opening
from sondage.cli.settings import configuration, settings_of
from sondage.cli.stderr import say
from sondage.config.paths import find_paths
from sondage.config.themes import read_themes
from sondage.demo import open_library
from sondage.dig import Dig, open_dig
from sondage.hosts.base import Asker, Target
from sondage.hosts.target import parse_target
from sondage.store import open_store
from sondage.tui.app import Options, run_app
from sondage.tui.chrome import age_text
from sondage.tui.screens import Known

DEMO = "demo"
MOST_RECENT = 9
LONGEST_NAME = 60
"""Characters (and bytes) of a target that go into the name of its session; what tells targets apart stands at the end."""


def open_app(opening: Opening) -> int:
    """Runs the app until it is left, and returns its exit code. What is no target is refused before the screen is taken."""
    start_log()
    if opening.target:
        parse_target(opening.target)
    config, paths = configuration(), find_paths()
    settings = settings_of(opening, config)
    themes = read_themes(paths.themes)
    for problem in themes.problems:
        say(f"note: {problem}")

    async def opener(text: str, asker: Asker) -> Dig:
        if text == DEMO:
            return await open_library(None if opening.no_input else asker)
        target = parse_target(text)
        session = opening.session or session_name(target, datetime.date.today())
        recorded = dataclasses.replace(settings, session=session)
        return await open_dig(target, recorded, asker=None if opening.no_input else asker)

    options = Options(
        themes=themes.found,
        theme=config.theme.name(),
        known=known_targets(paths.cache),
        keys=config.keys,
        log=paths.log,
        mouse=config.mouse,
    )
    return run_app(opener, opening.target, options)


def known_targets(cache: Path) -> list[Known]:
    """What the welcome screen offers: the targets of the last times, this folder, and the demo."""
    store = open_store(cache)
    try:
        recent = store.recent(MOST_RECENT)
    finally:
        store.close()
    now = time.time()
    offered = [
        Known(
            f"{label}:{asked}" if label else asked, "not read whole" if at is None else f"read {age_text(now - at)} ago"
        )
        for label, asked, at in recent
    ]
    return [*offered, Known(".", "this folder"), Known(DEMO, "the standard library of the Python that runs sondage")]


def session_name(target: Target, day: datetime.date) -> str:
    """The transcript of an unnamed session: one for each target and day, so that an investigation is found again."""
    said = re.sub(r"[^A-Za-z0-9_.+@=-]+", "-", str(target)).strip("-.")
    return f"{day.isoformat()} {said[-LONGEST_NAME:].lstrip('-.') or 'root'}"
