"""Owns the reading of single files of a host outside the listed root, by absolute names that may not be there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from sondage.hosts.base import UNLISTED, Host, RemoteFile

MOST_ABOVE = 8
"""Folders above a root that are looked at; deeper roots are rare, and each folder costs a few names."""


def upwards(root: bytes) -> list[bytes]:
    """A folder and those above it, the nearest first."""
    steps = [root]
    while len(steps) <= MOST_ABOVE and posixpath.dirname(steps[-1]) != steps[-1]:
        steps.append(posixpath.dirname(steps[-1]))
    return steps


async def read_those_there(host: Host, paths: Iterable[bytes]) -> dict[bytes, bytes]:
    """The files among absolute `paths` that are there, in the order asked for; one round trip. Raises HostError."""
    wanted = list(paths)
    found: dict[bytes, bytes] = {}
    if wanted:
        async for batch in host.fetch(b"/", [RemoteFile(path.lstrip(b"/"), UNLISTED, 0) for path in wanted]):
            found.update({b"/" + one.file.path: one.data for one in batch if one.data is not None})
    return {path: found[path] for path in wanted if path in found}
