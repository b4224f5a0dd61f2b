"""Owns what is read off the head of a definition: where it stands, its full name, decorators, bases, type parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sondage.core.source.collect import Collector
from sondage.core.source.facts import KeywordWritten, Span
from sondage.core.source.kinds import DECORATOR, EXTRAS, IDENTIFIER, meant, number
from sondage.core.source.shape import code_end
from sondage.core.source.written import Written

if TYPE_CHECKING:
    from tree_sitter import Node

_KEYWORD_ARGUMENT = number("keyword_argument")
_DICTIONARY_SPLAT = number("dictionary_splat")


class Definitions(Collector):
    """The readers of heads. `outer` is the decorated definition, or the definition itself where it has no decorator."""

    def span(self, node: Node, outer: Node, name: Node) -> Span:
        last = code_end(node, self.utf8)
        line = self.line(node)
        first = line if outer is node else self.line(outer)
        return Span(outer.start_byte, last.end_byte, name.start_byte, line, first, self.last_line(last))

    def last_line(self, node: Node) -> int:
        """The line that holds the last byte of a node."""
        if not self.rows_count:
            return self.source.line_of(max(node.end_byte - 1, 0))
        row, column = node.end_point
        return row + 1 if column else max(row, 1)

    def qualname(self, name: str, parent: int) -> str:
        outer = self.scopes[parent].qualname
        if not outer:
            return name
        return f"{outer}.<locals>.{name}" if self.in_function(parent) else f"{outer}.{name}"

    def decorators(self, outer: Node, node: Node) -> tuple[Written, ...]:
        if outer is node:
            return ()
        found = [meant(one) for one in outer.named_children if one.kind_id == DECORATOR]
        return tuple([self.written(parts[0]) for parts in found if parts])

    def header(self, node: Node | None) -> tuple[tuple[Written, ...], tuple[KeywordWritten, ...]]:
        bases: list[Written] = []
        keywords: list[KeywordWritten] = []
        for child in node.named_children if node is not None else ():
            kind = child.kind_id
            if kind == _KEYWORD_ARGUMENT:
                inner = meant(child)
                if len(inner) == 2:
                    keywords.append(KeywordWritten(self.name(inner[0]), self.written(inner[1])))
            elif kind == _DICTIONARY_SPLAT:
                keywords.append(KeywordWritten(None, self.written(child.children[-1])))
            elif kind not in EXTRAS and not child.is_error:
                bases.append(self.written(child))
        return tuple(bases), tuple(keywords)

    def type_parameters(self, node: Node | None) -> tuple[str, ...]:
        """Names alone, without stars, bounds and defaults (PEP 695, PEP 696)."""
        names: list[str] = []
        for part in node.named_children if node is not None else ():
            inner = part
            while inner.kind_id != IDENTIFIER and inner.named_child_count:
                inner = inner.named_children[0]
            if inner.kind_id == IDENTIFIER:
                names.append(self.name(inner))
        return tuple(names)
