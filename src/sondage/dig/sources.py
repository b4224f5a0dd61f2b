"""Owns a source: as it was pulled, or as it lies in the store until somebody wants to see it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from sondage.errors import StoreError


class Source(Protocol):
    """One file."""

    @property
    def digest(self) -> str:
        """The SHA-256 of `data`, in hex."""
        ...

    @property
    def data(self) -> bytes: ...

    @property
    def size(self) -> int:
        """In bytes."""
        ...


class SourceFile:
    """One that is here. What it is known by is worked out when something is kept or compared, unless it is given."""

    def __init__(self, data: bytes, digest: str = "") -> None:
        self.data = data
        if digest:
            self.digest = digest

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def size(self) -> int:
        return len(self.data)


class LostSourceError(StoreError):
    """The store does not have any more what it had: it was damaged, or taken away."""


class KeptSource:
    """One that the store has: `read` gives the data of a digest, or None where it is lost."""

    def __init__(self, digest: str, size: int, read: Callable[[str], bytes | None]) -> None:
        self.digest = digest
        self.size = size
        self._read = read

    @property
    def is_here(self) -> bool:
        """Whether it was read."""
        return "data" in self.__dict__

    @cached_property
    def data(self) -> bytes:
        """Raises `LostSourceError`. Blocks, for a tenth of a millisecond."""
        data = self._read(self.digest)
        if data is None:
            raise LostSourceError("a source is not in the cache any more", hint="ask again with --refresh always")
        return data
