"""Owns the search through many files: those that cannot hold what is looked for are never looked into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

import msgspec
from msgspec.structs import replace

from sondage.core.search.globs import Globs
from sondage.core.search.lines import LineHits, hits_of, searchable
from sondage.core.search.pattern import Pattern
from sondage.core.search.vocabulary import UNKNOWN, File, Vocabulary


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
        among = (places[number] for number in (UNKNOWN, *numbers) if number in places)
        return [self.paths[place] for place in sorted(chain.from_iterable(among))]

    def _places_by(self, numbers: Mapping[str, int]) -> Mapping[int, Sequence[int]]:
        """Where the files of each number stand in the paths."""
        known, places = self._numbered
        if known is not numbers:
            at: dict[int, list[int]] = {}
            for place, path in enumerate(self.paths):
                at.setdefault(numbers.get(self.files[path].digest, UNKNOWN), []).append(place)
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
