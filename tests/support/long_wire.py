"""Owns a TCP proxy that is a long wire to a server: a delay each way, a limited rate, breaks of every kind, and a count.

    with LongWire(server.port, delay=0.05) as wire:
        …connect to wire.port…
        with wire.counting() as trip:
            …
        assert trip.count <= 3

How round trips are counted. Every piece that crosses the wire bears a depth: half a round trip more than the deepest
piece its sender had received when it was sent. The deepest piece the client has received is the longest chain of
messages of which each one waited for the one before: the number of round trips that were spent. What is sent at once
counts once, whatever it is. A clock would count the work of both ends as well, and on a slow machine more of it; here a
slow machine can only change the count when one end takes longer than a whole round trip between two messages that need
not wait for each other, so that the delay must be longer than that work, and need not be longer than that. The way to
the server of the client's own connection request is half a round trip, as it is for TCP.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import TracebackType

PIECE = 64 << 10
HALF = 0.5


@dataclass
class Trip:
    """A stretch of work that was counted. `count` in round trips, a half for an odd way."""

    start: float
    count: float = 0.0


@dataclass
class End:
    """One end of a connection: the deepest piece that has reached it, and the bytes."""

    depth: float = 0.0
    received: int = 0


@dataclass(eq=False)
class Crossing:
    """One connection over the wire."""

    near: asyncio.StreamWriter
    client: End = field(default_factory=End)
    server: End = field(default_factory=End)
    far: asyncio.StreamWriter | None = None
    stalled: bool = False

    @property
    def writers(self) -> list[asyncio.StreamWriter]:
        return [self.near, self.far] if self.far else [self.near]


class LongWire:
    """Listens on 127.0.0.1:`port` once entered. Runs in a thread of its own, so that no busy event loop slows it.

    `delay`: seconds each way. `rate`: bytes a second each way, None for no limit. Both may be changed at any time.
    """

    def __init__(self, server_port: int, *, delay: float = 0.0, rate: float | None = None) -> None:
        self.server_port = server_port
        self.delay = delay
        self.rate = rate
        self.port = 0
        self.crossings: list[Crossing] = []
        self._trigger: tuple[int, Callable[[], object]] | None = None
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    # ---- counting

    @property
    def round_trips(self) -> float:
        """Spent so far, by all connections together."""
        return sum(crossing.client.depth for crossing in self.crossings)

    @property
    def received(self) -> int:
        """Bytes that have come to the client."""
        return sum(crossing.client.received for crossing in self.crossings)

    @contextmanager
    def counting(self) -> Iterator[Trip]:
        trip = Trip(self.round_trips)
        yield trip
        trip.count = self.round_trips - trip.start

    # ---- breaking

    def when_received(self, more: int, do: Callable[[], object]) -> None:
        """`do` is called once, in the wire's thread, when so many more bytes have come to the client."""
        self._trigger = (self.received + more, do)

    def finish(self) -> None:
        """Both ends see the other one close the connection."""
        self._call(self._finish)

    def reset(self) -> None:
        """Both ends see the connection reset."""
        self._call(self._reset)

    def stall(self) -> None:
        """Nothing crosses any more on the connections there are, and nobody is told."""
        self._call(self._stall)

    def _finish(self) -> None:
        for writer in self._open_writers():
            writer.close()

    def _reset(self) -> None:
        for writer in self._open_writers():
            end = writer.get_extra_info("socket")
            with suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    def _stall(self) -> None:
        for crossing in self.crossings:
            crossing.stalled = True

    def _open_writers(self) -> list[asyncio.StreamWriter]:
        return [writer for crossing in self.crossings for writer in crossing.writers if not writer.is_closing()]

    def _call(self, do: Callable[[], None]) -> None:
        if threading.current_thread() is self._thread:
            do()
        else:
            self._loop.call_soon_threadsafe(do)

    # ---- carrying

    def __enter__(self) -> LongWire:
        self._thread.start()
        self._ready.wait(20)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(20)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._listen())
        self._ready.set()
        self._loop.run_forever()
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._reset()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _listen(self) -> None:
        server = await asyncio.start_server(self._cross, "127.0.0.1", 0, limit=PIECE)
        self.port = server.sockets[0].getsockname()[1]

    async def _cross(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        crossing = Crossing(writer)
        self.crossings.append(crossing)
        _without_waiting(writer)
        await asyncio.sleep(self.delay)
        try:
            far_reader, crossing.far = await asyncio.open_connection("127.0.0.1", self.server_port, limit=PIECE)
        except OSError:
            writer.close()
            return
        _without_waiting(crossing.far)
        crossing.server.depth = HALF
        with suppress(OSError, asyncio.CancelledError):  # a stream's own task may not end as a cancelled one
            await asyncio.gather(
                self._carry(crossing, reader, crossing.client, crossing.far, crossing.server),
                self._carry(crossing, far_reader, crossing.server, crossing.near, crossing.client),
            )

    async def _carry(
        self, crossing: Crossing, reader: asyncio.StreamReader, sender: End, writer: asyncio.StreamWriter, receiver: End
    ) -> None:
        """One way. What arrives together leaves together, `delay` later, or as the rate allows."""
        way: asyncio.Queue[tuple[float, float, bytes]] = asyncio.Queue()
        delivering = asyncio.ensure_future(self._deliver(crossing, way, writer, receiver))
        free = 0.0
        try:
            while True:
                data = await reader.read(PIECE)
                now = self._loop.time()
                free = max(now, free) + (len(data) / self.rate if self.rate else 0.0)
                way.put_nowait((free + self.delay, sender.depth + HALF, data))
                if not data:
                    break
        finally:
            await delivering

    async def _deliver(
        self,
        crossing: Crossing,
        way: asyncio.Queue[tuple[float, float, bytes]],
        writer: asyncio.StreamWriter,
        receiver: End,
    ) -> None:
        while True:
            due, depth, data = await way.get()
            await asyncio.sleep(due - self._loop.time())
            if crossing.stalled:
                await asyncio.Event().wait()
            if not data:
                writer.close()
                return
            receiver.depth = max(receiver.depth, depth)
            receiver.received += len(data)
            writer.write(data)
            if self._trigger and self.received >= self._trigger[0]:
                (_, do), self._trigger = self._trigger, None
                do()
            await writer.drain()


def _without_waiting(writer: asyncio.StreamWriter) -> None:
    writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
