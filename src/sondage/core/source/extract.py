"""Owns extraction: the bytes of one file → its facts, by one parse and one walk over statements (never over expressions)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sondage.core.source import parse
from sondage.core.source.collect import Bound, Branch, Collector, Here, leaves
from sondage.core.source.facts import (
    MODULE,
    ClassScope,
    FileFacts,
    FunctionScope,
    HookCall,
    KeywordWritten,
    Outside,
    Problem,
    ScopeFact,
    Span,
)
from sondage.core.source.late_facts import add_late_facts
from sondage.core.source.repair import repaired
from sondage.core.source.shape import body_kind, code_end, exported_names
from sondage.core.source.text import SourceText
from sondage.core.source.written import Written

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

_MOST_PROBLEMS = 100
_MOST_LEVELS = 120
"""Blocks inside blocks that are followed: Python itself takes no more than a hundred."""
_PLAIN_ASSIGNMENT = re.compile(rb"[A-Za-z_]\w*[ \t]*=(?!=)[^=\n]*\n")
"""A line that binds one plain name and nothing else."""


def extract(data: bytes, using: Parser | None = None) -> FileFacts:
    """The facts of a file from its bytes. Nothing raises on any input; what could not be read is a `Problem`."""
    return extract_text(SourceText(data), using)


def extract_text(source: SourceText, using: Parser | None = None) -> FileFacts:
    """The same, for a text that was decoded already."""
    tree, problems = read_tree(source, using)
    walk = Walk(source, problems)
    walk.run(tree.root_node)
    add_late_facts(walk, tree.root_node, walk.returned, walk.makers)
    return walk.facts()


def read_tree(source: SourceText, using: Parser | None = None) -> tuple[Tree, list[Problem]]:
    """The tree that says most about the file, and what is wrong with it."""
    problems = [Problem("encoding", 1, source.problem)] if source.problem else []
    using = using or parse.parser()
    tree = parse.parse_tree(source.utf8, using)
    if not tree.root_node.has_error:
        return tree, problems
    better, unread = repaired(source.utf8, using)
    second = using.parse(better)
    spans = unread or list(parse.error_spans(second.root_node))
    lines = dict.fromkeys(source.line_of(at) for at, _ in spans[:_MOST_PROBLEMS])
    problems += [Problem("partial", line, "could not be read as Python") for line in lines]
    return second, problems


class Walk(Collector):
    """Goes through the statements in source order."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        super().__init__(source, problems)
        self.returned: dict[int, list[Node]] = {}
        self.makers: set[int] = set()
        """Functions that return `type(…)`."""
        self.levels = 0

    def run(self, root: Node) -> None:
        self.statements(root.children, Here(MODULE, None))

    def statements(self, nodes: Sequence[Node], here: Here) -> None:
        """Statements in a row. What is nested too deep is left out, and said."""
        if self.levels > _MOST_LEVELS:
            line = self.source.line_of(nodes[0].start_byte) if nodes else 1
            self.problems.append(Problem("too_deep", line, "nested too deep to be read"))
            return
        self.levels += 1
        handler_of = HANDLERS.get
        for node in nodes:
            handler = handler_of(node.type)
            if handler is not None:
                handler(self, node, here)
        self.levels -= 1

    def inside(self, node: Node, here: Here) -> None:
        self.statements(node.named_children, here)

    def branch(self, clause: Node, here: Here, branch: Branch | None) -> None:
        """The blocks of a clause, or a block itself."""
        inside = Here(here.scope, branch)
        if clause.type == "block":
            self.statements(clause.named_children, inside)
            return
        for child in clause.named_children:
            if child.type == "block":
                self.statements(child.named_children, inside)

    # ---- definitions

    def span(self, node: Node, outer: Node, name: Node) -> Span:
        line_of = self.source.line_of
        end = code_end(node, self.utf8)
        line = line_of(node.start_byte)
        first = line if outer is node else line_of(outer.start_byte)
        return Span(outer.start_byte, end, name.start_byte, line, first, line_of(max(end - 1, 0)))

    def qualname(self, name: str, parent: int) -> str:
        outer = self.scopes[parent].qualname
        if not outer:
            return name
        return f"{outer}.<locals>.{name}" if self.in_function(parent) else f"{outer}.{name}"

    def decorated(self, node: Node, here: Here) -> None:
        children = node.named_children
        inner = children[-1] if children else node
        if inner.type == "class_definition":
            self.class_definition(inner, here, node)
        elif inner.type == "function_definition":
            self.function_definition(inner, here, node)

    def decorators(self, outer: Node, node: Node) -> tuple[Written, ...]:
        if outer is node:
            return ()
        found = [one.named_children for one in outer.named_children if one.type == "decorator"]
        values = [next((part for part in parts if part.type != "comment"), None) for parts in found]
        return tuple([self.written(value) for value in values if value is not None])

    def class_definition(self, node: Node, here: Here, outer: Node | None = None) -> None:
        outer = outer or node
        parts = {child.type: child for child in reversed(node.named_children)}
        name_node = parts.get("identifier", node)
        name = self.name(name_node)
        bases, keywords = self.header(parts.get("argument_list"))
        found = ClassScope(
            name,
            self.qualname(name, here.scope),
            here.scope,
            self.guard(here.branch),
            self.span(node, outer, name_node),
            bases,
            keywords,
            self.decorators(outer, node),
            self.type_parameters(parts.get("type_parameter")),
        )
        block = parts.get("block")
        self.enter(found, "class", block.named_children if block is not None else [])

    def header(self, node: Node | None) -> tuple[tuple[Written, ...], tuple[KeywordWritten, ...]]:
        bases: list[Written] = []
        keywords: list[KeywordWritten] = []
        for child in node.named_children if node is not None else ():
            kind = child.type
            if kind == "keyword_argument":
                inner = [part for part in child.named_children if part.type != "comment"]
                if len(inner) == 2:
                    keywords.append(KeywordWritten(self.name(inner[0]), self.written(inner[1])))
            elif kind == "dictionary_splat":
                keywords.append(KeywordWritten(None, self.written(child.children[-1])))
            elif kind not in ("comment", "line_continuation", "ERROR"):
                bases.append(self.written(child))
        return tuple(bases), tuple(keywords)

    def type_parameters(self, node: Node | None) -> tuple[str, ...]:
        """Names alone, without stars, bounds and defaults (PEP 695, PEP 696)."""
        names: list[str] = []
        for part in node.named_children if node is not None else ():
            inner = part
            while inner.type != "identifier" and inner.named_child_count:
                inner = inner.named_children[0]
            if inner.type == "identifier":
                names.append(self.name(inner))
        return tuple(names)

    def function_definition(self, node: Node, here: Here, outer: Node | None = None) -> None:
        outer = outer or node
        parts = {child.type: child for child in reversed(node.named_children)}
        name_node, block = parts.get("identifier", node), parts.get("block")
        name = self.name(name_node)
        statements = block.named_children if block is not None else []
        found = FunctionScope(
            name,
            self.qualname(name, here.scope),
            here.scope,
            self.guard(here.branch),
            self.span(node, outer, name_node),
            self.written_or_none(parts.get("parameters")),
            self.written_or_none(parts.get("type")),
            self.decorators(outer, node),
            body_kind(block, self.utf8),
            self.utf8.startswith(b"async", node.start_byte),
            False,
            self.type_parameters(parts.get("type_parameter")),
        )
        self.enter(found, "function", statements)

    def enter(self, scope: ScopeFact, kind: str, statements: list[Node]) -> None:
        self.scopes.append(scope)
        self.kinds.append(kind)
        self.statements(statements, Here(len(self.scopes) - 1, None))

    # ---- compound statements

    def if_statement(self, node: Node, here: Here) -> None:
        at = node.start_byte
        test: Node | None = None
        failed: tuple[Node, ...] = ()
        for child in node.named_children:
            if child.type == "block":
                self.branch(child, here, Branch(here.branch, "if", at, 0, test))
            elif child.type == "elif_clause":
                failed += (test,) if test is not None else ()
                test = child.named_children[0] if child.named_child_count else None
                self.branch(child, here, Branch(here.branch, "elif", at, len(failed), test, failed))
            elif child.type == "else_clause":
                failed += (test,) if test is not None else ()
                self.branch(child, here, Branch(here.branch, "else", at, len(failed), None, failed))
            elif test is None and child.type != "comment":
                test = child

    def try_statement(self, node: Node, here: Here) -> None:
        at, number = node.start_byte, 0
        for child in node.named_children:
            if child.type == "block":
                self.branch(child, here, Branch(here.branch, "try", at, 0))
            elif child.type in ("except_clause", "except_group_clause"):
                number += 1
                caught = child.named_children[0] if child.named_child_count else None
                test = caught if caught is not None and caught.type not in ("block", "comment") else None
                self.branch(child, here, Branch(here.branch, "except", at, number, test))
            elif child.type == "else_clause":
                self.branch(child, here, Branch(here.branch, "try_else", at, 0))
            elif child.type == "finally_clause":
                self.branch(child, here, here.branch)

    def loop(self, node: Node, here: Here) -> None:
        if node.type == "for_statement":
            ends = [child for child in node.named_children if child.type != "comment"]
            if len(ends) > 1:
                self.bind(ends[0], Bound("for", ends[1]), here)
        for child in node.named_children:
            if child.type == "block":
                self.branch(child, here, Branch(here.branch, "loop", node.start_byte, 0))
            elif child.type == "else_clause":
                self.branch(child, here, Branch(here.branch, "loop_else", node.start_byte, 1))

    def with_statement(self, node: Node, here: Here) -> None:
        for child in node.named_children:
            if child.type == "with_clause":
                for item in child.named_children:
                    inner = item.named_children[0] if item.named_child_count else item
                    if inner.type == "as_pattern" and inner.named_child_count > 1:
                        context, *_, target = inner.named_children
                        self.bind(target, Bound("with", context), here)
            elif child.type == "block":
                self.statements(child.named_children, here)

    def match_statement(self, node: Node, here: Here) -> None:
        cases = [one for block in node.named_children if block.type == "block" for one in block.named_children]
        for number, case in enumerate(one for one in cases if one.type == "case_clause"):
            test = case.named_children[0] if case.named_child_count else None
            self.branch(case, here, Branch(here.branch, "case", node.start_byte, number, test))

    # ---- imports

    def import_statement(self, node: Node, here: Here) -> None:
        for child in node.named_children:
            module, alias = self.aliased(child)
            if module:
                self.imported(child, here, alias or module.partition(".")[0], module, level=0, attribute=None)

    def import_from(self, node: Node, here: Here) -> None:
        source, *names = [child for child in node.named_children if child.type != "comment"] or [node]
        level, module = 0, self.dotted(source)
        if source.type == "relative_import":
            prefix = source.named_children[0]
            level = self.utf8.count(b".", prefix.start_byte, prefix.end_byte)
            module = self.dotted(source.named_children[1]) if source.named_child_count > 1 else ""
        for child in names:
            if child.type == "wildcard_import":
                self.imported(child, here, "*", module, level=level, attribute="*")
                continue
            attribute, alias = self.aliased(child)
            if attribute:
                self.imported(child, here, alias or attribute, module, level=level, attribute=attribute)

    def aliased(self, node: Node) -> tuple[str, str]:
        """The imported name, and the one after `as`."""
        if node.type == "aliased_import" and node.named_child_count > 1:
            return self.dotted(node.named_children[0]), self.name(node.named_children[-1])
        return (self.dotted(node), "") if node.type in ("dotted_name", "identifier") else ("", "")

    # ---- assignments and other simple statements

    def expression_statement(self, node: Node, here: Here) -> None:
        in_function = self.in_function(here.scope)
        if in_function and _PLAIN_ASSIGNMENT.match(self.utf8, node.start_byte):
            self.local_assignments.append((node, here))
            return
        first = node.children[0]
        kind = first.type
        if kind == "assignment":
            if in_function and _is_plain(first):
                self.local_assignments.append((node, here))
            else:
                self.assign(first, here)
        elif kind == "augmented_assignment":
            left, operator, *_, right = first.children
            self.bind(left, Bound("augmented", right, None, self.text(operator)[:-1]), here)
        elif kind == "call":
            if here.scope == MODULE and self.utf8.startswith(b"__all__", first.start_byte):
                self.changes_all(first)
            elif in_function and self.scopes[here.scope].name == "__init_subclass__":
                line = self.source.line_of(first.start_byte)
                self.hook_calls.append(HookCall(here.scope, self.guard(here.branch), line, self.written(first)))

    def changes_all(self, call: Node) -> None:
        """`__all__.append("x")`, `.extend(…)`, `.remove("x")`."""
        function, arguments = call.children[0], call.children[-1]
        method = self.text(function).rpartition(".")[2]
        values = arguments.named_children
        if method in ("append", "extend", "remove") and len(values) == 1:
            step = "remove" if method == "remove" else "add"
            self.exported += exported_names(step, parse.expression(values[0], self.utf8))

    def type_alias(self, node: Node, here: Here) -> None:
        """`type X = …` (PEP 695), or `type(x).y = z`, which the grammar takes for one (tree-sitter-python issue 321)."""
        rest = self.utf8[node.start_byte + len(b"type") : node.end_byte]
        if rest.lstrip()[:1] in (b"(", b".", b"["):
            tree = parse.parser().parse(b"typ_" + rest)
            root = tree.root_node_with_offset(node.start_byte, (0, node.start_byte))
            if root is not None and not root.has_error:
                self.statements([child for child in root.children if child.type == "expression_statement"], here)
            return
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) > 1:
            name = parts[0]
            while name.type != "identifier" and name.named_child_count:
                name = name.named_children[0]
            self.bind_name(name, Bound("type", parts[-1]), (), here)

    def delete_statement(self, node: Node, here: Here) -> None:
        for child in node.named_children:
            for leaf, _ in leaves(child):
                if leaf.type == "identifier" and not self.in_function(here.scope):
                    self.keep_name(leaf, Bound("delete"), (), here)

    def global_statement(self, node: Node, here: Here) -> None:
        names = [child for child in node.named_children if child.type == "identifier"]
        self.outside += [Outside(here.scope, "global", self.name(child)) for child in names]

    def nonlocal_statement(self, node: Node, here: Here) -> None:
        names = [child for child in node.named_children if child.type == "identifier"]
        self.outside += [Outside(here.scope, "nonlocal", self.name(child)) for child in names]

    def return_statement(self, node: Node, here: Here) -> None:
        values = node.named_children
        if values:
            self.returned.setdefault(here.scope, []).append(values[0])
            if self.utf8.startswith(b"type(", values[0].start_byte):
                self.makers.add(here.scope)


def _is_plain(assignment: Node) -> bool:
    """Whether one plain name is bound, and nothing else in the same statement."""
    children = assignment.children
    return children[0].type == "identifier" and children[-1].type != "assignment"


HANDLERS: dict[str, Callable[[Walk, Node, Here], None]] = {
    "block": Walk.inside,
    "ERROR": Walk.inside,
    "decorated_definition": Walk.decorated,
    "class_definition": Walk.class_definition,
    "function_definition": Walk.function_definition,
    "if_statement": Walk.if_statement,
    "try_statement": Walk.try_statement,
    "for_statement": Walk.loop,
    "while_statement": Walk.loop,
    "with_statement": Walk.with_statement,
    "match_statement": Walk.match_statement,
    "import_statement": Walk.import_statement,
    "import_from_statement": Walk.import_from,
    "expression_statement": Walk.expression_statement,
    "type_alias_statement": Walk.type_alias,
    "delete_statement": Walk.delete_statement,
    "global_statement": Walk.global_statement,
    "nonlocal_statement": Walk.nonlocal_statement,
    "return_statement": Walk.return_statement,
}
