"""Owns a source as it was pulled."""

from __future__ import annotations

from sondage.core.frozen import dataclass


@dataclass(frozen=True)
class SourceFile:
    """One file. `digest` is the SHA-256 of `data`, in hex."""

    digest: str
    data: bytes
