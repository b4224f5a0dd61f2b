"""Owns the way to the folders of a host, for the user to choose one of them."""

from __future__ import annotations

from collections.abc import Sequence

from sondage.hosts.base import Asker, Host, SshOptions, Target
from sondage.hosts.folders import HOME, HostFolders
from sondage.hosts.open import open_host
from sondage.hosts.target import folder_of
from sondage.tui.options import OfferedRoot


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
    target = folder_of(host, HOME) if host else Target(HOME)
    return FolderBrowser(await open_host(target, options, asker))
