"""Owns one command that runs on a host: its bytes in and out, and whether it ended or broke off."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

import asyncssh

from sondage.errors import ConnectError, TransferError
from sondage.hosts import deadline
from sondage.hosts.base import Traffic
from sondage.hosts.deadline import within

ERRORS_LIMIT = 1 << 20
"""Bytes of standard error that are kept."""
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
    """An `async with` around one exec. Leaving it early closes the channel, at which the host ends the command."""

    def __init__(self, connection: asyncssh.SSHClientConnection, command: str, where: str, traffic: Traffic) -> None:
        self._connection = connection
        self._command = command
        self._where = where
        self._traffic = traffic
        self._session = _Session()
        self._channel: asyncssh.SSHClientChannel[bytes] | None = None

    async def __aenter__(self) -> Command:
        self._traffic.commands += 1
        try:
            self._channel, _ = await open_channel(self._create, self._where)
        except (asyncssh.Error, OSError) as error:
            if self._connection.is_closed():
                raise TransferError("the connection is lost", self._where, str(error)) from None
            raise CommandRefusedError("the host opens no channel for a command", self._where, str(error)) from None
        self._session.channel = self._channel
        return self

    def _create(self) -> Awaitable[tuple[asyncssh.SSHClientChannel[bytes], asyncssh.SSHClientSession[bytes]]]:
        return self._connection.create_session(lambda: self._session, self._command, encoding=None)

    def send(self, data: bytes) -> None:
        """Everything the command will read. Where it has ended already, its status and its words tell why."""
        assert self._channel is not None
        with suppress(OSError):
            self._channel.write(data)
            self._channel.write_eof()
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

    @property
    def errors(self) -> bytes:
        """What came on standard error."""
        return bytes(self._session.errors)

    @property
    def status(self) -> int | None:
        return self._session.status

    def broken(self) -> TransferError:
        """Why there is no exit status."""
        hint = str(self._session.failure or "") or self._session.signal
        return TransferError("the connection broke off before the end of the answer", self._where, hint)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._channel is None:
            return
        self._channel.close()
        try:
            async with asyncio.timeout(deadline.CLOSE):
                await self._channel.wait_closed()
        except TimeoutError:
            self._channel.abort()


class CommandRefusedError(TransferError):
    """The server is there and lets nobody run commands."""


class _Session(asyncssh.SSHClientSession[bytes]):
    def __init__(self) -> None:
        self.channel: asyncssh.SSHClientChannel[bytes] | None = None
        self.errors = bytearray()
        self.status: int | None = None
        self.signal = ""
        self.failure: Exception | None = None
        self._chunks: deque[bytes] = deque()
        self._waiting = 0
        self._paused = False
        self._ended = False
        self._news = asyncio.Event()

    async def take(self) -> bytes:
        while not self._chunks and not self._ended:
            self._news.clear()
            await self._news.wait()
        data = b"".join(self._chunks)
        self._chunks.clear()
        self._resume()
        return data

    async def finish(self) -> int | None:
        """Waits for the exit status, not for the end of the output: a process left behind may keep that open."""
        while self.status is None and not self._ended:
            self._chunks.clear()
            self._resume()
            self._news.clear()
            await self._news.wait()
        return self.status

    def _resume(self) -> None:
        self._waiting = 0
        if self._paused and self.channel:
            self._paused = False
            self.channel.resume_reading()

    def data_received(self, data: bytes, datatype: asyncssh.DataType) -> None:
        if datatype is not None:
            self.errors += data[: max(0, ERRORS_LIMIT - len(self.errors))]
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
