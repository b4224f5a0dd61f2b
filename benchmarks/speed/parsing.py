"""Owns the figures about parsing: facts against the bare tree-sitter parse, in one process and with two workers."""

from __future__ import annotations

import json
from collections.abc import Iterator

from figures import figure
from inputs import Place, inside
from measuring import Row, Sample, ratio, run


@figure("facts")
def facts(place: Place) -> Iterator[Row]:
    """One process, collector off, sources in memory: parsing alone, and parsing with all facts encoded."""
    _, said = run(inside("facts", place.tree, str(place.repeat)), answer=True)
    bare, whole = _samples(said)
    yield ratio("exact facts, against bare tree-sitter parse, CPU", 1.35, whole, bare, "cpu")


@figure("facts-two-workers")
def facts_two_workers(place: Place) -> Iterator[Row]:
    """Two spawned workers, their start included, encoded facts back in this process."""
    _, said = run(inside("facts-two-workers", place.tree, str(place.repeat)), answer=True)
    bare, whole = _samples(said)
    yield ratio("exact facts with two workers, against bare parse in one process, wall", 0.85, whole, bare, "wall")


def _samples(said: bytes) -> tuple[list[Sample], list[Sample]]:
    bare, whole = ([Sample(*one) for one in samples] for samples in json.loads(said))
    return bare, whole
