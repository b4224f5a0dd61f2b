"""Owns the answers about the index itself: how far it is and what it holds."""

from __future__ import annotations

from typing import Any, Literal

import msgspec


class Progress(msgspec.Struct, frozen=True):
    """One step of opening a target. `stage` is what is being done; counts are files and bytes."""

    stage: Literal["connect", "list", "pull", "parse", "done"]
    files_done: int = 0
    files_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0


class Looked(msgspec.Struct, frozen=True):
    """What there is to be asked about, before all of it is parsed. Fields as in `IndexSummary`."""

    files: int
    unreadable: tuple[str, ...]
    complete: bool


class IndexSummary(msgspec.Struct, frozen=True):
    root: str
    files: int
    bytes: int
    lines: int
    classes: int
    functions: int
    parsed: int
    reused: int
    unreadable: tuple[str, ...]
    problems: tuple[str, ...]
    seconds: dict[str, float]
    remote: dict[str, Any]
    complete: bool = True
    """False when the refresh broke off: the answers then rest on what had arrived."""
