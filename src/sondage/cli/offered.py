"""Owns what the welcome screen offers: sessions to go on with, targets read before, hosts, and the folders of one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import overload

from sondage.config.paths import Paths
from sondage.errors import SondageError
from sondage.hosts.aliases import aliases
from sondage.hosts.base import Asker, Host, SshOptions, Target
from sondage.hosts.folders import HOME, HostFolders
from sondage.hosts.target import parse_address, parse_target
from sondage.tui.chrome import age_text
from sondage.tui.options import BROWSED, DEMO, HERE, Known, OfferedRoot
from sondage.tui.sessions import SessionFolder

MOST_RECENT = 9
MOST_SESSIONS = 5
MOST_LOOKED_AT = 1000
"""Sessions among which one is looked for by its name."""


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


def target_of(paths: Paths, session: str | None) -> str | None:
    """Where a session was left; None where that is not known. A state that cannot be used is told of when it is opened."""
    sessions = SessionFolder(paths.sessions).resumable(MOST_LOOKED_AT) if session else ()
    return next((one.target for one in sessions if one.name == session), None)


def _recent(paths: Paths, now: float) -> list[Known]:
    from sondage.store import open_store  # noqa: PLC0415  the app on a target does not wait for it

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


class FolderBrowser:
    """The folders of an open host; see `tui.options.Browser`."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._seen = HostFolders(host)

    async def folders(self, folder: str) -> Sequence[str]:
        return await self._seen.folders(folder)

    async def roots(self) -> Sequence[OfferedRoot]:
        libraries = [OfferedRoot(path, "Python libraries") for path in await self._seen.libraries()]
        return [OfferedRoot(HOME, "your home folder"), *libraries]


async def browse(host: str, options: SshOptions, asker: Asker | None) -> FolderBrowser:
    """Connects to a host (empty: this machine). Raises UsageError, ConfigError, and the children of HostError."""
    from sondage.hosts.open import open_host  # noqa: PLC0415  nobody waits for it who does not choose a folder

    target = parse_target(f"{host}:~") if host else Target(HOME)
    return FolderBrowser(await open_host(target, options, asker))
