"""Owns the statements of Python as plain values: the abstract syntax of `core.source.syntax` beyond expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec

from sondage.core.source.syntax import Expr, Keyword, Node, Parameter

A = TypeVar("A")


class Unread(Generic[A]):
    """A part that is read when somebody asks for it: of the bodies of a file, and of the values in them, a question needs few.

    It stands between the offsets `at` and `end`. `read` is called with `given` to read it.
    """

    __slots__ = ("_content", "_given", "_read", "at", "end")

    def __init__(self, at: int, end: int, read: Callable[..., A], *given: object) -> None:
        self.at = at
        self.end = end
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


class HasTest:
    """What has a condition, read when it is asked for."""

    __slots__ = ()
    unread: Unread[Expr]

    @property
    def test(self) -> Expr:
        return self.unread.content


class HasBody:
    """What has a block, read when it is asked for."""

    __slots__ = ()
    inside: Unread[Block]

    @property
    def body(self) -> Block:
        return self.inside.content


class HasElse(HasBody):
    """What has two."""

    __slots__ = ()
    otherwise: Unread[Block]

    @property
    def orelse(self) -> Block:
        return self.otherwise.content


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


class Assert(Node, HasTest, frozen=True):
    unread: Unread[Expr]
    msg: Unread[Expr] | None


class Scope(Node, frozen=True):
    """`global` or `nonlocal`."""

    kind: Literal["global", "nonlocal"]
    names: tuple[str, ...]


class Simple(Node, frozen=True):
    """`pass`, `break`, `continue`."""

    kind: Literal["pass", "break", "continue"]


class If(Node, HasElse, HasTest, frozen=True):
    """`elif` is an `If` alone in `orelse`."""

    unread: Unread[Expr]
    inside: Unread[Block]
    otherwise: Unread[Block]


class For(Node, HasElse, frozen=True):
    target: Expr
    iter: Expr
    inside: Unread[Block]
    otherwise: Unread[Block]
    is_async: bool


class While(Node, HasElse, HasTest, frozen=True):
    unread: Unread[Expr]
    inside: Unread[Block]
    otherwise: Unread[Block]


class WithItem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    context: Expr
    target: Expr | None


class With(Node, HasBody, frozen=True):
    items: tuple[WithItem, ...]
    inside: Unread[Block]
    is_async: bool


class ExceptHandler(msgspec.Struct, HasBody, frozen=True, array_like=True, gc=False):
    type: Expr | None
    name: str | None
    inside: Unread[Block]
    is_group: bool
    """`except*` (PEP 654)."""


class Try(Node, HasElse, frozen=True):
    inside: Unread[Block]
    handlers: tuple[ExceptHandler, ...]
    otherwise: Unread[Block]
    at_last: Unread[Block]

    @property
    def finalbody(self) -> Block:
        return self.at_last.content


class MatchCase(msgspec.Struct, HasBody, frozen=True, array_like=True, gc=False):
    """`pattern` as an expression where it reads as one (`Point(x=0)`), else `Unparsed`; `bound` are the names it binds."""

    pattern: Expr
    bound: tuple[str, ...]
    guard: Expr | None
    inside: Unread[Block]


class Match(Node, frozen=True):
    subject: Expr
    cases: tuple[MatchCase, ...]


class FunctionDef(Node, frozen=True):
    """`at` is the first decorator or the `def`; `name_at` the name."""

    name: str
    name_at: int
    formal: Unread[tuple[Parameter, ...]]
    returns: Expr | None
    decorators: tuple[Expr, ...]
    unread: Unread[Block]
    is_async: bool
    type_parameters: tuple[str, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self.formal.content

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
