"""Owns the words of many files: which of them can hold a name or a piece of text, told without looking into any.

A word is a run of ASCII letters, digits, underscores and of bytes beyond ASCII. Every distinct word is kept once, all
together in one piece of bytes, with the numbers of the texts that hold it: for 20 MB of Python about 3 MB.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile
from typing import Final, Literal, NamedTuple, TypeAlias

from sondage.core.late import late_pattern

_Numbers: TypeAlias = "array[int] | memoryview"
"""Made here, or a view of what was kept."""

KEPT_AS = 3
"""Raised when `Words.pieces` come to be others."""
_WORD = late_pattern(rb"[\w\x80-\xff]+")
_BLANKED = bytes(one if one >= 0x80 or one == 0x5F or chr(one).isalnum() else 0x20 for one in range(256))
"""What is in no word as a blank: splitting there takes half the time of looking for words."""
_PLAIN_WORD = late_pattern(rb"\w+")
_FOLDED_TO_ASCII = (b"\xc5\xbf", b"\xe2\x84\xaa")
"""U+017F and U+212A, which match `s` and `k` where case is ignored: the only two characters of the kind."""
_LEAST = 3
"""Bytes of a piece of text that is worth being looked for, each edge of a word counted as one."""
_MOST_WORDS = 1000
"""Words that may hold a piece of text; one that stands in more of them rules out too few texts."""
_AT_A_STEP = 5000
"""Words that are taken in before another question has its turn."""

Kind: TypeAlias = Literal["H", "I"]
_SMALL: Final = "H"
_LARGE: Final = "I"
"""Kinds of numbers, as `array` and `memoryview` call them: those of up to `_MOST_SMALL` texts are small."""
_MOST_SMALL = 1 << 16


class Words:
    """The words of some texts, which are numbered from 0. Made by `read`."""

    def __init__(
        self, blob: bytes, kind: Kind, starts: _Numbers, ends: _Numbers, by_end: _Numbers, holders: _Numbers
    ) -> None:
        self._blob = blob
        self._kind = kind
        self._starts = starts
        self._ends = ends
        self._by_end = by_end
        """The words again, in the order of their letters from the last to the first."""
        self._holders = holders
        self._lower: bytes | None = None

    @classmethod
    def read(cls, texts: Iterable[bytes]) -> Generator[None, None, Words]:
        """The words of texts, numbered in the order given; a text at a step."""
        holders: dict[bytes, list[int]] = {}
        number = -1
        for number, text in enumerate(texts):
            for word in _words_of(text):
                holders.setdefault(word, []).append(number)
            yield None
        return (yield from cls._made(holders, _SMALL if number < _MOST_SMALL else _LARGE))

    @classmethod
    def _made(cls, holders: dict[bytes, list[int]], kind: Kind) -> Generator[None, None, Words]:
        words = sorted(holders)
        yield None
        by_end = array(_LARGE, sorted(range(len(words)), key=lambda index: words[index][::-1]))
        yield None
        blob = b"\n" + b"".join(word + b"\n" for word in words)
        starts, ends, numbers = array(_LARGE, [1]), array(_LARGE, [0]), array(kind)
        for number, word in enumerate(words, 1):
            starts.append(starts[-1] + len(word) + 1)
            numbers.extend(holders.pop(word))
            ends.append(len(numbers))
            if number % _AT_A_STEP == 0:
                yield None
        return cls(blob, kind, starts, ends, by_end, numbers)

    def pieces(self) -> tuple[bytes, Kind, list[memoryview]]:
        """All that is to be kept of them for `restored`, by this machine: its order of bytes."""
        return self._blob, self._kind, [memoryview(one).cast("B") for one in self._arrays]

    @classmethod
    def restored(cls, blob: bytes, kind: Kind, arrays: Sequence[memoryview]) -> Words:
        """Those that `pieces` was asked of. The arrays stay where they are."""
        starts, ends, by_end = (one.cast(_LARGE) for one in arrays[:3])
        return cls(blob, kind, starts, ends, by_end, arrays[3].cast(kind))

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return len(self._blob) + len(self._lower or b"") + sum(one.itemsize * len(one) for one in self._arrays)

    def with_word(self, word: bytes) -> Sequence[int]:
        """The texts in which a name stands as a whole word, ascending."""
        return [number for index in self._beginning_with(word, whole=True) for number in self._holders_of(index)]

    def with_text(
        self, text: bytes, *, ignore_case: bool = False, starts_word: bool = False, ends_word: bool = False
    ) -> frozenset[int] | None:
        """The texts that may hold a piece of text, and perhaps some that do not; None where that is any of them.

        `starts_word`: a letter, digit or underscore (ASCII) that it starts with starts a word; `ends_word` likewise.
        """
        if ignore_case and not text.isascii():
            return None
        found: frozenset[int] | None = None
        for piece in _pieces(text.lower() if ignore_case else text, starts_word, ends_word):
            holding = self._holding(piece, ignore_case=ignore_case)
            if holding is not None:
                found = holding if found is None else found & holding
        return found

    # ---- inside

    @property
    def _arrays(self) -> tuple[_Numbers, ...]:
        return self._starts, self._ends, self._by_end, self._holders

    def _word(self, index: int) -> bytes:
        return self._blob[self._starts[index] : self._starts[index + 1] - 1]

    def _holders_of(self, index: int) -> Sequence[int]:
        return self._holders[self._ends[index] : self._ends[index + 1]]

    def _holding(self, piece: _Piece, *, ignore_case: bool) -> frozenset[int] | None:
        indexes = set(islice(self._ignoring_case(piece) if ignore_case else self._indexes(piece), _MOST_WORDS))
        if len(indexes) == _MOST_WORDS:
            return None
        if ignore_case:
            for folded in _FOLDED_TO_ASCII:
                indexes.update(self._anywhere(self._blob, folded))
        return frozenset(chain.from_iterable(map(self._holders_of, indexes)))

    def _indexes(self, piece: _Piece) -> Iterator[int]:
        if piece.starts_word:
            return self._beginning_with(piece.text, whole=piece.ends_word)
        return self._ending_with(piece.text) if piece.ends_word else self._anywhere(self._blob, piece.text)

    def _ignoring_case(self, piece: _Piece) -> Iterator[int]:
        before, behind = b"\n" * piece.starts_word, b"\n" * piece.ends_word
        return self._anywhere(self._folded(), before + piece.text + behind)

    def _beginning_with(self, text: bytes, *, whole: bool) -> Iterator[int]:
        count = len(self._by_end)
        first = bisect_left(range(count), text, key=self._word)
        words = takewhile(lambda index: self._word(index).startswith(text), range(first, count))
        return (index for index in islice(words, 1) if self._word(index) == text) if whole else words

    def _ending_with(self, text: bytes) -> Iterator[int]:
        first = bisect_left(self._by_end, text[::-1], key=lambda index: self._word(index)[::-1])
        words = (self._by_end[place] for place in range(first, len(self._by_end)))
        return takewhile(lambda index: self._word(index).endswith(text), words)

    def _anywhere(self, blob: bytes, needle: bytes) -> Iterator[int]:
        """The words that hold a needle, a line end in it being the edge of a word."""
        at = blob.find(needle)
        while at >= 0:
            index = bisect_right(self._starts, at + needle.startswith(b"\n")) - 1
            yield index
            at = blob.find(needle, self._starts[index + 1] - 1)

    def _folded(self) -> bytes:
        if self._lower is None:
            self._lower = self._blob.lower()
        return self._lower


def _words_of(text: bytes) -> set[bytes]:
    words = set(text.translate(_BLANKED).split())
    if not text.isascii():
        # A name may touch a character that is no letter, as in `a→b`.
        for word in [word for word in words if not word.isascii()]:
            words.update(_PLAIN_WORD.findall(word))
    return words


class _Piece(NamedTuple):
    """A run of letters out of a text, and whether it is the start and the end of a word wherever the text stands."""

    text: bytes
    starts_word: bool
    ends_word: bool


def _pieces(text: bytes, starts_word: bool, ends_word: bool) -> list[_Piece]:
    """What words must hold for a text to stand there: `def for` needs one that ends in `def` and one that starts with `for`."""
    pieces = []
    for found in _WORD.finditer(text):
        plain = found[0].isascii()  # a letter beyond ASCII may touch a name
        starts = found.start() > 0 or (starts_word and plain)
        ends = found.end() < len(text) or (ends_word and plain)
        if len(found[0]) + starts + ends >= _LEAST:
            pieces.append(_Piece(found[0], starts, ends))
    return pieces
