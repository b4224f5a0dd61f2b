"""Owns the way from tree-sitter's nodes of `match` patterns to expressions that read alike, and to the names they bind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sondage.core.source import syntax
from sondage.core.source.convert import Converter

if TYPE_CHECKING:
    from tree_sitter import Node


class PatternConverter(Converter):
    """Reads patterns (PEP 634)."""

    def pattern(self, node: Node) -> syntax.Expr:
        """A pattern in the form of an expression; `P as x` as the walrus it acts like, `P | Q` as a union."""
        inner = self.items(node)
        if node.type == "dotted_name" and inner:
            return self.dotted_expression(inner)
        if node.type in {"case_pattern", "parenthesized_pattern"} and len(inner) == 1:
            return self.pattern(inner[0])
        if node.type == "as_pattern" and len(inner) == 3:
            target = syntax.Name(inner[2].start_byte, inner[2].end_byte, self.text(inner[2]))
            return syntax.NamedExpr(node.start_byte, node.end_byte, target, self.pattern(inner[0]))
        if node.type == "union_pattern":
            values = [self.pattern(part) for part in inner if part.is_named]
            joined = values[0]
            for value in values[1:]:
                joined = syntax.BinOp(node.start_byte, node.end_byte, "|", joined, value)
            return joined
        if node.type == "class_pattern" and inner:
            return self.class_pattern(node, inner)
        return self.expression(node)

    def class_pattern(self, node: Node, inner: Sequence[Node]) -> syntax.Expr:
        args: list[syntax.Expr] = []
        keywords: list[syntax.Keyword] = []
        for part in inner[1:]:
            content = part.children[0] if part.type == "case_pattern" and part.child_count == 1 else part
            if content.type == "keyword_pattern" and len(pair := self.parts(content)) == 3:
                keywords.append(syntax.Keyword(self.text(pair[0]), self.pattern(pair[2])))
            else:
                args.append(self.pattern(part))
        func = self.pattern(inner[0])
        return syntax.Call(node.start_byte, node.end_byte, func, tuple(args), tuple(keywords))

    def dotted_expression(self, parts: Sequence[Node]) -> syntax.Expr:
        names = [part for part in parts if part.type == "identifier"]
        value: syntax.Expr = syntax.Name(names[0].start_byte, names[0].end_byte, self.text(names[0]))
        for name in names[1:]:
            value = syntax.Attribute(names[0].start_byte, name.end_byte, value, self.text(name), name.start_byte)
        return value

    def bound_names(self, node: Node) -> Iterator[str]:
        """Names that a pattern binds: bare names, not classes, not values with a dot, not keywords."""
        waiting = [node]
        while waiting:
            current = waiting.pop()
            kind = current.type
            if kind == "dotted_name":
                if current.child_count == 1:
                    yield self.text(current)
            elif kind == "identifier":
                yield self.text(current)
            elif kind in {"class_pattern", "keyword_pattern"}:
                waiting += reversed(current.children[1:])
            else:
                waiting += reversed(current.children)
