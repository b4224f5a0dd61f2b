"""Owns one command that runs on a host: its bytes in and out, and whether it ended or broke off."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import asyncssh

from sondage.errors import ConnectError, TransferError
from sondage.hosts import deadline
from sondage.hosts.base import Traffic
from sondage.hosts.deadline import within

PIECE = 64 << 10
"""Bytes that are handed out at a time: as much as can be looked at between two frames of an app."""
_HIGH_WATER = 8 << 20

_BUSY = (asyncssh.OPEN_CONNECT_FAILED, asyncssh.OPEN_RESOURCE_SHORTAGE)
_PAUSES = (0.0, 0.05, 0.2, 0.5, 1.0, 2.0)
"""Seconds before a channel is asked for again."""

T = TypeVar("T")


async def open_channel(create: Callable[[], Awaitable[T]], where: str) -> T:
    """What `create` makes. A server with MaxSessions 1 counts a channel until it has seen the command of it end."""
    late = ConnectError("the connection does not answer", where)
    for pause in _PAUSES:
        try:
            return await within(deadline.CHANNEL, create(), late)
        except asyncssh.ChannelOpenError as error:
            if error.code not in _BUSY:
                raise
            await asyncio.sleep(pause)
    return await within(deadline.CHANNEL, create(), late)


class Command:
    """One exec, see `hosts.line.Exchange`. A server ends what runs on a channel by closing its input and output."""

    def __init__(
        self, channel: asyncssh.SSHClientChannel[bytes], session: _Session, where: str, traffic: Traffic
    ) -> None:
        self._channel = channel
        self._session = session
        self._where = where
        self._traffic = traffic

    @classmethod
    async def start(
        cls, connection: asyncssh.SSHClientConnection, command: str, where: str, traffic: Traffic
    ) -> Command:
        """Raises CommandRefusedError where the server runs no commands, TransferError where there is no server."""
        traffic.commands += 1
        try:
            channel, session = await open_channel(
                lambda: connection.create_session(_Session, command, encoding=None), where
            )
        except (asyncssh.Error, OSError) as error:
            if connection.is_closed():
                raise TransferError("the connection is lost", where, str(error)) from None
            raise CommandRefusedError("the host opens no channel for a command", where, str(error)) from None
        assert isinstance(session, _Session)
        return cls(channel, session, where, traffic)

    def send(self, data: bytes) -> None:
        with suppress(OSError):
            self._channel.write(data)
            self._traffic.bytes_sent += len(data)

    async def receive(self) -> bytes:
        """What has arrived, b"" when nothing more will. Raises TransferError after a minute of silence."""
        late = TransferError("the host stopped sending", self._where, f"nothing for {deadline.SILENCE:g} s")
        data = await within(deadline.SILENCE, self._session.take(), late)
        self._traffic.bytes_received += len(data)
        return data

    async def finish(self) -> int | None:
        """The exit status, or None: the command was killed, or the connection broke off and what came is a part."""
        late = TransferError("the command on the host does not end", self._where)
        return await within(deadline.SILENCE, self._session.finish(), late)

    def broken(self) -> TransferError:
        """Why there is no exit status."""
        hint = str(self._session.failure or "") or self._session.signal
        return TransferError("the connection broke off before the end of the answer", self._where, hint)

    async def aclose(self) -> None:
        """Nobody waits for the server's own close, a round trip later: what is asked next comes behind ours."""
        self._channel.abort()


class CommandRefusedError(TransferError):
    """The server is there and lets nobody run commands."""


class _Session(asyncssh.SSHClientSession[bytes]):
    def __init__(self) -> None:
        self.channel: asyncssh.SSHClientChannel[bytes] | None = None
        self.status: int | None = None
        self.signal = ""
        self.failure: Exception | None = None
        self._chunks: deque[bytes] = deque()
        self._waiting = 0
        self._paused = False
        self._ended = False
        self._news = asyncio.Event()

    def connection_made(self, chan: asyncssh.SSHClientChannel[bytes]) -> None:
        self.channel = chan

    async def take(self) -> bytes:
        while not self._chunks and not self._ended:
            self._news.clear()
            await self._news.wait()
        size = 0
        taken: list[bytes] = []
        while self._chunks and size < PIECE:
            taken.append(self._chunks.popleft())
            size += len(taken[-1])
        self._waiting -= size
        self._resume()
        return b"".join(taken)

    async def finish(self) -> int | None:
        """Waits for the exit status, not for the end of the output: a process left behind may keep that open."""
        while self.status is None and not self._ended:
            self._chunks.clear()
            self._waiting = 0
            self._resume()
            self._news.clear()
            await self._news.wait()
        return self.status

    def _resume(self) -> None:
        if self._paused and self.channel and self._waiting <= _HIGH_WATER // 2:
            self._paused = False
            self.channel.resume_reading()

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        if datatype is not None:  # standard error: nothing there is meant for us
            return
        self._chunks.append(data)
        self._waiting += len(data)
        if self._waiting > _HIGH_WATER and not self._paused and self.channel:
            self._paused = True
            self.channel.pause_reading()
        self._news.set()

    def exit_status_received(self, status: int) -> None:
        self.status = status
        self._news.set()

    def exit_signal_received(self, signal: str, core_dumped: bool, msg: str, lang: str) -> None:
        self.signal = f"ended by signal {signal}"

    def connection_lost(self, exc: Exception | None) -> None:
        self.failure = exc
        self._ended = True
        self._news.set()
