"""Owns the way from tree-sitter's nodes of imports to the statements of `core.source.blocks`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sondage.core.source import blocks
from sondage.core.source.patterns import PatternConverter

if TYPE_CHECKING:
    from tree_sitter import Node


class ImportConverter(PatternConverter):
    """Reads imports."""

    def import_statement(self, node: Node) -> blocks.Stmt:
        return blocks.Import(node.start_byte, node.end_byte, tuple(self.aliases(self.parts(node)[1:])))

    def import_from(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        module, level = "", 0
        if node.type == "future_import_statement":
            module = "__future__"
        elif len(parts) > 1 and parts[1].type == "relative_import":
            for piece in self.parts(parts[1]):
                if piece.type == "dotted_name":
                    module = self.dotted(piece)
                else:
                    level = self.text(piece).count(".")
        elif len(parts) > 1:
            module = self.dotted(parts[1])
        names = next((index for index, part in enumerate(parts) if part.type == "import"), len(parts))
        return blocks.ImportFrom(node.start_byte, node.end_byte, module, level, tuple(self.aliases(parts[names + 1 :])))

    def aliases(self, nodes: Sequence[Node]) -> Iterator[blocks.Alias]:
        for node in nodes:
            if node.type == "dotted_name":
                yield blocks.Alias(self.dotted(node), None, node.start_byte)
            elif node.type == "wildcard_import":
                yield blocks.Alias("*", None, node.start_byte)
            elif node.type == "aliased_import" and len(parts := self.parts(node)) == 3:
                yield blocks.Alias(self.dotted(parts[0]), self.text(parts[2]), node.start_byte)

    def dotted(self, node: Node) -> str:
        return ".".join([self.text(part) for part in node.children if part.type == "identifier"])
