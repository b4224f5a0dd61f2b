"""Owns reading an answer that arrives piece by piece: parsers are generators that wait by yielding None."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Generic, TypeAlias, TypeVar

from sondage.errors import TransferError
from sondage.hosts.names import shown
from sondage.hosts.unpacking import Unpacker, UnpackingError

T = TypeVar("T")
Steps: TypeAlias = Generator["T | None", None, None]
"""What a parser is: it yields None when it needs more bytes, and everything else as a result."""
Waiting: TypeAlias = Generator[None, None, "T"]

NOISE_LIMIT = 1 << 20
"""Bytes that start-up files may print before an answer begins."""


class NoAnswerError(TransferError):
    """The answer never began: the command was refused, or the host lacks the tools for it."""


class GarbledError(TransferError):
    """The answer began and is not in the agreed form: something else wrote into it, or the host lies."""


class Feed:
    """Bytes that have arrived and were not taken yet."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._start = 0
        self._unpacker: Unpacker | None = None
        self.began = False
        """Whether the answer itself has begun, after what start-up files print."""
        self.ended = False

    def put(self, data: bytes) -> None:
        if self._unpacker is None:
            self._data += data
        else:
            self._unpacker.put(data)

    def unpack(self, kind: bytes) -> None:
        """Everything from here on is packed: `plain`, `gzip` or `zstd`."""
        if kind == b"plain":
            return
        try:
            self._unpacker = Unpacker(kind)
        except UnpackingError as error:
            raise GarbledError(str(error)) from None
        self._unpacker.put(self.rest())
        self._data.clear()
        self._start = 0

    def _more(self) -> Waiting[None]:
        """Returns when there is more than there was. Of packed bytes never more is unpacked than somebody waits for."""
        while True:
            try:
                more = self._unpacker.take() if self._unpacker else b""
            except UnpackingError as error:
                raise GarbledError(str(error)) from None
            if more:
                self._data += more
                return
            if self.ended:
                raise GarbledError("the answer breaks off")
            yield None
            if self._unpacker is None:
                return

    def peek(self, size: int) -> Waiting[bytes]:
        """The next `size` bytes, left in place."""
        while len(self._data) - self._start < size:
            yield from self._more()
        return bytes(self._data[self._start : self._start + size])

    def take(self, size: int) -> Waiting[bytes]:
        data = yield from self.peek(size)
        self._move(self._start + size)
        return data

    def skip(self, size: int) -> Waiting[None]:
        """`size` bytes are dropped as they come, and never held together."""
        while size:
            step = min(size, max(1, len(self._data) - self._start))
            yield from self.take(step)
            size -= step

    def until(self, separator: bytes, limit: int) -> Waiting[bytes]:
        """Everything before the separator, which is dropped; at most `limit` bytes may come before it."""
        searched = self._start
        while (end := self._data.find(separator, searched)) < 0:
            if len(self._data) - self._start > limit:
                break
            searched = max(self._start, len(self._data) - len(separator) + 1)
            yield from self._more()
        if end < 0 or end - self._start > limit:
            raise GarbledError("a record of the answer is too long")
        data = bytes(self._data[self._start : end])
        self._move(end + len(separator))
        return data

    def rest(self) -> bytes:
        return bytes(self._data[self._start :])

    def _move(self, start: int) -> None:
        self._start = start
        if start > 1 << 18:  # giving the memory back in large steps keeps the copying linear
            del self._data[:start]
            self._start = 0


class Reply(Generic[T]):
    """A parser and the bytes it works on. Once `complete`, further bytes are ignored: they are no part of it."""

    def __init__(self, parser: Callable[[Feed], Steps[T]]) -> None:
        self._feed = Feed()
        self._steps = parser(self._feed)
        self.complete = False

    @property
    def began(self) -> bool:
        return self._feed.began

    def feed(self, data: bytes) -> list[T]:
        """The results that became known with these bytes. Raises `NoAnswerError`, `GarbledError`."""
        if self.complete:
            return []
        self._feed.put(data)
        return self._advance()

    def end(self) -> list[T]:
        """No more bytes will come. Raises `NoAnswerError`, `GarbledError` when the answer is not whole."""
        self._feed.ended = True
        return [] if self.complete else self._advance()

    def _advance(self) -> list[T]:
        results: list[T] = []
        for item in self._steps:
            if item is None:
                return results
            results.append(item)
        self.complete = True
        return results


def begin(feed: Feed, nonce: bytes) -> Waiting[bytes]:
    """Skips what start-up files printed before the answer, and returns it."""
    try:
        noise = yield from feed.until(b"\0" + nonce + b"\0", NOISE_LIMIT)
    except GarbledError:
        raise NoAnswerError("the host did not run the command", hint=shown(feed.rest())) from None
    feed.began = True
    return noise
