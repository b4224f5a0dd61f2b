"""Owns finding names in the bytes of many files, before any of them is parsed: a file that is not found holds no such name.

Names are compared as Python does: in the encoding that a file declares (PEP 263), and after the normalization of
identifiers (language reference, section 2.3). What is found too much is judged by the parser afterwards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

import msgspec

from sondage.core.classes.world import Mention
from sondage.core.late import late_pattern
from sondage.core.search.vocabulary import UNKNOWN, Vocabulary
from sondage.core.source.text import declared_encoding
from sondage.dig.sources import Source

_ASCII = bytes(range(128))
_GAP = rb"(?:\s|\\)*"
_BOUND = rb"(?=[ \t\f\\]*(?:[=:,)\]}\n\r;#\"'+*/%%&|^@<>-]|in\b|if\b|\Z))|(?<=[\s\\]%b)(?=(?:\s|\\)*[(\[])"
"""What follows a name in a target, an import or a text; or, behind a blank, in a `def` and its like."""
_IMPORTED = rb"import\b(?:[^\n\r#;\\]|\\\r?\n)*\b%b\b"
_IN_BRACKETS = rb"import(?:\s|\\)*\((?:#[^\n]*\n|[^)#])*?\b%b\b"
_STAR = rb"import(?:\s|\\)*\*"
_IN_PIECES = late_pattern(rb"setattr[^\n]{0,200}?(?:\\|[\"'][ \t]*[rbuf]{0,2}[\"'])")
"""A name that is spelled with escapes, or as literals side by side."""
_AT_HEART_ASCII = ("utf-8", "utf8", "ascii", "us-ascii", "latin", "iso-8859", "cp125")


class KnownWords(msgspec.Struct, frozen=True):
    """What is known of contents by their digests: their words, and whether they hide names."""

    vocabulary: Vocabulary = msgspec.field(default_factory=Vocabulary)
    hides: Mapping[str, bool] = msgspec.field(default_factory=dict)


class Mentions:
    """Over files by path. Those whose words are known are only looked into where they hold the word."""

    def __init__(self, files: Mapping[str, Source], words: KnownWords | None = None) -> None:
        self._files = files
        self._words = words or KnownWords()
        self._found: dict[str, frozenset[str]] = {}

    def __call__(self, mentions: Iterable[Mention]) -> frozenset[str]:
        """The paths of the files that may hold one of the mentions."""
        return self._always.union(*map(self._holding, mentions))

    def _holding(self, mention: Mention) -> frozenset[str]:
        if isinstance(mention, tuple):
            return frozenset.intersection(*map(self._holding, mention))
        kept = self._found.get(mention)
        if kept is None:
            kept = self._found[mention] = frozenset(self._search(mention))
        return kept

    def _search(self, mention: str) -> Iterator[str]:
        if not mention.isascii():
            return (path for path, file in self._files.items() if not file.data.isascii())
        word, holds = _searcher(mention)
        numbers = self._words.vocabulary.with_word(word.decode())
        return (path for path, data in self._looked_into(numbers) if word in data and holds(data))

    def _looked_into(self, numbers: frozenset[int] | None) -> Iterator[tuple[str, bytes]]:
        """The files of these numbers, and those that have none; all where None."""
        among = self._files if numbers is None else chain.from_iterable(map(self._of, (UNKNOWN, *numbers)))
        return ((path, self._files[path].data) for path in among)

    def _of(self, number: int) -> Sequence[str]:
        return self._numbered.get(number, ())

    @cached_property
    def _numbered(self) -> Mapping[int, Sequence[str]]:
        """The files by the numbers of their contents in the words."""
        known, numbered = self._words.vocabulary.numbers, dict[int, list[str]]()
        for path, file in self._files.items():
            numbered.setdefault(known.get(file.digest, UNKNOWN), []).append(path)
        return numbered

    @cached_property
    def _always(self) -> frozenset[str]:
        """Files whose names cannot be told from their bytes."""
        return frozenset(path for path, file in self._files.items() if self._hides(file))

    def _hides(self, file: Source) -> bool:
        known = self._words.hides.get(file.digest) if self._words.hides else None
        return hides_names(file.data) if known is None else known


Search = Callable[[bytes], object]


def _searcher(mention: str) -> tuple[bytes, Search]:
    """What has to be in a file for a mention, and the search that then tells. A pattern that begins with text is quick."""
    word = mention.encode().removesuffix(b" =").rpartition(b" ")[2]
    name = re.escape(word)
    whole = rb"%b\b(?<!\w%b)" % (name, name)
    if mention.endswith(" ="):
        return word, _any(whole + rb"(?:%b)" % (_BOUND % name), _IMPORTED % name)
    if mention.startswith(". "):
        return word, _any(rb"\.%b%b\b" % (_GAP, name), _IMPORTED % name, _IN_BRACKETS % name, _STAR)
    keyword = mention.encode().rpartition(b" ")[0]
    return word, _any(rb"%b\b%b%b\b" % (keyword, _GAP, name) if keyword else whole)


def _any(*patterns: bytes) -> Search:
    late = list(map(late_pattern, patterns))  # few words stand in any file, and the first pattern mostly tells
    return lambda data: any(pattern.search(data) for pattern in late)


def hides_names(data: bytes) -> bool:
    """Whether the names in a file cannot be told from its bytes."""
    if b"setattr" in data and _IN_PIECES.search(data):
        return True
    if b"coding" in data[:1000] and not (declared_encoding(data) or "utf-8").lower().startswith(_AT_HEART_ASCII):
        return True
    return not data.isascii() and _spells_ascii_otherwise(data)


def _spells_ascii_otherwise(data: bytes) -> bool:
    """Whether a letter beyond ASCII stands for some of ASCII, as `ﬁ` does for `fi`."""
    beyond = set(data.translate(None, _ASCII).decode("utf-8", "replace"))
    return any(one.isalnum() and unicodedata.normalize("NFKC", one).isascii() for one in beyond)
