"""Owns highlighting: the styled spans of visible lines, read off the syntax tree of one file.

Styles are few and the same in every theme: keyword, string, comment, number, constant, name.function, name.class,
decorator, builtin, self, operator.
"""

from __future__ import annotations

import builtins
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from sondage.core.source import parse
from sondage.core.source.text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_BY_TYPE = {
    "comment": "comment",
    "string_start": "string",
    "string_content": "string",
    "string_end": "string",
    "escape_sequence": "string",
    "integer": "number",
    "float": "number",
    "true": "constant",
    "false": "constant",
    "none": "constant",
    "ellipsis": "constant",
    "type_conversion": "string",
    "format_specifier": "string",
}
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_RECEIVERS = frozenset({"self", "cls"})
_PUNCTUATION = frozenset("()[]{},:.;@")
_UNSTYLED_WORDS = frozenset({"_"})


class Span(NamedTuple):
    """A run of characters in one line: columns count code points from 0, `end` is behind the last one."""

    start: int
    end: int
    style: str


class Highlighter:
    """Keeps the tree of one file, and styles any window of it."""

    def __init__(self, text: SourceText) -> None:
        self.text = text

    @cached_property
    def _tree(self) -> Tree:
        return parse.parse_tree(self.text.utf8)

    @cached_property
    def _starts(self) -> list[int]:
        """Byte offset of each line; lines end at `\\n` in the file's own text."""
        return [self.text.offset(line, 1) for line in range(1, self.text.line_count + 1)]

    def spans(self, first_line: int, last_line: int) -> list[list[Span]]:
        """The spans of each line from `first_line` to `last_line` (from 1, both included), in order."""
        first, last = max(first_line, 1), min(last_line, self.text.line_count)
        found: list[list[Span]] = [[] for _ in range(first_line, last_line + 1)]
        if first > last:
            return found
        begin = self._starts[first - 1]
        end = self._starts[last] if last < len(self._starts) else len(self.text.utf8)
        columns = _Columns(self.text, self._starts)
        for at, stop, style in _styled(self._tree.root_node, begin, end, self.text.utf8):
            for line, start, finish in columns.pieces(max(at, begin), min(stop, end)):
                found[line - first_line].append(Span(start, finish, style))
        return found


class _Columns:
    """Turns byte ranges into lines and code point columns."""

    def __init__(self, text: SourceText, starts: list[int]) -> None:
        self.text = text
        self.starts = starts

    def pieces(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        """A byte range cut at line ends, as (line, start column, end column); empty pieces are left out."""
        line = bisect_right(self.starts, at)
        while at < end:
            start = self.starts[line - 1]
            stop = self.starts[line] if line < len(self.starts) else len(self.text.utf8)
            content = self.text.utf8[start : min(end, stop)].rstrip(b"\r\n")
            begin = _length(content[: at - start])
            finish = _length(content)
            if finish > begin:
                yield line, begin, finish
            at, line = stop, line + 1


def _length(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.decode("utf-8", "replace"))


def _styled(root: Node, begin: int, end: int, source: bytes) -> Iterator[tuple[int, int, str]]:
    """The styled leaves that touch a byte range, in order."""
    waiting: list[tuple[Node, str]] = [(root, "")]
    while waiting:
        node, role = waiting.pop()
        if node.end_byte <= begin or node.start_byte >= end:
            continue
        kind = node.type
        if node.child_count and kind != "string_content":
            inner = node.children
            waiting.extend(zip(reversed(inner), reversed(_roles(kind, inner, role)), strict=True))
            continue
        style = _leaf_style(node, kind, source) if role in {"", "called"} else role
        if role == "called" and kind == "identifier" and not style:
            style = "name.function"
        if style and style != "plain":
            yield node.start_byte, node.end_byte, style


def _roles(kind: str, inner: list[Node], role: str) -> list[str]:
    """What the children of a node stand for, where their own type does not tell."""
    roles = [""] * len(inner)
    for index, child in enumerate(inner):
        named = child.type == "identifier"
        if kind == "function_definition" and named:
            roles[index] = "name.function"
        elif kind == "class_definition" and named:
            roles[index] = "name.class"
        elif kind == "decorator":
            roles[index] = "decorator" if child.type in {"@", "identifier", "attribute", "call"} else ""
        elif role == "decorator" and (child.type in {".", "identifier", "attribute"}):
            roles[index] = "decorator"
        elif kind == "call" and index == 0:
            roles[index] = "called"
        elif kind == "attribute" and role == "called" and named and index == len(inner) - 1:
            roles[index] = "name.function"
        elif named and (kind, index > 0) in {("attribute", True), ("keyword_argument", False)}:
            roles[index] = "plain"
    return roles


def _leaf_style(node: Node, kind: str, source: bytes) -> str:
    style = _BY_TYPE.get(kind)
    if style is not None:
        return style
    if kind == "identifier":
        name = source[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return "self" if name in _RECEIVERS else "builtin" if name in _BUILTINS else ""
    if node.is_named:
        return "keyword" if kind in {"pass_statement", "break_statement", "continue_statement"} else ""
    if kind.replace(" ", "").isalpha() and kind not in _UNSTYLED_WORDS:
        return "keyword"
    return "" if kind in _PUNCTUATION or kind[:1].isalpha() else "operator"
