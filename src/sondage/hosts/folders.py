"""Owns looking around on a host for a root: the folders in a folder, and roots worth offering.

Only names are read, over SFTP or from the local disk; no process of the host is inspected, and nothing runs on it.
"""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from sondage.errors import HostError
from sondage.hosts.base import Host

HOME = "~"
LIBRARIES = (
    "~/.local/lib/python3*/site-packages",
    "~/*conda*/lib/python3*/site-packages",
    "~/miniforge*/lib/python3*/site-packages",
    "~/.venv/lib/python3*/site-packages",
    "~/venv/lib/python3*/site-packages",
    "/opt/*/lib/python3*/site-packages",
    "/usr/local/lib/python3*/*-packages",
    "/usr/lib/python3*/*-packages",
    "/venv/lib/python3*/site-packages",
    "/app/.venv/lib/python3*/site-packages",
)
"""Where Python libraries lie on most machines and in most images; `*` and `?` within one name."""
MOST_OF_A_PATTERN = 8
"""Folders that one part of a pattern is followed into."""


@runtime_checkable
class HasFolders(Protocol):
    """A host whose folders can be looked at."""

    async def folders(self, path: bytes) -> Sequence[bytes]:
        """The names of the folders in a folder (absolute or `~`-relative), links to folders included. Raises HostError."""
        ...


class HostFolders:
    """The folders of one open host, as text: undecodable bytes are surrogates (PEP 383). What was seen is remembered."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._seen: dict[str, tuple[str, ...]] = {}

    async def folders(self, folder: str) -> Sequence[str]:
        """The names of the folders in a folder, sorted. Raises HostError."""
        if folder not in self._seen:
            self._seen[folder] = await self._look(folder)
        return self._seen[folder]

    async def libraries(self) -> list[str]:
        """The folders of Python libraries that are there, in the order of `LIBRARIES`."""
        found = await asyncio.gather(*(self._expand(pattern) for pattern in LIBRARIES))
        return list(dict.fromkeys(path for paths in found for path in paths))

    async def _look(self, folder: str) -> tuple[str, ...]:
        if not isinstance(self.host, HasFolders):
            raise HostError("its folders cannot be looked at", self.host.identity.label, "type the path")
        path = folder if folder in (HOME, "/") else folder.rstrip("/") or "/"
        names = await self.host.folders(path.encode("utf-8", "surrogateescape"))
        return tuple(sorted(name.decode("utf-8", "surrogateescape") for name in names))

    async def _expand(self, pattern: str) -> list[str]:
        """The folders that a pattern stands for; none where one on the way cannot be read."""
        first, *parts = pattern.split("/")
        paths = [first]
        for part in parts:
            found = await asyncio.gather(*(self._matching(path, part) for path in paths))
            paths = [path for some in found for path in some]
        return paths

    async def _matching(self, folder: str, part: str) -> list[str]:
        try:
            names = await self.folders(folder or "/")
        except HostError:
            return []
        return [f"{folder}/{name}" for name in _fitting(names, part)][:MOST_OF_A_PATTERN]


def _fitting(names: Iterable[str], part: str) -> list[str]:
    return [name for name in names if fnmatch.fnmatchcase(name, part)]
