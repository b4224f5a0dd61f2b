"""Owns the bindings of one file: which statement gives a name its meaning in which scope, and which of several holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from sondage.core.classes.conditions import conditions, is_for_typing, is_taken
from sondage.core.source.facts import (
    MODULE,
    Assigned,
    ClassScope,
    FileFacts,
    FunctionScope,
    Guard,
    Imported,
    ModuleScope,
)

Fact: TypeAlias = Imported | Assigned | int
"""An import, an assignment, or the index of the scope that a `class` or `def` statement makes."""


class Binding(msgspec.Struct, frozen=True):
    """`at` is where the binding takes effect: the end of a statement whose own expressions still see the old meaning."""

    at: int
    guard: int
    fact: Fact
    late: bool
    """True for a name that a function declares `global`: bound when that function runs, if ever."""


class Live(msgspec.Struct, frozen=True):
    """A binding that may hold; `taken` as `conditions.is_taken` judges its branch."""

    binding: Binding
    taken: bool | None
    conditions: tuple[str, ...]

    def rank(self, guards: Sequence[Guard]) -> int:
        """Which of several equally good ones Python would take: what was tried first, before what was fallen back to."""
        if self.taken or self.binding.guard < 0:
            return 4 if self.binding.late else 1
        kind = guards[self.binding.guard].kind
        return {"try": 0, "try_else": 0, "if": 2, "elif": 2, "else": 3, "except": 4}.get(kind, 2)


class Bindings:
    """All bindings of one file, by scope and name; made once for each file."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts
        self.stars: dict[int, list[Imported]] = {}
        self._found: dict[tuple[int, str], list[Binding]] = {}
        declared = {(one.scope, one.name): one.kind for one in facts.outside}
        for imported in facts.imports:
            if imported.name == "*":
                self.stars.setdefault(imported.scope, []).append(imported)
            else:
                self._add(imported.scope, imported.name, imported.at, imported.guard, imported, declared)
        for index, scope in enumerate(facts.scopes[1:], start=1):
            self._add(scope.parent, scope.name, scope.span.end, scope.guard, index, declared)
        self._assigned: dict[int, list[Assigned]] = {}
        for assigned in facts.assignments:
            self._assigned.setdefault(assigned.scope, []).append(assigned)
            value = assigned.value
            end = max(assigned.at, value.at + len(value.text)) if value is not None else assigned.at
            if assigned.how != "augmented" and (value is not None or assigned.how == "delete"):
                self._add(assigned.scope, assigned.name, end, assigned.guard, assigned, declared)
        self._names: dict[int, list[str]] = {}
        for (where, name), found in self._found.items():
            found.sort(key=lambda one: one.at)
            self._names.setdefault(where, []).append(name)

    def _add(
        self, scope: int, name: str, at: int, guard: int, fact: Fact, declared: Mapping[tuple[int, str], str]
    ) -> None:
        late = False
        while kind := declared.get((scope, name)):
            late = True
            scope = MODULE if kind == "global" else self._enclosing_function(scope)
            if scope == MODULE:
                break
        self._found.setdefault((scope, name), []).append(Binding(at, guard, fact, late))

    def _enclosing_function(self, scope: int) -> int:
        scope = self.facts.scopes[scope].parent
        while scope > 0 and not isinstance(self.facts.scopes[scope], FunctionScope):
            scope = self.facts.scopes[scope].parent
        return max(scope, MODULE)

    def names(self, scope: int) -> list[str]:
        """Every name that the scope itself binds."""
        return self._names.get(scope, [])

    def assigned_in(self, scope: int) -> list[Assigned]:
        """The assignments that stand in a scope."""
        return self._assigned.get(scope, [])

    def all_of(self, scope: int, name: str) -> Sequence[Binding]:
        return self._found.get((scope, name), ())

    def is_global(self, scope: int, name: str) -> bool:
        return any(one.scope == scope and one.name == name and one.kind == "global" for one in self.facts.outside)

    def live(self, scope: int, name: str, at: int | None, python: tuple[int, ...]) -> list[Live]:
        """The bindings that may hold at `at` (None: once the whole scope has run), the last first.

        What only type checkers see is left out, unless nothing else binds the name.
        """
        bindings = self._found.get((scope, name))
        if not bindings:
            return []
        if len(bindings) == 1 and bindings[0].guard < 0:
            one = bindings[0]
            return [Live(one, True, ())] if (at is None or one.at <= at) and not _deletes(one) else []
        return self._choose(bindings, at, python)

    def _choose(self, bindings: Sequence[Binding], at: int | None, python: tuple[int, ...]) -> list[Live]:
        guards = self.facts.guards
        found: list[Live] = []
        typing: list[Live] = []
        seen: dict[int, set[int]] = {}
        for one in reversed(bindings):
            if at is not None and one.at > at:
                continue
            taken = is_taken(guards, one.guard, python)
            live = Live(one, taken, conditions(guards, one.guard))
            if taken is False:
                _mark(guards, one.guard, seen)
                typing += [live] if is_for_typing(guards, one.guard) else []
                continue
            if _deletes(one):
                if taken and not found:
                    break
                continue
            found.append(live)
            if not one.late and (taken or _mark(guards, one.guard, seen)):
                break
        return found or typing


def _deletes(binding: Binding) -> bool:
    return isinstance(binding.fact, Assigned) and binding.fact.how == "delete"


def _mark(guards: Sequence[Guard], index: int, seen: dict[int, set[int]]) -> bool:
    """Notes that a branch binds the name; True once every way through the outermost statement does."""
    while index >= 0:
        guard = guards[index]
        branches = seen.setdefault(guard.at, set())
        branches.add(-1 if guard.kind == "else" else guard.branch)
        if guard.kind == "else":
            branches.add(-2 - guard.branch)
        last = next((-2 - one for one in branches if one < -1), None)
        whole = last is not None and all(branch in branches for branch in range(last))
        if guard.kind in ("try", "try_else", "except"):
            whole = 0 in branches and len(branches) > 1
        if not whole and guard.kind not in ("with", "finally"):
            return False
        index = guard.parent
    return True


def in_function(facts: FileFacts, scope: int) -> bool:
    """Whether code of this scope runs only when some function is called."""
    while scope > 0:
        if isinstance(facts.scopes[scope], FunctionScope):
            return True
        scope = facts.scopes[scope].parent
    return False


def is_class(facts: FileFacts, scope: int) -> bool:
    return isinstance(facts.scopes[scope], ClassScope)


def is_module(facts: FileFacts, scope: int) -> bool:
    return isinstance(facts.scopes[scope], ModuleScope)
