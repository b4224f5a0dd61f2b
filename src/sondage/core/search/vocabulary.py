"""Owns the vocabulary of a tree: the words of its files by their digests, learnt once and kept."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import msgpack

from sondage.core.search.words import Kind, Words

if TYPE_CHECKING:
    from sondage.core.search.pattern import Pattern

UNKNOWN = -1
"""Stands for the number of a file whose words are not known."""
_FEW = 0.1
"""The share of files whose words are not known up to which they are simply looked into."""


class File(Protocol):
    """A file as it lies in a root; `digest` tells contents apart."""

    @property
    def digest(self) -> str: ...

    @property
    def data(self) -> bytes: ...


class Vocabulary(msgspec.Struct, eq=False):
    """The words of files by digest. It is learnt after the files have come, and outlives their next versions.

    What is known is swapped in whole: one thread may learn while others ask, each a copy of its own if it asks twice.
    """

    _known: tuple[Words, Mapping[str, int]] | None = None

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return self._known[0].size if self._known else 0

    def learn(self, files: Mapping[str, File]) -> Generator[None, None, None]:
        """Reads the words of all files, unless nearly all are known: a file at a step, half a second for 10 MB."""
        contents = {file.digest: file for file in files.values()}
        if sum(digest not in self.numbers for digest in contents) > _FEW * len(contents):
            from sondage.core.search.lines import searchable  # noqa: PLC0415  who finds all words known searches nothing

            words = yield from Words.read(searchable(file.data)[0] for file in contents.values())
            self._known = words, {digest: number for number, digest in enumerate(contents)}

    def take(self, other: Vocabulary) -> None:
        """All that another knows, in the place of what is known here."""
        self._known = other._known

    def kept(self) -> bytes | None:
        """All that is known, for `restored`; None where that is nothing."""
        known = self._known
        return msgpack.encode((list(known[1]), *known[0].pieces())) if known else None

    @classmethod
    def restored(cls, kept: bytes | memoryview) -> Vocabulary:
        """What `kept` said, of this machine; it stays in use."""
        digests, blob, kind, arrays = msgpack.decode(kept, type=tuple[list[str], bytes, Kind, list[memoryview]])
        return cls((Words.restored(blob, kind, arrays), {digest: number for number, digest in enumerate(digests)}))

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each digest in the words."""
        return self._known[1] if self._known else {}

    def with_word(self, name: str) -> frozenset[int] | None:
        """The numbers of the files in which a name stands as a whole word; None where that can be any."""
        return frozenset(self._known[0].with_word(name.encode("utf-8", "surrogateescape"))) if self._known else None

    def with_match(self, pattern: Pattern) -> frozenset[int] | None:
        """The numbers of the files that may hold what a pattern matches; None where that can be any."""
        if self._known is None or not pattern.literals:
            return None
        words, plain = self._known[0], pattern.plain
        if plain is not None:
            return words.with_text(plain.text.encode(), starts_word=bool(plain.before), ends_word=bool(plain.after))
        holding: frozenset[int] = frozenset()
        for literal in pattern.literals:
            found = words.with_text(literal, ignore_case=pattern.ignore_case)
            if found is None:
                return None
            holding |= found
        return holding
