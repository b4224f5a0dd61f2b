"""Owns the answers about calls: what a call reaches, and who calls."""

from __future__ import annotations

import msgspec

from sondage.core.answers.certainty import Certainty


class CallSite(msgspec.Struct, frozen=True):
    path: str
    line: int
    column: int
    receiver: str
    """The receiver as written; empty for a plain call."""
    name: str


class ReceiverType(msgspec.Struct, frozen=True):
    class_: str
    how: str


class Definition(msgspec.Struct, frozen=True):
    owner: str
    """Class (for a method) or module (for a function or class) that the definition stands in."""
    name: str
    path: str
    line: int
    certainty: Certainty
    why: tuple[str, ...]
    """From the receiver to the definition, one reason a step: the classes passed on the way included."""
    through: tuple[str, ...] = ()
    """The classes looked into before the owner, in MRO order."""


class Resolution(msgspec.Struct, frozen=True):
    call: CallSite | None
    """None where no call and no name stands at the position."""
    receiver_types: tuple[ReceiverType, ...]
    answers: tuple[Definition, ...]
    unresolved: str | None
    """Why nothing, or not everything, could be resolved; None when nothing is left open."""


class CallerRow(msgspec.Struct, frozen=True):
    path: str
    line: int
    column: int
    text: str
    symbol: str
    certainty: Certainty
    why: tuple[str, ...]


class CallersAnswer(msgspec.Struct, frozen=True):
    of: str
    rows: tuple[CallerRow, ...]
    unresolved: int
    """Sites that call something of this name whose receiver is not known."""
