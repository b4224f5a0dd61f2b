"""Owns the answers about text: hits of a search, names, excerpts of files."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, Literal, Protocol

import msgspec


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A line that matches. No dataclass, as there are tens of thousands of them: it is made in a tenth of the time."""

    path: str
    line: int
    column: int
    text: str
    """The whole line, without its end."""
    symbol: str
    """Qualified name of the innermost class or function around it; empty at module level."""


class FileHits(Protocol):
    """The hits in one file, of which there is at least one; they may be made as they are looked at."""

    @property
    def path(self) -> str: ...

    @property
    def last_line(self) -> int:
        """Of the last hit, from 1."""
        ...

    @property
    def symbols(self) -> Sequence[str]:
        """That of each hit."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Hit: ...

    def __iter__(self) -> Iterator[Hit]: ...


class Hits(Sequence[Hit]):
    """The hits in some files, one file after another. A part of them is a tuple."""

    def __init__(self, files: Iterable[FileHits]) -> None:
        self.files = tuple(files)
        self._firsts = tuple(accumulate(map(len, self.files), initial=0))

    def without(self, paths: Container[str]) -> Hits:
        """The hits in all other files."""
        return Hits(one for one in self.files if one.path not in paths)

    def __len__(self) -> int:
        return self._firsts[-1]

    def __getitem__(self, index: Any, /) -> Any:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(len(self))[index])
        number = range(len(self))[index]
        file = bisect_right(self._firsts, number) - 1
        return self.files[file][number - self._firsts[file]]

    def __iter__(self) -> Iterator[Hit]:
        return chain.from_iterable(self.files)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


class SearchAnswer(msgspec.Struct, frozen=True):
    pattern: str
    hits: Sequence[Hit]
    total: int
    """All hits, also those beyond the limit that `hits` was cut to."""
    files: int
    """Files with at least one hit."""
    searched: int
    """Files looked at after the globs."""
    unsearched: tuple[str, ...] = ()
    """Files that were listed, pass the globs, and could not be looked at."""


class SymbolRow(msgspec.Struct, frozen=True):
    name: str
    qualname: str
    kind: Literal["class", "function", "method", "attribute", "module"]
    path: str
    line: int
    score: float


class Excerpt(msgspec.Struct, frozen=True):
    """Lines of one file. `data` are their exact bytes with line ends, as `sed -n 'A,Bp'` prints them."""

    path: str
    first_line: int
    last_line: int
    lines: tuple[str, ...]
    symbol: str
    digest: str
    total_lines: int
    data: bytes = b""
