"""Owns an authenticated connection of asyncssh, together with those it goes through, as one way to a host."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import asyncssh
import msgspec

from sondage.errors import ConnectError
from sondage.hosts import deadline
from sondage.hosts.base import Traffic
from sondage.hosts.channel import Command
from sondage.hosts.deadline import within
from sondage.hosts.hop import Hop
from sondage.hosts.proxy import Proxy


class Link(msgspec.Struct, frozen=True):
    """See `hosts.line.Line`. `tunnels` are the connections it goes through, the nearest first."""

    hop: Hop
    connection: asyncssh.SSHClientConnection
    host_key: str
    ending: Callable[[], str]
    """Why the connection ended; empty until then."""
    proxy: Proxy | None = None
    tunnels: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()
    name = "exec"

    @property
    def user(self) -> str:
        return self.hop.user

    async def start(self, text: str, traffic: Traffic) -> Command:
        return await Command.start(self.connection, text, self.hop.label, traffic)

    async def start_sftp(self) -> asyncssh.SFTPClient:
        return await self.connection.start_sftp_client(path_encoding=None)

    def is_closed(self) -> bool:
        return self.connection.is_closed()

    async def ping(self) -> bool:
        """Every server answers a request it does not know, and no channel is opened for it (RFC 4254, 4)."""
        late = ConnectError("the connection does not answer", self.hop.label)
        answer = self.connection._make_global_request(b"keepalive@openssh.com")
        await within(deadline.CHANNEL, answer, late)
        if self.connection.is_closed():
            raise ConnectError("the connection is lost", self.hop.label)
        return True

    async def ended(self) -> str:
        await self.connection.wait_closed()
        return self.ending()

    async def aclose(self) -> None:
        await _close(self.connection)
        if self.proxy:
            await self.proxy.aclose()
        for tunnel in reversed(self.tunnels):
            await tunnel.aclose()


async def _close(connection: asyncssh.SSHClientConnection) -> None:
    """Ends it politely, and then in any case."""
    connection.close()
    try:
        async with asyncio.timeout(deadline.CLOSE):
            await connection.wait_closed()
    except TimeoutError:
        connection.abort()
