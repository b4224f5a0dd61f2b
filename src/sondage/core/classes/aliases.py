"""Owns the other names of a class: every name that some file may call it by, so that its mentions can be found in text.

A name is another one of a class when an import renames it, an assignment makes it stand for it, or a function gives it
back. More names than there are do no harm: each mention is judged by its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from sondage.core.classes.refs import ClassRef
from sondage.core.classes.world import World
from sondage.core.late import late_pattern
from sondage.core.source import syntax
from sondage.core.source.facts import FunctionScope
from sondage.core.source.syntax import Expr
from sondage.core.source.written import Written

_WORD = late_pattern(r"\w+")


class Other(msgspec.Struct, frozen=True):
    """`name` stands for what one of the `values` stands for, or a `function` of that name gives it back."""

    name: str
    values: tuple[Written, ...]
    in_parts: bool = False
    """Whether the name takes a part of the value."""
    function: bool = False


class Called(NamedTuple):
    """The names of a class, and the files (in order) in which one of them can stand for it."""

    names: frozenset[str]
    paths: tuple[str, ...]


class Aliases:
    """Names over a `World`; kept, since questions about one class come in groups."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._renamed: dict[str, dict[str, list[str]]] = {}
        self._others: dict[str, tuple[tuple[frozenset[str], Other], ...]] = {}
        self._known: dict[ClassRef, Called] = {}

    def of(self, ref: ClassRef) -> Called:
        """How a class of some file is called."""
        found = self._known.get(ref)
        if found is None:
            start = [ref.name.rpartition(".")[2]]
            if ref.scope < 0:  # made by a call: whatever its file binds to a call may be it
                start += (
                    other.name for _, other in self._read(ref.path) if any("(" in one.text for one in other.values)
                )
            found = self._known[ref] = self._closed(start, ref.path)
        return found

    def _closed(self, start: Iterable[str], home: str) -> Called:
        """From names that are bound in a file to all that anything is bound to by way of them."""
        homes: dict[str, set[str]] = {name: {home} for name in start}
        functions: set[str] = set()
        before, now = -1, 0
        while before != now:  # until nothing more is found
            for name in list(homes):
                for path in self._files_of(name, homes[name]):
                    for other, gives in self._bound_to(name, path, name in functions):
                        homes.setdefault(other, set()).add(path)
                        functions.update((other,) if gives else ())
            before, now = now, sum(map(len, homes.values())) + len(functions)
        paths = {path for name, own in homes.items() for path in self._files_of(name, own)}
        return Called(frozenset(homes), tuple(self.world.in_order(paths)))

    def _files_of(self, name: str, homes: Iterable[str]) -> set[str]:
        """The files that bind a name themselves, and those that can have it from another file."""
        return {*homes, *self.world.mentioning((f". {name}",))}

    def _bound_to(self, word: str, path: str, function: bool) -> Iterator[tuple[str, bool]]:
        """What a file binds to what a word stands for, each name with whether it is a function that gives that back."""
        others = self._read(path)
        yield from ((name, function) for name in self._renamed[path].get(word, ()))
        for words, other in others:
            how = _stands_for(other, word) if word in words else ""
            if how == "itself" or (how == "called" and function):
                yield other.name, other.function or (function and how == "itself")

    def _read(self, path: str) -> tuple[tuple[frozenset[str], Other], ...]:
        kept = self._others.get(path)
        if kept is None:
            renamed = self._renamed[path] = {}
            for one in self.world.facts(path).imports:
                if one.attribute is not None and one.name != one.attribute:
                    renamed.setdefault(one.attribute, []).append(one.name)
            kept = self._others[path] = tuple(
                (words(" ".join([one.text for one in other.values])), other) for other in self._bound_in(path)
            )
        return kept

    def _bound_in(self, path: str) -> Iterator[Other]:
        facts = self.world.facts(path)
        for assigned in facts.assignments:
            if assigned.value is not None:
                yield Other(assigned.name, (assigned.value,), in_parts=bool(assigned.place))
        for scope in facts.scopes:
            if isinstance(scope, FunctionScope) and scope.results:
                yield Other(scope.name, scope.results, function=True)


def words(text: str) -> frozenset[str]:
    """Everything in an expression as written that may be a name."""
    return frozenset(_WORD.findall(text))


def _stands_for(other: Other, word: str) -> str:
    """How a name stands for a word: for `itself`, for what it gives back when it is `called`, or not at all (empty)."""
    if other.in_parts:
        return "itself"
    found = [how for value in other.values for name, how in _names(value.expression) if name == word]
    return "" if not found else "itself" if "itself" in found else "called"


def _names(value: Expr) -> Iterator[tuple[str, str]]:
    """The names that an expression may stand for, as far as `core.classes.names` and `bases` follow it."""
    match value:
        case syntax.Name(id=name) | syntax.Attribute(attr=name):
            yield name, "itself"
        case syntax.IfExp(body=body, orelse=orelse):
            yield from (*_names(body), *_names(orelse))
        case syntax.BoolOp(values=values):
            yield from (pair for one in values for pair in _names(one))
        case syntax.Subscript(value=inner):
            yield from _names(inner)
        case syntax.Call(func=func, args=args):
            called = [name for name, _ in _names(func)]
            yield from ((name, "called") for name in called)
            if any(name.endswith("with_metaclass") for name in called):
                yield from (pair for one in args for pair in _names(one))
