"""Owns one program that runs here with three pipes: bytes in and out, its complaints, and how it ended."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from sondage.hosts import deadline

_ERRORS_LIMIT = 64 << 10
"""Bytes of standard error that are kept, the last ones."""
_HIGH_WATER = 8 << 20
_LAST_WORDS = 0.5
"""Seconds in which what was written on standard error is read, once nothing more comes on standard output."""
FAILED = 255
"""The exit status of `ssh` itself (ssh(1), EXIT STATUS); a command of the host may have it too."""


class Pipes(asyncio.SubprocessProtocol):
    """A running program. It has a session of its own: an interrupt from the keyboard is meant for us."""

    def __init__(self, when_ended: Callable[[Pipes], None]) -> None:
        self._when_ended = when_ended
        self.errors = bytearray()
        self.status: int | None = None
        """The exit status; -N when signal N killed it. None while it runs."""
        self.received = 0
        self._transport: asyncio.SubprocessTransport
        self._chunks: deque[bytes] = deque()
        self._waiting = 0
        self._paused = False
        self._closing = False
        self._ended = False
        self._news = asyncio.Event()
        self._exited = asyncio.Event()
        self._gone = asyncio.Event()

    @classmethod
    async def start(
        cls,
        arguments: Sequence[str],
        when_ended: Callable[[Pipes], None] = lambda _: None,
        environment: Mapping[str, str] | None = None,
    ) -> Pipes:
        """No shell is involved. `environment` is added to ours. Raises OSError."""
        loop = asyncio.get_running_loop()
        own = {**os.environ, **(environment or {})}
        _, pipes = await loop.subprocess_exec(lambda: cls(when_ended), *arguments, start_new_session=True, env=own)
        return pipes

    @property
    def broke_off(self) -> bool:
        """Whether it ended without its work done: killed, or with the status that `ssh` has for its own failures."""
        return self.status is not None and (self.status < 0 or self.status == FAILED) and not self._closing

    def send(self, data: bytes) -> None:
        """Where it has ended already, its status and its words tell why."""
        given = self._transport.get_pipe_transport(0)
        if isinstance(given, asyncio.WriteTransport) and not given.is_closing():
            given.write(data)

    def end_input(self) -> None:
        given = self._transport.get_pipe_transport(0)
        if given is not None:
            given.close()

    async def take(self) -> bytes:
        """What has arrived, b"" when nothing more will."""
        while not self._chunks and not self._ended:
            self._news.clear()
            await self._news.wait()
        data = b"".join(self._chunks)
        self._chunks.clear()
        self._waiting = 0
        if self._paused:
            self._paused = False
            self._output.resume_reading()
        return data

    async def wait(self) -> int:
        """The exit status, once there is one and all complaints have arrived; output is thrown away meanwhile."""
        while not self._gone.is_set():
            await self.take()
            if self._ended:
                await self._gone.wait()
        return self.status or 0

    async def aclose(self) -> None:
        """Everything it has started ends with it, but for what has put itself into a session of its own."""
        self._closing = True
        try:
            self._kill(signal.SIGTERM)
            async with asyncio.timeout(deadline.CLOSE):
                await self._exited.wait()
        except TimeoutError:
            self._kill(signal.SIGKILL)
            await self._exited.wait()
        finally:
            self._end()

    def _kill(self, number: signal.Signals) -> None:
        if self.status is None:
            with suppress(ProcessLookupError):
                os.killpg(self._transport.get_pid(), number)

    @property
    def _output(self) -> asyncio.ReadTransport:
        output = self._transport.get_pipe_transport(1)
        assert isinstance(output, asyncio.ReadTransport)
        return output

    # ---- what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert isinstance(data, bytes)
        if fd == 2:
            self.errors += data
            del self.errors[:-_ERRORS_LIMIT]
            return
        self.received += len(data)
        self._chunks.append(data)
        self._waiting += len(data)
        if self._waiting > _HIGH_WATER and not self._paused:
            self._paused = True
            self._output.pause_reading()
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self._ended = True
            self._news.set()

    def process_exited(self) -> None:
        self.status = self._transport.get_returncode()
        self._exited.set()
        self._wait_for_words()

    def _wait_for_words(self) -> None:
        """Standard output is read to its end; standard error may be held open by something that stays behind."""
        if not self._gone.is_set():
            nothing_more = self._end if self._ended else self._wait_for_words
            asyncio.get_running_loop().call_later(_LAST_WORDS, nothing_more)

    def connection_lost(self, exc: Exception | None) -> None:
        """The program has ended and all its pipes are closed."""
        self._end()

    def _end(self) -> None:
        if self._gone.is_set():
            return
        self._ended, self._paused = True, False
        self._gone.set()
        self._news.set()
        self._transport.close()
        self._when_ended(self)
