"""Owns whether a piece of source can bind a name, told from its text: most bodies of functions need not be read for it."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.late import late_pattern

_LETTER = late_pattern(rb"\w")
_AS_TARGET = late_pattern(rb"[ \t\f]*+(?:=(?!=)|[:,)\]}|;#\\\r\n]|(?:in|if|as)\b|\Z|(?:[-+*/%@&|^]|//|\*\*|<<|>>)=)")
"""What follows a name that is a target, is imported, or stands in a pattern (language reference, chapters 7 and 8)."""
_OPENING = (b"def", b"class", b"import", b"type")


def places_of(source: bytes, name: bytes, at: int, end: int) -> Iterator[int]:
    """The offsets between two where a name may stand as a whole word, in order."""
    place = source.find(name, at, end)
    while place >= 0:
        after = place + len(name)
        if not _LETTER.match(source, place - 1, place) and not _LETTER.match(source, after):
            yield place
        place = source.find(name, after, end)


def may_bind(source: bytes, at: int, end: int, name: bytes) -> bool:
    """Whether statements may bind a name in the scope they stand in; False only where none of them does.

    `at` and `end` are the offsets of the statements, which could be read in all parts.
    """
    imports = source.find(b"import", at, end) >= 0
    return any(_binds(source, place, place + len(name), imports=imports) for place in places_of(source, name, at, end))


def _binds(source: bytes, place: int, after: int, *, imports: bool) -> bool:
    """Whether a name may be bound where it stands: by what follows it, or as that of a definition or a package."""
    if source.endswith(b".", 0, place):
        return False
    if _AS_TARGET.match(source, after):
        return True
    line = source.rfind(b"\n", 0, place) + 1
    before = source[line:place].rstrip()
    if not before:
        return source.endswith((b"\\\n", b"\\\r\n"), 0, line)
    return before.endswith(_OPENING) or (imports and before.endswith(b","))
