"""Owns finding the absolute imports in the bytes of many files, none of which is parsed: at least those that there are.

Prose and code in a text are taken for imports too. The search goes from one word `import` to the next and reads the line
around it; most lines before the word stand in a tree many times, and are understood once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise

from sondage.core.late import late_pattern
from sondage.core.source.text import SourceText, declared_encoding

_WORD = b"import"
_FROM = late_pattern(rb"from((?:[^\n\r#;\\]|\\\r?\n?)+)\Z")
"""What stands between the two words; the line may go on behind a backslash."""
_LISTED = late_pattern(rb"[^\n\r#;\\]*(?:\\\r?\n?[^\n\r#;\\]*)*")
_RENAMED = late_pattern(rb"[\s\\]as[\s\\].*", re.DOTALL)
_BLANK = late_pattern(rb"[\s\\]+")
_BEGINNINGS = b"\n\r;:\xbf"
"""What a statement stands behind, blanks left out; the last is the end of a byte order mark."""
LONGEST = 4000
"""Bytes of a line that are looked at before an `import` that is not the first word of the kind in it."""


def imports_found(files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """By path, at least every module that a file imports by its absolute name, as often as it does."""
    found: dict[str, list[str]] = {}
    before, listed = _Before(), _Listed()
    for path, data in files.items():
        odd = b"\0" in data or (b"coding" in data[:1000] and declared_encoding(data) not in (None, "utf-8"))
        found[path] = _imports_in(SourceText(data).utf8 if odd else data, before, listed)
    return found


def _imports_in(data: bytes, before: _Before, listed: _Listed) -> list[str]:
    found: list[str] = []
    offset = -len(_WORD)
    for piece, behind in pairwise(data.split(_WORD)):
        offset += len(_WORD) + len(piece)
        start = piece.rfind(b"\n") + 1
        is_whole = start > 1 and piece[start - 2] not in b"\\\r"  # else the line may have begun before
        module = before[piece[start:] if is_whole else _line_before(data, offset)]
        if module is None:
            matched = _LISTED.match(data, offset + len(_WORD))
            found += listed[matched[0]] if matched else ()
        elif module and not behind[:1].isalnum():
            found += module
    return found


def _line_before(data: bytes, offset: int) -> bytes:
    """The line up to an offset, lines joined by backslashes being one; of a line without end the last part."""
    text = data[max(offset - LONGEST, 0) : offset]
    start = text.rfind(b"\n") + 1
    while text.endswith((b"\\\n", b"\\\r\n"), 0, start):
        start = text.rfind(b"\n", 0, start - 1) + 1
    return text[start:]


class _Before(dict[bytes, tuple[str, ...] | None]):
    """From the line before the word `import` to the module behind its `from`; None where the word begins a statement."""

    def __missing__(self, line: bytes) -> tuple[str, ...] | None:
        module = _behind_from(line)
        begins = module is None and (line.rstrip(b" \t\f\\") or b"\n")[-1] in _BEGINNINGS
        self[line] = None if begins else module or ()
        return self[line]


def _behind_from(line: bytes) -> tuple[str, ...] | None:
    """None where the statement that the line ends in does not begin with the word."""
    start = line.rfind(b"from")
    while start >= 0 and (_is_in_name(line[start - 1 : start]) or _is_in_name(line[start + 4 : start + 5])):
        start = line.rfind(b"from", 0, start)
    found = _FROM.match(line, start) if start >= 0 else None
    return _named(found[1]) if found else None


def _is_in_name(character: bytes) -> bool:
    return character.isalnum() or character == b"_"


class _Listed(dict[bytes, tuple[str, ...]]):
    """From what stands behind the word, in a statement that begins with it, to the modules."""

    def __missing__(self, listed: bytes) -> tuple[str, ...]:
        parts = listed.split(b",") if listed[:1] in b" \t\f\\" else ()  # else it is another word
        self[listed] = tuple(name for part in parts for name in _named(_RENAMED.sub(b"", part)))
        return self[listed]


def _named(written: bytes) -> tuple[str, ...]:
    """The absolute name of a module, or none."""
    name = _BLANK.sub(b"", written).decode("utf-8", "replace")
    name = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return (name,) if all(part.isidentifier() for part in name.split(".")) else ()
