"""Owns the search through many files: those that cannot hold what is looked for are never looked into."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Protocol

import msgspec
from msgspec import msgpack
from msgspec.structs import replace

from sondage.core.search.globs import Globs
from sondage.core.search.lines import LineHits, hits_of, searchable
from sondage.core.search.pattern import Pattern
from sondage.core.search.words import Words

_UNKNOWN = -1
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
            words = yield from Words.read(searchable(file.data)[0] for file in contents.values())
            self._known = words, {digest: number for number, digest in enumerate(contents)}

    def take(self, other: Vocabulary) -> None:
        """All that another knows, in the place of what is known here."""
        self._known = other._known

    def kept(self) -> bytes | None:
        """All that is known, for `restored`; None where that is nothing."""
        known = self._known
        return msgpack.encode((list(known[1]), known[0].pieces())) if known else None

    @classmethod
    def restored(cls, kept: bytes) -> Vocabulary:
        """What `kept` said, of this machine."""
        digests, pieces = msgpack.decode(kept, type=tuple[list[str], list[bytes]])
        return cls((Words.restored(pieces), {digest: number for number, digest in enumerate(digests)}))

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


class Corpus(msgspec.Struct, eq=False, dict=True):
    """Files by path, ready to be searched."""

    files: Mapping[str, File]
    vocabulary: Vocabulary
    _plain: set[str] = msgspec.field(default_factory=set)
    """Paths of the files whose own bytes are what is searched."""
    _within: tuple[tuple[str, ...], Sequence[str]] = ((), ())
    """The globs last asked for, and what passes them: a pattern is typed on while they stay."""
    _numbered: tuple[Mapping[str, int] | None, Mapping[int, Sequence[int]]] = (None, {})

    @cached_property
    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def within(self, globs: Globs | None) -> Sequence[str]:
        """The paths that pass the globs, sorted."""
        if not globs:
            return self.paths
        asked, paths = self._within
        if asked != globs.globs:
            paths = [path for path in self.paths if globs.match(path)]
            self._within = globs.globs, paths
        return paths

    def with_word(self, name: str) -> Sequence[str]:
        """The paths of the files in whose bytes a name stands; of those whose words are known, as a whole word."""
        needle = name.encode("utf-8", "surrogateescape")
        words = replace(self.vocabulary)
        return [path for path in self._among(words, words.with_word(name)) if needle in self.files[path].data]

    def search(self, pattern: Pattern, paths: Sequence[str]) -> Iterator[tuple[str, LineHits]]:
        """Each file that was looked into, in the order of paths, with its hits; those that cannot have any are left out.

        `paths` are those of `within`.
        """
        words = replace(self.vocabulary)  # what is known now: it may be learnt anew meanwhile
        possible = self._among(words, words.with_match(pattern))
        wanted = possible if paths is self.paths else sorted(set(possible) & set(paths))
        for path in wanted:
            yield path, self._hits(pattern, path)

    def _among(self, words: Vocabulary, numbers: frozenset[int] | None) -> Sequence[str]:
        """The paths of the files of these numbers, and of those whose words are not known; all where None."""
        if numbers is None:
            return self.paths
        places = self._places_by(words.numbers)
        among = (places[number] for number in (_UNKNOWN, *numbers) if number in places)
        return [self.paths[place] for place in sorted(chain.from_iterable(among))]

    def _places_by(self, numbers: Mapping[str, int]) -> Mapping[int, Sequence[int]]:
        """Where the files of each number stand in the paths."""
        known, places = self._numbered
        if known is not numbers:
            at: dict[int, list[int]] = {}
            for place, path in enumerate(self.paths):
                at.setdefault(numbers.get(self.files[path].digest, _UNKNOWN), []).append(place)
            self._numbered = numbers, at
            return at
        return places

    def _hits(self, pattern: Pattern, path: str) -> LineHits:
        data = self.files[path].data
        if path in self._plain:
            return hits_of(pattern, data)
        body, lines = searchable(data)
        if body is data:
            self._plain.add(path)
        return hits_of(pattern, body, lines)
