"""Owns the values by which the core names what it has found: classes, functions, modules, variables, and what is missing.

They are small, hashable and hold no facts: `core.classes.hierarchy.Hierarchy` leads from a reference to its facts.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from sondage.core.source.facts import Assigned, AttributeAssigned


class Ref(msgspec.Struct, frozen=True, gc=False):
    """Base of all references: compared by type and value."""


class ClassRef(Ref, frozen=True):
    """A class. `name` is its full name as Python would say it (`pkg.mod.Outer.Inner`; `object`, `int` for builtins).

    Three kinds: a `class` statement that was read (`path` and `scope` lead to its `ClassScope`); a class made by a call
    such as `namedtuple(…)` (`path` and `at`, `scope` -1); a class that was not read (`path` empty): either one of the table of
    built-in classes, or an open end.
    """

    name: str
    path: str = ""
    scope: int = -1
    at: int = -1


class FunctionRef(Ref, frozen=True):
    """A `def` that was read; `scope` leads to its `FunctionScope`."""

    name: str
    path: str
    scope: int


class ModuleRef(Ref, frozen=True):
    """A module or package. `path` is empty for a namespace package and for a module written in C."""

    name: str
    path: str = ""


class VariableRef(Ref, frozen=True):
    """A name bound by something that makes neither a class nor a function nor a module: its value is for `core.inference.infer`."""

    name: str
    path: str
    assigned: Assigned


class AttributeRef(Ref, frozen=True):
    """A module or class attribute that was only assigned from outside (`module.name = value`)."""

    name: str
    path: str
    assigned: AttributeAssigned


class ParameterRef(Ref, frozen=True):
    """A parameter of a function that was read."""

    name: str
    path: str
    scope: int
    index: int


class MissingRef(Ref, frozen=True):
    """Something that was not read, or does not exist. `name` is the full name as far as it is known.

    `reason`: "not indexed" (a module outside of all that was read), "not found" (the module was read and does not bind it),
    "beyond top" (a relative import above the top-level package), "circular", "dynamic" (the value is computed).
    `module` is the module that would have to be read, where that could help.
    """

    name: str
    reason: Literal["not indexed", "not found", "beyond top", "circular", "dynamic"]
    detail: str = ""
    module: str = ""


class BuiltinRef(Ref, frozen=True):
    """A function or constant of `builtins` (classes are `ClassRef`)."""

    name: str


Target: TypeAlias = (
    ClassRef | FunctionRef | ModuleRef | VariableRef | AttributeRef | ParameterRef | MissingRef | BuiltinRef
)


class Meaning(Ref, frozen=True):
    """One thing a name can mean. The first of several is the one Python would take, as far as that is known.

    `conditions` are the conditions the binding hangs on, as written; `way` the steps from the name to its target, each
    as `path:line what`. `sure` is False where another binding may be the one that holds at run time.
    """

    target: Target
    sure: bool = True
    conditions: tuple[str, ...] = ()
    way: tuple[str, ...] = ()
    typing_alias: bool = False
    """Reached by its alias in `typing` (`typing.Mapping` for `collections.abc.Mapping`): as a base it brings `Generic` with it."""
    wants: tuple[str, ...] = ()
    """Outside modules that would have to be there for this binding to be the one that holds."""


MemberKind: TypeAlias = Literal[
    "method",
    "classmethod",
    "staticmethod",
    "property",
    "class",
    "attribute",
    "annotation",
    "import",
    "slot",
    "instance",
    "assigned",
    "generated",
    "builtin",
]


class Member(Ref, frozen=True):
    """One definition of a name on a class.

    `kind`: how it is there. "property" also stands for `cached_property` and its like; "attribute" is a class-level value;
    "annotation" a name that is only annotated, or defined for type checkers only (no value at run time, except for a
    field of a dataclass-like class); "instance" is assigned through `self` in a method; "assigned" is put on the class
    from outside its body; "generated" is made by a decorator, a base or a metaclass (`note` says by what); "builtin" comes
    from the table of classes written in C (no source).
    `scope` leads to the function or class that is bound (-1 where none); `assigned` to the assignment (None where none).
    `conditions` are the conditions it hangs on, as written. `line` is 0 where there is no source.
    """

    owner: ClassRef
    name: str
    kind: MemberKind
    path: str = ""
    line: int = 0
    scope: int = -1
    assigned: Assigned | AttributeAssigned | None = None
    conditions: tuple[str, ...] = ()
    note: str = ""


class Linear(Ref, frozen=True):
    """The linearization of a class: its MRO as far as it is known.

    `order` starts with the class; `object` ends it where it is `complete`. `open_ends` are the classes of it that were not
    read and are not in the table of built-in ones; `why` says each reason once. `error` is Python's own message where
    no MRO exists; then `order` holds the classes met, depth first.
    """

    order: tuple[ClassRef, ...]
    complete: bool
    open_ends: tuple[ClassRef, ...] = ()
    why: tuple[str, ...] = ()
    error: str | None = None
    sure: bool = True
    """False where a base was chosen among alternatives (conditional imports and definitions)."""
