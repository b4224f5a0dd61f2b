"""Owns how sure an answer is: verdicts, their marks, evidence, candidates, and how much of the tree was seen."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Certainty: TypeAlias = Literal["proved", "possible"]
VerdictName: TypeAlias = Literal[
    "own", "inherited", "forwarded", "assigned", "instance", "dynamic", "unknown", "held", "abstract", "absent"
]
PROVIDED: frozenset[str] = frozenset({"own", "inherited", "forwarded", "assigned", "instance"})
UNDECIDED: frozenset[str] = frozenset({"dynamic", "unknown"})


def mark(verdict: str) -> Literal["✓", "?", "✗"]:
    """The sign of a verdict, the same in every face."""
    if verdict in PROVIDED:
        return "✓"
    return "?" if verdict in UNDECIDED else "✗"


class Coverage(msgspec.Struct, frozen=True):
    """How much of the tree an answer has seen: fewer files than listed means the index is still growing or partial."""

    files_seen: int
    files_listed: int

    @property
    def whole(self) -> bool:
        return self.files_seen >= self.files_listed


class Evidence(msgspec.Struct, frozen=True):
    """A line that shows why: `quote` is the exact line without its end; `digest` the SHA-256 (hex) of the whole
    file."""

    path: str
    line: int
    quote: str
    digest: str = ""


class Candidates(msgspec.Struct, frozen=True):
    """The question could not be put because a name stands for nothing, or for several things."""

    asked: str
    kind: Literal["class", "member", "file", "symbol"]
    reason: Literal["absent", "ambiguous"]
    names: tuple[str, ...] = ()
    """Full names, nearest first, of what it may mean (for `absent`: of similar ones)."""
