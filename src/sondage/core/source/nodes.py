"""Owns which nodes of the parser's tree mean something."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

EXTRAS = frozenset({"comment", "line_continuation"})
"""What the grammar lets stand anywhere."""


def meant(node: Node) -> list[Node]:
    """The named children that mean something: comments and continued lines may stand between any two of them."""
    return [child for child in node.named_children if child.type not in EXTRAS]
