"""Owns what the welcome screen offers: sessions to go on with, targets read before, and hosts."""

from __future__ import annotations

import time

from sondage.config.paths import Paths
from sondage.hosts.aliases import aliases
from sondage.hosts.base import Target
from sondage.hosts.target import parse_address
from sondage.store import open_store
from sondage.tui.chrome import age_text
from sondage.tui.options import BROWSED, DEMO, HERE, Known
from sondage.tui.sessions import SessionFolder

MOST_RECENT = 9
MOST_SESSIONS = 5


def known_targets(paths: Paths, config_file: str | None) -> list[Known]:
    """Sessions and targets of the last times, the hosts of the SSH configuration, this folder, and the demo."""
    now = time.time()
    sessions = [
        Known(one.target, f"left {age_text(now - one.saved_at)} ago", "session", one.name)
        for one in SessionFolder(paths.sessions).resumable(MOST_SESSIONS)
    ]
    hosts = [Known(f"{name}:", "choose a folder of it", "host") for name in aliases(config_file)]
    here = [
        Known(HERE, "this folder", "here"),
        Known(BROWSED, "another folder of this machine", "here"),
        Known(DEMO, "the standard library of the Python that runs sondage", "here"),
    ]
    return [*sessions, *_recent(paths, now), *hosts, *here]


def _recent(paths: Paths, now: float) -> list[Known]:
    store = open_store(paths.cache)
    try:
        recent = store.recent(MOST_RECENT)
    finally:
        store.close()
    return [
        Known(
            str(Target(asked, parse_address(label) if label else None)),
            "not read whole" if at is None else f"read {age_text(now - at)} ago",
        )
        for label, asked, at in recent
        if label or asked.startswith(("/", "~"))  # where another one led is not known any more
    ]
