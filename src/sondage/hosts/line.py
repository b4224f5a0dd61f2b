"""Owns what a way to a host has to offer, whoever speaks SSH on it: commands that are run, SFTP, and an end."""

from __future__ import annotations

from typing import Protocol

import asyncssh

from sondage.errors import HostError
from sondage.hosts.base import Traffic


class Exchange(Protocol):
    """One command that runs on a host and answers what it is sent, until it is closed or breaks off."""

    def send(self, data: bytes) -> None:
        """More for the command to read; its input stays open. Where it has ended already, `receive` will tell."""
        ...

    async def receive(self) -> bytes:
        """What has arrived, b"" when nothing more will. Raises HostError after a minute of silence."""
        ...

    async def finish(self) -> int | None:
        """The exit status, or None where there is none because it broke off: `broken` says why."""
        ...

    def broken(self) -> HostError: ...

    async def aclose(self) -> None:
        """Ends it by ending its input and output. Nobody waits for the host to agree."""
        ...


class Line(Protocol):
    """An open way to one host. All methods may raise `sondage.errors.HostError`."""

    @property
    def user(self) -> str: ...

    @property
    def host_key(self) -> str:
        """`SHA256:…`, see `HostIdentity.host_key`."""
        ...

    @property
    def name(self) -> str:
        """What commands go over, for the status line: `exec`, `ssh`."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should hear once about the connection. May hold text of the host."""
        ...

    async def start(self, text: str, traffic: Traffic) -> Exchange:
        """A command that runs from now on. Raises CommandRefusedError where the host runs none."""
        ...

    async def start_sftp(self) -> asyncssh.SFTPClient:
        """Raises asyncssh.Error, OSError as well."""
        ...

    def is_closed(self) -> bool: ...

    async def ping(self) -> bool:
        """Returns once the host has answered; False where nothing can be asked beside the command that runs."""
        ...

    async def ended(self) -> str:
        """Returns once the connection is there no more, with the reason."""
        ...

    async def aclose(self) -> None: ...
