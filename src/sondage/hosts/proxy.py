"""Owns the user's ProxyCommand: run as ssh runs it, its complaints kept for the message, ended with the connection."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import tempfile
from contextlib import suppress
from typing import IO

from sondage.errors import ConnectError
from sondage.hosts.names import shown


class Proxy:
    """A running proxy command. Its standard input and output are one socket, the other end of which is `socket`."""

    def __init__(self, process: asyncio.subprocess.Process, near: socket.socket, errors: IO[bytes]) -> None:
        self._process = process
        self._errors = errors
        self.socket = near

    @classmethod
    async def start(cls, command: str, where: str) -> Proxy:
        """By the user's shell and with `exec`, as ssh does (ssh_config(5), ProxyCommand). Raises ConnectError."""
        near, far = socket.socketpair()
        near.setblocking(False)
        errors = tempfile.TemporaryFile()  # noqa: SIM115 -- it lives as long as the process
        shell = os.environ.get("SHELL") or "/bin/sh"
        try:
            # A session of its own: an interrupt from the keyboard is meant for us.
            process = await asyncio.create_subprocess_exec(
                shell,
                "-c",
                f"exec {command}",
                stdin=far.fileno(),
                stdout=far.fileno(),
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            near.close()
            errors.close()
            raise ConnectError("the proxy command cannot be run", where, error.strerror or "") from None
        finally:
            far.close()
        return cls(process, near, errors)

    def complaint(self) -> str:
        """The first line it wrote on standard error. Untrusted text."""
        self._errors.seek(0)
        return shown(self._errors.read(4096))

    async def aclose(self) -> None:
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGTERM)
        await self._process.wait()
        self._errors.close()
