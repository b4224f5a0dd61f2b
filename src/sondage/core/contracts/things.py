"""Owns the values by which a receiver is followed: ways to it, objects made with it, bodies that are read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple, TypeAlias

import msgspec

from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.classes.refs import ClassRef
from sondage.core.inference.values import Frame
from sondage.core.inference.walking import walk
from sondage.core.source import syntax
from sondage.core.source.blocks import FunctionDef
from sondage.core.source.syntax import Attribute, Call, Expr, Name

ELEMENT = "[]"
"""The step into a container: `self.runners[i]` and the variable of a loop over it."""


class Way(NamedTuple):
    """The object that these steps lead to from the root."""

    steps: tuple[str, ...]


class Handle(NamedTuple):
    """A member of the receiver itself, taken as a value: a bound method that is handed on."""

    member: str


class Made(msgspec.Struct, frozen=True):
    """An object of a class that was made with something followed among its arguments; `given` names them."""

    class_: ClassRef
    given: Given


Thing: TypeAlias = Way | Handle | Made
Given: TypeAlias = "tuple[tuple[str, tuple[Seen, ...]], ...]"


class Seen(NamedTuple):
    """One thing that an expression can stand for. `sure` is False where a name, not a type, says so."""

    thing: Thing
    sure: bool = True
    why: tuple[str, ...] = ()


Things: TypeAlias = tuple[Seen, ...]


class Unit:
    """A body that is read, in the circumstances it is read in. `this` is what its first parameter stands for.

    `given` are the parameters that stand for something followed, `outer` the unit around a closure.
    """

    def __init__(self, frame: Frame, this: Thing | None = None, given: Given = (), outer: Unit | None = None) -> None:
        self.frame = frame
        self.this = this
        self.given = dict(given)
        self.outer = outer
        self.key: tuple[object, ...] = (frame.path, frame.scope, this, given, outer.key if outer else None)

    @property
    def file(self) -> FileSyntax:
        return self.frame.file

    @property
    def node(self) -> FunctionDef | None:
        return self.frame.node if isinstance(self.frame.node, FunctionDef) else None

    @cached_property
    def this_name(self) -> str | None:
        node = self.node
        return node.parameters[0].name if node is not None and node.parameters and self.this is not None else None

    def line(self, at: int) -> str:
        return f"{self.frame.path}:{self.file.text.line_of(at)}"


class Slot(NamedTuple):
    """An attribute of every instance of a class. `words` are those of the class's name, for untyped receivers."""

    class_: ClassRef
    attribute: str
    words: tuple[str, ...]


def given_to(node: FunctionDef, arguments: dict[int | str, Things], bound: int) -> Given:
    """The parameters of a function that arguments land in. `bound` is 1 where the first one is given by the object."""
    by_position = [p.name for p in node.parameters if p.kind in ("positional", "normal")][bound:]
    by_name = {p.name for p in node.parameters if p.kind in ("normal", "keyword")}
    found = {}
    for place, things in arguments.items():
        if isinstance(place, int) and place < len(by_position):
            found[by_position[place]] = things
        elif isinstance(place, str) and place in by_name:
            found[place] = things
    return tuple(sorted(found.items()))


def nesting(given: Given) -> int:
    inner = [seen.thing for _, things in given for seen in things if isinstance(seen.thing, Made)]
    return 1 + max((nesting(thing.given) for thing in inner), default=0)


def once(things: Iterable[Seen]) -> Things:
    found: dict[Thing, Seen] = {}
    for seen in things:
        known = found.get(seen.thing)
        if known is None or (seen.sure and not known.sure):
            found[seen.thing] = seen
    return tuple(found.values())


def words(name: str) -> tuple[str, ...]:
    """The words of a name in either style: `ModelRunner` and `model_runner` give `("model", "runner")`."""
    parts: list[str] = []
    for index, character in enumerate(name):
        if character == "_":
            parts.append("")
        elif character.isupper() and (index == 0 or not name[index - 1].isupper()):
            parts.append(character.lower())
        elif parts:
            parts[-1] += character.lower()
        else:
            parts.append(character.lower())
    return tuple(part for part in parts if part)


def similar(expression: Expr, class_words: tuple[str, ...]) -> bool:
    """Whether what an expression ends in is named like a class: by its last word at least."""
    while isinstance(expression, syntax.Subscript | Call):
        expression = expression.value if isinstance(expression, syntax.Subscript) else expression.func
    last = (
        expression.attr if isinstance(expression, Attribute) else expression.id if isinstance(expression, Name) else ""
    )
    own = words(last.rstrip("s"))
    return bool(own) and bool(class_words) and own[-1] == class_words[-1]


Loops: TypeAlias = "dict[str, list[tuple[syntax.Comprehension, syntax.ComprehensionFor]]]"


def loops_in(node: FunctionDef) -> Loops:
    """The comprehensions of a body by the plain names that they bind, outer ones first."""
    found: Loops = {}
    for inner in walk(node.body):
        if isinstance(inner, syntax.Comprehension):
            for clause in inner.clauses:
                if isinstance(clause.target, Name):
                    found.setdefault(clause.target.id, []).append((inner, clause))
    return found
