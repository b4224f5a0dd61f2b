"""Owns unpacking what a host packed, in steps so small that a few bytes cannot become a flood."""

from __future__ import annotations

import zlib
from collections import deque

import zstandard

STEP = 256 << 10
"""Bytes that gzip may make of one step."""
_SLICE = 1024
"""Bytes of zstd that are unpacked at once: its blocks have 3 bytes at least, and make 128 KiB at most (RFC 8878)."""
_WINDOW = 8 << 20
"""Bytes that zstd may look back; what a host sends at level 3 needs 2 MiB."""


class UnpackingError(Exception):
    """The bytes are not what they were said to be."""


class Unpacker:
    """One packed stream. What follows its end is dropped."""

    def __init__(self, kind: bytes) -> None:
        """`gzip` (RFC 1952) or `zstd` (RFC 8878). Raises UnpackingError for another one."""
        if kind not in (b"gzip", b"zstd"):
            raise UnpackingError("the answer is packed in an unknown way")
        self._packed: deque[bytes] = deque()
        self._gzip = zlib.decompressobj(wbits=31) if kind == b"gzip" else None
        self._zstd = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()

    def put(self, data: bytes) -> None:
        self._packed.append(data)

    def take(self) -> bytes:
        """Some of what can be unpacked now, b"" when more is needed first. Raises UnpackingError."""
        made = b""
        while self._packed and not made:
            data = self._packed.popleft()
            try:
                made = self._take_gzip(data) if self._gzip else self._take_zstd(data)
            except (zlib.error, zstandard.ZstdError) as error:
                raise UnpackingError(f"the answer cannot be unpacked: {error}") from None
        return made

    def _take_gzip(self, data: bytes) -> bytes:
        assert self._gzip
        made = self._gzip.decompress(data, STEP)
        if self._gzip.unconsumed_tail:
            self._packed.appendleft(self._gzip.unconsumed_tail)
        return made

    def _take_zstd(self, data: bytes) -> bytes:
        made = bytearray()
        for start in range(0, len(data), _SLICE):
            if len(made) >= STEP:
                self._packed.appendleft(data[start:])
                break
            if not self._zstd.eof:
                made += self._zstd.decompress(data[start : start + _SLICE])
        return bytes(made)
