"""Owns whether one file of the host is still the one that was pulled: its stamp is looked at, its bytes are not."""

from __future__ import annotations

import posixpath
import re

from sondage.dig.libraries import EVERY_FOLDER
from sondage.errors import ConnectError, HostError
from sondage.hosts.base import Host, ListRequest
from sondage.hosts.deadline import within
from sondage.store import Stamp

PATIENCE = 10.0
"""Seconds after which it is not known; nobody waits for it."""


async def is_stale(host: Host, root: bytes, path: bytes, known: tuple[Stamp, bool]) -> bool | None:
    """One listing, of one name in one folder. `known` is the stamp it was pulled with, and whether that can be trusted.

    None where it cannot be told: the host does not answer, the file lies behind a link, or may have changed twice within
    the time that its stamp tells apart.
    """
    folder, name = posixpath.split(posixpath.join(root, path))
    try:
        # A name may hold what a pattern takes for something else: those bytes match any, and the name is compared.
        pattern = re.sub(rb"[^\w.-]", b"?", name)
        asked = host.list(ListRequest(folder, (pattern,), EVERY_FOLDER))
        listing = await within(PATIENCE, asked, ConnectError("the host does not answer"))
    except HostError:
        return None
    found = [file.stamp for file in (*listing.files, *listing.too_large) if file.path == name]
    if not found:
        return None if name in listing.links or listing.unreadable else True
    stamp, settled = known
    if found[0] != stamp:
        return True if is_of_one_kind(found[0], stamp) else None
    return False if settled else None


def is_of_one_kind(one: Stamp, other: Stamp) -> bool:
    """False where only one of them came over SFTP, which knows no ctime and no inode."""
    return bool(one[2]) == bool(other[2])
