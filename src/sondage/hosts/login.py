"""Owns the way from an address to an authenticated connection: one hop after the other, and what went wrong.

A host key nobody has vouched for ends the connection before any credential is sent; the user is asked, and after a yes
a new connection is made. What asyncssh would take from the environment by itself is always passed on purpose.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import TypeAlias

import asyncssh
from msgspec.structs import replace

from sondage.errors import ConnectError, HostError, HostKeyChanged, HostKeyUnknown, LoginRefused
from sondage.hosts import deadline, tickets
from sondage.hosts.base import Asker
from sondage.hosts.client import Client
from sondage.hosts.deadline import Patience
from sondage.hosts.handover import ALGORITHM, DEVICE, HUNG_UP, TICKET, SshWanted
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.known_hosts import KnownHosts, fingerprint
from sondage.hosts.link import Link
from sondage.hosts.proxy import Proxy
from sondage.hosts.transport import connect_tcp, connection_options
from sondage.hosts.trust import admit, override_note, read_known_hosts, refusal

# Without a handler of its own, warnings of the library would be printed across the terminal app.
logging.getLogger("asyncssh").addHandler(logging.NullHandler())

_LOST = (asyncssh.ConnectionLost, ConnectionResetError, BrokenPipeError)

Watch: TypeAlias = Callable[[Hop, Client], None]
"""Is shown each attempt before it is made; what came of it stands in the client afterwards."""


async def connect(hops: tuple[Hop, ...], asker: Asker | None, watch: Watch | None = None) -> Link:
    """Through all hops, each with the same checks. Raises ConfigError, and the children of HostError."""
    links: list[Link] = []
    try:
        for hop in hops:
            tunnel = links[-1].connection if links else None
            links.append(await _connect_hop(hop, tunnel, Interview(asker, hop.label, hop.secret_tries), watch))
    except BaseException:
        for link in reversed(links):
            await link.aclose()
        raise
    notes = tuple(note for link in links for note in link.notes)
    return replace(links[-1], tunnels=tuple(links[:-1]), notes=notes)


async def _connect_hop(
    hop: Hop, tunnel: asyncssh.SSHClientConnection | None, interview: Interview, watch: Watch | None
) -> Link:
    known = await asyncio.to_thread(read_known_hosts, hop)
    notes: list[str] = []
    hasty = True
    while True:
        attempt = _Attempt(hop, known, interview, hasty)
        if watch:
            watch(hop, attempt.client)
        try:
            connection = await attempt.run(tunnel)
        except HostKeyUnknown as unknown:
            notes.append(await admit(hop, unknown, interview))
            assert attempt.client.key is not None
            known = known.with_key(attempt.client.key.get_algorithm(), attempt.client.key.public_data)
            continue
        except ConnectError:
            if not attempt.client.in_haste:
                raise
            hasty = False  # perhaps it wants to be asked one thing after the other
            continue
        key = connection.get_server_host_key()
        said = fingerprint(key.public_data) if key else ""
        notes.append(attempt.note())
        return Link(hop, connection, said, attempt.client.why_ended, attempt.proxy, notes=tuple(filter(None, notes)))


async def introduce(hop: Hop, asker: Asker | None) -> tuple[str, ...]:
    """The host key is judged, asked about and recorded as before a login, but nobody logs in. Returns notes."""
    interview = Interview(asker, hop.label)
    known = await asyncio.to_thread(read_known_hosts, hop)
    try:
        connection = await _Attempt(replace(hop, methods=(), tickets=False), known, interview).run(None)
        connection.abort()
    except HostKeyUnknown as unknown:
        return tuple(filter(None, [await admit(hop, unknown, interview)]))
    except LoginRefused:
        pass
    return ()


class _Attempt:
    """One connection to one hop, from the first packet to the end of the login."""

    def __init__(self, hop: Hop, known: KnownHosts, interview: Interview, hasty: bool = True) -> None:
        self.client = Client(hop, known, interview, hasty)
        self.proxy: Proxy | None = None
        self._hop = hop
        self._known = known
        self._interview = interview

    async def run(self, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
        try:
            return await self._connect(tunnel)
        except BaseException:
            if self.proxy:
                await self.proxy.aclose()
            raise

    async def _connect(self, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
        loop = asyncio.get_running_loop()
        started = loop.time()
        connected = None if tunnel else await self._reach()
        limit = self._hop.connect_timeout
        self._interview.patience = patience = Patience(started + limit - loop.time() if limit else deadline.HANDSHAKE)
        self._interview.spare = self._prefer_ticket if self._hop.tickets else None
        try:
            async with patience:
                return await asyncssh.connect(
                    self._hop.host,
                    self._hop.port,
                    sock=connected,
                    tunnel=tunnel or (),
                    options=connection_options(self._hop, self._known, self.client),
                )
        except TimeoutError:
            what = "the server stopped answering during the login" if self.client.key else "no SSH server answers"
            raise ConnectError(what, self._hop.where) from None
        except (OSError, asyncssh.Error) as error:
            explained = self._explain(error)
            if isinstance(explained, LoginRefused):
                await self._prefer_ticket()
            reason = self._why_ssh(error, explained)
            raise (SshWanted(reason, explained) if reason else explained) from None
        finally:
            self._interview.patience = None
            self.client.ring.close()

    async def _reach(self) -> socket.socket:
        if not self._hop.proxy_command:
            return await connect_tcp(self._hop)
        self.proxy = await Proxy.start(self._hop.proxy_command, self._hop.where)
        return self.proxy.socket

    async def _prefer_ticket(self) -> None:
        """Raises SshWanted where a ticket makes it needless to ask for a secret."""
        if self._hop.tickets and tickets.METHOD in self.client.accepted and await tickets.has_ticket():
            refused = LoginRefused("the login takes a Kerberos ticket", self._hop.where, "--transport ssh")
            raise SshWanted(TICKET, refused)

    def _why_ssh(self, error: OSError | asyncssh.Error, explained: HostError) -> str:
        """Why the program `ssh` would get further; empty where it would not. Compression is refused on purpose."""
        if isinstance(explained, LoginRefused) and self.client.ring.needs_device:
            return DEVICE
        if isinstance(error, asyncssh.KeyExchangeFailed) and "compression" not in str(error):
            return ALGORITHM
        return HUNG_UP if self._refused_lists(error) else ""

    def _refused_lists(self, error: OSError | asyncssh.Error) -> bool:
        """Whether the server hung up on our lists of algorithms: its own, which would tell why, may be lost with its end."""
        return isinstance(error, _LOST) and self.client.greeted and self.client.key is None and not self._complaint()

    def _complaint(self) -> str:
        """What the command that connects has said."""
        return self.proxy.complaint() if self.proxy else ""

    def note(self) -> str:
        client = self.client
        return override_note(self._hop, client.verdict, client.key) if client.key and client.verdict else ""

    def _explain(self, error: OSError | asyncssh.Error) -> HostError:
        where, client = self._hop.where, self.client
        if isinstance(error, asyncssh.HostKeyNotVerifiable):
            if client.key is None or client.verdict is None:
                return HostKeyChanged("the host key or its certificate cannot be trusted", where, str(error))
            return refusal(self._hop, self._known, client.verdict, client.key, can_ask=self._interview.possible)
        if isinstance(error, asyncssh.PermissionDenied) or "authentication failures" in str(error):
            return self._explain_refusal()
        if isinstance(error, asyncssh.KeyExchangeFailed):
            hint = f"{error}; --transport ssh goes by the algorithms of the SSH configuration"
            return ConnectError("no common algorithm with the server", where, hint)
        if self._refused_lists(error):
            hint = "the server hung up on ours; --transport ssh goes by the algorithms of the SSH configuration"
            return ConnectError("perhaps no common algorithm with the server", where, hint)
        if client.authenticating:
            return ConnectError("the server ended the connection during the login", where, str(error))
        if isinstance(error, asyncssh.ChannelOpenError):
            return ConnectError("the jump host cannot reach it", where, str(error))
        complaint = self._complaint()
        if not complaint and isinstance(error, _LOST):
            complaint = "it hung up at once: no SSH server, or one that takes no more logins for now (MaxStartups)"
        return ConnectError("no SSH connection", where, complaint or str(error))

    def _explain_refusal(self) -> LoginRefused:
        ring, client = self.client.ring, self.client
        reasons = [f"tried {', '.join(ring.offered)}"] if ring.offered else ["there was no key to try"]
        reasons += dict.fromkeys(ring.notes)
        if client.accepted:
            reasons.append(f"the server accepts {', '.join(client.accepted)}")
        if self._interview.unasked:
            wanted = " and ".join(dict.fromkeys(self._interview.unasked)).replace("_", "-")
            reasons.append(f"it needs a {wanted}, and nobody could be asked")
        return LoginRefused("login refused", f"{self._hop.user}@{self._hop.where}", "; ".join(reasons))
