"""Owns the hits of one file as an answer holds them: what is found is made into a `Hit` when it is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from sondage.core.answers.text import Hit
from sondage.core.search.lines import LineHits
from sondage.core.source.facts import FileFacts


class HitsOfFile(Sequence[Hit]):
    """The hits in one file, with what they stand in: nothing, where the facts of the file are not given."""

    def __init__(self, path: str, found: LineHits, facts: FileFacts | None) -> None:
        self.path = path
        self._found = found
        self._facts = facts

    @property
    def last_line(self) -> int:
        """The line of the last hit, from 1, counted without making any."""
        return self._found.last_number

    @cached_property
    def symbols(self) -> Sequence[str]:
        """The `symbol` of each, found in one pass over the file and without making any."""
        facts = self._facts
        if facts is None:
            return [""] * len(self._found)
        return [facts.scopes[scope].qualname for scope in facts.innermost_each(self._found.numbers)]

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, index: Any, /) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        line, column, text = self._found[index]
        return Hit(self.path, line, column, text, self.symbols[index])

    def __iter__(self) -> Iterator[Hit]:
        path = self.path
        for (line, column, text), symbol in zip(self._found.rows(), self.symbols, strict=True):
            yield Hit(path, line, column, text, symbol)
