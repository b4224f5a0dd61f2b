"""Owns what an expression can be: values with the reasons why, and the frames that expressions are read in.

A `Found` is one possibility. Its `grade` says what the possibility rests on:
0 the binding rules of the language alone (names, `self`, `super()`, class attributes): an answer may be called proved;
1 types: annotations, assignments, results of calls; 2 what callers, containers or other places of the tree show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias

import msgspec

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.file_syntax import FileSyntax, Holder
from sondage.core.classes.refs import ClassRef, FunctionRef, Meaning, Member, ModuleRef
from sondage.core.inference.flow import Flow
from sondage.core.source import blocks, syntax
from sondage.core.source.facts import Assigned, AttributeAssigned

PROVED, TYPED, SHOWN = 0, 1, 2


class Value(msgspec.Struct, frozen=True, gc=False):
    """Base of all values: compared by type and content. They hold no circles, and are kept from the collector's sight."""


class Instance(Value, frozen=True):
    """An object of a class. `args` are the types of its elements or type arguments, as far as they are known.

    `exact`: made by calling the class itself, so no subclass can be meant. `fixed`: a tuple whose elements `args` are.
    """

    class_: ClassRef
    args: tuple[Types, ...] = ()
    exact: bool = False
    fixed: bool = False


class ClassObject(Value, frozen=True):
    """A class itself. `exact` is False where a subclass may stand in its place (`cls`, `type(self)`, `Type[C]`)."""

    class_: ClassRef
    args: tuple[Types, ...] = ()
    exact: bool = True


class Function(Value, frozen=True):
    """A function, not bound to anything. `member` tells through which class it was reached, if so."""

    ref: FunctionRef
    member: Member | None = None


class Bound(Value, frozen=True):
    """A function whose first parameter is given."""

    ref: FunctionRef
    receiver: Value
    member: Member | None = None


class Builtin(Value, frozen=True):
    """A function or class known by its full name only; `receiver` where it is a method."""

    name: str
    receiver: Value | None = None


class Module(Value, frozen=True):
    """A module or package."""

    ref: ModuleRef


class Super(Value, frozen=True):
    """What `super()` gives: the classes behind `after` in the MRO of `receiver`'s class."""

    after: ClassRef
    receiver: Instance | ClassObject


class External(Value, frozen=True):
    """Something that comes out of an import that was not read; `name` is how far it is known."""

    name: str


class Literal(Value, frozen=True):
    """A string known to the letter."""

    text: str


class TypeForm(Value, frozen=True):
    """An annotation as a value (`Union[A, B]`, `List[A]`, an alias of one): what an object annotated with it can be."""

    types: Types


class TypeVariable(Value, frozen=True):
    """A type variable; its bound is what it is at least."""

    name: str
    bound: Types = ()


class Closure(msgspec.Struct, frozen=True, eq=False):
    """A lambda with the frame it was written in. Two are equal when they stand at the same place."""

    node: syntax.Lambda
    frame: Frame

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Closure) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)

    @property
    def place(self) -> tuple[str, int]:
        return self.frame.path, self.node.at


AnyValue: TypeAlias = Value | Closure


class Found(msgspec.Struct, frozen=True, gc=False):
    """One possibility, with its reasons from the first step to the last."""

    value: AnyValue
    why: tuple[str, ...] = ()
    grade: int = PROVED


Types: TypeAlias = tuple[Found, ...]
LIMIT = 12
"""Possibilities that are followed at once; a union wider than this says nothing any more."""


def union(parts: Iterable[Types]) -> Types:
    """All possibilities once, the best grade of each."""
    found: dict[AnyValue, Found] = {}
    for part in parts:
        for one in part:
            known = found.get(one.value)
            if known is None or one.grade < known.grade:
                found[one.value] = one
    return tuple(found.values())[:LIMIT]


def graded(types: Types, grade: int, *why: str) -> Types:
    """The same possibilities, at best of this grade, with one more reason."""
    return tuple(Found(one.value, one.why + why, max(one.grade, grade)) for one in types)


def one(value: AnyValue, *why: str, grade: int = PROVED) -> Types:
    return (Found(value, why, grade),)


def builtin(name: str, *args: Types) -> Types:
    """An instance of a built-in class."""
    return (Found(Instance(ClassRef(name), tuple(args)), (), TYPED),)


# ------------------------------------------------------------------ frames


class Invocation(msgspec.Struct, frozen=True, eq=False):
    """The call that a function is looked at for: its arguments, read in the frame of the caller."""

    call: syntax.Call
    frame: Frame
    bound: bool
    """True where the first parameter is not among the arguments."""


class Frame:
    """Where an expression is read: a function, class, module, lambda or comprehension, and the frames around it.

    `scope` is the index in the facts of the innermost `def`, `class` or module. `receiver` is what the first parameter
    of a method stands for. `key` is equal for frames in which every expression means the same.
    """

    __slots__ = ("file", "invocation", "key", "node", "parent", "receiver", "scope")

    def __init__(
        self,
        file: FileSyntax,
        scope: int,
        node: Holder,
        parent: Frame | None = None,
        receiver: Value | None = None,
        invocation: Invocation | None = None,
    ) -> None:
        self.file = file
        self.scope = scope
        self.node = node
        self.parent = parent
        self.receiver = receiver
        self.invocation = invocation
        called = (invocation.frame.key, invocation.call.at) if invocation else None
        at = 0 if isinstance(node, blocks.Module) else node.at
        outer = parent.key if parent is not None and parent.varies else None
        self.key: tuple[object, ...] = (file.path, scope, at, receiver, called, outer)

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def varies(self) -> bool:
        """True where the place alone does not tell what the frame's names mean."""
        return (
            self.receiver is not None or self.invocation is not None or (self.parent is not None and self.parent.varies)
        )

    @property
    def invocations(self) -> int:
        """How many calls deep the frame is."""
        return 1 + self.invocation.frame.invocations if self.invocation else 0

    def outward(self) -> Iterator[Frame]:
        """This frame and those around it."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    def place(self, at: int) -> str:
        """`path:line` of an offset, for reasons."""
        return f"{self.path}:{self.file.text.line_of(at)}"


class Inferring(Protocol):
    """What the parts of the inference ask of each other."""

    code: Codebase
    wide: int
    """How many times answers may still be looked for at the places that call a function."""

    def expression(self, node: syntax.Expr, frame: Frame) -> Types: ...

    def annotation(self, node: syntax.Expr, frame: Frame) -> Types: ...

    def name(self, name: str, frame: Frame, at: int | None) -> Types: ...

    def once(self, key: tuple[object, ...], work: Callable[..., Types], *arguments: object) -> Types: ...

    def assigned(self, path: str, fact: Assigned | AttributeAssigned, receiver: Value | None = None) -> Types: ...

    def frame_around(self, file: FileSyntax, way: Sequence[object]) -> Frame: ...

    def flow(self, frame: Frame) -> Flow | None: ...

    def attribute(self, base: Types, name: str) -> Types: ...

    def result(self, callee: Types, call: syntax.Call | None, frame: Frame | None) -> Types: ...

    def meanings(self, found: Iterable[Meaning]) -> Types: ...

    def member(self, member: Member, receiver: Value) -> Types: ...

    def elements(self, types: Types) -> Types: ...

    def frame(
        self, ref: FunctionRef, receiver: Value | None = None, invocation: Invocation | None = None
    ) -> Frame | None: ...

    def scope_frame(self, path: str, scope: int, receiver: Value | None = None) -> Frame | None: ...

    def local(self, name: str, frame: Frame, at: int | None) -> Types: ...
