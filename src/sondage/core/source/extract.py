"""Owns extraction: the bytes of one file → its facts, by one parse and one walk over statements (never over expressions)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from sondage.core.source import kinds, parse
from sondage.core.source.collect import Bound, Branch, Here, leaves
from sondage.core.source.definitions import Definitions
from sondage.core.source.facts import (
    MODULE,
    ClassScope,
    FileFacts,
    FunctionScope,
    HookCall,
    Outside,
    Problem,
    ScopeFact,
)
from sondage.core.source.imports import Imports
from sondage.core.source.kinds import (
    ASSIGNMENT,
    AUGMENTED_ASSIGNMENT,
    BLOCK,
    CALL,
    CLASS_DEFINITION,
    FUNCTION_DEFINITION,
    IDENTIFIER,
    meant,
    one_by_one,
)
from sondage.core.source.late_facts import add_late_facts
from sondage.core.source.plain import ATTRIBUTE_TARGET, PLAIN_ASSIGNMENT, PlainAssignments
from sondage.core.source.repair import repaired
from sondage.core.source.second_look import SecondLook
from sondage.core.source.shape import body_kind, exported_names
from sondage.core.source.text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

_MOST_PROBLEMS = 100
_MOST_LEVELS = 120
"""Blocks inside blocks that are followed: Python itself takes no more than a hundred."""
_EXCEPT_CLAUSE = kinds.number("except_clause")
_BIND_NO_ATTRIBUTE = kinds.numbers("identifier", "subscript")
_FOR_STATEMENT = kinds.number("for_statement")
_GLOBAL_STATEMENT = kinds.number("global_statement")


def extract(data: bytes, using: Parser | None = None) -> FileFacts:
    """The facts of a file from its bytes. Nothing raises on any input; what could not be read is a `Problem`."""
    return extract_text(SourceText(data), using)


def extract_text(source: SourceText, using: Parser | None = None) -> FileFacts:
    """The same, for a text that was decoded already."""
    tree, problems = read_tree(source, using)
    walk = Walk(source, problems)
    walk.run(tree.root_node)
    add_late_facts(walk, tree.root_node)
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


class Walk(Definitions, Imports, PlainAssignments, SecondLook):
    """Goes through the statements in source order."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        super().__init__(source, problems)
        self.handlers: list[Handlers] = [HANDLERS]
        """What is done with the statements of each scope, by their kinds."""
        self.levels = 0

    def run(self, root: Node) -> None:
        # Mending takes line ends out, and never puts any in; a lone return is one to the parser alone.
        whole = root.end_byte == len(self.utf8)
        self.rows_count = whole and root.end_point[0] == self.source.line_ends
        self.doubtful = root.has_error or not self.rows_count
        self.statements(one_by_one(root), Here(MODULE, None))
        self.keep_locals()
        self.keep_results()

    def statements(self, nodes: Iterable[Node], here: Here) -> None:
        """Statements in a row. What is nested too deep is left out, and said."""
        if self.levels > _MOST_LEVELS:
            if not self.second_look:
                first = next(iter(nodes), None)
                line = self.source.line_of(first.start_byte) if first is not None else 1
                self.problems.append(Problem("too_deep", line, "nested too deep to be read"))
            return
        self.levels += 1
        handler_of = self.handlers[here.scope].get
        for node in nodes:
            handler = handler_of(node.kind_id)
            if handler is not None:
                handler(self, node, here)
        self.levels -= 1

    def inside(self, node: Node, here: Here) -> None:
        self.statements(node.children, here)

    def block(self, block: Node, here: Here, branch: Branch | None) -> None:
        self.statements(block.children, Here(here.scope, branch))

    def clause(self, clause: Node, here: Here, branch: Branch | None) -> None:
        """The blocks of a clause."""
        for child in clause.children:
            if child.kind_id == BLOCK:
                self.block(child, here, branch)

    # ---- definitions

    def decorated(self, node: Node, here: Here) -> None:
        children = node.named_children
        inner = children[-1] if children else node
        if inner.kind_id == CLASS_DEFINITION:
            self.class_definition(inner, here, node)
        elif inner.kind_id == FUNCTION_DEFINITION:
            self.function_definition(inner, here, node)

    def class_definition(self, node: Node, here: Here, outer: Node | None = None) -> None:
        outer = outer or node
        parts = {child.kind_id: child for child in reversed(node.named_children)}
        name_node = parts.get(IDENTIFIER, node)
        name = self.name(name_node)
        bases, keywords = self.header(parts.get(kinds.ARGUMENT_LIST))
        found = ClassScope(
            name,
            self.qualname(name, here.scope),
            here.scope,
            self.guard(here.branch),
            self.span(node, outer, name_node),
            bases,
            keywords,
            self.decorators(outer, node),
            self.type_parameters(parts.get(kinds.TYPE_PARAMETER)),
        )
        block = parts.get(BLOCK)
        self.enter(found, "class", one_by_one(block) if block is not None else [], HANDLERS)

    def function_definition(self, node: Node, here: Here, outer: Node | None = None) -> None:
        outer = outer or node
        parts = {child.kind_id: child for child in reversed(node.named_children)}
        name_node, block = parts.get(IDENTIFIER, node), parts.get(BLOCK)
        name = self.name(name_node)
        statements = block.children if block is not None else []
        found = FunctionScope(
            name,
            self.qualname(name, here.scope),
            here.scope,
            self.guard(here.branch),
            self.span(node, outer, name_node),
            self.written_or_none(parts.get(kinds.PARAMETERS)),
            self.written_or_none(parts.get(kinds.TYPE)),
            self.decorators(outer, node),
            body_kind(block, self.utf8),
            self.utf8.startswith(b"async", node.start_byte),
            False,
            self.type_parameters(parts.get(kinds.TYPE_PARAMETER)),
        )
        handlers = HOOK_HANDLERS if name == "__init_subclass__" else FUNCTION_HANDLERS
        self.look_again(statements, self.enter(found, "function", statements, handlers))

    def enter(self, scope: ScopeFact, kind: str, statements: Iterable[Node], handlers: Handlers) -> Here:
        here = Here(len(self.scopes), None)
        self.scopes.append(scope)
        self.kinds.append(kind)
        self.handlers.append(handlers)
        self.holds(scope.parent, kind)
        self.statements(statements, here)
        return here

    def look_again(self, statements: list[Node], here: Here) -> None:
        """At the statements of a function, where more of it is kept than of most."""
        names = here.scope in self.holders or here.scope in self.declaring
        if names or here.scope in self.factories:
            self.handlers[here.scope] = NAME_HANDLERS if names else RETURN_HANDLERS
            self.second_look = True
            self.statements(statements, here)
            self.second_look = False

    # ---- compound statements

    def if_statement(self, node: Node, here: Here) -> None:
        at = node.start_byte
        test: Node | None = None
        failed: tuple[Node, ...] = ()
        for child in node.children:
            kind = child.kind_id
            if kind == BLOCK:
                self.block(child, here, Branch(here.branch, "if", at, 0, test))
            elif kind == kinds.ELIF_CLAUSE:
                failed += (test,) if test is not None else ()
                test = next(iter(meant(child)), None)
                self.clause(child, here, Branch(here.branch, "elif", at, len(failed), test, failed))
            elif kind == kinds.ELSE_CLAUSE:
                failed += (test,) if test is not None else ()
                self.clause(child, here, Branch(here.branch, "else", at, len(failed), None, failed))
            elif test is None and child.is_named and kind not in kinds.EXTRAS:
                test = child

    def try_statement(self, node: Node, here: Here) -> None:
        at, number = node.start_byte, 0
        for child in node.children:
            if child.kind_id == BLOCK:
                self.block(child, here, Branch(here.branch, "try", at, 0))
            elif child.kind_id == _EXCEPT_CLAUSE:
                number += 1
                caught = next(iter(meant(child)), None)
                test = caught if caught is not None and caught.kind_id != BLOCK else None
                self.clause(child, here, Branch(here.branch, "except", at, number, test))
            elif child.kind_id == kinds.ELSE_CLAUSE:
                self.clause(child, here, Branch(here.branch, "try_else", at, 0))
            elif child.kind_id == kinds.FINALLY_CLAUSE:
                self.clause(child, here, here.branch)

    def loop(self, node: Node, here: Here) -> None:
        if node.kind_id == _FOR_STATEMENT:
            ends = meant(node)
            if len(ends) > 1:
                self.bind(ends[0], Bound("for", ends[1]), here)
        for child in node.children:
            if child.kind_id == BLOCK:
                self.block(child, here, Branch(here.branch, "loop", node.start_byte, 0))
            elif child.kind_id == kinds.ELSE_CLAUSE:
                self.clause(child, here, Branch(here.branch, "loop_else", node.start_byte, 1))

    def with_statement(self, node: Node, here: Here) -> None:
        for child in node.children:
            if child.kind_id == kinds.WITH_CLAUSE:
                for item in child.named_children:
                    inner = next(iter(meant(item)), item)
                    if inner.kind_id == kinds.AS_PATTERN and inner.named_child_count > 1:
                        context, *_, target = inner.named_children
                        self.bind(target, Bound("with", context), here)
            elif child.kind_id == BLOCK:
                self.statements(child.children, here)

    def match_statement(self, node: Node, here: Here) -> None:
        cases = [one for block in node.named_children if block.kind_id == BLOCK for one in block.named_children]
        for number, case in enumerate(one for one in cases if one.kind_id == kinds.CASE_CLAUSE):
            test = next(iter(meant(case)), None)
            self.clause(case, here, Branch(here.branch, "case", node.start_byte, number, test))

    # ---- assignments and other simple statements

    def expression_statement(self, node: Node, here: Here) -> None:
        """Outside of functions."""
        if not self.doubtful and self.plain_statement(node, here):
            return
        first = node.children[0]
        if first.kind_id == ASSIGNMENT:
            self.assign(first, here)
        elif first.kind_id == AUGMENTED_ASSIGNMENT:
            self.augmented(first, here)
        elif first.kind_id == CALL and here.scope == MODULE and self.utf8.startswith(b"__all__", first.start_byte):
            self.changes_all(first)

    def expression_in_function(self, node: Node, here: Here) -> None:
        """Nine of ten statements bind no attribute: their text shows it, without a look at the nodes in them."""
        if not self.doubtful:
            utf8, at, end = self.utf8, node.start_byte, node.end_byte
            if ATTRIBUTE_TARGET.search(utf8, at, end) is None:
                return
            plain = PLAIN_ASSIGNMENT.fullmatch(utf8, at, end)
            if plain is not None:
                if plain["base"] is not None:
                    self.plain_attribute(node, plain, here)
                return
            if utf8.find(b"=", at, end) < 0 and utf8.find(b":", at, end) < 0:
                return
        first = node.children[0]
        if first.kind_id == ASSIGNMENT and not _binds_no_attribute(first):
            self.assign(first, here)

    def expression_in_hook(self, node: Node, here: Here) -> None:
        """In an `__init_subclass__`."""
        first = node.children[0]
        if first.kind_id == CALL:
            call = HookCall(here.scope, self.guard(here.branch), self.line(first), self.written(first))
            self.hook_calls.append(call)
        else:
            self.expression_in_function(node, here)

    def changes_all(self, call: Node) -> None:
        """`__all__.append("x")`, `.extend(…)`, `.remove("x")`."""
        function, arguments = call.children[0], call.children[-1]
        method = self.text(function).rpartition(".")[2]
        values = meant(arguments)
        if method in ("append", "extend", "remove") and len(values) == 1:
            step = "remove" if method == "remove" else "add"
            self.exported += exported_names(step, parse.expression(values[0], self.utf8))

    def type_alias(self, node: Node, here: Here) -> None:
        """`type X = …` (PEP 695), or `type(x).y = z`, which the grammar takes for one (tree-sitter-python issue 321)."""
        rest = self.utf8[node.start_byte + len(b"type") : node.end_byte]
        if rest.lstrip()[:1] in (b"(", b".", b"["):
            tree = parse.parser().parse(b"typ_" + rest)
            root = tree.root_node_with_offset(node.start_byte, (node.start_point[0], 0))
            if root is not None and not root.has_error:
                self.statements([child for child in root.children if child.type == "expression_statement"], here)
            return
        parts = meant(node)
        if len(parts) > 1:
            name = parts[0]
            while name.kind_id != IDENTIFIER and name.named_child_count:
                name = name.named_children[0]
            self.bind_names(name, Bound("type", parts[-1]), (), here)

    def delete_statement(self, node: Node, here: Here) -> None:
        """Outside of functions."""
        for child in node.named_children:
            for leaf, _ in leaves(child):
                if leaf.kind_id == IDENTIFIER:
                    self.keep_name(leaf, Bound("delete"), (), here)

    def outside_statement(self, node: Node, here: Here) -> None:
        self.declaring.add(here.scope)
        names = [child for child in node.named_children if child.kind_id == IDENTIFIER]
        kind: Literal["global", "nonlocal"] = "global" if node.kind_id == _GLOBAL_STATEMENT else "nonlocal"
        self.outside += [Outside(here.scope, kind, self.name(child)) for child in names]


def _binds_no_attribute(assignment: Node) -> bool:
    """Whether its only target is a plain name or a subscript."""
    children = assignment.children
    return children[0].kind_id in _BIND_NO_ATTRIBUTE and children[-1].kind_id != ASSIGNMENT


Handler: TypeAlias = "Callable[[Walk, Node, Here], None]"
Handlers: TypeAlias = "dict[int, Handler]"


def _by_kind(handlers: Mapping[str, Handler]) -> Handlers:
    return {kinds.number(name): handler for name, handler in handlers.items()}


_COMPOUND_HANDLERS = _by_kind(
    {
        "block": Walk.inside,
        "ERROR": Walk.inside,
        "if_statement": Walk.if_statement,
        "try_statement": Walk.try_statement,
        "for_statement": Walk.loop,
        "while_statement": Walk.loop,
        "with_statement": Walk.with_statement,
        "match_statement": Walk.match_statement,
        "type_alias_statement": Walk.type_alias,
    }
)
_EVERYWHERE = _COMPOUND_HANDLERS | _by_kind(
    {
        "decorated_definition": Walk.decorated,
        "class_definition": Walk.class_definition,
        "function_definition": Walk.function_definition,
        "import_statement": Walk.import_statement,
        "import_from_statement": Walk.import_from,
        "global_statement": Walk.outside_statement,
        "nonlocal_statement": Walk.outside_statement,
    }
)
HANDLERS = _EVERYWHERE | _by_kind(
    {"expression_statement": Walk.expression_statement, "delete_statement": Walk.delete_statement}
)
FUNCTION_HANDLERS = _EVERYWHERE | _by_kind(
    {"expression_statement": Walk.expression_in_function, "return_statement": Walk.makes_class}
)
HOOK_HANDLERS = FUNCTION_HANDLERS | _by_kind({"expression_statement": Walk.expression_in_hook})
RETURN_HANDLERS = _COMPOUND_HANDLERS | _by_kind({"return_statement": Walk.gives_back})
NAME_HANDLERS = RETURN_HANDLERS | _by_kind({"expression_statement": Walk.binds_names})
