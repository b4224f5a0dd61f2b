"""Owns highlighting: the styled spans of visible lines, read off the syntax tree of one file.

Styles are few and the same in every theme: keyword, string, comment, number, constant, name.function, name.class,
decorator, builtin, self, operator.
"""

from __future__ import annotations

import builtins
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property, lru_cache
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
_BUILTINS = frozenset(name.encode() for name in dir(builtins) if not name.startswith("_"))
_RECEIVERS = frozenset({b"self", b"cls"})
_PUNCTUATION = frozenset("()[]{},:.;@")
_UNSTYLED_WORDS = frozenset({"_"})
_TELLING = frozenset({"function_definition", "class_definition", "decorator", "call", "attribute", "keyword_argument"})
"""Kinds of nodes that tell what the names in them are; see `_roles`."""


class Span(NamedTuple):
    """A run of characters in one line: columns count code points from 0, `end` is behind the last one.

    Neighbours of one style are one run.
    """

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

    def spans(self, first_line: int, last_line: int) -> list[list[Span]]:
        """The spans of each line from `first_line` to `last_line` (from 1, both included), in order."""
        first, last = max(first_line, 1), min(last_line, self.text.line_count)
        found: list[list[Span]] = [[] for _ in range(first_line, last_line + 1)]
        if first > last:
            return found
        starts = self.text.starts(first, last)
        begin, end = starts[0], starts[-1]
        columns = _Columns(self.text, first, starts)
        for at, stop, style in _styled(self._tree.root_node, begin, end, self.text.utf8):
            for line, start, finish in columns.pieces(max(at, begin), min(stop, end)):
                spans = found[line - first_line]
                joins = spans and spans[-1].end == start and spans[-1].style == style
                begun = spans.pop().start if joins else start
                spans.append(Span(begun, finish, style))
        return found


class _Columns:
    """Turns byte ranges of some lines into lines and code point columns.

    `starts` are the offsets of the lines from `first` on, and of what follows them; lines end at `\\n` in the file's own text.
    """

    def __init__(self, text: SourceText, first: int, starts: list[int]) -> None:
        self.text = text
        self.first = first
        self.starts = starts

    def pieces(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        """A byte range cut at line ends, as (line, start column, end column); empty pieces are left out."""
        index = bisect_right(self.starts, at) - 1
        while at < end:
            stop = self.starts[index + 1]
            length = _length(self.text.utf8[at : min(end, stop)].rstrip(b"\r\n"))
            if length:
                begin = _length(self.text.utf8[self.starts[index] : at])
                yield self.first + index, begin, begin + length
            at, index = stop, index + 1


def _length(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.decode("utf-8", "replace"))


def _styled(root: Node, begin: int, end: int, source: bytes) -> Iterator[tuple[int, int, str]]:
    """The styled leaves that touch a byte range, in order."""
    waiting: list[tuple[Node, str]] = [(root, "")]
    while waiting:
        node, role = waiting.pop()
        at, stop = node.start_byte, node.end_byte
        if stop <= begin or at >= end:
            continue
        kind = node.type
        if node.child_count and kind != "string_content":
            if kind in _TELLING or role == "decorator":
                inner = node.children
                waiting.extend(zip(reversed(inner), reversed(_roles(kind, inner, role)), strict=True))
            else:
                inner = node.children if begin <= at and stop <= end else _touching(node, begin, end)
                waiting.extend([(child, "") for child in reversed(inner)])
            continue
        style = _leaf_style(node, kind, source) if role in {"", "called"} else role
        if role == "called" and kind == "identifier" and not style:
            style = "name.function"
        if style and style != "plain":
            yield at, stop, style


def _touching(node: Node, begin: int, end: int) -> list[Node]:
    """The children that touch a byte range: a module has thousands of them, a window shows a few."""
    cursor = node.walk()
    found: list[Node] = []
    more = cursor.goto_first_child_for_byte(begin) is not None
    while more and (child := cursor.node) is not None and child.start_byte < end:
        found.append(child)
        more = cursor.goto_next_sibling()
    return found


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
    if kind == "identifier":
        name = source[node.start_byte : node.end_byte]
        return "self" if name in _RECEIVERS else "builtin" if name in _BUILTINS else ""
    return _style_of(kind, node.is_named)


@lru_cache(maxsize=1024)
def _style_of(kind: str, named: bool) -> str:
    """The style of a token that tells by its kind what it is."""
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    if named:
        return "keyword" if kind in {"pass_statement", "break_statement", "continue_statement"} else ""
    if kind.replace(" ", "").isalpha() and kind not in _UNSTYLED_WORDS:
        return "keyword"
    return "" if kind in _PUNCTUATION or kind[:1].isalpha() else "operator"
