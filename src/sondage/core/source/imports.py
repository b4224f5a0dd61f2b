"""Owns what import statements bind: read off the text of those written plainly, as nearly all are, else off the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sondage.core.late import late_pattern
from sondage.core.source.collect import Collector, Here
from sondage.core.source.facts import Imported
from sondage.core.source.kinds import ALIASED_IMPORT, meant, number, numbers

if TYPE_CHECKING:
    import re

    from tree_sitter import Node

_IMPORTED_NAMES = numbers("dotted_name", "identifier")
_RELATIVE_IMPORT = number("relative_import")
_WILDCARD_IMPORT = number("wildcard_import")
_PLAIN_FROM = late_pattern(
    rb"from (\.*+)((?:[A-Za-z][\w.]*+)?+) import (?:\(\s*+)?+"
    rb"(\w++(?: as \w++)?+(?:\s*+,\s*+\w++(?: as \w++)?+)*+)(?:\s*+,)?+\s*+\)?+"
)
_PLAIN_IMPORT = late_pattern(rb"import ([\w.]++(?: as \w++)?+(?:, [\w.]++(?: as \w++)?+)*+)")
_PLAIN_NAME = late_pattern(rb"([\w.]++)(?: as (\w++))?+")


class Imports(Collector):
    """The readers of import statements."""

    def imported(self, node: Node, here: Here, name: str, module: str, level: int, attribute: str | None) -> None:
        """`attribute` is None for `import module`, which binds `module` itself where `name` is not its first part."""
        at = node.start_byte
        whole = attribute is None and node.kind_id == ALIASED_IMPORT
        guard, line = self.guard(here.branch), self.line(node)
        self.imports.append(Imported(here.scope, guard, at, line, name, module, level, attribute, whole))

    def import_statement(self, node: Node, here: Here) -> None:
        at, end = node.start_byte, node.end_byte
        plain = None if self.doubtful else _PLAIN_IMPORT.fullmatch(self.utf8, at, end)
        if plain is not None:
            guard, line = self.guard(here.branch), self.line(node)
            for one in _PLAIN_NAME.finditer(self.utf8, plain.start(1), end):
                module, alias = one[1].decode(), one[2]
                name = module.partition(".")[0] if alias is None else alias.decode()
                whole = alias is not None
                self.imports.append(Imported(here.scope, guard, one.start(), line, name, module, 0, None, whole))
            return
        for child in node.named_children:
            module, other = self.aliased(child)
            if module:
                self.imported(child, here, other or module.partition(".")[0], module, 0, None)

    def import_from(self, node: Node, here: Here) -> None:
        plain = None if self.doubtful else _PLAIN_FROM.fullmatch(self.utf8, node.start_byte, node.end_byte)
        if plain is not None:
            self._plain_from(plain, self.line(node), here)
            return
        source, *names = meant(node) or [node]
        level, module = 0, self.dotted(source)
        if source.kind_id == _RELATIVE_IMPORT:
            prefix, *rest = meant(source)
            level = self.utf8.count(b".", prefix.start_byte, prefix.end_byte)
            module = self.dotted(rest[0]) if rest else ""
        for child in names:
            if child.kind_id == _WILDCARD_IMPORT:
                self.imported(child, here, "*", module, level, "*")
                continue
            attribute, alias = self.aliased(child)
            if attribute:
                self.imported(child, here, alias or attribute, module, level, attribute)

    def _plain_from(self, plain: re.Match[bytes], line: int, here: Here) -> None:
        """The names may stand on lines below `line`, on which the statement starts."""
        guard, level, module = self.guard(here.branch), len(plain[1]), plain[2].decode()
        first, end = plain.span(3)
        before = plain.start()
        for one in _PLAIN_NAME.finditer(self.utf8, first, end):
            at, attribute, alias = one.start(), one[1].decode(), one[2]
            line += self.utf8.count(b"\n", before, at)
            before = at
            name = attribute if alias is None else alias.decode()
            self.imports.append(Imported(here.scope, guard, at, line, name, module, level, attribute, False))

    def aliased(self, node: Node) -> tuple[str, str]:
        """The imported name, and the one after `as`."""
        kind = node.kind_id
        if kind == ALIASED_IMPORT and node.named_child_count > 1:
            return self.dotted(node.named_children[0]), self.name(node.named_children[-1])
        return (self.dotted(node), "") if kind in _IMPORTED_NAMES else ("", "")
