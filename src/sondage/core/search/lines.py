"""Owns the lines of a file that match a pattern: found as places in its bytes, made into numbers and text when looked at."""

from __future__ import annotations

from array import array
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice, repeat
from typing import Any, NamedTuple

from sondage.core.search.pattern import NO_CHARACTER, SURROGATE, Pattern
from sondage.core.search.regex import Plain
from sondage.core.source.text import decode

_LETTERS = frozenset(bytes([code]) for code in range(128) if chr(code).isalnum() or chr(code) == "_")


class LineHit(NamedTuple):
    """A line that matches: `line` and `column` (of the first match) from 1, `text` without its end."""

    line: int
    column: int
    text: str


class LineHits(Sequence[LineHit]):
    """The lines of one file that match, from the top; there may be thousands, of which a screen is looked at.

    Of each only the place of its first match is kept, in bytes from 0: four bytes a line.
    """

    def __init__(self, body: bytes, lines: Sequence[str] | None, places: array[int]) -> None:
        """`body` and `lines` as `searchable` makes them."""
        self._body = body
        self._lines = lines
        self._places = places

    def first(self, most: int) -> LineHits:
        """The first of them, at most so many."""
        return self if len(self) <= most else LineHits(self._body, self._lines, self._places[:most])

    @cached_property
    def numbers(self) -> Sequence[int]:
        """The number of each line, from 1."""
        between = map(self._body.count, repeat(b"\n"), chain((0,), self._places), self._places)
        return array("I", islice(accumulate(between, initial=1), 1, None))

    @property
    def last_number(self) -> int:
        """The number of the last line; there must be one."""
        return 1 + self._body.count(b"\n", 0, self._places[-1])

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: Any, /) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        return LineHit(*self._row(self.numbers[index], self._places[index]))

    def __iter__(self) -> Iterator[LineHit]:
        return map(LineHit._make, self.rows())

    def rows(self) -> Iterator[tuple[int, int, str]]:
        """All of them as plain tuples, which are made in half the time."""
        if self._lines is None and self._body.isascii():
            return self._rows_of_ascii(self._body.decode("ascii"))
        return map(self._row, self.numbers, self._places)

    def _rows_of_ascii(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Characters are bytes here: nothing needs to be decoded or counted line by line."""
        for number, at in zip(self.numbers, self._places, strict=True):
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            yield number, at - start + 1, text[start:] if end < 0 else text[start:end]

    def _row(self, number: int, at: int) -> tuple[int, int, str]:
        start = self._body.rfind(b"\n", 0, at) + 1
        end = self._body.find(b"\n", at)
        line = self._body[start:] if end < 0 else self._body[start:end]
        text = line.decode("utf-8")
        column = at - start + 1 if len(text) == len(line) else len(line[: at - start].decode("utf-8")) + 1
        return number, column, text if self._lines is None else self._lines[number - 1]


def hits_in(pattern: Pattern, data: bytes) -> LineHits:
    """The matching lines of one file, given its own bytes. Encodings are judged by `core.source.text`."""
    return hits_of(pattern, *searchable(data))


def hits_of(pattern: Pattern, body: bytes, lines: Sequence[str] | None = None) -> LineHits:
    """As `hits_in`, of what `searchable` has made of a file."""
    return LineHits(body, lines, array("I", _places(pattern, body)))


def searchable(data: bytes) -> tuple[bytes, list[str] | None]:
    """UTF-8 with lines ending in `\\n`, and the lines to show where they are not just those bytes decoded.

    A byte that is no text counts as one character, which only a dot or a negated class matches.
    """
    lines = None
    if data.isascii() and b"coding" not in data[:1000]:
        body = data
    else:
        text, encoding, problem = decode(data)
        if problem:
            body = SURROGATE.sub(NO_CHARACTER, text).encode("utf-8")
            lines = [line.removesuffix("\r") for line in text.split("\n")]
        else:
            body = data if encoding == "utf-8" and not data.startswith(BOM_UTF8) else text.encode("utf-8")
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n")
        body = body[:-1] + b"\n" if body.endswith(b"\r") else body
    return body, lines


# ------------------------------------------------------------------ inside


def _places(pattern: Pattern, body: bytes) -> Iterable[int]:
    """Where the first match of each matching line starts."""
    group = 1 if pattern.word else 0
    if pattern.plain is not None:
        text = pattern.plain.text.encode()
        return _by_text(body, text) if pattern.plain.is_free else _by_edged_text(body, text, pattern.plain)
    if len(pattern.literals) == 1 and not pattern.ignore_case:
        return _by_literal(body, pattern.literals[0], pattern.regex, group)
    return _each_line(pattern.regex, body, group) if pattern.line_by_line else _whole(pattern.regex, body, group)


def _by_text(body: bytes, text: bytes) -> list[int]:
    """No generator: of frequent texts half the time of a search goes by here."""
    places = []
    at = body.find(text)
    while at >= 0:
        places.append(at)
        end = body.find(b"\n", at)
        at = body.find(text, end) if end >= 0 else -1
    return places


def _by_edged_text(body: bytes, text: bytes, plain: Plain) -> Iterator[int]:
    at = body.find(text)
    while at >= 0:
        behind = at + len(text)
        before_it = body[at - 1 : at] if at else b"\n"
        behind_it = body[behind : behind + 1] or b"\n"
        if _is_edge(plain.before, before_it, text[:1]) and _is_edge(plain.after, behind_it, text[-1:]):
            yield at
            end = body.find(b"\n", behind)
            at = body.find(text, end) if end >= 0 else -1
        else:
            at = body.find(text, at + 1)


def _is_edge(wanted: str, outside: bytes, inside: bytes) -> bool:
    """Whether the bytes on both sides of a place make it what is wanted there; see `regex.Plain`."""
    if wanted in ("^", "$"):
        return outside == b"\n"
    if wanted == "\\b":
        return (outside in _LETTERS) != (inside in _LETTERS)
    return not wanted or outside not in _LETTERS


def _by_literal(body: bytes, literal: bytes, regex: Any, group: int) -> Iterator[int]:
    """In the lines that hold a text which is a part of the pattern."""
    at = body.find(literal)
    while at >= 0:
        start = body.rfind(b"\n", 0, at) + 1
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        match = regex.search(body[start:end])
        if match is not None:
            yield start + match.start(group)
        at = body.find(literal, end)


def _whole(regex: Any, body: bytes, group: int) -> Iterator[int]:
    """All lines at once, searching over line ends."""
    position = 0
    while position < len(body):
        match = regex.search(body, position)
        if match is None or (match.end() == len(body) and body.endswith(b"\n")):
            return  # behind the last line end is no line
        yield match.start(group)
        end = body.find(b"\n", match.end())
        position = len(body) if end < 0 else end + 1


def _each_line(regex: Any, body: bytes, group: int) -> Iterator[int]:
    start = 0
    while start < len(body):
        end = body.find(b"\n", start)
        end = len(body) if end < 0 else end
        match = regex.search(body[start:end])
        if match is not None:
            yield start + match.start(group)
        start = end + 1
