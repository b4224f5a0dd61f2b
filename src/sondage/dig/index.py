"""Owns the index: one immutable state of everything that is known about a target, built off the event loop and swapped in whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from sondage.core.answers.certainty import Coverage
from sondage.core.classes.hierarchy import Hierarchy, Library
from sondage.core.classes.modules import Layout, infer_layout
from sondage.core.search.vocabulary import Vocabulary
from sondage.core.source.facts import FileFacts
from sondage.core.source.text import SourceText
from sondage.dig.shelf import Shelf, TooMuchError
from sondage.dig.sources import Source

if TYPE_CHECKING:
    from sondage.core.classes.codebase import Codebase, Pin
    from sondage.core.search.corpus import Corpus
    from sondage.dig.symbols import Symbols

KEPT_TEXTS = 64
"""Decoded texts kept at a time: the files that the last questions were about."""


class Index(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Files and facts by path (relative to the root), and the hierarchy they make.

    `listed` counts the files the last listing saw: more than `files` means that the index is still growing, or broke off.
    `unread` names those that could not be read, with the reason.
    """

    root: str
    files: Mapping[str, Source]
    facts: Mapping[str, FileFacts]
    hierarchy: Hierarchy
    listed: int
    unread: Mapping[str, str] = msgspec.field(default_factory=dict)
    library_texts: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    """Sources of library files outside the root, by the path that is shown for them."""
    stand_ins: frozenset[str] = frozenset()
    """Those of them that lie on this machine instead of the host."""
    pins: tuple[Pin, ...] = ()
    """Assumptions of the user that answers rest on, and say so."""
    vocabulary: Vocabulary = msgspec.field(default_factory=Vocabulary)
    """What is known of the words of the files, also of those of earlier indexes."""
    _texts: OrderedDict[str, SourceText] = msgspec.field(default_factory=OrderedDict)

    @property
    def shelf(self) -> Shelf | None:
        """What facts are read from as questions need them; None where all have been read."""
        return self.facts if isinstance(self.facts, Shelf) else None

    @property
    def coverage(self) -> Coverage:
        return Coverage(len(self.facts), max(self.listed, len(self.facts)))

    @cached_property
    def codebase(self) -> Codebase:
        from sondage.core.classes.codebase import Codebase  # noqa: PLC0415  it loads the parser; many questions need none

        return Codebase(self.hierarchy, self.text, self.paths_with_word, self.pins)

    @cached_property
    def lines(self) -> int:
        """Of all files; 0 while their facts are read as they are needed."""
        return 0 if self.shelf else sum(facts.lines for facts in self.facts.values())

    @cached_property
    def corpus(self) -> Corpus:
        from sondage.core.search.corpus import Corpus  # noqa: PLC0415  what searches lines is large

        return Corpus(self.files, self.vocabulary)

    @cached_property
    def symbols(self) -> Symbols:
        from sondage.dig.symbols import Symbols  # noqa: PLC0415  it loads what compares names, which few questions need

        return Symbols.of(self.hierarchy.symbols())

    def text(self, path: str) -> SourceText | None:
        """The text of a file of the root or of a library that was read; None where there is none."""
        text = self._texts.get(path)
        if text is None:
            file = self.files.get(path)
            data = file.data if file else self.library_texts.get(path)
            if data is None:
                return None
            text = self._texts[path] = SourceText(data, file.digest if file else None)
            if len(self._texts) > KEPT_TEXTS:
                self._texts.popitem(last=False)
        return text

    def paths_with_word(self, word: str) -> Sequence[str]:
        """Files of the root in whose bytes the word stands; a superset is fine, each place is judged by its syntax."""
        return self.corpus.with_word(word)

    def with_libraries(
        self, libraries: tuple[Library, ...], texts: Mapping[str, bytes], absent: Sequence[str]
    ) -> Index:
        """`absent` are modules that were looked for and are not there."""
        return replace(
            self,
            hierarchy=self.hierarchy.with_libraries(libraries, absent),
            library_texts={**self.library_texts, **texts},
            stand_ins=self.stand_ins | {library.path for library in libraries if library.stand_in},
            _texts=OrderedDict(),
        )

    def with_libraries_of(self, other: Index) -> Index:
        """With all that was read, and found absent, outside the root for another index of it."""
        world = other.hierarchy.world
        return self.with_libraries(tuple(world.libraries.values()), other.library_texts, tuple(world.absent))

    def with_pin(self, pin: Pin) -> Index:
        kept = tuple(one for one in self.pins if one.receiver != pin.receiver)
        return self.with_pins((*kept, pin))

    def with_pins(self, pins: tuple[Pin, ...]) -> Index:
        return replace(self, pins=pins, _texts=OrderedDict())


def build_index(
    root: str,
    files: Mapping[str, Source],
    facts: Mapping[str, FileFacts],
    *,
    listed: int,
    unread: Mapping[str, str],
    layout_files: Mapping[str, str],
    source_roots: Sequence[str],
) -> Index:
    """Everything that can be worked out from facts alone; no I/O, a few hundred milliseconds for 20 MB of source."""
    layout = infer_layout(list(facts), facts, layout_files, source_roots, root.rstrip("/").rpartition("/")[2])
    return Index(root, files, facts, Hierarchy.build(facts, layout), listed, unread)


def build_lazy_index(
    root: str,
    shelf: Shelf,
    *,
    listed: int,
    unread: Mapping[str, str],
    layout_files: Mapping[str, str],
    source_roots: Sequence[str],
    layout: Layout | None = None,
) -> Index | None:
    """An index that answers as the whole one does, from the few facts a question needs; `layout` where it is known.

    None where module names could only be told from the imports of many files.
    """
    if layout is None:
        from sondage.core.classes.settled import settled_layout  # noqa: PLC0415  once for each state of a tree

        sources = {path: file.data for path, file in shelf.files.items()}
        try:
            layout = settled_layout(sources, shelf, layout_files, source_roots, root.rstrip("/").rpartition("/")[2])
        except TooMuchError:
            return None
    if layout is None:
        return None
    return Index(root, shelf.files, shelf, Hierarchy.build(shelf, layout, mentions=shelf.mentioning), listed, unread)
