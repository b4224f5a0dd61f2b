"""Owns the abstract syntax of Python as plain values: expressions here, statements in `blocks`; free of any parser.

The shapes and names are those of the abstract grammar in the language reference (module `ast`), cut down to what
the core asks about. Every node carries `at` and `end`: byte offsets from 0 into the *normalized* UTF-8 text of
`core.source.text.SourceText` (not into the file's own bytes when these were in another encoding or had a mark).

Nodes are built by `core.source.parse` alone; everybody else reads them.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, TypeAlias

import msgspec

_PLAIN = frozenset({"int", "str", "bool", "str | None", "tuple[str, ...]", "tuple[tuple[int, int], ...]"})


@cache
def inner_fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a kind of value here that can hold other values, in order."""
    written = {
        name: said for one in reversed(kind.__mro__) for name, said in getattr(one, "__annotations__", {}).items()
    }
    plain = {name for name, said in written.items() if said in _PLAIN or said.startswith("Literal[")}
    return tuple(name for name in kind.__struct_fields__ if name not in plain)


class Node(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    at: int
    end: int


class Name(Node, frozen=True):
    id: str


class Attribute(Node, frozen=True):
    value: Expr
    attr: str
    attr_at: int
    """Where the attribute's own name stands: the place a jump is asked at."""


class Keyword(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`name=value`; `name` is None for `**value`."""

    name: str | None
    value: Expr


class Call(Node, frozen=True):
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]


class Subscript(Node, frozen=True):
    value: Expr
    index: Expr


class Text(Node, frozen=True):
    """A string literal without interpolation; implicit concatenation is joined. Annotations may hide in it."""

    value: str


class Constant(Node, frozen=True):
    """Any other literal. `kind` is the name of its type, `None` and `...` included."""

    kind: Literal["int", "float", "complex", "bool", "bytes", "None", "Ellipsis", "str"]
    value: str
    """As written. For `kind="str"` (an f-string) the written text."""


class Sequence(Node, frozen=True):
    """A display: tuple, list or set."""

    kind: Literal["tuple", "list", "set"]
    elements: tuple[Expr, ...]


class Dict(Node, frozen=True):
    """`keys[i]` is None where `**values[i]` stands."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


class Comprehension(Node, frozen=True):
    kind: Literal["list", "set", "dict", "generator"]
    element: Expr
    value: Expr | None
    """The value of a dict comprehension."""
    clauses: tuple[ComprehensionFor, ...]


class ComprehensionFor(msgspec.Struct, frozen=True, array_like=True, gc=False):
    target: Expr
    iter: Expr
    conditions: tuple[Expr, ...]


class BoolOp(Node, frozen=True):
    op: Literal["and", "or"]
    values: tuple[Expr, ...]


class BinOp(Node, frozen=True):
    op: str
    left: Expr
    right: Expr


class UnaryOp(Node, frozen=True):
    op: str
    operand: Expr


class Compare(Node, frozen=True):
    left: Expr
    ops: tuple[str, ...]
    comparators: tuple[Expr, ...]


class IfExp(Node, frozen=True):
    test: Expr
    body: Expr
    orelse: Expr


class Lambda(Node, frozen=True):
    parameters: tuple[Parameter, ...]
    body: Expr


class NamedExpr(Node, frozen=True):
    target: Name
    value: Expr


class Starred(Node, frozen=True):
    value: Expr


class Await(Node, frozen=True):
    value: Expr


class Yield(Node, frozen=True):
    value: Expr | None
    is_from: bool


class Slice(Node, frozen=True):
    parts: tuple[Expr, ...]


class Interpolated(Node, frozen=True):
    """An f-string: the expressions between its braces."""

    values: tuple[Expr, ...]


class Unparsed(Node, frozen=True):
    """What the parser could not make sense of; `text` is the source as written."""

    text: str


Expr: TypeAlias = (
    Name
    | Attribute
    | Call
    | Subscript
    | Text
    | Constant
    | Sequence
    | Dict
    | Comprehension
    | BoolOp
    | BinOp
    | UnaryOp
    | Compare
    | IfExp
    | Lambda
    | NamedExpr
    | Starred
    | Await
    | Yield
    | Slice
    | Interpolated
    | Unparsed
)


class Parameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One formal parameter. Kinds as in `inspect.Parameter`."""

    name: str
    kind: Literal["positional", "normal", "var_positional", "keyword", "var_keyword"]
    annotation: Expr | None
    default: Expr | None
    at: int
