"""Owns a host that lives in a dictionary: what it holds can be changed, and where it breaks off can be chosen."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count, islice

from msgspec.structs import replace

from sondage.errors import ConnectError, TransferError
from sondage.hosts.base import Batch, Fetched, HostIdentity, Listing, ListRequest, RemoteFile, Traffic
from sondage.hosts.found import matches

NOW_NS = 2_000_000_000 * 10**9
"""The host's clock: long after every file was written, so that all stamps can be trusted."""


@dataclass
class MemoryHost:
    """`files` by path relative to the root, or absolute for what lies outside of it."""

    files: dict[bytes, bytes]
    root: bytes = b"/srv/tree"
    host_key: str = "SHA256:one"
    batch: int = 2
    breaks_after: int | None = None
    """Batches that are delivered before the connection is lost."""
    asked: list[bytes] = field(default_factory=list)
    """Every path that was fetched, in order."""
    changed: dict[bytes, int] = field(default_factory=dict)
    traffic: Traffic = field(default_factory=Traffic)
    closed: bool = False
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the connection is lost; a new one clears it."""
    silent: bool = False
    """The connection stands, and nothing comes through it."""

    @property
    def identity(self) -> HostIdentity:
        return HostIdentity("ssh", "box", "ann", self.host_key, "memory")

    async def lose(self, path: bytes) -> None:
        """Listed it still is; whoever fetches it comes too late."""
        listing = await self.list(None)  # type: ignore[arg-type]
        del self.files[path]

        async def stale(_: object) -> Listing:
            return listing

        self.list = stale  # type: ignore[method-assign, assignment]

    def write(self, files: Mapping[bytes, bytes]) -> None:
        """As an editor would: the content and the times change."""
        for path, data in files.items():
            self.files[path] = data
            self.changed[path] = self.changed.get(path, 0) + 1

    def _file(self, path: bytes) -> RemoteFile:
        at = 1_000_000_000 * 10**9 + self.changed.get(path, 0)
        return RemoteFile(path, len(self.files[path]), at, at, 7)

    async def list(self, request: ListRequest) -> Listing:
        names = [path for path in sorted(self.files) if not path.startswith(b"/")]
        if request is None or request.root == self.root:
            return Listing(self.root, tuple(map(self._file, names)), host_time_ns=NOW_NS)
        return self._folder(request)

    def _folder(self, request: ListRequest) -> Listing:
        """What lies in a folder, without those below it."""
        found = []
        for path in sorted(self.files):
            folder, name = posixpath.split(posixpath.join(self.root, path))
            if folder == request.root and matches(name, request.patterns):
                found.append(replace(self._file(path), path=name))
        return Listing(request.root, tuple(found), host_time_ns=NOW_NS)

    async def fetch(self, root: bytes, files: Iterable[RemoteFile]) -> AsyncGenerator[Batch, None]:
        left = iter(files)
        for number in count():
            part = list(islice(left, self.batch))
            if not part:
                break
            if number == self.breaks_after:
                self.gone.set()
                raise TransferError("the connection was lost", "box")
            self.asked += [file.path for file in part]
            yield [self._fetched(root, file) for file in part]

    def _fetched(self, root: bytes, file: RemoteFile) -> Fetched:
        path = file.path if root == self.root else b"/" + file.path
        data = self.files.get(path)
        return Fetched(file, data, "" if data is not None else "no longer there")

    async def ping(self) -> float:
        if self.silent or self.gone.is_set():
            raise ConnectError("the connection does not answer", "box")
        return 0.25

    async def ended(self) -> str:
        await self.gone.wait()
        return "the host hung up"

    async def aclose(self) -> None:
        self.closed = True
