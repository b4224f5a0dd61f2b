"""Owns parsing: bytes → tree-sitter tree → values of `core.source.syntax`, with the traps of the grammar mended.

The bytes are the normalized UTF-8 text of `core.source.text.SourceText` (decoded by PEP 263, no mark, lines end at `\\n`).
Nothing here raises on any input; what could not be read is listed in `Module.partial`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import tree_sitter_python
from tree_sitter import Language, Parser

from sondage.core.source import blocks, syntax
from sondage.core.source.convert import Converter
from sondage.core.source.mending import mended, without_long_comments
from sondage.core.source.statements import Later, StatementConverter

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

__all__ = [
    "LANGUAGE",
    "Later",
    "body",
    "error_spans",
    "expression",
    "module",
    "outlined",
    "parameters",
    "parse_tree",
    "parser",
    "quoted_expression",
]

_PIECE = 32_768
"""Bytes that are parsed in a few milliseconds."""

_DEFINITIONS = frozenset({"function_definition", "class_definition"})

LANGUAGE = Language(tree_sitter_python.language())


def parser() -> Parser:
    """A new parser: one must not be shared between threads."""
    return Parser(LANGUAGE)


def parse_tree(utf8: bytes, using: Parser | None = None) -> Tree:
    """The tree of a file; where the grammar stumbles over valid Python, that of a mended text of the same length."""
    using = using or parser()
    utf8 = without_long_comments(utf8)
    tree = _parsed(utf8, using)
    if not tree.root_node.has_error:
        return tree
    better = mended(utf8)
    if better == utf8:
        return tree
    second = _parsed(better, using)
    return second if _unread(second) < _unread(tree) else tree


def _parsed(utf8: bytes, using: Parser) -> Tree:
    """The parser keeps all other threads waiting while it reads: a large text is given to it in pieces."""
    if len(utf8) <= _PIECE:
        return using.parse(utf8)
    return using.parse(lambda at, _: utf8[at : at + _PIECE])


def _unread(tree: Tree) -> tuple[int, int]:
    spans = list(error_spans(tree.root_node))
    return sum(end - at for at, end in spans), len(spans)


def expression(node: Node, source: bytes, base: int = 0) -> syntax.Expr:
    """One expression node (a `type` node too) as a value; `base` is the offset that the nodes give to the start of `source`."""
    return Converter(source[node.start_byte - base : node.end_byte - base], node.start_byte).expression(node)


def parameters(node: Node, source: bytes, base: int = 0) -> tuple[syntax.Parameter, ...]:
    """A `parameters` or `lambda_parameters` node, likewise."""
    return Converter(source, base).parameters(node)


def module(utf8: bytes, tree: Tree | None = None) -> blocks.Module:
    """A whole file. `tree` saves a second parse where the caller has it already."""
    root = (tree or parse_tree(utf8)).root_node
    # Where something could not be read, what is around a function may change how it is read.
    statements = StatementConverter(utf8, _reparse, later=None if root.has_error else body).block(root.children)
    partial = tuple(error_spans(root)) if root.has_error else ()
    return blocks.Module(blocks.Unread(0, len(utf8), tuple, statements), partial)


def outlined(utf8: bytes, shut: bytes, class_body: Later) -> blocks.Block | None:
    """The statements of a whole file from its outline; None where that cannot be read.

    `shut` is the file with something else in the place of the bodies of functions and classes.
    """
    root = parse_tree(shut).root_node
    if root.has_error:
        return None
    return StatementConverter(utf8, _reparse, later=body, class_later=class_body).block(root.children)


@functools.lru_cache(maxsize=4096)
def quoted_expression(text: str) -> syntax.Expr | None:
    """The annotation that a string holds, or None where it holds none. Its offsets mean nothing outside."""
    source = b"(" + text.strip().encode("utf-8", "replace") + b")"
    root = parser().parse(source).root_node
    found = StatementConverter(source, _reparse).block(root.children)
    if root.has_error or len(found) != 1 or not isinstance(found[0], blocks.ExprStmt):
        return None
    return found[0].value


def body(definition: bytes, at: int, depth: int, hollow: bytes | None = None) -> blocks.Block:
    """The body of a definition, of which the text and its offset in the file are given, at a depth of nesting.

    `hollow` is the same text with something else in the place of the bodies of functions in it.
    """
    tree = parse_tree(hollow or definition)
    if hollow is not None and tree.root_node.has_error:
        tree = parse_tree(definition)
    tree.edit(0, 0, at, (0, 0), (0, 0), (0, at))
    converter = StatementConverter(definition, _reparse, at, later=body)
    converter.depth = depth
    statements = tree.root_node.children
    found = next((child for child in statements if child.type in _DEFINITIONS), None)
    if found is None:
        return converter.block(statements)
    return converter.body(next((child for child in found.children if child.type == "block"), None))


def _reparse(statement: bytes, at: int) -> blocks.Block:
    """`type(x).y = z`, which the grammar takes for a type alias (tree-sitter-python issue 321), read once more.

    The statement is parsed alone under a stand-in name of the same length, and its nodes are moved to where it stands.
    """
    tree = parser().parse(re.sub(rb"\Atype", b"typ_", statement))
    if any(child.type == "type_alias_statement" for child in tree.root_node.children):
        return ()
    tree.edit(0, 0, at, (0, 0), (0, 0), (0, at))
    return StatementConverter(statement, _reparse, at).block(tree.root_node.children)


def error_spans(root: Node) -> Iterator[tuple[int, int]]:
    """The byte spans of ERROR and MISSING nodes, outermost only, in order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node.start_byte, node.end_byte
        elif node.has_error:
            waiting.extend(reversed(node.children))
