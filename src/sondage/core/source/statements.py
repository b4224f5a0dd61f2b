"""Owns the way from tree-sitter's statement nodes to the statements of `core.source.syntax`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from sondage.core.source import blocks, syntax
from sondage.core.source.convert import MAX_DEPTH
from sondage.core.source.import_statements import ImportConverter

if TYPE_CHECKING:
    from tree_sitter import Node

A = TypeVar("A")

Reparse: TypeAlias = Callable[[bytes, int], blocks.Block]
Later: TypeAlias = Callable[[bytes, int, int], blocks.Block]
_CLAUSES = frozenset({"elif_clause", "else_clause"})


class StatementConverter(ImportConverter):
    """Reads statements. `reparse(statement, at)` reads again one that the grammar has misunderstood.

    With `later(function, at, depth)` bodies of functions are read when they are asked for, from their text alone: a tree
    takes fifteen times the memory of its text, and is not kept for them. `class_later` is the same for those of classes.
    """

    def __init__(
        self,
        source: bytes,
        reparse: Reparse,
        base: int = 0,
        *,
        later: Later | None = None,
        class_later: Later | None = None,
    ) -> None:
        super().__init__(source, base)
        self.reparse = reparse
        self.later = later
        self.class_later = class_later

    def block(self, nodes: Sequence[Node]) -> blocks.Block:
        """Statements in a row; those inside an ERROR node are kept, as far as they were recognised."""
        found: list[blocks.Stmt] = []
        if self.depth < MAX_DEPTH:
            self.depth += 1
            for node in nodes:
                self.add_statement(node, found)
            self.depth -= 1
        return tuple(found)

    def add_statement(self, node: Node, found: list[blocks.Stmt]) -> None:
        kind = node.type
        if kind == "expression_statement":
            self.add_expression_statement(node, found)
        elif handler := STATEMENTS.get(kind):
            found.append(handler(self, node))
        elif kind == "type_alias_statement":
            found += self.alias_statement(node)
        elif kind in {"ERROR", "block"}:
            found += self.block(node.children)

    def body(self, node: Node | None) -> blocks.Block:
        """The statements of a block, or of the clause (`else:`, `finally:`) that holds one."""
        if node is None:
            return ()
        if node.type != "block":
            node = next((child for child in reversed(node.children) if child.type == "block"), node)
        return self.block(node.children)

    def value(self, node: Node) -> blocks.Unread[syntax.Expr]:
        """An expression that is read when somebody asks for it, where bodies are."""
        return self.later_on(StatementConverter.expression, node)

    def inside(self, node: Node | None) -> blocks.Unread[blocks.Block]:
        """As `body`, likewise."""
        return self.later_on(StatementConverter.body, node) if node is not None else _NOTHING

    def formal(self, node: Node | None) -> blocks.Unread[tuple[syntax.Parameter, ...]]:
        """Parameters, likewise."""
        return self.later_on(StatementConverter.parameters, node) if node is not None else blocks.Unread(0, 0, tuple)

    def later_on(self, read: Callable[[StatementConverter, Node], A], node: Node) -> blocks.Unread[A]:
        """What is read when somebody asks for it, at this depth of nesting; at once where bodies are."""
        if self.later is None:
            return _read(node, read(self, node))
        return blocks.Unread(node.start_byte, node.end_byte, _at_depth, self, self.depth, read, node)

    def unread(self, definition: Node, block: Node | None, later: Later | None) -> blocks.Unread[blocks.Block]:
        """The body of a definition: `block` read now, or its text later."""
        at, end = definition.start_byte, definition.end_byte
        if later is None:
            return _read(definition, self.body(block))
        return blocks.Unread(at, end, later, self.source[at - self.base : end - self.base], at, self.depth)

    # ---- simple statements

    def add_expression_statement(self, node: Node, found: list[blocks.Stmt]) -> None:
        parts = self.parts(node)
        if not parts:
            return
        first = parts[0]
        if first.type == "assignment":
            found.append(self.assignment(first))
        elif first.type == "augmented_assignment" and len(inner := self.parts(first)) == 3:
            target, value = self.expression(inner[0]), self.value(inner[2])
            found.append(blocks.AugAssign(node.start_byte, node.end_byte, target, inner[1].type[:-1], value))
        else:
            value = self.value(first) if len(parts) == 1 else _read(node, self.bare_tuple(node, parts))
            found.append(blocks.ExprStmt(node.start_byte, node.end_byte, value))

    def bare_tuple(self, node: Node, parts: Sequence[Node]) -> syntax.Expr:
        """`a, b` as a statement."""
        values = [part for part in parts if part.type != ","]
        return self.tuple_or_one(values, node.start_byte, node.end_byte, comma=True)

    def assignment(self, node: Node) -> blocks.Stmt:
        targets: list[syntax.Expr] = []
        current = node
        while True:
            parts = self.parts(current)
            targets.append(self.expression(parts[0]))
            if len(parts) >= 3 and parts[1].type == ":":
                value = self.expression(parts[4]) if len(parts) > 4 else None
                annotation = self.expression(parts[2])
                return blocks.AnnAssign(node.start_byte, node.end_byte, targets[0], annotation, value)
            if len(parts) < 3:
                break
            current = parts[2]
            if current.type != "assignment":
                break
        last = parts[2] if len(parts) > 2 else node
        unread = self.value(last) if last is not node else _read(node, self.unparsed(node))
        return blocks.Assign(node.start_byte, node.end_byte, tuple(targets), unread)

    def alias_statement(self, node: Node) -> blocks.Block:
        """`type X = …`, or an assignment to an attribute of `type(x)` that the grammar took for one."""
        parts = self.parts(node)
        written = self.source[node.start_byte - self.base : node.end_byte - self.base]
        if written[4:].lstrip()[:1] in {b"(", b".", b"["} or len(parts) < 4:
            return self.reparse(written, node.start_byte)
        name = self.first_name(parts[1])
        return (blocks.TypeAliasStmt(node.start_byte, node.end_byte, name, self.expression(parts[-1])),)

    def return_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        value = self.value(parts[1]) if len(parts) > 1 else None
        return blocks.Return(node.start_byte, node.end_byte, value)

    def raise_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        exc = self.expression(parts[1]) if len(parts) > 1 else None
        cause = self.expression(parts[3]) if len(parts) > 3 else None
        return blocks.Raise(node.start_byte, node.end_byte, exc, cause)

    def delete_statement(self, node: Node) -> blocks.Stmt:
        inner = self.parts(node)[1:]
        nodes = self.items(inner[0]) if inner and inner[0].type == "expression_list" else inner
        return blocks.Delete(node.start_byte, node.end_byte, self.expressions(nodes))

    def assert_statement(self, node: Node) -> blocks.Stmt:
        values = [self.value(value) for value in self.items(node)[1:]]
        test = values[0] if values else _read(node, self.unparsed(node))
        return blocks.Assert(node.start_byte, node.end_byte, test, values[1] if len(values) > 1 else None)

    def scope_statement(self, node: Node) -> blocks.Stmt:
        kind: Literal["global", "nonlocal"] = "global" if node.type == "global_statement" else "nonlocal"
        names = tuple(self.text(part) for part in node.children if part.type == "identifier")
        return blocks.Scope(node.start_byte, node.end_byte, kind, names)

    def simple_statement(self, node: Node) -> blocks.Stmt:
        return blocks.Simple(node.start_byte, node.end_byte, _SIMPLE[node.type])

    def old_statement(self, node: Node) -> blocks.Stmt:
        """`print x` and `exec x` of Python 2, as the calls they are."""
        parts = [part for part in self.parts(node) if part.type not in {",", "in"}]
        func = syntax.Name(node.start_byte, parts[0].end_byte, parts[0].type)
        args = tuple(self.expression(part) for part in parts[1:] if part.type != "chevron")
        call = syntax.Call(node.start_byte, node.end_byte, func, args, ())
        return blocks.ExprStmt(node.start_byte, node.end_byte, _read(node, call))

    # ---- compound statements

    def if_statement(self, node: Node) -> blocks.Stmt:
        """The `elif` clauses nest from the last to the first; those beyond the depth limit count as one `else`."""
        parts = self.parts(node)
        kinds = [part.type for part in parts]
        clauses = [part for part, kind in zip(parts, kinds, strict=True) if kind in _CLAUSES]
        deeper = tuple(statement for clause in clauses[MAX_DEPTH:] for statement in self.body(clause))
        orelse = _read(node, deeper) if deeper else _NOTHING
        for clause in reversed(clauses[:MAX_DEPTH]):
            if clause.type == "else_clause":
                orelse = self.inside(clause)
            else:
                test = self.value(self.parts(clause)[1])
                elif_ = blocks.If(clause.start_byte, node.end_byte, test, self.inside(clause), orelse)
                orelse = _read(node, (elif_,))
        body = self.inside(parts[kinds.index("block")] if "block" in kinds else None)
        return blocks.If(node.start_byte, node.end_byte, self.value(parts[1]), body, orelse)

    def for_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        is_async = parts[0].type == "async"
        if is_async:
            parts = parts[1:]
        split = next((index for index, part in enumerate(parts) if part.type == "in"), len(parts) - 1)
        iterated = parts[split + 1] if split + 1 < len(parts) else parts[-1]
        body, orelse = self.body_and_else(parts)
        return blocks.For(
            node.start_byte,
            node.end_byte,
            self.expression(parts[1]),
            self.expression(iterated),
            body,
            orelse,
            is_async,
        )

    def while_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        body, orelse = self.body_and_else(parts)
        return blocks.While(node.start_byte, node.end_byte, self.value(parts[1]), body, orelse)

    def body_and_else(self, parts: Sequence[Node]) -> tuple[blocks.Unread[blocks.Block], blocks.Unread[blocks.Block]]:
        body = next((part for part in parts if part.type == "block"), None)
        orelse = next((part for part in parts if part.type == "else_clause"), None)
        return self.inside(body), self.inside(orelse)

    def with_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        is_async = parts[0].type == "async"
        clause = next((part for part in parts if part.type == "with_clause"), None)
        items = tuple(self.with_item(item) for item in (self.items(clause) if clause else ()))
        body, _ = self.body_and_else(parts)
        return blocks.With(node.start_byte, node.end_byte, items, body, is_async)

    def with_item(self, node: Node) -> blocks.WithItem:
        inner = node.children[0] if node.child_count else node
        if inner.type == "as_pattern" and len(parts := self.parts(inner)) == 3:
            return blocks.WithItem(self.expression(parts[0]), self.expression(parts[2]))
        return blocks.WithItem(self.expression(inner), None)

    def try_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        handlers = tuple(self.except_handler(part) for part in parts if part.type == "except_clause")
        body, orelse = self.body_and_else(parts)
        last = next((part for part in parts if part.type == "finally_clause"), None)
        return blocks.Try(node.start_byte, node.end_byte, body, handlers, orelse, self.inside(last))

    def except_handler(self, node: Node) -> blocks.ExceptHandler:
        """`except E as e`, `except* E`, and `except E, e` of Python 2 (PEP 758 writes the same for two types)."""
        parts = [part for part in self.parts(node) if part.type != "block"]
        is_group = any(part.type in {"*", "except*"} for part in parts)
        values = [part for part in parts[1:] if part.is_named]
        caught, name = None, None
        if values and values[0].type == "as_pattern" and len(inner := self.parts(values[0])) == 3:
            caught, name = self.expression(inner[0]), self.text(inner[2])
        elif values:
            caught = self.expression(values[0])
            name = self.text(values[1]) if len(values) > 1 and values[1].type != "attribute" else None
        return blocks.ExceptHandler(caught, name, self.inside(node), is_group)

    # ---- match

    def match_statement(self, node: Node) -> blocks.Stmt:
        parts = self.parts(node)
        subjects = [part for part in parts[1:] if part.type not in {",", ":", "block"}]
        clauses = [child for part in parts if part.type == "block" for child in part.children]
        cases = tuple(self.match_case(clause) for clause in clauses if clause.type == "case_clause")
        first, last = (subjects[0], subjects[-1]) if subjects else (node, node)
        subject = self.tuple_or_one(subjects, first.start_byte, last.end_byte, comma=len(subjects) != 1)
        return blocks.Match(node.start_byte, node.end_byte, subject, cases)

    def match_case(self, node: Node) -> blocks.MatchCase:
        parts = self.parts(node)
        patterns = [part for part in parts if part.type == "case_pattern"]
        guard = next((self.expression(part.children[-1]) for part in parts if part.type == "if_clause"), None)
        bound = tuple(dict.fromkeys(name for pattern in patterns for name in self.bound_names(pattern)))
        first, last = (patterns[0], patterns[-1]) if patterns else (node, node)
        pattern = self.pattern(first) if len(patterns) == 1 else self.unparsed(first, last)
        return blocks.MatchCase(pattern, bound, guard, self.inside(node))

    # ---- definitions

    def function_definition(self, node: Node, decorated: Node | None = None) -> blocks.Stmt:
        parts = self.parts(node)
        by_kind = {part.type: part for part in reversed(parts)}
        name = by_kind.get("identifier", node)
        outer = decorated or node
        return blocks.FunctionDef(
            outer.start_byte,
            outer.end_byte,
            self.text(name),
            name.start_byte,
            self.formal(by_kind.get("parameters")),
            self.expression(by_kind["type"]) if "type" in by_kind else None,
            self.decorators(decorated),
            self.unread(node, by_kind.get("block"), self.later),
            parts[0].type == "async",
            self.type_parameters(by_kind.get("type_parameter")),
        )

    def class_definition(self, node: Node, decorated: Node | None = None) -> blocks.Stmt:
        by_kind = {part.type: part for part in reversed(self.parts(node))}
        name = by_kind.get("identifier", node)
        bases, keywords = self.arguments(by_kind["argument_list"]) if "argument_list" in by_kind else ((), ())
        outer = decorated or node
        return blocks.ClassDef(
            outer.start_byte,
            outer.end_byte,
            self.text(name),
            name.start_byte,
            bases,
            keywords,
            self.decorators(decorated),
            self.unread(node, by_kind.get("block"), self.class_later),
            self.type_parameters(by_kind.get("type_parameter")),
        )

    def decorated_definition(self, node: Node) -> blocks.Stmt:
        inner = node.children[-1]
        if inner.type == "class_definition":
            return self.class_definition(inner, node)
        return self.function_definition(inner, node)

    def decorators(self, node: Node | None) -> tuple[syntax.Expr, ...]:
        if node is None:
            return ()
        found = [self.parts(child) for child in node.children if child.type == "decorator"]
        return tuple(self.expression(parts[1]) for parts in found if len(parts) > 1)

    def type_parameters(self, node: Node | None) -> tuple[str, ...]:
        """Names only, without stars, bounds and defaults."""
        return tuple(self.first_name(part) for part in self.items(node)) if node else ()

    def first_name(self, node: Node) -> str:
        while node.type != "identifier" and node.named_child_count:
            node = node.named_children[0]
        return self.text(node)


def _at_depth(
    converter: StatementConverter, depth: int, read: Callable[[StatementConverter, Node], A], node: Node
) -> A:
    converter.depth = depth
    return read(converter, node)


def _read(node: Node, content: A) -> blocks.Unread[A]:
    """What was read at once, where others may be read later."""
    return blocks.Unread(node.start_byte, node.end_byte, lambda: content)


_NOTHING: blocks.Unread[blocks.Block] = blocks.Unread(0, 0, tuple)

_SIMPLE: dict[str, Literal["pass", "break", "continue"]] = {
    "pass_statement": "pass",
    "break_statement": "break",
    "continue_statement": "continue",
}
STATEMENTS: dict[str, Callable[[StatementConverter, Node], blocks.Stmt]] = {
    "import_statement": StatementConverter.import_statement,
    "import_from_statement": StatementConverter.import_from,
    "future_import_statement": StatementConverter.import_from,
    "return_statement": StatementConverter.return_statement,
    "raise_statement": StatementConverter.raise_statement,
    "delete_statement": StatementConverter.delete_statement,
    "assert_statement": StatementConverter.assert_statement,
    "global_statement": StatementConverter.scope_statement,
    "nonlocal_statement": StatementConverter.scope_statement,
    **dict.fromkeys(_SIMPLE, StatementConverter.simple_statement),
    "print_statement": StatementConverter.old_statement,
    "exec_statement": StatementConverter.old_statement,
    "if_statement": StatementConverter.if_statement,
    "for_statement": StatementConverter.for_statement,
    "while_statement": StatementConverter.while_statement,
    "with_statement": StatementConverter.with_statement,
    "try_statement": StatementConverter.try_statement,
    "match_statement": StatementConverter.match_statement,
    "function_definition": StatementConverter.function_definition,
    "class_definition": StatementConverter.class_definition,
    "decorated_definition": StatementConverter.decorated_definition,
}
