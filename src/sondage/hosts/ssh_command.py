"""Owns one command that the program `ssh` runs on a host, and what the program's failure means."""

from __future__ import annotations

from sondage.core.late import late_pattern
from sondage.errors import ConnectError, HostError, HostKeyChanged, LoginRefused, TransferError
from sondage.hosts import deadline
from sondage.hosts.base import Traffic
from sondage.hosts.deadline import within
from sondage.hosts.names import shown
from sondage.hosts.pipes import Pipes

_REFUSED = late_pattern(rb"Permission denied \(|Too many authentication failures|No more authentication methods")
_CHANGED = late_pattern(rb"HOST IDENTIFICATION HAS CHANGED")
_NOT_TRUSTED = late_pattern(rb"Host key verification failed|HOST IDENTIFICATION HAS CHANGED|no matching host key type")
_FINGERPRINT = late_pattern(rb"SHA256:[A-Za-z0-9+/]{43}")
_LAST_LINES = 3


class SshCommand:
    """See `hosts.line.Exchange`."""

    def __init__(self, pipes: Pipes, where: str, recorded: str, traffic: Traffic) -> None:
        self._pipes = pipes
        self._where = where
        self._recorded = recorded
        self._traffic = traffic

    def send(self, data: bytes) -> None:
        self._pipes.send(data)
        self._traffic.bytes_sent += len(data)

    async def receive(self) -> bytes:
        late = TransferError("the host stopped sending", self._where, f"nothing for {deadline.SILENCE:g} s")
        data = await within(deadline.SILENCE, self._pipes.take(), late)
        self._traffic.bytes_received += len(data)
        return data

    async def finish(self) -> int | None:
        late = TransferError("the command on the host does not end", self._where)
        status = await within(deadline.SILENCE, self._pipes.wait(), late)
        return None if self._pipes.broke_off else status

    def broken(self) -> HostError:
        return explain(self._pipes, self._where, self._recorded)

    async def aclose(self) -> None:
        await self._pipes.aclose()


def explain(pipes: Pipes, where: str, recorded: str) -> HostError:
    """Why `ssh` failed, by its own words, which are the same in every language; they may hold text of the host.

    `recorded` tells what known_hosts has, `FILE:LINE has SHA256:…`; empty where a jump host may be meant as well.
    """
    said = last_words(pipes.errors)
    if pipes.received:
        return TransferError("the connection broke off before the end of the answer", where, said)
    offered = _FINGERPRINT.search(pipes.errors) if _CHANGED.search(pipes.errors) else None
    if offered and recorded:
        hint = f"{recorded}, the server showed {offered[0].decode()}"
        return HostKeyChanged("the host key has changed; somebody may be listening", where, hint)
    if _NOT_TRUSTED.search(pipes.errors):
        return HostKeyChanged("ssh does not accept a host key on the way", where, said)
    if _REFUSED.search(pipes.errors):
        return LoginRefused("login refused", where, f"{said}; ssh may not ask here, --transport asyncssh can")
    return ConnectError("ssh failed", where, said)


def last_words(errors: bytes | bytearray) -> str:
    """The last lines on standard error, in one: untrusted text."""
    lines = [line for line in bytes(errors).splitlines() if line.strip()]
    return "; ".join(shown(line) for line in lines[-_LAST_LINES:]) or "ssh ended without a word"
