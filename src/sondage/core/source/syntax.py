"""Owns the abstract syntax of Python as plain values: what a piece of source says, free of any parser.

The shapes and names are those of the abstract grammar in the language reference (module `ast`), cut down to what
the core asks about. Every node carries `at` and `end`: byte offsets from 0 into the *normalized* UTF-8 text of
`core.source.text.SourceText` (not into the file's own bytes when these were in another encoding or had a mark).

Nodes are built by `core.source.parse` alone; everybody else reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec

A = TypeVar("A")

_PLAIN = frozenset({"int", "str", "bool", "str | None", "tuple[str, ...]", "tuple[tuple[int, int], ...]"})


@cache
def inner_fields(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a kind of value here that can hold other values, in order."""
    written = {
        name: said for one in reversed(kind.__mro__) for name, said in getattr(one, "__annotations__", {}).items()
    }
    plain = {name for name, said in written.items() if said in _PLAIN or said.startswith("Literal[")}
    return tuple(name for name in kind.__struct_fields__ if name not in plain)


class Unread(Generic[A]):
    """A part that is read when somebody asks for it: of the bodies of a file, and of the values in them, a question needs few.

    `read` is called with `given` to read it.
    """

    __slots__ = ("_content", "_given", "_read")

    def __init__(self, read: Callable[..., A], *given: object) -> None:
        self._read: Callable[..., A] | None = read
        self._given = given
        self._content: A

    @property
    def content(self) -> A:
        """The same object each time."""
        if self._read is not None:
            self._content = self._read(*self._given)
            self._read, self._given = None, ()
        return self._content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unread) and bool(self.content == other.content)

    def __hash__(self) -> int:
        return hash(self.content)


class Node(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    at: int
    end: int


# ------------------------------------------------------------------ expressions


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


# ------------------------------------------------------------------ statements


class Alias(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`name` (dotted for `import a.b`), and the name after `as`; `at` is where `name` stands."""

    name: str
    asname: str | None
    at: int


class Import(Node, frozen=True):
    names: tuple[Alias, ...]


class ImportFrom(Node, frozen=True):
    """`level` counts the leading dots; `names` holds one alias `*` for a star import."""

    module: str
    level: int
    names: tuple[Alias, ...]


class Assign(Node, frozen=True):
    targets: tuple[Expr, ...]
    unread: Unread[Expr]

    @property
    def value(self) -> Expr:
        return self.unread.content


class AugAssign(Node, frozen=True):
    target: Expr
    op: str
    unread: Unread[Expr]

    @property
    def value(self) -> Expr:
        return self.unread.content


class AnnAssign(Node, frozen=True):
    target: Expr
    annotation: Expr
    value: Expr | None


class TypeAliasStmt(Node, frozen=True):
    """`type X = …` (PEP 695)."""

    name: str
    value: Expr


class Return(Node, frozen=True):
    unread: Unread[Expr] | None

    @property
    def value(self) -> Expr | None:
        return self.unread.content if self.unread is not None else None


class Raise(Node, frozen=True):
    exc: Expr | None
    cause: Expr | None


class ExprStmt(Node, frozen=True):
    unread: Unread[Expr]

    @property
    def value(self) -> Expr:
        return self.unread.content


class Delete(Node, frozen=True):
    targets: tuple[Expr, ...]


class Assert(Node, frozen=True):
    unread: Unread[Expr]
    msg: Unread[Expr] | None

    @property
    def test(self) -> Expr:
        return self.unread.content


class Scope(Node, frozen=True):
    """`global` or `nonlocal`."""

    kind: Literal["global", "nonlocal"]
    names: tuple[str, ...]


class Simple(Node, frozen=True):
    """`pass`, `break`, `continue`."""

    kind: Literal["pass", "break", "continue"]


class If(Node, frozen=True):
    """`elif` is an `If` alone in `orelse`."""

    unread: Unread[Expr]
    body: Block
    orelse: Block

    @property
    def test(self) -> Expr:
        return self.unread.content


class For(Node, frozen=True):
    target: Expr
    iter: Expr
    body: Block
    orelse: Block
    is_async: bool


class While(Node, frozen=True):
    unread: Unread[Expr]
    body: Block
    orelse: Block

    @property
    def test(self) -> Expr:
        return self.unread.content


class WithItem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    context: Expr
    target: Expr | None


class With(Node, frozen=True):
    items: tuple[WithItem, ...]
    body: Block
    is_async: bool


class ExceptHandler(msgspec.Struct, frozen=True, array_like=True, gc=False):
    type: Expr | None
    name: str | None
    body: Block
    is_group: bool
    """`except*` (PEP 654)."""


class Try(Node, frozen=True):
    body: Block
    handlers: tuple[ExceptHandler, ...]
    orelse: Block
    finalbody: Block


class MatchCase(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`pattern` as an expression where it reads as one (`Point(x=0)`), else `Unparsed`; `bound` are the names it binds."""

    pattern: Expr
    bound: tuple[str, ...]
    guard: Expr | None
    body: Block


class Match(Node, frozen=True):
    subject: Expr
    cases: tuple[MatchCase, ...]


class FunctionDef(Node, frozen=True):
    """`at` is the first decorator or the `def`; `name_at` the name."""

    name: str
    name_at: int
    parameters: tuple[Parameter, ...]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    unread: Unread[Block]
    is_async: bool
    type_parameters: tuple[str, ...]

    @property
    def body(self) -> Block:
        return self.unread.content


class ClassDef(Node, frozen=True):
    name: str
    name_at: int
    bases: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expr, ...]
    unread: Unread[Block]
    type_parameters: tuple[str, ...]

    @property
    def body(self) -> Block:
        return self.unread.content


Stmt: TypeAlias = (
    Import
    | ImportFrom
    | Assign
    | AugAssign
    | AnnAssign
    | TypeAliasStmt
    | Return
    | Raise
    | ExprStmt
    | Delete
    | Assert
    | Scope
    | Simple
    | If
    | For
    | While
    | With
    | Try
    | Match
    | FunctionDef
    | ClassDef
)

Block: TypeAlias = tuple[Stmt, ...]


class Module(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A whole file. `partial` holds the byte spans that could not be read as Python."""

    unread: Unread[Block]
    partial: tuple[tuple[int, int], ...]

    @property
    def body(self) -> Block:
        return self.unread.content
