"""Owns the way to a host that leads over the user's own `ssh`: for what asyncssh cannot do, and for whoever wants it.

`ssh` runs once for the whole session, with the same constant command and the same bytes as over a connection of our own.
It may not ask (BatchMode) and forwards nothing. It may use an open connection of the user's (ControlPath) and leaves
none of the host behind; a jump host is reached as the user's own configuration says, which may keep one to that open.

Who answered is known without a word from `ssh`: it goes on only with a key that is recorded (StrictHostKeyChecking yes),
and is told to accept no other type of key than the one that `host_key` names. Where several keys of that type are
recorded for the host, `host_key` names them all. An open connection of the user's shows no key any more: there it is the
recorded key that `ssh`, opening it, asked the server for first.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import asyncssh
from msgspec.structs import replace

from sondage.errors import ConnectError
from sondage.hosts import deadline
from sondage.hosts.base import Address, Asker, SshOptions, Traffic
from sondage.hosts.deadline import within
from sondage.hosts.hop import Hop
from sondage.hosts.known_hosts import Entry, KnownHosts, fingerprint
from sondage.hosts.login import introduce
from sondage.hosts.pipes import Pipes
from sondage.hosts.resolve import ssh_flags
from sondage.hosts.sftp_pipe import start_sftp
from sondage.hosts.ssh_command import SshCommand, explain, last_words
from sondage.hosts.transport import KEEPALIVE_COUNT, KEEPALIVE_SECONDS
from sondage.hosts.trust import read_known_hosts

_SETTINGS = (
    *("BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no", "LogLevel=ERROR", "EscapeChar=none"),
    *("RequestTTY=no", "RemoteCommand=none", "PermitLocalCommand=no", "ControlMaster=no", "VisualHostKey=no"),
    *("ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "Tunnel=no"),
)
_NEWER_SETTINGS = ("StdinNull=no", "ForkAfterAuthentication=no")


class SystemLine:
    """See `hosts.line.Line`."""

    name = "ssh"

    def __init__(
        self, hops: Sequence[Hop], host: str, arguments: Sequence[str], keys: Sequence[Entry], notes: tuple[str, ...]
    ) -> None:
        told = {fingerprint(entry.key): entry.place for entry in keys}
        self.user = hops[-1].user
        self.host_key = " or ".join(sorted(told))
        self.notes = notes
        self._where = hops[-1].where
        self._session_type = hops[-1].session_type
        self._host = host
        self._arguments = arguments
        self._recorded = "" if hops[1:] else ", ".join(f"{place} has {key}" for key, place in told.items())
        self._running: list[Pipes] = []
        self._lost = ""
        self._news = asyncio.Event()

    @classmethod
    async def open(
        cls, address: Address, options: SshOptions, hops: Sequence[Hop], asker: Asker | None, reason: str
    ) -> SystemLine:
        """Nobody logs in yet: the first command does. Raises ConnectError, and for a host key what `login.connect` does."""
        if not shutil.which("ssh"):
            raise ConnectError("there is no ssh on this machine", str(address), "--transport asyncssh needs none")
        hop = hops[-1]
        shared = await has_open_connection(address, options, hop)
        notes = [f"over the program ssh: {reason}"] if reason else []
        if not shared:
            notes += await _introduce(hops, asker)
        known = await _known_hosts(hop)
        algorithms, keys = _expected(hop, known)
        if not keys:
            hint = "connect once with ssh itself: it does not tell who answers, known_hosts does"
            raise ConnectError("no host key is recorded", hop.where, hint)
        own = [f"HostKeyAlgorithms={','.join(algorithms)}", *_timing(hop), *([] if shared else ["ControlPath=none"])]
        own += _NEWER_SETTINGS if hop.session_type else ()
        arguments = [*(f"-o{setting}" for setting in (*_SETTINGS, *own)), *ssh_flags(address, options)]
        return cls(hops, address.host, arguments, keys, tuple(notes))

    async def start(self, text: str, traffic: Traffic) -> SshCommand:
        traffic.commands += 1
        kind = ("-oSessionType=default",) if self._session_type else ()
        pipes = await self._start(kind, text)
        return SshCommand(pipes, self._where, self._recorded, traffic)

    async def start_sftp(self) -> asyncssh.SFTPClient:
        pipes = await self._start(("-s",), "sftp")
        try:
            return await start_sftp(pipes)
        except asyncssh.Error:
            await pipes.wait()
            if pipes.broke_off:
                raise explain(pipes, self._where, self._recorded) from None
            raise
        except BaseException:
            await pipes.aclose()
            raise

    async def _start(self, kind: Sequence[str], text: str) -> Pipes:
        """One `ssh`; the kind of its session is said first, because the first word on it counts."""
        arguments = ["ssh", "-T", *kind, *self._arguments, "--", self._host, text]
        try:
            # Jump hosts are reached by a program of their own, which may not ask either.
            pipes = await Pipes.start(arguments, self._note_end, {"SSH_ASKPASS_REQUIRE": "never"})
        except OSError as error:
            raise ConnectError("ssh cannot be run", self._where, error.strerror or "") from None
        self._running.append(pipes)
        return pipes

    def _note_end(self, pipes: Pipes) -> None:
        """A program that ended by itself, and not because the host ended the command, was the connection."""
        self._running.remove(pipes)
        if pipes.broke_off:
            self._lost = last_words(pipes.errors)
            self._news.set()

    def is_closed(self) -> bool:
        return bool(self._lost)

    async def ping(self) -> bool:
        """Nothing can be asked beside the command that runs."""
        return False

    async def ended(self) -> str:
        while not self._lost:
            self._news.clear()
            await self._news.wait()
        return self._lost

    async def aclose(self) -> None:
        for pipes in tuple(self._running):
            await pipes.aclose()


async def has_open_connection(address: Address, options: SshOptions, hop: Hop) -> bool:
    """Whether the user's `ssh` holds a connection to the host open that can be shared (ssh_config(5), ControlPath)."""
    if not hop.control_path or not await asyncio.to_thread(Path(hop.control_path).exists):
        return False
    try:
        pipes = await Pipes.start(["ssh", "-O", "check", *ssh_flags(address, options), "--", address.host])
    except OSError:
        return False
    late = ConnectError("ssh -O check does not answer", hop.where)
    try:
        return await within(deadline.AGENT, pipes.wait(), late) == 0
    except ConnectError:
        return False
    finally:
        await pipes.aclose()


async def _introduce(hops: Sequence[Hop], asker: Asker | None) -> tuple[str, ...]:
    """Asks about the first hop, where it is unknown; about those behind it nobody but ssh itself could. Returns notes."""
    notes: tuple[str, ...] = ()
    if not (await _known_hosts(hops[0])).keys:
        notes = await introduce(replace(hops[0], revoked_keys=""), asker)
    for hop in hops[:-1]:
        known = await _known_hosts(hop)
        if not known.keys and not known.has_authorities and hop.strictness in ("yes", "ask"):
            raise ConnectError(
                "no host key is recorded", hop.where, "connect once with ssh itself, which asks about it"
            )
    return notes


async def _known_hosts(hop: Hop) -> KnownHosts:
    """ssh itself knows which keys are revoked, whatever the form of the list."""
    return await asyncio.to_thread(read_known_hosts, replace(hop, revoked_keys=""))


def _expected(hop: Hop, known: KnownHosts) -> tuple[list[str], list[Entry]]:
    """The recorded keys of the type that ssh prefers, and the algorithms that show such a key and no other."""
    for preferred in hop.host_key_algorithms:
        keys = [entry for entry in known.keys if entry.key_type == _key_type(preferred)]
        if keys:
            return [name for name in hop.host_key_algorithms if _key_type(name) == _key_type(preferred)], keys
    return [], []


def _key_type(algorithm: str) -> str:
    """RSA keys sign in several ways (RFC 8332)."""
    return "ssh-rsa" if algorithm in ("rsa-sha2-512", "rsa-sha2-256") else algorithm


def _timing(hop: Hop) -> list[str]:
    """Our own limits where the configuration has none."""
    limits = [] if hop.connect_timeout else [f"ConnectTimeout={deadline.TCP:g}"]
    if not hop.alive_seconds:
        limits += [f"ServerAliveInterval={KEEPALIVE_SECONDS}", f"ServerAliveCountMax={KEEPALIVE_COUNT}"]
    return limits
