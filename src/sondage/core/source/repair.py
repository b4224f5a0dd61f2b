"""Owns the reading around errors: the text with unreadable statements blanked out, so that no class or method vanishes.

Only for files that the grammar cannot read even after `core.source.mending`. Every statement is tried alone; the rewritten text
has the same length, so that offsets hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sondage.core.late import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Parser

_TOKEN = late_pattern(
    rb"""(?P<comment>\#[^\n]*)|(?P<long>\"\"\"|''')|(?P<short>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<join>\\\r?\n)|(?P<line>\n)""",
    re.VERBOSE | re.DOTALL,
)
_RESTART = late_pattern(rb"[ \t]*(?:@[\w.]+|(?:async[ \t]+def|def|class)[ \t]+[^\n]*[:(\[])")
"""A line that starts a definition even where a bracket before it was never closed."""
_COMPOUND = late_pattern(
    rb"(?:if|elif|else|for|while|try|except|finally|with|def|class|match|case|async)\b.*:\s*(?:#.*)?\Z", re.DOTALL
)
_DEFINITION = late_pattern(rb"(?:async\s+def|def|class)\b")
_CONTINUES = {
    b"elif": b"if 1: pass\n",
    b"else": b"if 1: pass\n",
    b"except": b"try: pass\n",
    b"finally": b"try: pass\n",
    b"case": b"match x:\n ",
}
_TEMPLATE = late_pattern(rb"\{\{.*?\}\}|\{%.*?%\}|\$\{.*?\}|<%.*?%>")
_NOT_IN_NAMES = late_pattern(rb"[^\w\n]")


class _Line(NamedTuple):
    """A logical line: its offset, its text without the end, the width of its indentation, and whether it opens a block."""

    at: int
    text: bytes
    indent: int
    opens: bool


def repaired(utf8: bytes, using: Parser) -> tuple[bytes, list[tuple[int, int]]]:
    """The rewritten text and the spans that were blanked."""
    out = bytearray(utf8)
    unread: list[tuple[int, int]] = []
    before: _Line | None = None
    for line in _logical_lines(utf8):
        stripped = line.text.strip()
        if not stripped or stripped.startswith(b"#"):
            continue
        instead = line.text
        if not _reads(stripped, using):
            unread.append((line.at, line.at + len(line.text)))
            instead = _substitute(line, stripped, before, using)
            out[line.at : line.at + len(line.text)] = instead
        if instead.strip():
            before = line
    return bytes(out), unread


def _substitute(line: _Line, stripped: bytes, before: _Line | None, using: Parser) -> bytes:
    """What stands for an unreadable line: its name made readable, a block of the same depth, or nothing at all."""
    margin = line.text[: len(line.text) - len(line.text.lstrip())]
    if _DEFINITION.match(stripped):
        renamed = _TEMPLATE.sub(lambda found: _NOT_IN_NAMES.sub(b"_", found[0]), stripped)
        if _reads(renamed, using):
            return margin + renamed + line.text[len(margin) + len(renamed) :]
    if line.opens and len(stripped) > 4:
        return margin + b"if 1:" + _blank(line.text[len(margin) + 5 :])
    if before is not None and before.opens and line.indent > before.indent:
        return margin + b"0" + _blank(line.text[len(margin) + 1 :])
    return _blank(line.text)


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", text)


def _reads(statement: bytes, using: Parser) -> bool:
    """Whether a logical line is Python when nothing stands around it."""
    word = re.match(rb"\w*", statement)
    before = _CONTINUES.get(word[0], b"") if word else b""
    if statement.startswith(b"@"):
        return not using.parse(statement + b"\ndef f(): pass\n").root_node.has_error
    if _COMPOUND.match(statement):
        after = b"\n  case _: pass\n" if statement.startswith(b"match") else b"\n  pass\n"
        return not using.parse(before + statement + after).root_node.has_error
    return not using.parse(before + statement + b"\n").root_node.has_error


def _logical_lines(utf8: bytes) -> Iterator[_Line]:
    start = at = depth = 0
    while at < len(utf8):
        token = _TOKEN.search(utf8, at)
        if token is None:
            break
        at = token.end()
        if token["long"]:
            close = utf8.find(token["long"], at)
            at = close + 3 if close >= 0 else at
        elif token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(depth - 1, 0)
        elif token["line"] and (not depth or _RESTART.match(utf8, at)):
            yield _line(utf8, start, at - 1)
            start, depth = at, 0
    yield _line(utf8, start, len(utf8))


def _line(utf8: bytes, start: int, end: int) -> _Line:
    text = utf8[start:end]
    margin = text[: len(text) - len(text.lstrip(b" \t\f"))]
    width = len(margin.rpartition(b"\f")[2].expandtabs(8))
    return _Line(start, text, width, bool(_COMPOUND.match(text.strip())))
