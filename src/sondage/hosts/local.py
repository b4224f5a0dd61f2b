"""Owns a folder of this machine as a host: the same listing and the same care, in threads instead of over a network."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from pathlib import Path

from sondage.errors import HostError
from sondage.hosts.aside import aside
from sondage.hosts.base import (
    ENVIRONMENT_MARKS,
    Batch,
    Fetched,
    HostIdentity,
    Listing,
    ListRequest,
    RemoteFile,
    Traffic,
)
from sondage.hosts.found import Found, Link, Matcher, Stamp, check_count, inside_environment, judge, link_kind, matcher
from sondage.hosts.names import join

BATCH = 1 << 20
ATTEMPTS = 3
SLACK = 1 << 20
"""Bytes that a file may have grown since it was listed, and still be taken."""


class LocalHost:
    """See `hosts.base.Host`."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._traffic = Traffic()
        self._sources: dict[bytes, dict[bytes, bytes]] = {}

    @property
    def identity(self) -> HostIdentity:
        return HostIdentity("local", self._label, transport="local")

    @property
    def traffic(self) -> Traffic:
        return self._traffic

    async def list(self, request: ListRequest) -> Listing:
        judged = judge(await aside(walk, request), request)
        self._sources[judged.listing.root] = judged.sources
        return judged.listing

    async def fetch(self, root: bytes, files: Iterable[RemoteFile]) -> AsyncGenerator[Batch, None]:
        sources = self._sources.get(root, {})
        for part in in_batches(files):
            yield await aside(
                lambda part: [read_settled(file, sources.get(file.path) or join(root, file.path)) for file in part],
                part,
            )

    async def folders(self, path: bytes) -> Sequence[bytes]:
        """See `hosts.folders.HasFolders`."""
        return await aside(_folders, path)

    async def ping(self) -> float:
        return 0.0

    async def ended(self) -> str:
        import asyncio  # noqa: PLC0415  only who goes on waits for this, never a single question

        await asyncio.Event().wait()
        return ""

    async def aclose(self) -> None:
        """Nothing is held open."""


def _folders(path: bytes) -> list[bytes]:
    folder = os.fsencode(Path(os.fsdecode(path)).expanduser())
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_dir()]
    except OSError as error:
        raise HostError("not a folder that can be read", os.fsdecode(path), error.strerror or "") from None


def in_batches(files: Iterable[RemoteFile]) -> Iterator[list[RemoteFile]]:
    """The files in their order, in parts of about 1 MiB."""
    part: list[RemoteFile] = []
    size = 0
    for file in files:
        part.append(file)
        size += file.size
        if size >= BATCH:
            yield part
            part, size = [], 0
    if part:
        yield part


def walk(request: ListRequest) -> Found:
    """Everything below the root, links not followed. Blocks; raises HostError for a root that cannot be entered."""
    root = os.path.realpath(Path(os.fsdecode(request.root)).expanduser())
    found = Found(os.fsencode(root), host_time_ns=time.time_ns())
    try:
        with os.scandir(found.root):
            pass
    except OSError as error:
        raise HostError("not a folder that can be read", root, error.strerror or "") from None
    if any(os.path.lexists(join(found.root, mark)) for mark in ENVIRONMENT_MARKS):
        request = inside_environment(request)
    pruned, wanted = matcher(request.prune), matcher(request.patterns)
    folders = [b""]
    while folders:
        folders += _read_folder(found, folders.pop(), pruned, wanted)
        check_count(max(len(found.files), len(folders)), request)
    return found


def _read_folder(found: Found, folder: bytes, pruned: Matcher, wanted: Matcher) -> list[bytes]:
    """Puts files and links into `found`; the folders below are returned."""
    folders: list[bytes] = []
    inside = folder and folder + b"/"
    try:
        with os.scandir(join(found.root, folder) if folder else found.root) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_symlink():
                    found.links.append(_look_behind(found.root, inside + name))
                elif entry.is_dir(follow_symlinks=False):
                    if not pruned(name):
                        folders.append(inside + name)
                elif wanted(name) and entry.is_file(follow_symlinks=False):
                    found.files.append(RemoteFile(inside + name, *stamp_of(entry.stat(follow_symlinks=False))))
    except OSError:
        found.unreadable += 1
    return folders


def _look_behind(root: bytes, path: bytes) -> Link:
    absolute = join(root, path)
    try:
        status = os.stat(absolute)  # noqa: PTH116 -- pathlib knows no bytes
    except OSError:
        return Link(path)
    return Link(path, os.path.realpath(absolute), link_kind(status.st_mode), stamp_of(status))


def stamp_of(status: os.stat_result) -> Stamp:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def read_settled(file: RemoteFile, path: bytes) -> Fetched:
    """The file as it was at one moment: its stamp after reading is the one before. Blocks, and never on a FIFO."""
    expected = file.stamp
    for _ in range(ATTEMPTS):
        try:
            data, after = _read(path, max(file.size, expected[0]) + SLACK)
        except OSError as error:
            return Fetched(file, None, error.strerror or str(error))
        if data is None:
            return Fetched(file, None, "no longer a regular file, or much larger than it was")
        if after == expected and len(data) == after[0]:
            return Fetched(file, data)
        expected = after
    return Fetched(file, None, "kept changing while it was read", settled=False)


def _read(path: bytes, limit: int) -> tuple[bytes | None, Stamp]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None, stamp_of(status)
        data = b""  # no stream: a buffer of `limit` bytes for each file costs more than the reading
        while len(data) <= limit and (piece := os.read(descriptor, max(status.st_size - len(data), 0) + 1)):
            data += piece
            if len(data) == status.st_size:
                break  # its end, or it has grown: the stamp tells
        return data, stamp_of(os.fstat(descriptor))
    finally:
        os.close(descriptor)
