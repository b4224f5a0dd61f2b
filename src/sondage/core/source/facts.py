"""Owns the facts: what one file says about names, classes and functions, as values that encode compactly.

Facts leave function bodies out, except for what a body says to the outside: imports, nested classes and functions,
attribute assignments, `setattr` with a literal name, and `global`. Calls are found by parsing the one file again.

Offsets are bytes from 0 into the normalized UTF-8 text of `core.source.text.SourceText`; lines count from 1. Lists are in source
order. A scope or a guard is named by its index in `FileFacts.scopes` or `FileFacts.guards`.

Annotations are no texts here, as they are elsewhere: the decoder would have to compile every one of them first.
"""

import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from sondage.core.source.syntax import Parameter
from sondage.core.source.written import Written, read_parameters

FACTS_VERSION = 5
"""Raised whenever the same bytes would give other facts: encoded facts of another version are thrown away."""

MODULE = 0
"""The index of a file's own scope."""


class Fact(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of the small facts: encoded as arrays, never part of a reference cycle."""


class KeywordWritten(Fact, frozen=True):
    """`name=value` in a class header; `name` is None for `**value`."""

    name: str | None
    value: Written


# ------------------------------------------------------------------ where a statement stands


GuardKind: TypeAlias = Literal[
    "if", "elif", "else", "try", "except", "try_else", "finally", "loop", "loop_else", "with", "case"
]


class Guard(Fact, frozen=True):
    """One branch of a compound statement. `parent` is the guard around it, or -1.

    Branches of one statement share `at` (where the statement starts) and differ in `branch` (from 0, in source order).
    `test` is the condition as written (`if`, `elif`), the exception (`except`) or the pattern (`case`), else empty;
    `failed` are the conditions of the branches before it, for `elif` and `else`.
    """

    parent: int
    kind: GuardKind
    at: int
    branch: int
    test: str
    failed: tuple[str, ...] = ()


class Span(Fact, frozen=True):
    """`at` is where the first decorator or the keyword starts; `name_at` where the name does.

    `line` is the line of `class` or `def`, as `inspect` and tracebacks of Python name it; `first_line` that of the first
    decorator; `last_line` the last line of code (comments after the body are not part of it).
    """

    at: int
    end: int
    name_at: int
    line: int
    first_line: int
    last_line: int


# ------------------------------------------------------------------ scopes


class ModuleScope(msgspec.Struct, frozen=True, array_like=True, tag="m", gc=False):
    """The file itself; always the first scope. `parent` is -1."""

    span: Span
    name: str = ""
    qualname: str = ""
    parent: int = -1
    guard: int = -1


class ClassScope(msgspec.Struct, frozen=True, array_like=True, tag="c", gc=False):
    """A `class` statement. `qualname` as in Python: `Outer.Inner`, `make.<locals>.Local`."""

    name: str
    qualname: str
    parent: int
    guard: int
    span: Span
    bases: tuple[Written, ...] = ()
    """Positional arguments of the header, `*bases` with its star."""
    keywords: tuple[KeywordWritten, ...] = ()
    decorators: tuple[Written, ...] = ()
    type_parameters: tuple[str, ...] = ()


Body: TypeAlias = Literal["code", "pass", "ellipsis", "docstring", "not_implemented", "returns_not_implemented"]


class FunctionScope(msgspec.Struct, frozen=True, array_like=True, tag="f", gc=False):
    """A `def` statement. `signature` is the parameter list with its brackets; `parameters` reads it.

    `body` says what is left of the body after the docstring: nothing, `pass`, `...`, or real code. `not_implemented` is a
    lone `raise NotImplementedError…`; `returns_not_implemented` a lone `return NotImplemented`.
    """

    name: str
    qualname: str
    parent: int
    guard: int
    span: Span
    signature: Written | None = None
    returns: Written | None = None
    decorators: tuple[Written, ...] = ()
    body: Body = "code"
    is_async: bool = False
    is_generator: bool = False
    type_parameters: tuple[str, ...] = ()
    results: tuple[Written, ...] = ()
    """What `return` statements give back; only kept for functions that hold a class or a function, or return `type(…)`."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return read_parameters(self.signature.text, self.signature.at) if self.signature else ()


ScopeFact: TypeAlias = ModuleScope | ClassScope | FunctionScope


# ------------------------------------------------------------------ what statements bind


class Imported(Fact, frozen=True):
    """One name of one import statement.

    `import a.b` binds `a` (name "a", module "a.b", attribute None, whole False); `import a.b as c` binds `c` to the module
    itself (whole True); `from ..a import b as c` binds `c` (module "a", level 2, attribute "b"). A star has the name "*".
    """

    scope: int
    guard: int
    at: int
    line: int
    name: str
    module: str
    level: int
    attribute: str | None
    whole: bool


How: TypeAlias = Literal["assign", "annotation", "augmented", "for", "with", "walrus", "delete", "type", "setattr"]


class Assigned(Fact, frozen=True):
    """A plain name bound at module or class level, and in functions that hold a class or declare the name `global`.

    `value` is the right side (the iterable of `for`, the context of `with`). `place` is the way through a tuple target: `()` when
    the target is the whole, `(1,)` for `b` in `a, b = …`; a starred target has its place negated minus one.
    `how` "annotation" has an annotation, and a value or not; "augmented" keeps its operator in `operator`.
    """

    scope: int
    guard: int
    at: int
    line: int
    name: str
    how: How
    value: Written | None = None
    annotation: Written | None = None
    place: tuple[int, ...] = ()
    operator: str = ""


class AttributeAssigned(Fact, frozen=True):
    """`base.name = value` anywhere, with `base` as written: `self`, `cls`, `C`, `a.b`, `type(self)`.

    Also `setattr(base, "name", value)`; in a `__set_name__`, that name may hold parameters in braces (`_default_{name}`).
    `scope` is the function (or class, or module) the statement stands in. Fields as in `Assigned`; `at` is where the
    attribute's name stands.
    """

    scope: int
    guard: int
    at: int
    line: int
    base: Written
    name: str
    how: How
    value: Written | None = None
    annotation: Written | None = None
    place: tuple[int, ...] = ()


class Outside(Fact, frozen=True):
    """`global x` or `nonlocal x` in a function (or class): the name belongs to another scope."""

    scope: int
    kind: Literal["global", "nonlocal"]
    name: str


class NamesAll(Fact, frozen=True):
    """One step of building `__all__`: the names it adds (or takes away), or None where they cannot be read off.

    `from_module` is the `x` of `__all__ += x.__all__`.
    """

    how: Literal["set", "add", "remove"]
    names: tuple[str, ...] | None
    from_module: str = ""


class HookCall(Fact, frozen=True):
    """A call that stands as a statement of its own in an `__init_subclass__`: it runs for every subclass."""

    scope: int
    guard: int
    line: int
    call: Written


class Problem(Fact, frozen=True):
    """Something about the file that makes its facts less than certain."""

    kind: Literal["partial", "encoding", "too_deep"]
    line: int
    text: str


# ------------------------------------------------------------------ the whole file


class FileFacts(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """What one file says. `lines` counts lines as `core.source.text` does."""

    lines: int
    scopes: tuple[ScopeFact, ...]
    guards: tuple[Guard, ...] = ()
    imports: tuple[Imported, ...] = ()
    assignments: tuple[Assigned, ...] = ()
    attributes: tuple[AttributeAssigned, ...] = ()
    outside: tuple[Outside, ...] = ()
    exported: tuple[NamesAll, ...] = ()
    hook_calls: tuple[HookCall, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def partial(self) -> bool:
        """True where some of the source could not be read as Python."""
        return any(problem.kind in ("partial", "too_deep") for problem in self.problems)

    @cached_property
    def children(self) -> dict[int, tuple[int, ...]]:
        """The scopes directly inside each scope."""
        found: dict[int, list[int]] = {}
        for index, scope in enumerate(self.scopes):
            found.setdefault(scope.parent, []).append(index)
        return {parent: tuple(inner) for parent, inner in found.items()}

    def innermost(self, line: int) -> int:
        """The innermost scope whose lines (decorators included) hold `line`; the module where none does."""
        best = MODULE
        for index, scope in enumerate(self.scopes[1:], start=1):
            if scope.span.first_line > line:
                break
            if line <= scope.span.last_line:
                best = index
        return best

    def innermost_each(self, lines: Iterable[int]) -> Iterator[int]:
        """`innermost` of each of some ascending lines, in one pass over the scopes."""
        scopes, open_, at = self.scopes, [MODULE], 1
        next_line = 0  # where the answer may change
        for line in lines:
            if line >= next_line:
                while at < len(scopes) and scopes[at].span.first_line <= line:
                    open_.append(at)
                    at += 1
                while len(open_) > 1 and scopes[open_[-1]].span.last_line < line:
                    open_.pop()
                begins = [scopes[at].span.first_line] if at < len(scopes) else []
                ends = [scopes[open_[-1]].span.last_line + 1] if len(open_) > 1 else []
                next_line = min(begins + ends, default=sys.maxsize)
            yield open_[-1]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(FileFacts)


def encode(facts: FileFacts) -> bytes:
    """MessagePack, to be stored together with `FACTS_VERSION`."""
    return _encoder.encode(facts)


def decode(data: bytes) -> FileFacts:
    """The facts that `encode` wrote. Raises `msgspec.DecodeError` on anything else."""
    return _decoder.decode(data)
