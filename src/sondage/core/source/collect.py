"""Owns the collecting of facts while a file is walked: scopes, guards, imports, and what targets bind."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from sondage.core.source import parse
from sondage.core.source.facts import (
    MODULE,
    Assigned,
    AttributeAssigned,
    FileFacts,
    Guard,
    GuardKind,
    HookCall,
    How,
    Imported,
    ModuleScope,
    NamesAll,
    Outside,
    Problem,
    ScopeFact,
    Span,
)
from sondage.core.source.kinds import (
    ASSIGNMENT,
    ATTRIBUTE,
    COLON,
    EQUALS,
    EXTRAS,
    IDENTIFIER,
    TYPE,
    meant,
    numbers,
)
from sondage.core.source.shape import exported_names
from sondage.core.source.text import SourceText
from sondage.core.source.written import Written

if TYPE_CHECKING:
    from tree_sitter import Node

Place: TypeAlias = "tuple[int, ...]"
_TARGET_LISTS = numbers("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list")
_STARRED = numbers("list_splat_pattern", "list_splat")
_WRAPPERS = _STARRED | numbers("parenthesized_expression", "as_pattern_target")
_NAMES = re.compile(rb"\w[\w\s,]*+")
"""Names in a row."""
_AT = attrgetter("at")
_LONGEST_TEST = 400
"""Characters of a condition that are kept."""


class Branch(msgspec.Struct, frozen=True, gc=False):
    """A branch that is being walked; it becomes a `Guard` once something in it is recorded."""

    parent: Branch | None
    kind: GuardKind
    at: int
    number: int
    test: Node | None = None
    failed: tuple[Node, ...] = ()


class Here(msgspec.Struct, frozen=True, gc=False):
    """Where a statement stands."""

    scope: int
    branch: Branch | None


class Bound(msgspec.Struct, frozen=True, gc=False):
    """How a target gets its value, and from what."""

    how: How
    value: Node | None = None
    annotation: Node | None = None
    operator: str = ""


class Collector:
    """The facts of one file as they grow."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        self.source = source
        self.utf8 = source.utf8
        self.ascii = source.ascii
        self.rows_count = False
        """Whether the rows of nodes are those of the source: the tree's text has all its line ends."""
        self.doubtful = True
        """Whether the parser stumbled: then only its nodes say where a statement ends."""
        self.problems = problems
        whole = Span(0, len(self.utf8), 0, 1, 1, max(source.line_count, 1))
        self.scopes: list[ScopeFact] = [ModuleScope(whole)]
        self.kinds = ["module"]
        self.imports: list[Imported] = []
        self.assignments: list[Assigned] = []
        self.attributes: list[AttributeAssigned] = []
        self.outside: list[Outside] = []
        self.exported: list[NamesAll] = []
        self.hook_calls: list[HookCall] = []
        self.second_look = False
        """Whether names that a function binds are collected, and nothing else: in most they are nobody's business."""
        self.local_names: dict[int, list[tuple[Node, Bound, Place, Here]]] = {}
        """Targets of plain names in the functions where they are wanted."""
        self._guards: list[Guard] = []
        self._guard_numbers: dict[tuple[int, GuardKind, int], int] = {}

    def facts(self) -> FileFacts:
        return FileFacts(
            self.source.line_count,
            tuple(self.scopes),
            tuple(self._guards),
            tuple(sorted(self.imports, key=_AT)),
            tuple(sorted(self.assignments, key=_AT)),
            tuple(sorted(self.attributes, key=_AT)),
            tuple(self.outside),
            tuple(self.exported),
            tuple(self.hook_calls),
            tuple(self.problems),
        )

    # ---- reading nodes

    def text(self, node: Node) -> str:
        if self.ascii is not None:
            return self.ascii[node.start_byte : node.end_byte]
        return self.utf8[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def name(self, node: Node) -> str:
        """An identifier, normalized as Python does it (language reference, section 2.3)."""
        text = self.text(node)
        return text if text.isascii() else unicodedata.normalize("NFKC", text)

    def dotted(self, node: Node) -> str:
        """A dotted name, which may be written with blanks between its parts."""
        text = self.name(node)
        if text.replace(".", "").isidentifier() or node.kind_id == IDENTIFIER:
            return text
        return ".".join([self.name(part) for part in node.named_children if part.kind_id == IDENTIFIER])

    def written(self, node: Node) -> Written:
        return Written(node.start_byte, self.text(node))

    def written_or_none(self, node: Node | None) -> Written | None:
        return None if node is None else Written(node.start_byte, self.text(node))

    def line(self, node: Node) -> int:
        """The line on which a node starts."""
        return node.start_point[0] + 1 if self.rows_count else self.source.line_of(node.start_byte)

    # ---- where things stand

    def guard(self, branch: Branch | None) -> int:
        """The index of the fact for a branch, made when first needed."""
        if branch is None:
            return -1
        place = branch.at, branch.kind, branch.number
        known = self._guard_numbers.get(place)
        if known is None:
            parent = self.guard(branch.parent)
            known = self._guard_numbers[place] = len(self._guards)
            test = self.text(branch.test)[:_LONGEST_TEST] if branch.test is not None else ""
            failed = tuple([self.text(node)[:_LONGEST_TEST] for node in branch.failed])
            self._guards.append(Guard(parent, branch.kind, branch.at, branch.number, test, failed))
        return known

    def innermost(self, at: int) -> int:
        """The innermost scope that holds an offset, its decorators and header included."""
        best = MODULE
        for index in range(1, len(self.scopes)):
            span = self.scopes[index].span
            if span.at > at:
                break
            if at < span.end:
                best = index
        return best

    def in_function(self, scope: int) -> bool:
        return self.kinds[scope] == "function"

    # ---- recording

    def assign(self, node: Node, here: Here) -> None:
        """`a = b = value` and `a: annotation = value`; the grammar nests the former to the right."""
        children = node.children
        targets = [children[0]]
        while children[-1].kind_id == ASSIGNMENT:
            children = children[-1].children
            targets.append(children[0])
        value: Node | None = children[-1]
        if len(children) != 3 or children[1].kind_id != EQUALS:
            signs = [child.kind_id for child in children[1:]]
            if COLON in signs:
                annotation = next((child for child in children if child.kind_id == TYPE), None)
                value = value if EQUALS in signs else None
                self.bind(targets.pop(), Bound("annotation", value, annotation), here)
        bound = Bound("assign", value)
        for target in targets:
            self.bind(target, bound, here)

    def augmented(self, node: Node, here: Here) -> None:
        left, operator, *_, right = [child for child in node.children if child.kind_id not in EXTRAS]
        self.bind(left, Bound("augmented", right, None, self.text(operator)[:-1]), here)

    def bind(self, target: Node, bound: Bound, here: Here) -> None:
        """Records the names and attributes that a target binds."""
        if target.kind_id == IDENTIFIER or _NAMES.fullmatch(self.utf8, target.start_byte, target.end_byte):
            self.bind_names(target, bound, (), here)
            return
        for leaf, place in leaves(target):
            if leaf.kind_id == IDENTIFIER:
                self.bind_names(leaf, bound, place, here)
            elif not self.second_look:
                self._bind_attribute(leaf, bound, place, here)

    def bind_names(self, target: Node, bound: Bound, place: Place, here: Here) -> None:
        """The same for a target, or the part of one at a place, in which there are only names."""
        if self.kinds[here.scope] == "function":
            if self.second_look:
                self.local_names.setdefault(here.scope, []).append((target, bound, place, here))
            return
        for name, within in leaves(target):
            self.keep_name(name, bound, (*place, *within), here)

    def keep_name(self, target: Node, bound: Bound, place: Place, here: Here) -> None:
        at, name = target.start_byte, self.name(target)
        value, annotation = self.written_or_none(bound.value), self.written_or_none(bound.annotation)
        line = self.line(target)
        found = Assigned(
            here.scope, self.guard(here.branch), at, line, name, bound.how, value, annotation, place, bound.operator
        )
        self.assignments.append(found)
        if name == "__all__" and here.scope == MODULE and bound.value is not None:
            step = "add" if bound.how == "augmented" else "set"
            self.exported += exported_names(step, parse.expression(bound.value, self.utf8))

    def _bind_attribute(self, target: Node, bound: Bound, place: Place, here: Here) -> None:
        if bound.how == "augmented":
            return
        base, *_, attribute = target.children
        at = attribute.start_byte
        self.attributes.append(
            AttributeAssigned(
                here.scope,
                self.guard(here.branch),
                at,
                self.line(attribute),
                self.written(base),
                self.name(attribute),
                bound.how,
                self.written_or_none(bound.value),
                self.written_or_none(bound.annotation),
                place,
            )
        )


def leaves(target: Node) -> Iterator[tuple[Node, Place]]:
    """The names and attributes in a target, each with its place; subscripts bind nothing."""
    waiting: list[tuple[Node, Place]] = [(target, ())]
    while waiting:
        node, place = waiting.pop()
        kind = node.kind_id
        if kind in (IDENTIFIER, ATTRIBUTE):
            yield node, place
        elif kind in _TARGET_LISTS:
            inner = meant(node)
            starred = [child.kind_id in _STARRED for child in inner]
            places = [-index - 1 if star else index for index, star in enumerate(starred)]
            waiting += reversed([(child, (*place, index)) for child, index in zip(inner, places, strict=True)])
        elif kind in _WRAPPERS and node.named_child_count:
            waiting.append((meant(node)[0], place))
