"""Owns how the app is started: what the command line and the configuration say of it."""

from __future__ import annotations

from sondage.cli.log import start_log
from sondage.cli.options import Opening
from sondage.cli.settings import configuration, settings_of
from sondage.config.paths import find_paths
from sondage.dig import Dig, open_dig
from sondage.hosts.base import Asker
from sondage.hosts.target import parse_target
from sondage.tui.app import Options, run_app


def open_app(opening: Opening) -> int:
    """Runs the app until it is left, and returns its exit code. A target that is none is refused before the screen is taken."""
    start_log()
    config = configuration()
    settings = settings_of(opening, config)

    async def opener(target: str, asker: Asker) -> Dig:
        return await open_dig(parse_target(target), settings, asker=None if opening.no_input else asker)

    if opening.target:
        parse_target(opening.target)
    options = Options(keys=config.keys, log=find_paths().log, mouse=config.mouse)
    return run_app(opener, opening.target, options)
