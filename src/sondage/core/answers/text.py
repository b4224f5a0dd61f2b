"""Owns the answers about text: hits of a search, names, excerpts of files."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

import msgspec

from sondage.core.frozen import dataclass


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A line that matches. No dataclass, as there are tens of thousands of them: it is made in a tenth of the time."""

    path: str
    line: int
    column: int
    text: str
    """The whole line, without its end."""
    symbol: str
    """Qualified name of the innermost class or function around it; empty at module level."""


@dataclass(frozen=True)
class SearchAnswer:
    pattern: str
    hits: tuple[Hit, ...]
    total: int
    """All hits, also those beyond the limit that `hits` was cut to."""
    files: int
    """Files with at least one hit."""
    searched: int
    """Files looked at after the globs."""
    unsearched: tuple[str, ...] = ()
    """Files that were listed, pass the globs, and could not be looked at."""


@dataclass(frozen=True)
class SymbolRow:
    name: str
    qualname: str
    kind: Literal["class", "function", "method", "attribute", "module"]
    path: str
    line: int
    score: float


@dataclass(frozen=True)
class Excerpt:
    """Lines of one file. `data` are their exact bytes with line ends, as `sed -n 'A,Bp'` prints them."""

    path: str
    first_line: int
    last_line: int
    lines: tuple[str, ...]
    symbol: str
    digest: str
    total_lines: int
    data: bytes = field(repr=False, default=b"", metadata={"json": False})
