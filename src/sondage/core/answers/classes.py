"""Owns the answers about classes: order of inheritance, members, subclasses, overrides."""

from __future__ import annotations

from typing import Literal

import msgspec


class MroStep(msgspec.Struct, frozen=True):
    """One class of an MRO. `open` is None, or says why it was not read (then `path` is empty and `line` 0)."""

    class_: str
    path: str
    line: int
    open: str | None = None
    note: str = ""
    """What else is to be said: generated, built in, one of several definitions."""


class MemberRow(msgspec.Struct, frozen=True):
    """Who defines a name, seen from one class."""

    owner: str
    kind: str
    path: str
    line: int


class MroAnswer(msgspec.Struct, frozen=True):
    class_: str
    path: str
    line: int
    bases: tuple[str, ...]
    order: tuple[MroStep, ...]
    complete: bool
    why_incomplete: tuple[str, ...] = ()
    error: str | None = None
    """Python's own error where no MRO exists (inconsistent order, duplicate base, cycle); then `order` holds what
    is known."""
    members: dict[str, MemberRow] | None = None

    @property
    def mro(self) -> tuple[str, ...]:
        return () if self.error else tuple(step.class_ for step in self.order)


class SubclassRow(msgspec.Struct, frozen=True):
    class_: str
    path: str
    line: int
    depth: int
    """1 for a direct subclass."""


class SubclassesAnswer(msgspec.Struct, frozen=True):
    class_: str
    rows: tuple[SubclassRow, ...]
    why_incomplete: tuple[str, ...] = ()
    """What was not read and can lie between the class and others of the root."""


class OverrideRow(msgspec.Struct, frozen=True):
    """A definition of the same name on a class above (`up`) or below (`down`)."""

    class_: str
    path: str
    line: int
    """Of the definition; empty and 0 where it has no source."""
    direction: Literal["up", "down"]
    signature: str
    same_signature: bool | None
    """Same names, kinds and defaults of parameters as the definition asked for; None where one has no signature."""
    kind: str = ""


class OverridesAnswer(msgspec.Struct, frozen=True):
    """`of` is `module.Class.member` as asked for, `owner` the class whose definition a lookup on that class finds."""

    of: str
    owner: str
    path: str
    line: int
    signature: str
    rows: tuple[OverrideRow, ...]
    """Above in MRO order, then below, the nearest first."""
    why_incomplete: tuple[str, ...] = ()
    """What was not read of the classes above."""
