"""Owns the search through many files: those that cannot hold what is looked for are never looked into."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from sondage.core.search.globs import Globs
from sondage.core.search.pattern import LineHit, Pattern, hits_of, searchable
from sondage.core.search.words import Words

_FEW = 0.1
"""The share of files whose words are not known up to which they are simply looked into."""


class File(Protocol):
    """A file as it lies in a root; `digest` tells contents apart."""

    @property
    def digest(self) -> str: ...

    @property
    def data(self) -> bytes: ...


@dataclass
class Vocabulary:
    """The words of files by digest. It is learnt after the files have come, and outlives their next versions.

    What is known is swapped in whole: one thread may learn while others ask.
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
        holding: frozenset[int] = frozenset()
        for literal in pattern.literals:
            found = self._known[0].with_text(literal, ignore_case=pattern.ignore_case)
            if found is None:
                return None
            holding |= found
        return holding


@dataclass
class Corpus:
    """Files by path, ready to be searched."""

    files: Mapping[str, File]
    vocabulary: Vocabulary
    _plain: set[str] = field(default_factory=set, repr=False)
    """Digests of the files whose own bytes are what is searched."""
    _numbered: tuple[Mapping[str, int], Sequence[int]] = field(default=({}, ()), repr=False)

    @cached_property
    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def within(self, globs: Globs | None) -> Sequence[str]:
        """The paths that pass the globs, sorted."""
        return [path for path in self.paths if globs.match(path)] if globs else self.paths

    def with_word(self, name: str) -> Sequence[str]:
        """The paths of the files in whose bytes a name stands; of those whose words are known, as a whole word."""
        needle = name.encode("utf-8", "surrogateescape")
        return [path for path in self._among(self.vocabulary.with_word(name)) if needle in self.files[path].data]

    def search(self, pattern: Pattern, paths: Sequence[str]) -> Iterator[tuple[str, list[LineHit]]]:
        """Each file that was looked into, in the order of paths, with its hits; those that cannot have any are left out.

        `paths` are those of `within`.
        """
        possible = self._among(self.vocabulary.with_match(pattern))
        wanted = possible if paths is self.paths else sorted(set(possible) & set(paths))
        for path in wanted:
            yield path, list(self._hits(pattern, self.files[path]))

    def _among(self, numbers: frozenset[int] | None) -> Sequence[str]:
        """The paths of the files of these numbers, and of those that have none yet; all where None."""
        if numbers is None:
            return self.paths
        own = self._own_numbers()
        return [path for path, number in zip(self.paths, own, strict=True) if number in numbers or number < 0]

    def _own_numbers(self) -> Sequence[int]:
        """The number of each path's file, -1 for one whose words are not known."""
        known, own = self._numbered
        if known is not self.vocabulary.numbers:
            known = self.vocabulary.numbers
            own = [known.get(self.files[path].digest, -1) for path in self.paths]
            self._numbered = known, own
        return own

    def _hits(self, pattern: Pattern, file: File) -> Iterator[LineHit]:
        data = file.data
        if file.digest in self._plain:
            return hits_of(pattern, data)
        body, lines = searchable(data)
        if body is data:
            self._plain.add(file.digest)
        return hits_of(pattern, body, lines)
