"""Owns SFTP over the pipes of a program that runs here: asyncssh's client, without a connection of asyncssh.

Its client needs a reader and a writer as of a channel, and a connection only to hold the task that reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, cast

import asyncssh
from asyncssh.logging import logger
from asyncssh.sftp import start_sftp_client

from sondage.hosts.pipes import Pipes

_VERSION = 3


async def start_sftp(pipes: Pipes) -> asyncssh.SFTPClient:
    """A session over a program that talks to an SFTP server. Raises asyncssh.Error where it talks to none."""
    ends = _Ends(pipes)
    connection = cast(asyncssh.SSHClientConnection, ends)
    reader, writer = cast("asyncssh.SSHReader[bytes]", ends), cast("asyncssh.SSHWriter[bytes]", ends)
    loop = asyncio.get_running_loop()
    return await start_sftp_client(connection, loop, "backslashreplace", reader, writer, None, "strict", _VERSION)


class _Ends:
    """Both ends of the session, as asyncssh's client uses them."""

    logger = logger

    def __init__(self, pipes: Pipes) -> None:
        self._pipes = pipes
        self._data = bytearray()
        self._reading: asyncio.Task[None] | None = None

    # ---- the reader

    async def readexactly(self, size: int) -> bytes:
        while len(self._data) < size:
            arrived = await self._pipes.take()
            if not arrived:
                raise asyncio.IncompleteReadError(bytes(self._data), size)
            self._data += arrived
        taken = bytes(self._data[:size])
        del self._data[:size]
        return taken

    def get_extra_info(self, name: str, default: object = None) -> object:
        return default

    # ---- the writer

    @property
    def channel(self) -> _Ends:
        return self

    def write(self, data: bytes) -> None:
        self._pipes.send(data)

    def write_eof(self) -> None:
        self._pipes.end_input()

    def close(self) -> None:
        self._pipes.end_input()

    def is_closing(self) -> bool:
        return self._pipes.status is not None

    async def wait_closed(self) -> None:
        await self._pipes.wait()

    # ---- the connection

    def create_task(self, work: Coroutine[Any, Any, None], *_: object) -> asyncio.Task[None]:
        self._reading = asyncio.ensure_future(work)
        return self._reading
