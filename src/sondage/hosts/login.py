"""Owns the way from an address to an authenticated connection: host keys, credentials, jump hosts, and what went wrong.

A host key nobody has vouched for ends the connection before any credential is sent; the user is asked, and after a yes
a new connection is made. What asyncssh would take from the environment by itself is always passed on purpose.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import asyncssh

from sondage.errors import ConnectError, HostError, HostKeyChanged, HostKeyUnknown, LoginRefused
from sondage.hosts import deadline
from sondage.hosts.base import Asker, Question
from sondage.hosts.deadline import Patience
from sondage.hosts.interview import Interview
from sondage.hosts.keys import KeyRing
from sondage.hosts.known_hosts import (
    DEFAULT_PORT,
    KnownHosts,
    Trust,
    Verdict,
    append_line,
    fingerprint,
    format_line,
    read_entries,
)
from sondage.hosts.proxy import Proxy
from sondage.hosts.resolve import Hop
from sondage.hosts.transport import connect_tcp, connection_options

SECRET_TRIES = 3

# Without a handler of its own, warnings of the library would be printed across the terminal app.
logging.getLogger("asyncssh").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Link:
    """An authenticated connection, and the ones it goes through, the nearest first."""

    hop: Hop
    connection: asyncssh.SSHClientConnection
    host_key: str
    """`SHA256:…`"""
    proxy: Proxy | None = None
    tunnels: tuple[Link, ...] = ()

    async def aclose(self) -> None:
        await _close(self.connection)
        if self.proxy:
            await self.proxy.aclose()
        for tunnel in reversed(self.tunnels):
            await tunnel.aclose()


async def connect(hops: tuple[Hop, ...], asker: Asker | None) -> Link:
    """Through all hops, each with the same checks. Raises the children of HostError that say what went wrong."""
    links: list[Link] = []
    try:
        for hop in hops:
            tunnel = links[-1].connection if links else None
            links.append(await _connect_hop(hop, tunnel, Interview(asker, hop.label)))
    except BaseException:
        for link in reversed(links):
            await link.aclose()
        raise
    return replace(links[-1], tunnels=tuple(links[:-1]))


async def _connect_hop(hop: Hop, tunnel: asyncssh.SSHClientConnection | None, interview: Interview) -> Link:
    known = await asyncio.to_thread(_read_known_hosts, hop)
    while True:
        attempt = _Attempt(hop, known, interview)
        try:
            connection = await attempt.run(tunnel)
        except HostKeyUnknown as unknown:
            await _confirm(hop, unknown, interview)
            assert attempt.key is not None
            known = known.with_key(attempt.key.get_algorithm(), attempt.key.public_data)
            continue
        key = connection.get_server_host_key()
        return Link(hop, connection, fingerprint(key.public_data) if key else "", attempt.proxy)


def _read_known_hosts(hop: Hop) -> KnownHosts:
    entries = [*hop.vouched, *read_entries((*hop.user_known_hosts, *hop.global_known_hosts))]
    return KnownHosts(entries, hop.key_alias or hop.host, DEFAULT_PORT if hop.key_alias else hop.port)


async def _confirm(hop: Hop, unknown: HostKeyUnknown, interview: Interview) -> None:
    """Returns after a yes, which is recorded; raises `unknown` after anything else."""
    file = hop.user_known_hosts[0] if hop.user_known_hosts else ""
    details = {"type": unknown.key_type, "fingerprint": unknown.fingerprint, "known_hosts": file}
    text = f"The host key of {unknown.where} is not known"
    if hop.strict or await interview.ask(Question("host_key", hop.label, text, details=details)) != "yes":
        raise unknown
    if file:
        try:
            await asyncio.to_thread(append_line, Path(file), unknown.line)
        except OSError as error:
            raise HostError("the host key could not be recorded", file, error.strerror or "") from None


class _Attempt:
    """One connection to one hop, from the first packet to the end of the login."""

    def __init__(self, hop: Hop, known: KnownHosts, interview: Interview) -> None:
        self.hop = hop
        self.known = known
        self.interview = interview
        self.ring = KeyRing(hop, interview)
        self.patience = Patience(deadline.HANDSHAKE)
        self.where = hop.label if hop.label == hop.host else f"{hop.label} ({hop.host}:{hop.port})"
        self.key: asyncssh.SSHKey | None = None
        self.verdict: Verdict | None = None
        self.proxy: Proxy | None = None
        self.client = _Client(self)

    async def run(self, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
        try:
            return await self._connect(tunnel)
        except BaseException:
            if self.proxy:
                await self.proxy.aclose()
            raise

    async def _connect(self, tunnel: asyncssh.SSHClientConnection | None) -> asyncssh.SSHClientConnection:
        self.interview.patience = self.patience
        connected = None if tunnel else await self._reach()
        try:
            async with self.patience:
                return await asyncssh.connect(
                    self.hop.host,
                    self.hop.port,
                    sock=connected,
                    tunnel=tunnel or (),
                    options=connection_options(self.hop, self.known, self.client),
                )
        except TimeoutError:
            what = "the server stopped answering during the login" if self.key else "no SSH server answers"
            raise ConnectError(what, self.where) from None
        except (OSError, asyncssh.Error) as error:
            raise self._explain(error) from None
        finally:
            self.interview.patience = None
            self.ring.close()

    async def _reach(self) -> socket.socket:
        if not self.hop.proxy_command:
            return await connect_tcp(self.hop, self.where)
        self.proxy = await Proxy.start(self.hop.proxy_command, self.where)
        return self.proxy.socket

    def _explain(self, error: OSError | asyncssh.Error) -> HostError:
        if isinstance(error, asyncssh.HostKeyNotVerifiable):
            return self._explain_host_key(error)
        if isinstance(error, asyncssh.PermissionDenied) or "authentication failures" in str(error):
            return self._explain_refusal()
        if isinstance(error, asyncssh.KeyExchangeFailed):
            return ConnectError("no common algorithm with the server", self.where, str(error))
        if self.client.authenticating:
            return ConnectError("the server ended the connection during the login", self.where, str(error))
        if isinstance(error, asyncssh.ChannelOpenError):
            return ConnectError("the jump host cannot reach it", self.where, str(error))
        complaint = self.proxy.complaint() if self.proxy else ""
        return ConnectError("no SSH connection", self.where, complaint or str(error) or "the server hung up")

    def _explain_host_key(self, error: asyncssh.HostKeyNotVerifiable) -> HostError:
        key, verdict = self.key, self.verdict
        if key is None or verdict is None:
            return HostKeyChanged("the host certificate cannot be trusted", self.where, str(error))
        offered = fingerprint(key.public_data)
        if verdict.entry and verdict.trust is Trust.REVOKED:
            return HostKeyChanged("the host key is revoked", self.where, f"{offered}, in {verdict.entry.place}")
        if verdict.entry:
            hint = f"{verdict.entry.place} has {fingerprint(verdict.entry.key)}, the server showed {offered}"
            return HostKeyChanged("the host key has changed; somebody may be listening", self.where, hint)
        kind = key.get_algorithm()
        line = format_line(self.known.name, kind, key.public_data, hashed=self.hop.hash_known_hosts)
        hint = f"{kind} {offered}"
        if not self.interview.possible:
            hint += "; nobody could be asked: connect once without --no-input, or with ssh"
        return HostKeyUnknown("unknown host key", self.where, hint, key_type=kind, fingerprint=offered, line=line)

    def _explain_refusal(self) -> LoginRefused:
        reasons = [f"tried {', '.join(self.ring.offered)}"] if self.ring.offered else ["there was no key to try"]
        reasons += self.ring.notes
        if self.client.accepted:
            reasons.append(f"the server accepts {', '.join(self.client.accepted)}")
        if self.interview.unasked:
            wanted = " and ".join(dict.fromkeys(self.interview.unasked)).replace("_", "-")
            reasons.append(f"it needs a {wanted}, and nobody could be asked")
        return LoginRefused("login refused", f"{self.hop.user}@{self.where}", "; ".join(reasons))


class _Client(asyncssh.SSHClient):
    """What asyncssh calls while it connects.

    The two `validate_…` must stay plain functions: asyncssh takes a coroutine, which is never awaited, for a yes.
    """

    def __init__(self, attempt: _Attempt) -> None:
        self._attempt = attempt
        self._connection: asyncssh.SSHClientConnection | None = None
        self._offers: AsyncIterator[asyncssh.SSHKeyPair] | None = None
        self._tries = {"password": 0, "keyboard-interactive": 0}
        self.authenticating = False
        self.accepted: list[str] = []

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._connection = conn

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self._attempt.key = key
        self._attempt.verdict = self._attempt.known.judge(key.public_data)
        return self._attempt.verdict.trust is Trust.KNOWN

    def validate_host_ca_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        return self._attempt.known.judge_authority(key.public_data)

    def begin_auth(self, username: str) -> None:
        self.authenticating = True
        self._attempt.patience.renew(deadline.LOGIN)

    async def public_key_auth_requested(self) -> list[asyncssh.SSHKeyPair] | None:
        self._note_methods()
        if self._offers is None:
            self._offers = self._attempt.ring.offers()
        pair = await anext(self._offers, None)
        self._attempt.patience.renew(deadline.LOGIN)
        return [pair] if pair else None

    async def password_auth_requested(self) -> str | None:
        if not self._may_try("password"):
            return None
        hop = self._attempt.hop
        again = "That was not accepted. " if self._tries["password"] > 1 else ""
        text = f"{again}Password of {hop.user} on {self._attempt.where}"
        return await self._attempt.interview.ask_secret(Question("password", hop.label, text))

    async def kbdint_auth_requested(self) -> str | None:
        return "" if self._may_try("keyboard-interactive") and self._can_ask("keyboard_interactive") else None

    async def kbdint_challenge_received(
        self, name: str, instructions: str, lang: str, prompts: Sequence[tuple[str, bool]]
    ) -> list[str] | None:
        answers: list[str] = []
        shown = "\n".join(text for text in (name, instructions) if text)
        for prompt, echo in prompts:
            question = Question("keyboard_interactive", self._attempt.hop.label, prompt, shown, echo)
            answer = await self._attempt.interview.ask_secret(question)
            if answer is None:
                return None
            answers.append(answer)
        return answers

    def _may_try(self, method: str) -> bool:
        self._note_methods()
        self._tries[method] += 1
        return self._tries[method] <= SECRET_TRIES

    def _can_ask(self, kind: str) -> bool:
        if not self._attempt.interview.possible:
            self._attempt.interview.unasked.append(kind)
        return self._attempt.interview.possible

    def _note_methods(self) -> None:
        if self._connection and not self.accepted:
            self.accepted = list(self._connection.get_server_auth_methods())


async def _close(connection: asyncssh.SSHClientConnection) -> None:
    """Ends it politely, and then in any case."""
    connection.close()
    try:
        async with asyncio.timeout(deadline.CLOSE):
            await connection.wait_closed()
    except TimeoutError:
        connection.abort()
