"""Owns the glance at a function's text that tells whether walking its body can yield a fact; most bodies yield none."""

from __future__ import annotations

import re

_WORDS = (b"def ", b"def\t", b"class ", b"class\t", b"import", b"global", b"nonlocal", b"return type(", b"type(", b"\\\n")
_ASSIGNED = re.compile(rb"\.\s*[\w\x80-\xff]+[\s)\]]*=(?!=)")
"""`a.b = …`, and anything that looks like the end of such a target. Bytes above 0x7F belong to names."""
_AT_LINE_START = re.compile(
    rb"""^[ \t]*(?:
        [(\[]                                                 # a target in brackets, perhaps over several lines
        | [\w.\x80-\xff]+\.[\w\x80-\xff]+[ \t]*:(?!=)         # a.b: annotation
        | [\w.*\x80-\xff][\w.*\[\]'" \x80-\xff]*,[^\n]*=      # a.b, c = d
        | (?:async[ \t]+)?for\b[^\n]*\.                       # for a.b in c
    )""",
    re.MULTILINE | re.VERBOSE,
)
_NAMED = re.compile(rb"\bas\s+[(\[]*[\w, \x80-\xff]+[.\[(]")
"""`with … as a.b`."""


def may_hold_facts(utf8: bytes, at: int, end: int) -> bool:
    """Whether the statements between two offsets may assign an attribute, import, define, or declare anything.

    True is cheap to be wrong about, False never is: a body that is not walked leaves no trace.
    """
    start = utf8.rfind(b"\n", 0, at) + 1
    if utf8[start:at].strip():
        return True
    if any(utf8.find(word, at, end) >= 0 for word in _WORDS):
        return True
    if _ASSIGNED.search(utf8, at, end) or _AT_LINE_START.search(utf8, start, end):
        return True
    return utf8.find(b" as ", at, end) >= 0 and _NAMED.search(utf8, at, end) is not None
