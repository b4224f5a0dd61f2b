"""Owns the second look at functions of which more is kept: the names that they bind, and what they give back.

These are the functions that hold a class or a function, return `type(…)`, or declare names `global` or `nonlocal`: which
they are is known at their end. In all others such statements are passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sondage.core.source.collect import Collector, Here, leaves
from sondage.core.source.facts import MODULE, FunctionScope, Problem
from sondage.core.source.kinds import ASSIGNMENT, AUGMENTED_ASSIGNMENT, IDENTIFIER, meant
from sondage.core.source.plain import PLAIN_ASSIGNMENT
from sondage.core.source.text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node


class SecondLook(Collector):
    """Which functions these are, and the readers of their statements."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        super().__init__(source, problems)
        self.holders: set[int] = set()
        """Functions that hold a class, at any depth, or return `type(…)`: all names that they bind are kept."""
        self.factories: set[int] = set()
        """Functions that hold a class or a function, or return `type(…)`: what they give back is kept."""
        self.declaring: set[int] = set()
        """Functions that declare names of another scope: what they bind to these is kept."""
        self.returned: dict[int, list[Node]] = {}
        self.local_assignments: list[tuple[Node, Here]] = []
        """Statements that bind a single plain name."""

    # ---- which functions

    def holds(self, outer: int, kind: str) -> None:
        """Notes that a scope holds a class or a function."""
        if self.in_function(outer):
            self.factories.add(outer)
        while kind == "class" and outer > MODULE:
            if self.in_function(outer):
                self.holders.add(outer)
            outer = self.scopes[outer].parent

    def makes_class(self, node: Node, here: Here) -> None:
        """Notes a `return type(…)`."""
        if self.utf8.find(b"type(", node.start_byte, node.end_byte) >= 0:
            values = meant(node)
            if values and self.utf8.startswith(b"type(", values[0].start_byte):
                self.holders.add(here.scope)
                self.factories.add(here.scope)

    # ---- their statements

    def gives_back(self, node: Node, here: Here) -> None:
        self.returned.setdefault(here.scope, []).append(node)

    def binds_names(self, node: Node, here: Here) -> None:
        plain = PLAIN_ASSIGNMENT.fullmatch(self.utf8, node.start_byte, node.end_byte)
        first = node.children[0]
        if (plain is not None and plain["base"] is None) or _is_plain(first):
            self.local_assignments.append((node, here))
        elif first.kind_id == ASSIGNMENT:
            self.assign(first, here)
        elif first.kind_id == AUGMENTED_ASSIGNMENT:
            self.augmented(first, here)

    # ---- what is kept of it

    def keep_locals(self) -> None:
        declared = {(one.scope, one.name) for one in self.outside}
        kept = self.holders | self.declaring
        self.second_look = True
        self.local_names = dict(sorted(self.local_names.items(), key=lambda found: found[1][0][0].start_byte))
        for statement, here in sorted(self.local_assignments, key=lambda found: found[0].start_byte):
            if here.scope in kept:
                self.assign(statement.children[0], here)
        self.second_look = False
        for index, targets in self.local_names.items():
            if index in kept:
                for target, bound, place, here in targets:
                    for name, within in leaves(target):
                        if index in self.holders or (index, self.name(name)) in declared:
                            self.keep_name(name, bound, (*place, *within), here)

    def keep_results(self) -> None:
        for index in self.factories:
            scope = self.scopes[index]
            if isinstance(scope, FunctionScope):
                values = [meant(node) for node in self.returned.get(index, ())]
                results = tuple([self.written(value[0]) for value in values if value])
                self.scopes[index] = msgspec.structs.replace(scope, results=results)


def _is_plain(statement: Node) -> bool:
    """Whether an assignment binds one plain name, and nothing else in the same statement."""
    if statement.kind_id != ASSIGNMENT:
        return False
    children = statement.children
    return children[0].kind_id == IDENTIFIER and children[-1].kind_id != ASSIGNMENT
