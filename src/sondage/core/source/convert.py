"""Owns the way from tree-sitter nodes to the values of `core.source.syntax`: expressions, parameters, statements, bodies.

Handlers read `node.children` once and go by position, since asking a node for a field by name costs ten times more.
Nothing raises: what cannot be read becomes `Unparsed`, and what is nested deeper than `MAX_DEPTH` as well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from sondage.core.late import late_pattern
from sondage.core.source import syntax
from sondage.core.source.literals import string_value
from sondage.core.source.syntax import Expr

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH = 90
"""Levels of nesting that are read: every level costs two or three frames, and a stack holds a thousand."""

EXTRAS = frozenset({"comment", "line_continuation"})
"""What the grammar lets stand anywhere."""
_EXTRA = late_pattern(rb"#|\\(?=\r?\n|\0|\Z)")
"""Where one may begin."""
_BRACKETS = frozenset({"(", ")", "[", "]", "{", "}", ","})
_Kind = Literal["positional", "normal", "var_positional", "keyword", "var_keyword"]


class Converter:
    """Reads nodes of one tree. `source` is the text it was made from, or one of the same length.

    `base` is the offset that the nodes give to the first byte of `source`: not 0 where the tree was moved by `Tree.edit`.
    """

    def __init__(self, source: bytes, base: int = 0) -> None:
        self.source = source
        self.base = base
        self.depth = 0
        self._extras = [found.start() + base for found in _EXTRA.finditer(source)]

    # ---- small helpers

    def text(self, node: Node, last: Node | None = None) -> str:
        end = (last or node).end_byte
        return self.source[node.start_byte - self.base : end - self.base].decode("utf-8", "replace")

    def parts(self, node: Node) -> list[Node]:
        """The children that mean something: no comments, no line continuations."""
        if not self._extras or not self._may_hold_extras(node):
            return node.children
        return [child for child in node.children if child.type not in EXTRAS]

    def _may_hold_extras(self, node: Node) -> bool:
        return bisect_left(self._extras, node.start_byte) < bisect_left(self._extras, node.end_byte)

    def items(self, node: Node) -> list[Node]:
        """The elements between brackets and commas."""
        return [child for child in node.children if child.type not in EXTRAS and child.type not in _BRACKETS]

    def unparsed(self, node: Node, last: Node | None = None) -> Expr:
        """A node, or all from it to the last one, as text."""
        return syntax.Unparsed(node.start_byte, (last or node).end_byte, self.text(node, last))

    # ---- expressions

    def expression(self, node: Node) -> Expr:
        handler = EXPRESSIONS.get(node.type)
        if handler is None or self.depth >= MAX_DEPTH or node.is_missing:
            return self.unparsed(node)
        self.depth += 1
        value = handler(self, node)
        self.depth -= 1
        return value

    def expressions(self, nodes: Sequence[Node]) -> tuple[Expr, ...]:
        return tuple([self.expression(node) for node in nodes])

    def tuple_or_one(self, nodes: Sequence[Node], at: int, end: int, *, comma: bool) -> Expr:
        """`a` or `a, b` without brackets around it; a trailing comma makes a tuple of one."""
        if len(nodes) == 1 and not comma:
            return self.expression(nodes[0])
        return syntax.Sequence(at, end, "tuple", self.expressions(nodes))

    def name(self, node: Node) -> Expr:
        return syntax.Name(node.start_byte, node.end_byte, self.text(node))

    def attribute(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) < 3:
            return self.unparsed(node)
        value, attr = parts[0], parts[-1]
        return syntax.Attribute(
            node.start_byte, node.end_byte, self.expression(value), self.text(attr), attr.start_byte
        )

    def call(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) < 2:
            return self.unparsed(node)
        args, keywords = self.arguments(parts[1])
        return syntax.Call(node.start_byte, node.end_byte, self.expression(parts[0]), args, keywords)

    def arguments(self, node: Node) -> tuple[tuple[Expr, ...], tuple[syntax.Keyword, ...]]:
        """Of an argument list, or of the generator expression that stands for one."""
        if node.type == "generator_expression":
            return (self.expression(node),), ()
        args: list[Expr] = []
        keywords: list[syntax.Keyword] = []
        for child in self.items(node):
            if child.type == "keyword_argument":
                parts = self.parts(child)
                if len(parts) == 3:
                    keywords.append(syntax.Keyword(self.text(parts[0]), self.expression(parts[2])))
            elif child.type == "dictionary_splat":
                keywords.append(syntax.Keyword(None, self.expression(child.children[-1])))
            else:
                args.append(self.expression(child))
        return tuple(args), tuple(keywords)

    def subscript(self, node: Node) -> Expr:
        parts = self.parts(node)
        inner = [part for part in parts[1:] if part.type not in _BRACKETS]
        if not inner:
            return self.unparsed(node)
        comma = any(part.type == "," for part in parts)
        index = self.tuple_or_one(inner, inner[0].start_byte, inner[-1].end_byte, comma=comma)
        return syntax.Subscript(node.start_byte, node.end_byte, self.expression(parts[0]), index)

    def generic_type(self, node: Node) -> Expr:
        """`List[int]` in a place where the grammar expects a type."""
        parts = self.parts(node)
        if len(parts) < 2:
            return self.unparsed(node)
        inner = self.items(parts[-1])
        index = self.tuple_or_one(inner, parts[-1].start_byte, parts[-1].end_byte, comma=len(inner) != 1)
        return syntax.Subscript(node.start_byte, node.end_byte, self.expression(parts[0]), index)

    def union_type(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) < 3:
            return self.unparsed(node)
        left, right = self.expression(parts[0]), self.expression(parts[-1])
        return syntax.BinOp(node.start_byte, node.end_byte, "|", left, right)

    def member_type(self, node: Node) -> Expr:
        parts = self.parts(node)
        return syntax.Attribute(
            node.start_byte, node.end_byte, self.expression(parts[0]), self.text(parts[-1]), parts[-1].start_byte
        )

    def wrapped(self, node: Node) -> Expr:
        """A node that only stands around another one."""
        inner = self.items(node)
        return self.expression(inner[0]) if len(inner) == 1 else self.unparsed(node)

    def string(self, node: Node) -> Expr:
        return self.literal(node, [node])

    def concatenated(self, node: Node) -> Expr:
        return self.literal(node, [part for part in self.parts(node) if part.type == "string"])

    def literal(self, node: Node, strings: list[Node]) -> Expr:
        interpolations = [
            self.expression(part.children[1])
            for string in strings
            for part in string.children
            if part.type == "interpolation" and part.child_count > 2
        ]
        if interpolations:
            return syntax.Interpolated(node.start_byte, node.end_byte, tuple(interpolations))
        texts = [self.text(string) for string in strings]
        prefix = texts[0][: texts[0].find(texts[0][-1])].lower() if texts and texts[0] else ""
        if "b" in prefix:
            return syntax.Constant(node.start_byte, node.end_byte, "bytes", self.text(node))
        if "f" in prefix or "t" in prefix:
            return syntax.Constant(node.start_byte, node.end_byte, "str", self.text(node))
        return syntax.Text(node.start_byte, node.end_byte, "".join([string_value(text) for text in texts]))

    def constant(self, node: Node) -> Expr:
        kind = _CONSTANTS[node.type]
        text = self.text(node)
        if kind == "int" and text[-1] in "jJ":
            kind = "complex"
        return syntax.Constant(node.start_byte, node.end_byte, kind, text)

    def display(self, node: Node) -> Expr:
        return syntax.Sequence(node.start_byte, node.end_byte, _DISPLAYS[node.type], self.expressions(self.items(node)))

    def dictionary(self, node: Node) -> Expr:
        keys: list[Expr | None] = []
        values: list[Expr] = []
        for child in self.items(node):
            parts = self.parts(child)
            if child.type == "pair" and len(parts) == 3:
                keys.append(self.expression(parts[0]))
                values.append(self.expression(parts[2]))
            elif child.type == "dictionary_splat" and parts:
                keys.append(None)
                values.append(self.expression(parts[-1]))
        return syntax.Dict(node.start_byte, node.end_byte, tuple(keys), tuple(values))

    def comprehension(self, node: Node) -> Expr:
        inner = self.items(node)
        if not inner:
            return self.unparsed(node)
        clauses: list[syntax.ComprehensionFor] = []
        for child in inner[1:]:
            if child.type == "for_in_clause":
                clauses.append(self.comprehension_for(child))
            elif child.type == "if_clause" and clauses:
                last = clauses[-1]
                condition = self.expression(child.children[-1])
                clauses[-1] = syntax.ComprehensionFor(last.target, last.iter, (*last.conditions, condition))
        element, value = inner[0], None
        if element.type == "pair" and len(pair := self.parts(element)) == 3:
            element, value = pair[0], self.expression(pair[2])
        kind = _COMPREHENSIONS[node.type]
        return syntax.Comprehension(
            node.start_byte, node.end_byte, kind, self.expression(element), value, tuple(clauses)
        )

    def comprehension_for(self, node: Node) -> syntax.ComprehensionFor:
        parts = [part for part in self.parts(node) if part.type not in {"async", "for"}]
        split = next((index for index, part in enumerate(parts) if part.type == "in"), len(parts))
        sources = [part for part in parts[split + 1 :] if part.type != ","]
        iterated = self.tuple_or_one(sources, node.start_byte, node.end_byte, comma=len(sources) != 1)
        return syntax.ComprehensionFor(self.expression(parts[0]), iterated, ())

    def boolean(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) != 3:
            return self.unparsed(node)
        op: Literal["and", "or"] = "and" if parts[1].type == "and" else "or"
        values = [self.expression(parts[2])]
        left = parts[0]
        while left.type == "boolean_operator" and len(inner := self.parts(left)) == 3 and inner[1].type == op:
            values.append(self.expression(inner[2]))
            left = inner[0]
        values.append(self.expression(left))
        return syntax.BoolOp(node.start_byte, node.end_byte, op, tuple(reversed(values)))

    def binary(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) != 3:
            return self.unparsed(node)
        left, right = self.expression(parts[0]), self.expression(parts[2])
        return syntax.BinOp(node.start_byte, node.end_byte, parts[1].type, left, right)

    def unary(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) != 2:
            return self.unparsed(node)
        return syntax.UnaryOp(node.start_byte, node.end_byte, parts[0].type, self.expression(parts[1]))

    def compare(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) < 3:
            return self.unparsed(node)
        ops = tuple(part.type for part in parts[1::2])
        return syntax.Compare(
            node.start_byte, node.end_byte, self.expression(parts[0]), ops, self.expressions(parts[2::2])
        )

    def conditional(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) != 5:
            return self.unparsed(node)
        body, test, orelse = self.expressions(parts[::2])
        return syntax.IfExp(node.start_byte, node.end_byte, test, body, orelse)

    def function(self, node: Node) -> Expr:
        parts = self.parts(node)
        formal = self.parameters(parts[1]) if len(parts) > 1 and parts[1].type == "lambda_parameters" else ()
        return syntax.Lambda(node.start_byte, node.end_byte, formal, self.expression(parts[-1]))

    def named(self, node: Node) -> Expr:
        parts = self.parts(node)
        if len(parts) != 3:
            return self.unparsed(node)
        target = syntax.Name(parts[0].start_byte, parts[0].end_byte, self.text(parts[0]))
        return syntax.NamedExpr(node.start_byte, node.end_byte, target, self.expression(parts[2]))

    def starred(self, node: Node) -> Expr:
        parts = self.parts(node)
        return syntax.Starred(node.start_byte, node.end_byte, self.expression(parts[-1]))

    def awaited(self, node: Node) -> Expr:
        return syntax.Await(node.start_byte, node.end_byte, self.expression(self.parts(node)[-1]))

    def yielded(self, node: Node) -> Expr:
        parts = self.parts(node)[1:]
        is_from = bool(parts) and parts[0].type == "from"
        value = self.expression(parts[-1]) if parts and parts[-1].type != "from" else None
        return syntax.Yield(node.start_byte, node.end_byte, value, is_from)

    def sliced(self, node: Node) -> Expr:
        return syntax.Slice(
            node.start_byte, node.end_byte, self.expressions([part for part in self.parts(node) if part.type != ":"])
        )

    def chained(self, node: Node) -> Expr:
        """`y = 3` inside `x = y = 3`: what is assigned in the end."""
        return self.expression(self.parts(node)[-1])

    # ---- parameters

    def parameters(self, node: Node) -> tuple[syntax.Parameter, ...]:
        """Of a `parameters` or `lambda_parameters` node; kinds as `inspect` names them."""
        found: list[syntax.Parameter] = []
        kind: _Kind = "normal"
        for child in self.items(node):
            if child.type == "positional_separator":
                found = [syntax.Parameter(one.name, "positional", one.annotation, one.default, one.at) for one in found]
            elif child.type == "keyword_separator":
                kind = "keyword"
            else:
                parameter = self.parameter(child, kind)
                if parameter.kind == "var_positional":
                    kind = "keyword"
                found.append(parameter)
        return tuple(found)

    def parameter(self, node: Node, kind: _Kind) -> syntax.Parameter:
        target, annotation, default = node, None, None
        if node.type in {"typed_parameter", "default_parameter", "typed_default_parameter"}:
            parts = self.parts(node)
            target = parts[0]
            for sign, value in zip(parts[1::2], parts[2::2], strict=False):
                if sign.type == ":":
                    annotation = self.expression(value)
                else:
                    default = self.expression(value)
        if target.type == "list_splat_pattern":
            kind, target = "var_positional", target.children[-1]
        elif target.type == "dictionary_splat_pattern":
            kind, target = "var_keyword", target.children[-1]
        return syntax.Parameter(self.text(target), kind, annotation, default, target.start_byte)


_CONSTANTS: dict[str, Literal["int", "float", "bool", "None", "Ellipsis", "complex"]] = {
    "integer": "int",
    "float": "float",
    "true": "bool",
    "false": "bool",
    "none": "None",
    "ellipsis": "Ellipsis",
}
_DISPLAYS: dict[str, Literal["tuple", "list", "set"]] = {
    "tuple": "tuple",
    "tuple_pattern": "tuple",
    "pattern_list": "tuple",
    "expression_list": "tuple",
    "list": "list",
    "list_pattern": "list",
    "set": "set",
}
_COMPREHENSIONS: dict[str, Literal["list", "set", "dict", "generator"]] = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "dictionary_comprehension": "dict",
    "generator_expression": "generator",
}

EXPRESSIONS: dict[str, Callable[[Converter, Node], Expr]] = {
    "identifier": Converter.name,
    "attribute": Converter.attribute,
    "call": Converter.call,
    "subscript": Converter.subscript,
    "generic_type": Converter.generic_type,
    "union_type": Converter.union_type,
    "member_type": Converter.member_type,
    "type": Converter.wrapped,
    "parenthesized_expression": Converter.wrapped,
    "parenthesized_list_splat": Converter.wrapped,
    "as_pattern_target": Converter.wrapped,
    "string": Converter.string,
    "concatenated_string": Converter.concatenated,
    **dict.fromkeys(_CONSTANTS, Converter.constant),
    **dict.fromkeys(_DISPLAYS, Converter.display),
    **dict.fromkeys(_COMPREHENSIONS, Converter.comprehension),
    "dictionary": Converter.dictionary,
    "boolean_operator": Converter.boolean,
    "binary_operator": Converter.binary,
    "unary_operator": Converter.unary,
    "not_operator": Converter.unary,
    "comparison_operator": Converter.compare,
    "conditional_expression": Converter.conditional,
    "lambda": Converter.function,
    "named_expression": Converter.named,
    "list_splat": Converter.starred,
    "list_splat_pattern": Converter.starred,
    "splat_type": Converter.starred,
    "await": Converter.awaited,
    "yield": Converter.yielded,
    "slice": Converter.sliced,
    "assignment": Converter.chained,
}
