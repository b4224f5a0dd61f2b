"""Owns the words of many files: which of them can hold a name or a piece of text, told without looking into any.

A word is a run of ASCII letters, digits, underscores and of bytes beyond ASCII. Every distinct word is kept once, all
together in one piece of bytes, with the numbers of the texts that hold it: for 20 MB of Python about 3 MB.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence

_WORD = re.compile(rb"[\w\x80-\xff]+")
_PLAIN_WORD = re.compile(rb"\w+")
_FOLDED_TO_ASCII = (b"\xc5\xbf", b"\xe2\x84\xaa")
"""U+017F and U+212A, which match `s` and `k` where case is ignored: the only two characters of the kind."""
_LEAST = 3
"""Bytes of a piece of text that is worth being looked for."""
_MOST_WORDS = 1000
"""Words that may hold a piece of text; one that stands in more of them rules out too few texts."""
_MOST_PIECES = 2
"""Pieces of one text that are looked for, the longest first."""


class Words:
    """The words of some texts, which are numbered from 0. Made by `read`."""

    def __init__(self, holders: dict[bytes, list[int]]) -> None:
        words = sorted(holders)
        self._blob = b"\n" + b"".join(word + b"\n" for word in words)
        self._starts = array("I", [1])
        self._ends = array("I", [0])
        self._holders = array("I")
        for word in words:
            self._starts.append(self._starts[-1] + len(word) + 1)
            self._holders.extend(holders.pop(word))
            self._ends.append(len(self._holders))
        self._lower: bytes | None = None

    @classmethod
    def read(cls, texts: Iterable[bytes]) -> Generator[None, None, Words]:
        """The words of texts, numbered in the order given; a text at a step."""
        holders: dict[bytes, list[int]] = {}
        for number, text in enumerate(texts):
            for word in _words_of(text):
                holders.setdefault(word, []).append(number)
            yield None
        return cls(holders)

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        arrays = (self._starts, self._ends, self._holders)
        return len(self._blob) + len(self._lower or b"") + sum(one.itemsize * len(one) for one in arrays)

    def with_word(self, word: bytes) -> Sequence[int]:
        """The texts in which a name stands as a whole word, ascending."""
        count = len(self._starts) - 1
        index = bisect_left(range(count), word, key=self._word)
        return self._holders_of(index) if index < count and self._word(index) == word else ()

    def with_text(self, text: bytes, *, ignore_case: bool = False) -> frozenset[int] | None:
        """The texts that may hold a piece of text, and perhaps some that do not; None where that is any of them."""
        if ignore_case and not text.isascii():
            return None
        found: frozenset[int] | None = None
        for needle in _needles(text.lower() if ignore_case else text):
            holding = self._holding(needle, ignore_case=ignore_case)
            if holding is not None:
                found = holding if found is None else found & holding
        return found

    # ---- inside

    def _word(self, index: int) -> bytes:
        return self._blob[self._starts[index] : self._starts[index + 1] - 1]

    def _holders_of(self, index: int) -> Sequence[int]:
        return self._holders[self._ends[index] : self._ends[index + 1]]

    def _holding(self, needle: bytes, *, ignore_case: bool) -> frozenset[int] | None:
        indexes = set(self._indexes(self._folded() if ignore_case else self._blob, needle, _MOST_WORDS))
        if len(indexes) == _MOST_WORDS:
            return None
        if ignore_case:
            for folded in _FOLDED_TO_ASCII:
                indexes.update(self._indexes(self._blob, folded, len(self._starts)))
        return frozenset(number for index in indexes for number in self._holders_of(index))

    def _indexes(self, blob: bytes, needle: bytes, most: int) -> Iterator[int]:
        """The words that hold a needle, a line end in it being the edge of a word."""
        at = blob.find(needle)
        while at >= 0 and most:
            index = bisect_right(self._starts, at + needle.startswith(b"\n")) - 1
            yield index
            most -= 1
            at = blob.find(needle, self._starts[index + 1] - 1)

    def _folded(self) -> bytes:
        if self._lower is None:
            self._lower = self._blob.lower()
        return self._lower


def _words_of(text: bytes) -> set[bytes]:
    words = set(_WORD.findall(text))
    if not text.isascii():
        # A name may touch a character that is no letter, as in `a→b`.
        for word in [word for word in words if not word.isascii()]:
            words.update(_PLAIN_WORD.findall(word))
    return words


def _needles(text: bytes) -> list[bytes]:
    """What a word must hold for a text to stand where the word does: `def for` needs `…def` and `for…`."""
    needles = []
    for found in _WORD.finditer(text):
        before = b"\n" if found.start() > 0 else b""
        needles.append(before + found[0] + (b"\n" if found.end() < len(text) else b""))
    return sorted((needle for needle in needles if len(needle) >= _LEAST), key=len, reverse=True)[:_MOST_PIECES]
