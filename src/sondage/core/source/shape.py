"""Owns what is read off the shape of a definition's body without reading the body: where its code ends, whether it is trivial."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sondage.core.source import kinds, syntax
from sondage.core.source.facts import Body, NamesAll
from sondage.core.source.kinds import meant
from sondage.core.source.syntax import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

_ENDS_INSIDE = kinds.numbers(
    "block",
    "class_definition",
    "function_definition",
    "decorated_definition",
    "if_statement",
    "elif_clause",
    "else_clause",
    "for_statement",
    "while_statement",
    "try_statement",
    "except_clause",
    "finally_clause",
    "with_statement",
    "match_statement",
    "case_clause",
)

_ENDS_TRIVIAL = re.compile(rb"pass|raise|return\s+NotImplemented|\.\.\.|[rRuUbBfFtT]{0,2}[\"']|[#;\\]")
"""How the last statement of a trivial body begins, or what stands behind it."""
_MOST_TRIVIAL = 4
"""A body of more statements and comments than this is code."""


def code_end(node: Node, source: bytes) -> Node:
    """The node whose end is that of a compound statement's code: comments after its last statement are not part of it."""
    end = node.end_byte
    while source.find(b"#", source.rfind(b"\n", 0, end) + 1, end) >= 0 and node.kind_id in _ENDS_INSIDE:
        inner = meant(node)
        if not inner:
            break
        node = inner[-1]
        end = node.end_byte
    return node


def body_kind(block: Node | None, source: bytes) -> Body:
    """What a function's body amounts to, from its block."""
    if block is None or block.named_child_count > _MOST_TRIVIAL:
        return "code"
    last = block.children[-1:]
    if last and not _ENDS_TRIVIAL.match(source, last[0].start_byte):
        return "code"
    left = meant(block)
    has_docstring = bool(left) and _is_string(left[0])
    if has_docstring:
        left = left[1:]
    if not left:
        return "docstring" if has_docstring else "code"
    if len(left) > 1:
        return "code"
    text = source[left[0].start_byte : left[0].end_byte]
    if left[0].type == "pass_statement":
        return "pass"
    if text == b"...":
        return "ellipsis"
    if left[0].type == "raise_statement" and b"NotImplementedError" in text.split(b"(")[0]:
        return "not_implemented"
    if left[0].type == "return_statement" and text.split() == [b"return", b"NotImplemented"]:
        return "returns_not_implemented"
    return "code"


def _is_string(node: Node) -> bool:
    if node.type != "expression_statement" or not node.child_count:
        return False
    return node.children[0].type in ("string", "concatenated_string")


def exported_names(how: str, value: Expr) -> Iterator[NamesAll]:
    """The steps that an expression adds to `__all__`; `how` is that of the whole ("set", "add", "remove")."""
    pieces = [value]
    while isinstance(pieces[0], syntax.BinOp) and pieces[0].op == "+":
        pieces[:1] = [pieces[0].left, pieces[0].right]
    for index, piece in enumerate(pieces):
        step = "remove" if how == "remove" else "set" if how == "set" and index == 0 else "add"
        yield _step(step, piece)


def _step(how: str, piece: Expr) -> NamesAll:
    assert how in ("set", "add", "remove")
    names: tuple[str, ...] | None = None
    module = ""
    if isinstance(piece, syntax.Call) and len(piece.args) == 1:
        piece = piece.args[0]
    if isinstance(piece, syntax.Sequence) and all(isinstance(one, syntax.Text) for one in piece.elements):
        names = tuple(one.value for one in piece.elements if isinstance(one, syntax.Text))
    elif isinstance(piece, syntax.Text):
        names = (piece.value,)
    elif isinstance(piece, syntax.Attribute) and piece.attr == "__all__":
        module = dotted(piece.value)
    return NamesAll(how, names, module)  # type: ignore[arg-type]


def dotted(value: Expr) -> str:
    """`a.b.c` of a chain of plain names; empty for anything else."""
    names: list[str] = []
    while isinstance(value, syntax.Attribute):
        names.append(value.attr)
        value = value.value
    if not isinstance(value, syntax.Name):
        return ""
    return ".".join([value.id, *reversed(names)])
