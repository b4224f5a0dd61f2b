"""Owns the kinds of nodes by the grammar's numbers: a node has its number at hand, while its name is a new string each time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sondage.core.source.parse import LANGUAGE

if TYPE_CHECKING:
    from tree_sitter import Node


def number(name: str, *, named: bool = True) -> int:
    """The number of a kind. Raises LookupError where the grammar has none of that name: it would be passed over in silence."""
    found = LANGUAGE.id_for_node_kind(name, named)
    if found is None:
        raise LookupError(
            f"tree-sitter-python has no node {name!r}: another version of it is installed than this needs"
        )
    return found


def numbers(*names: str) -> frozenset[int]:
    return frozenset(map(number, names))


ALIASED_IMPORT = number("aliased_import")
ARGUMENT_LIST = number("argument_list")
AS_PATTERN = number("as_pattern")
ASSIGNMENT = number("assignment")
ATTRIBUTE = number("attribute")
AUGMENTED_ASSIGNMENT = number("augmented_assignment")
BLOCK = number("block")
CALL = number("call")
CASE_CLAUSE = number("case_clause")
CLASS_DEFINITION = number("class_definition")
COLON = number(":", named=False)
DECORATOR = number("decorator")
ELIF_CLAUSE = number("elif_clause")
ELSE_CLAUSE = number("else_clause")
EQUALS = number("=", named=False)
FINALLY_CLAUSE = number("finally_clause")
FUNCTION_DEFINITION = number("function_definition")
IDENTIFIER = number("identifier")
PARAMETERS = number("parameters")
TYPE = number("type")
TYPE_PARAMETER = number("type_parameter")
WITH_CLAUSE = number("with_clause")

EXTRAS = numbers("comment", "line_continuation")
"""What the grammar lets stand anywhere."""


def meant(node: Node) -> list[Node]:
    """The named children that mean something: comments and continued lines may stand between any two of them."""
    return [child for child in node.named_children if child.kind_id not in EXTRAS]


def one_by_one(node: Node) -> Iterator[Node]:
    """The children of a node that holds much: each is let go of, with all that was made of it, before the next is made."""
    cursor = node.walk()
    goes_on = cursor.goto_first_child()
    while goes_on and cursor.node is not None:
        yield cursor.node
        goes_on = cursor.goto_next_sibling()
