"""Owns the table of figures: what is measured under which name, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from inputs import Place
from measuring import Row

Measure: TypeAlias = Callable[[Place], Iterator[Row]]

FIGURES: dict[str, Measure] = {}
SLOW: set[str] = set()
"""Those that take many minutes, fetch from the network or fill the disk: run with `--all`, or by name."""


def figure(name: str, *, slow: bool = False) -> Callable[[Measure], Measure]:
    """Enters a function under a name that `--only` takes."""

    def enter(measure: Measure) -> Measure:
        FIGURES[name] = measure
        if slow:
            SLOW.add(name)
        return measure

    return enter
