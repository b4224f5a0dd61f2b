"""Owns the C3 linearization (The Python 2.3 Method Resolution Order; data model, section 3.3.3.2), over any hashable names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


class Inconsistent(Exception):
    """No order exists; `left` are the classes that stand in each other's way."""

    def __init__(self, left: tuple[Hashable, ...]) -> None:
        super().__init__(left)
        self.left = left


def merged(first: T, parents: Sequence[Sequence[T]], bases: Sequence[T]) -> tuple[T, ...]:
    """The MRO of `first` from the MROs of its bases and the bases themselves. Raises `Inconsistent`."""
    if len(parents) == 1:
        return (first, *parents[0])
    rows = [list(reversed(row)) for row in (*parents, bases) if row]
    found = [first]
    behind: dict[T, int] = {}
    for row in rows:
        for one in row[:-1]:
            behind[one] = behind.get(one, 0) + 1
    while rows:
        head = next((row[-1] for row in rows if not behind.get(row[-1])), None)
        if head is None:
            raise Inconsistent(tuple(dict.fromkeys(row[-1] for row in rows)))
        found.append(head)
        for row in rows:
            if row[-1] == head:
                row.pop()
                if row:
                    behind[row[-1]] -= 1
        rows = [row for row in rows if row]
    return tuple(found)


def duplicate(bases: Sequence[T]) -> T | None:
    """The first base that is named twice."""
    seen: set[T] = set()
    for base in bases:
        if base in seen:
            return base
        seen.add(base)
    return None
