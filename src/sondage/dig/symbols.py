"""Owns the table of symbols of an index, ready to be searched by a few letters."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from sondage.core.answers.text import SymbolRow
from sondage.core.search.fuzzy import Names


class Symbols(msgspec.Struct, frozen=True):
    """`rows[i]` is the place of what `names` calls the name at position i."""

    names: Names
    rows: tuple[SymbolRow, ...]

    @classmethod
    def of(cls, rows: Iterable[SymbolRow]) -> Symbols:
        kept = tuple(rows)
        return cls(Names([row.qualname for row in kept]), kept)

    def search(self, query: str, limit: int) -> tuple[SymbolRow, ...]:
        """Best first; scores go up to 100, for an exact match."""
        return tuple(replace(self.rows[found.position], score=found.score) for found in self.names.find(query, limit))
