"""Owns extraction: the bytes of one file → its facts, by one parse and one walk over statements (never over expressions)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sondage.core import parse
from sondage.core.convert import error_spans
from sondage.core.facts import (
    AttributeAssigned,
    Assigned,
    ClassScope,
    FileFacts,
    FunctionScope,
    Guard,
    HookCall,
    How,
    Imported,
    KeywordWritten,
    ModuleScope,
    NamesAll,
    Outside,
    Problem,
    ScopeFact,
    Span,
)
from sondage.core.repair import repaired
from sondage.core.shape import body_kind, code_end, exported_names
from sondage.core.text import SourceText
from sondage.core.written import Written

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

_YIELD = re.compile(rb"\byield\b")
_SETATTR = re.compile(rb"\bsetattr\s*\(")
_PATTERN = re.compile(r"""[fF](["'])((?:\w|\{\w+\})+)\1\Z""")
_WALRUS = re.compile(rb":=")
_TARGET_LISTS = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"})
_WRAPPERS = frozenset({"parenthesized_expression", "as_pattern_target", "list_splat_pattern", "list_splat"})


def extract(data: bytes, using: Parser | None = None) -> FileFacts:
    """The facts of a file from its bytes. Nothing raises on any input; what could not be read is a `Problem`."""
    return extract_text(SourceText(data), using)


def extract_text(source: SourceText, using: Parser | None = None) -> FileFacts:
    """The same, for a text that was decoded already."""
    tree, problems = read_tree(source, using)
    return _Walk(source, tree, problems).facts()


def read_tree(source: SourceText, using: Parser | None = None) -> tuple[Tree, list[Problem]]:
    """The tree that says most about the file, and what is wrong with it."""
    problems = [Problem("encoding", 1, source.problem)] if source.problem else []
    using = using or parse.parser()
    tree = parse.parse_tree(source.utf8, using)
    if not tree.root_node.has_error:
        return tree, problems
    better, unread = repaired(source.utf8, using)
    second = using.parse(better)
    spans = unread if unread else list(error_spans(second.root_node))
    problems += [Problem("partial", source.line_of(at), "could not be read as Python") for at, _ in spans[:100]]
    return second, problems


class _Branch(NamedTuple):
    """A branch that is being walked; it becomes a `Guard` once something in it is recorded."""

    parent: _Branch | None
    kind: str
    at: int
    index: int
    test: Node | None
    failed: tuple[Node, ...] = ()


_Step: TypeAlias = "tuple[Node, int, _Branch | None]"


def _steps(block: Node, scope: int, branch: _Branch | None) -> list[_Step]:
    return [(node, scope, branch) for node in block.named_children]


def _clause_steps(clause: Node, scope: int, branch: _Branch | None) -> list[_Step]:
    return [step for child in clause.named_children if child.type == "block" for step in _steps(child, scope, branch)]


class _Walk:
    def __init__(self, source: SourceText, tree: Tree, problems: list[Problem]) -> None:
        self.source = source
        self.utf8 = source.utf8
        self.root = tree.root_node
        self.problems = problems
        whole = Span(0, len(self.utf8), 0, 1, 1, max(source.line_count, 1))
        self.scopes: list[ScopeFact] = [ModuleScope(whole)]
        self.kinds = ["module"]
        self.guards: list[Guard] = []
        self.guard_index: dict[int, int] = {}
        self.branches: list[_Branch] = []
        self.imports: list[Imported] = []
        self.assignments: list[Assigned] = []
        self.attributes: list[AttributeAssigned] = []
        self.outside: list[Outside] = []
        self.exported: list[NamesAll] = []
        self.pending: dict[int, list[tuple[Node, How, Node | None, Node | None, tuple[int, ...], str, _Branch | None]]] = {}
        self.returned: dict[int, list[Node]] = {}
        self.makers: set[int] = set()
        """Functions whose returned values are kept: they hold a class or a function, or return `type(…)`."""
        self.hook_calls: list[HookCall] = []
        self.stack: list[_Step] = []

    def facts(self) -> FileFacts:
        self.push(self.root.children, 0, None)
        while self.stack:
            node, scope, branch = self.stack.pop()
            handler = _HANDLERS.get(node.type)
            if handler is not None:
                handler(self, node, scope, branch)
        self.keep_pending()
        self.find_setattr()
        self.find_walrus()
        self.mark_generators()
        self.imports.sort(key=lambda one: one.at)
        self.assignments.sort(key=lambda one: one.at)
        self.attributes.sort(key=lambda one: one.at)
        return FileFacts(
            self.source.line_count,
            tuple(self.scopes),
            tuple(self.guards),
            tuple(self.imports),
            tuple(self.assignments),
            tuple(self.attributes),
            tuple(self.outside),
            tuple(self.exported),
            tuple(self.hook_calls),
            tuple(self.problems),
        )

    # ---- small helpers

    def push(self, nodes: list[Node], scope: int, branch: _Branch | None) -> None:
        self.stack += [(node, scope, branch) for node in reversed(nodes)]

    def text(self, node: Node) -> str:
        return self.utf8[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def name(self, node: Node) -> str:
        """An identifier, normalized as Python does it (language reference 2.3)."""
        text = self.text(node)
        return text if text.isascii() else unicodedata.normalize("NFKC", text)

    def written(self, node: Node) -> Written:
        return Written(node.start_byte, self.text(node))

    def guard(self, branch: _Branch | None) -> int:
        """The index of the fact for a branch, made when first needed."""
        if branch is None:
            return -1
        known = self.guard_index.get(id(branch))
        if known is None:
            parent = self.guard(branch.parent)
            known = self.guard_index[id(branch)] = len(self.guards)
            self.branches.append(branch)
            test = self.text(branch.test)[:400] if branch.test is not None else ""
            failed = tuple([self.text(node)[:400] for node in branch.failed])
            self.guards.append(Guard(parent, branch.kind, branch.at, branch.index, test, failed))  # type: ignore[arg-type]
        return known

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
        return f"{outer}.<locals>.{name}" if self.kinds[parent] == "function" else f"{outer}.{name}"

    def decorated(self, node: Node, scope: int, branch: _Branch | None) -> None:
        children = node.named_children
        decorators = [child for child in children if child.type == "decorator"]
        inner = children[-1] if children else node
        if inner.type in ("class_definition", "function_definition"):
            handler = _Walk.class_definition if inner.type == "class_definition" else _Walk.function_definition
            handler(self, inner, scope, branch, node, decorators)

    def decorator_values(self, nodes: list[Node]) -> tuple[Written, ...]:
        values = [[child for child in node.named_children if child.type != "comment"] for node in nodes]
        return tuple([self.written(found[0]) for found in values if found])

    def class_definition(
        self, node: Node, scope: int, branch: _Branch | None, outer: Node | None = None, decorators: list[Node] | None = None
    ) -> None:
        parts = {child.type: child for child in reversed(node.named_children)}
        name_node = parts.get("identifier", node)
        name = self.name(name_node)
        bases, keywords = self.header(parts.get("argument_list"))
        found = ClassScope(
            name,
            self.qualname(name, scope),
            scope,
            self.guard(branch),
            self.span(node, outer or node, name_node),
            bases,
            keywords,
            self.decorator_values(decorators) if decorators else (),
            self.type_parameters(parts.get("type_parameter")),
        )
        self.enter(found, "class", parts.get("block"))

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
            while part.type != "identifier" and part.named_child_count:
                part = part.named_children[0]
            if part.type == "identifier":
                names.append(self.name(part))
        return tuple(names)

    def function_definition(
        self, node: Node, scope: int, branch: _Branch | None, outer: Node | None = None, decorators: list[Node] | None = None
    ) -> None:
        parts = {child.type: child for child in reversed(node.named_children)}
        name_node, block = parts.get("identifier", node), parts.get("block")
        name = self.name(name_node)
        statements = block.named_children if block is not None else []
        found = FunctionScope(
            name,
            self.qualname(name, scope),
            scope,
            self.guard(branch),
            self.span(node, outer or node, name_node),
            self.written(parts["parameters"]) if "parameters" in parts else None,
            self.written(parts["type"]) if "type" in parts else None,
            self.decorator_values(decorators) if decorators else (),
            body_kind(statements, self.utf8),
            self.utf8.startswith(b"async", node.start_byte),
            False,
            self.type_parameters(parts.get("type_parameter")),
        )
        self.enter(found, "function", block, statements)

    def enter(self, scope: ScopeFact, kind: str, block: Node | None, statements: list[Node] | None = None) -> None:
        self.scopes.append(scope)
        self.kinds.append(kind)
        if block is not None:
            self.push(block.named_children if statements is None else statements, len(self.scopes) - 1, None)

    # ---- compound statements

    def inside(self, node: Node, scope: int, branch: _Branch | None) -> None:
        self.push(node.named_children, scope, branch)

    def if_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        at, test, failed = node.start_byte, None, []
        found: list[_Step] = []
        for child in node.named_children:
            if child.type == "block":
                found += _steps(child, scope, _Branch(branch, "if", at, 0, test))
            elif child.type == "elif_clause":
                failed += [test] if test is not None else []
                inner = child.named_children
                test = inner[0] if inner else None
                found += _clause_steps(child, scope, _Branch(branch, "elif", at, len(failed), test, tuple(failed)))
            elif child.type == "else_clause":
                failed += [test] if test is not None else []
                found += _clause_steps(child, scope, _Branch(branch, "else", at, len(failed), None, tuple(failed)))
            elif test is None and child.type != "comment":
                test = child
        self.stack += reversed(found)

    def try_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        at, index = node.start_byte, 0
        found: list[_Step] = []
        for child in node.named_children:
            if child.type == "block":
                found += _steps(child, scope, _Branch(branch, "try", at, 0, None))
            elif child.type in ("except_clause", "except_group_clause"):
                index += 1
                caught = child.named_children[0] if child.named_child_count else None
                test = caught if caught is not None and caught.type not in ("block", "comment") else None
                found += _clause_steps(child, scope, _Branch(branch, "except", at, index, test))
            elif child.type == "else_clause":
                found += _clause_steps(child, scope, _Branch(branch, "try_else", at, 0, None))
            elif child.type == "finally_clause":
                found += _clause_steps(child, scope, branch)
        self.stack += reversed(found)

    def loop(self, node: Node, scope: int, branch: _Branch | None) -> None:
        if node.type == "for_statement":
            ends = [child for child in node.named_children if child.type != "comment"]
            if len(ends) > 1:
                self.bind(ends[0], "for", ends[1], None, scope, branch)
        found: list[_Step] = []
        for child in node.named_children:
            if child.type == "block":
                found += _steps(child, scope, _Branch(branch, "loop", node.start_byte, 0, None))
            elif child.type == "else_clause":
                found += _clause_steps(child, scope, _Branch(branch, "loop_else", node.start_byte, 1, None))
        self.stack += reversed(found)

    def with_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        found: list[_Step] = []
        for child in node.named_children:
            if child.type == "with_clause":
                for item in child.named_children:
                    inner = item.named_children[0] if item.named_child_count else item
                    if inner.type == "as_pattern" and inner.named_child_count > 1:
                        context, *_, target = inner.named_children
                        self.bind(target, "with", context, None, scope, branch)
            elif child.type == "block":
                found += _steps(child, scope, branch)
        self.stack += reversed(found)

    def match_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        index = 0
        found: list[_Step] = []
        for block in node.named_children:
            for child in block.named_children if block.type == "block" else ():
                if child.type == "case_clause":
                    test = child.named_children[0] if child.named_child_count else None
                    found += _clause_steps(child, scope, _Branch(branch, "case", node.start_byte, index, test))
                    index += 1
        self.stack += reversed(found)

    # ---- imports

    def import_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        for child in node.named_children:
            module, alias = self.aliased(child)
            if module:
                bound = alias or module.partition(".")[0]
                self.imported(child, scope, branch, bound, module, 0, None, bool(alias))

    def import_from(self, node: Node, scope: int, branch: _Branch | None) -> None:
        source, *names = [child for child in node.named_children if child.type != "comment"] or [node]
        level, module = 0, self.dotted(source)
        if source.type == "relative_import":
            prefix = source.named_children[0]
            level = self.utf8.count(b".", prefix.start_byte, prefix.end_byte)
            module = self.dotted(source.named_children[1]) if source.named_child_count > 1 else ""
        for child in names:
            if child.type == "wildcard_import":
                self.imported(child, scope, branch, "*", module, level, "*", False)
                continue
            attribute, alias = self.aliased(child)
            if attribute:
                self.imported(child, scope, branch, alias or attribute, module, level, attribute, False)

    def imported(
        self, node: Node, scope: int, branch: _Branch | None, name: str, module: str, level: int, attribute: str | None, whole: bool
    ) -> None:
        at = node.start_byte
        found = Imported(scope, self.guard(branch), at, self.source.line_of(at), name, module, level, attribute, whole)
        self.imports.append(found)

    def aliased(self, node: Node) -> tuple[str, str]:
        if node.type == "aliased_import" and node.named_child_count > 1:
            return self.dotted(node.named_children[0]), self.name(node.named_children[-1])
        return (self.dotted(node), "") if node.type in ("dotted_name", "identifier") else ("", "")

    def dotted(self, node: Node) -> str:
        if node.type == "identifier":
            return self.name(node)
        return ".".join([self.name(part) for part in node.named_children if part.type == "identifier"])

    # ---- assignments

    def expression_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        first = node.children[0]
        kind = first.type
        if kind == "assignment":
            self.assignment(first, scope, branch)
        elif kind == "augmented_assignment":
            left, operator, *_, right = first.children
            self.bind(left, "augmented", right, None, scope, branch, self.text(operator)[:-1])
        elif kind == "call":
            if scope == 0 and self.utf8.startswith(b"__all__", first.start_byte):
                self.changes_all(first)
            elif self.kinds[scope] == "function" and self.scopes[scope].name == "__init_subclass__":
                call = HookCall(scope, self.guard(branch), self.source.line_of(first.start_byte), self.written(first))
                self.hook_calls.append(call)

    def assignment(self, node: Node, scope: int, branch: _Branch | None) -> None:
        """`a = b = value` and `a: annotation = value`; the grammar nests the former to the right."""
        targets: list[Node] = []
        while True:
            children = node.children
            targets.append(children[0])
            last = children[-1]
            if last.type != "assignment":
                break
            node = last
        signs = [child.type for child in children[1:]]
        if ":" in signs:
            annotation = next((child for child in children if child.type == "type"), None)
            value = last if "=" in signs else None
            self.bind(targets[-1], "annotation", value, annotation, scope, branch)
            targets.pop()
            last = value or last
        for target in targets:
            self.bind(target, "assign", last, None, scope, branch)

    def bind(
        self, target: Node, how: How, value: Node | None, annotation: Node | None, scope: int, branch: _Branch | None, operator: str = ""
    ) -> None:
        """Records the names and attributes that a target binds."""
        if target.type == "identifier":
            self.bind_name(target, how, value, annotation, (), operator, scope, branch)
            return
        for leaf, place in _leaves(target):
            if leaf.type == "identifier":
                self.bind_name(leaf, how, value, annotation, place, operator, scope, branch)
            elif how != "augmented":
                self.bind_attribute(leaf, how, value, annotation, place, scope, branch)

    def bind_name(
        self,
        target: Node,
        how: How,
        value: Node | None,
        annotation: Node | None,
        place: tuple[int, ...],
        operator: str,
        scope: int,
        branch: _Branch | None,
    ) -> None:
        if self.kinds[scope] == "function":
            self.pending.setdefault(scope, []).append((target, how, value, annotation, place, operator, branch))
            return
        at = target.start_byte
        name = self.name(target)
        self.assignments.append(
            Assigned(
                scope,
                self.guard(branch),
                at,
                self.source.line_of(at),
                name,
                how,
                self.written(value) if value is not None else None,
                self.written(annotation) if annotation is not None else None,
                place,
                operator,
            )
        )
        if name == "__all__" and scope == 0 and value is not None and how in ("assign", "annotation", "augmented"):
            step = "add" if how == "augmented" else "set"
            self.exported += exported_names(step, parse.expression(value, self.utf8))

    def bind_attribute(
        self,
        target: Node,
        how: How,
        value: Node | None,
        annotation: Node | None,
        place: tuple[int, ...],
        scope: int,
        branch: _Branch | None,
    ) -> None:
        base, *_, attribute = target.children
        at = attribute.start_byte
        self.attributes.append(
            AttributeAssigned(
                scope,
                self.guard(branch),
                at,
                self.source.line_of(at),
                self.written(base),
                self.name(attribute),
                how,
                self.written(value) if value is not None else None,
                self.written(annotation) if annotation is not None else None,
                place,
            )
        )

    def changes_all(self, call: Node) -> None:
        """`__all__.append("x")`, `.extend(…)`, `.remove("x")`."""
        function, arguments = call.children[0], call.children[-1]
        method = self.text(function).rpartition(".")[2]
        values = arguments.named_children
        if method in ("append", "extend", "remove") and len(values) == 1:
            step = "remove" if method == "remove" else "add"
            self.exported += exported_names(step, parse.expression(values[0], self.utf8))

    def type_alias(self, node: Node, scope: int, branch: _Branch | None) -> None:
        """`type X = …` (PEP 695), or `type(x).y = z`, which the grammar takes for one (tree-sitter-python issue 321)."""
        after = self.utf8[node.start_byte + 4 : node.end_byte].lstrip()[:1]
        if after in (b"(", b".", b"["):
            alone = b"typ_" + self.utf8[node.start_byte + 4 : node.end_byte]
            root = parse.parser().parse(alone).root_node_with_offset(node.start_byte, (0, node.start_byte))
            if root is not None and not root.has_error:
                self.push([child for child in root.children if child.type == "expression_statement"], scope, branch)
            return
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) > 1:
            name = parts[0]
            while name.type != "identifier" and name.named_child_count:
                name = name.named_children[0]
            self.bind_name(name, "type", parts[-1], None, (), "", scope, branch)

    def delete_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        for child in node.named_children:
            for leaf, _ in _leaves(child):
                if leaf.type == "identifier" and self.kinds[scope] != "function":
                    self.bind_name(leaf, "delete", None, None, (), "", scope, branch)

    def scope_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        kind = "global" if node.type == "global_statement" else "nonlocal"
        for child in node.named_children:
            if child.type == "identifier":
                self.outside.append(Outside(scope, kind, self.name(child)))  # type: ignore[arg-type]

    def return_statement(self, node: Node, scope: int, branch: _Branch | None) -> None:
        values = node.named_children
        if values:
            self.returned.setdefault(scope, []).append(values[0])
            if self.utf8.startswith(b"type(", values[0].start_byte):
                self.makers.add(scope)

    # ---- what is found by text, and what is known only at the end

    def keep_pending(self) -> None:
        """Locals and returned values of the functions that hold or make a class, and of names declared global."""
        makers = self.makers
        holders = set(makers)
        for index, scope in enumerate(self.scopes):
            kind = self.kinds[index]
            above = scope.parent
            if kind != "module" and above > 0 and self.kinds[above] == "function":
                makers.add(above)
            while kind == "class" and above > 0:
                if self.kinds[above] == "function":
                    holders.add(above)
                above = self.scopes[above].parent
        declared = {(one.scope, one.name) for one in self.outside}
        self.kinds = ["module"] * len(self.kinds)
        for index, found in self.pending.items():
            for target, how, value, annotation, place, operator, branch in found:
                if index in holders or (declared and (index, self.name(target)) in declared):
                    self.bind_name(target, how, value, annotation, place, operator, index, branch)
        for index in makers:
            scope = self.scopes[index]
            if isinstance(scope, FunctionScope):
                results = tuple([self.written(node) for node in self.returned.get(index, ())])
                self.scopes[index] = _with(scope, results=results)

    def find_setattr(self) -> None:
        for match in _SETATTR.finditer(self.utf8):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            if node is None or node.type != "call":
                continue
            arguments = [child for child in node.children[-1].named_children if child.type != "comment"]
            if len(arguments) == 3 and arguments[1].type == "string":
                scope, at = self.innermost(match.start()), arguments[1].start_byte
                name = getattr(parse.expression(arguments[1], self.utf8), "value", None)
                if name is None and self.scopes[scope].name == "__set_name__":
                    name = _pattern(self.text(arguments[1]))
                if isinstance(name, str):
                    base, value = self.written(arguments[0]), self.written(arguments[2])
                    line = self.source.line_of(at)
                    self.attributes.append(AttributeAssigned(scope, -1, at, line, base, name, "setattr", value))

    def find_walrus(self) -> None:
        for match in _WALRUS.finditer(self.utf8):
            node = self.root.descendant_for_byte_range(match.start(), match.end())
            if node is not None and node.type == "named_expression":
                scope = self.innermost(match.start())
                if not isinstance(self.scopes[scope], FunctionScope):
                    target, value = node.named_children[0], node.named_children[-1]
                    self.bind_name(target, "walrus", value, None, (), "", scope, None)

    def mark_generators(self) -> None:
        for match in _YIELD.finditer(self.utf8):
            index = self.innermost(match.start())
            scope = self.scopes[index]
            if isinstance(scope, FunctionScope) and not scope.is_generator:
                node = self.root.descendant_for_byte_range(*match.span())
                while node is not None and node.type not in ("yield", "block"):
                    node = node.parent
                if node is not None and node.type == "yield" and not _in_lambda(node):
                    self.scopes[index] = _with(scope, is_generator=True)

    def innermost(self, at: int) -> int:
        """The innermost scope whose body holds an offset. Decorators, defaults and bases count to the scope itself."""
        best = 0
        for index in range(1, len(self.scopes)):
            span = self.scopes[index].span
            if span.at > at:
                break
            if at < span.end:
                best = index
        return best


def _with(scope: FunctionScope, *, results: tuple[Written, ...] | None = None, is_generator: bool | None = None) -> FunctionScope:
    values = {name: getattr(scope, name) for name in scope.__struct_fields__}
    if results is not None:
        values["results"] = results
    if is_generator is not None:
        values["is_generator"] = is_generator
    return FunctionScope(**values)


def _pattern(text: str) -> str | None:
    """An f-string with plain names in its braces, without prefix and quotes: `_default_{name}`."""
    found = _PATTERN.match(text)
    return found[2] if found else None


def _in_lambda(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in ("block", "module"):
        if above.type in ("lambda", "generator_expression"):
            return True
        above = above.parent
    return False


def _leaves(target: Node) -> Iterator[tuple[Node, tuple[int, ...]]]:
    """The names and attributes in a target, each with its place; subscripts bind nothing."""
    waiting: list[tuple[Node, tuple[int, ...]]] = [(target, ())]
    while waiting:
        node, place = waiting.pop()
        kind = node.type
        if kind in ("identifier", "attribute"):
            yield node, place
        elif kind in _TARGET_LISTS:
            inner = [child for child in node.named_children if child.type != "comment"]
            places = [-index - 1 if child.type.startswith("list_splat") else index for index, child in enumerate(inner)]
            waiting += reversed([(child, (*place, index)) for child, index in zip(inner, places, strict=True)])
        elif kind in _WRAPPERS and node.named_child_count:
            waiting.append((node.named_children[0], place))


_HANDLERS: dict[str, Callable[[_Walk, Node, int, _Branch | None], None]] = {
    "block": _Walk.inside,
    "ERROR": _Walk.inside,
    "decorated_definition": _Walk.decorated,
    "class_definition": _Walk.class_definition,
    "function_definition": _Walk.function_definition,
    "if_statement": _Walk.if_statement,
    "try_statement": _Walk.try_statement,
    "for_statement": _Walk.loop,
    "while_statement": _Walk.loop,
    "with_statement": _Walk.with_statement,
    "match_statement": _Walk.match_statement,
    "import_statement": _Walk.import_statement,
    "import_from_statement": _Walk.import_from,
    "expression_statement": _Walk.expression_statement,
    "type_alias_statement": _Walk.type_alias,
    "delete_statement": _Walk.delete_statement,
    "global_statement": _Walk.scope_statement,
    "nonlocal_statement": _Walk.scope_statement,
    "return_statement": _Walk.return_statement,
}
