"""Owns a host that is reached over SSH: two commands where it runs them, SFTP where it does not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Literal

from sondage.errors import ConnectError
from sondage.hosts import deadline
from sondage.hosts.base import (
    Address,
    Asker,
    Batch,
    HostIdentity,
    Listing,
    ListRequest,
    RemoteFile,
    SshOptions,
    Traffic,
)
from sondage.hosts.by_command import ATTEMPTS, CommandReader
from sondage.hosts.channel import CommandRefusedError
from sondage.hosts.deadline import within
from sondage.hosts.feed import GarbledError, NoAnswerError
from sondage.hosts.listing import judge
from sondage.hosts.login import Link, connect
from sondage.hosts.names import join
from sondage.hosts.resolve import resolve
from sondage.hosts.sftp import SftpReader

SLOWER = "slower mode: the host does not run what lists and packs its files, they are read over SFTP"


async def open_ssh(address: Address, options: SshOptions, asker: Asker | None) -> SshHost:
    """Connects and logs in. Raises UsageError, ConfigError, and the children of HostError."""
    hops = await resolve(address, options)
    return SshHost(await connect(hops, None if options.no_input else asker), str(address))


class SshHost:
    """See `hosts.base.Host`. One channel at a time: some servers allow no more (MaxSessions 1)."""

    def __init__(self, link: Link, label: str, kind: Literal["ssh", "loopback"] = "ssh") -> None:
        self._link = link
        self._label = label
        self._kind = kind
        self._traffic = Traffic()
        self._commands = CommandReader(link.connection, label, self._traffic)
        self._sftp: SftpReader | None = None
        self._turn = asyncio.Lock()
        self._sources: dict[bytes, dict[bytes, bytes]] = {}
        """By listed root: the files that are read from another path than their own, because a link named them."""

    @property
    def identity(self) -> HostIdentity:
        transport = "sftp" if self._sftp else "tar over exec"
        return HostIdentity(self._kind, self._label, self._link.hop.user, self._link.host_key, transport)

    @property
    def traffic(self) -> Traffic:
        return self._traffic

    async def list(self, request: ListRequest) -> Listing:
        async with self._turn:
            found = None if self._sftp else await self._commands.find(request)
            if found is None:
                found = await (await self._use_sftp()).find(request)
                found.notes.insert(0, SLOWER)
        judged = judge(found, request)
        self._sources[judged.listing.root] = judged.sources
        return judged.listing

    async def fetch(self, root: bytes, files: Sequence[RemoteFile]) -> AsyncGenerator[Batch, None]:
        sources = self._sources.get(root, {})
        left = {file.path: (file, sources.get(file.path) or join(root, file.path)) for file in files}
        async with self._turn:
            for _ in range(0 if self._sftp else ATTEMPTS):
                try:
                    async with aclosing(self._commands.fetch(list(left.values()))) as batches:
                        async for batch in batches:
                            for fetched in batch:
                                del left[fetched.file.path]
                            yield batch
                except GarbledError:
                    continue
                except (NoAnswerError, CommandRefusedError):
                    break
                return
            reader = await self._use_sftp()
            async with aclosing(reader.fetch(list(left.values()))) as batches:
                async for batch in batches:
                    yield batch

    async def ping(self) -> float:
        start = time.perf_counter()
        late = ConnectError("the connection does not answer", self._label)
        # Every server answers a request it does not know, and no channel is opened for it (RFC 4254, 4).
        answer = self._link.connection._make_global_request(b"keepalive@openssh.com")
        await within(deadline.CHANNEL, answer, late)
        if self._link.connection.is_closed():
            raise ConnectError("the connection is lost", self._label)
        return time.perf_counter() - start

    async def aclose(self) -> None:
        if self._sftp:
            self._sftp.close()
        await self._link.aclose()

    async def _use_sftp(self) -> SftpReader:
        if self._sftp is None:
            self._sftp = await SftpReader.open(self._link.connection, self._label, self._traffic)
        return self._sftp
