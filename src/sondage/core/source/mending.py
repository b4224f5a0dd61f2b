"""Owns texts that the grammar cannot read though Python can: rewritten with the same length, so that offsets hold.

Only tried on files with errors. What is rewritten, each to blanks:
line ends and comments inside brackets (tree-sitter-python issue 256: a continuation line may stand further left than
its block), defaults of type parameters (PEP 696; issue 346), and the star before a bracket in `return a, *(b)`.
"""

from __future__ import annotations

import re

from sondage.core.late import late_pattern

_LONG_COMMENT = 1_000
"""Lines; a block of so many costs less than a tenth of a second."""

_STEP = late_pattern(
    rb"""(?P<comment>\#[^\n]*)
    |(?P<string>\b[rRbBuUfFtT]{1,2}(?=["'])|(?=["']))(?P<quote>\"\"\"|'''|"|')
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<line>\n)""",
    re.VERBOSE,
)
_ENDS = {
    b'"""': late_pattern(rb'(?:[^\\"]|\\.|"(?!""))*"""', re.DOTALL),
    b"'''": late_pattern(rb"(?:[^\\']|\\.|'(?!''))*'''", re.DOTALL),
    b'"': late_pattern(rb'(?:[^\\"\n]|\\.)*"', re.DOTALL),
    b"'": late_pattern(rb"(?:[^\\'\n]|\\.)*'", re.DOTALL),
}
_DEFINITION = late_pattern(rb"[ \t]*(?:async[ \t]+def|def|class)[ \t]+\w+[ \t]*[(:\[]")
_TYPE_PARAMETERS = late_pattern(rb"^[ \t]*(?:async[ \t]+def|def|class|type)[ \t]+\w+[ \t]*(?=\[)", re.MULTILINE)
_STARRED_RETURN = late_pattern(rb"^[ \t]*(?:return|yield)\b[^\n]*,[ \t]*(\*)[ \t]*\(", re.MULTILINE)
_DEFAULT = late_pattern(rb"(?<![=!<>:])=(?!=)[^,\[\]]*(?:\[[^\[\]]*\][^,\[\]]*)*")


def mended(utf8: bytes) -> bytes:
    """The same text with blanks where the grammar would stumble; equal to the input where nothing was found."""
    out = bytearray(utf8)
    for at, end in _continuations(utf8):
        out[at:end] = b" " * (end - at)
    for starred in _STARRED_RETURN.finditer(utf8):
        out[starred.start(1)] = 0x20
    for header in _TYPE_PARAMETERS.finditer(utf8):
        close = _closing(utf8, header.end())
        for default in _DEFAULT.finditer(utf8, header.end() + 1, close):
            out[default.start() : default.end()] = b" " * len(default[0])
    return bytes(out)


def _continuations(utf8: bytes) -> list[tuple[int, int]]:
    """Spans of line ends and comments inside brackets that close before the next definition begins."""
    found: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    depth = 0
    at = 0
    while step := _STEP.search(utf8, at):
        at = step.end()
        if step["quote"]:
            closed = _ENDS[step["quote"]].match(utf8, at)
            at = closed.end() if closed else at
        elif step["open"]:
            depth += 1
        elif step["close"]:
            depth = max(depth - 1, 0)
            if not depth:
                found += waiting
                waiting = []
        elif depth and step["line"] and _DEFINITION.match(utf8, at):
            depth, waiting = 0, []
        elif depth:
            waiting.append(step.span())
    return found


def _closing(utf8: bytes, at: int) -> int:
    """Where the bracket at `at` closes, or the end of its line."""
    depth = 0
    for position in range(at, len(utf8)):
        byte = utf8[position]
        if byte in b"[(":
            depth += 1
        elif byte in b"])":
            depth -= 1
            if not depth:
                return position
        elif byte == 0x0A and not depth:
            break
    return at


def without_long_comments(utf8: bytes) -> bytes:
    """The same length, with comment blocks of more than `_LONG_COMMENT` lines blanked.

    At each comment the grammar looks ahead for the next line of code, past all the comments between: what a block of them
    costs grows with the square of its length, and 100,000 lines would take minutes.
    """
    if utf8.count(b"#") <= _LONG_COMMENT:
        return utf8
    lines = utf8.split(b"\n")
    start = 0
    for end in range(len(lines) + 1):
        if end < len(lines) and lines[end].lstrip(b" \t\f").startswith(b"#"):
            continue
        if end - start > _LONG_COMMENT:
            lines[start:end] = [b" " * len(line) for line in lines[start:end]]
        start = end + 1
    return b"\n".join(lines)
