"""Owns what a body says without any type: what binds a local name, what reaches a place, what holds there.

A binding reaches a place when it stands before it and no later binding stands on every way there. Branches that exclude
each other and branches that end (`return`, `raise`, …) are told apart; inside a loop later bindings come round again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import msgspec

from sondage.core.inference.walking import trail, walk
from sondage.core.source import blocks, syntax
from sondage.core.source.syntax import Expr

Kind: TypeAlias = Literal[
    "assign", "annotation", "augmented", "for", "with", "except", "import", "definition", "parameter", "case", "delete"
]


class Branch(msgspec.Struct, frozen=True, gc=False):
    """One branch of a compound statement. `excludes`: no other branch of it runs with this one. `ends`: nothing follows."""

    at: int
    index: int
    loops: bool
    excludes: bool
    ends: bool


class Binding(msgspec.Struct, frozen=True, gc=False):
    """One statement that binds a local name. From offset `since` on it holds. `place` is the way through a tuple target."""

    name: str
    kind: Kind
    at: int
    since: int
    branches: tuple[Branch, ...]
    bound: Expr | blocks.Unread[Expr] | None = None
    annotation: Expr | None = None
    place: tuple[int, ...] = ()

    @property
    def value(self) -> Expr | None:
        return self.bound.content if isinstance(self.bound, blocks.Unread) else self.bound


def of_parameter(parameter: syntax.Parameter) -> Binding:
    return Binding(parameter.name, "parameter", parameter.at, parameter.at, ())


_COMPOUND = (blocks.If, blocks.For, blocks.While, blocks.With, blocks.Try, blocks.Match)

Condition: TypeAlias = tuple[Expr, bool]
"""A test, and whether it is known to be true or false."""


class Flow:
    """The bindings, returns and yields of one function body (nested definitions left out).

    `source` is the text of the file: values are read only where one of them may bind a name or yield.
    """

    def __init__(self, node: blocks.FunctionDef, source: bytes) -> None:
        self.node = node
        self.bindings: dict[str, list[Binding]] = {}
        self.yields: list[syntax.Yield] = []
        self._returned: list[blocks.Return] = []
        self._around: dict[int, tuple[Branch, ...]] = {}
        self._hides = any(source.find(sign, node.at, node.end) >= 0 for sign in (b":=", b"yield"))
        self.foreign: set[str] = set()
        """Names declared `global` or `nonlocal`."""
        for parameter in node.parameters:
            self._add(of_parameter(parameter))
        self._block(node.body, ())

    @cached_property
    def returns(self) -> list[Expr]:
        return [one.value for one in self._returned if one.value is not None]

    @cached_property
    def echoes(self) -> bool:
        """True where what is returned is made from a parameter other than the first of a method."""
        names = {parameter.name for parameter in self.node.parameters}
        exprs = [*self.returns, *(one.value for one in self.yields if one.value is not None)]
        return any(
            isinstance(node, syntax.Name) and self._echo(node.id, names) for expr in exprs for node in walk(expr)
        )

    def _echo(self, name: str, parameters: set[str]) -> bool:
        if name in parameters:
            return True
        values = [binding.value for binding in self.bindings.get(name, ()) if binding.value is not None]
        return any(isinstance(node, syntax.Name) and node.id in parameters for value in values for node in walk(value))

    def reaching(self, name: str, at: int) -> list[Binding]:
        """The bindings of a name that can hold at a place of this very body."""
        known = self.bindings.get(name, [])
        if len(known) < 2:
            return known
        branches = self._branches(at)
        before = [binding for binding in known if binding.since <= at]
        sure = max((i for i, binding in enumerate(before) if _encloses(binding.branches, branches)), default=-1)
        found = [binding for binding in before[max(sure, 0) :] if not _shut_off(binding.branches, branches)]
        loops = [branch for branch in branches if branch.loops]
        if sure >= 0:
            loops = [loop for loop in loops if loop not in before[sure].branches]
        found += [
            binding
            for binding in known
            if binding.since > at and any(loop in binding.branches for loop in loops) and binding.kind != "parameter"
        ]
        return found or known

    def _branches(self, at: int) -> tuple[Branch, ...]:
        """The branches around a place: several names are asked for at most places."""
        kept = self._around.get(at)
        if kept is None:
            kept = self._around[at] = branches_at(trail(self.node.body, at))
        return kept

    # ---- collecting

    def _add(self, binding: Binding) -> None:
        self.bindings.setdefault(binding.name, []).append(binding)

    def _block(self, block: blocks.Block, branches: tuple[Branch, ...]) -> None:
        for statement in block:
            self._statement(statement, branches)
            for branch, inner in branches_of(statement) if isinstance(statement, _COMPOUND) else ():
                self._block(inner, (*branches, branch) if branch is not None else branches)

    def _statement(self, statement: blocks.Stmt, branches: tuple[Branch, ...]) -> None:
        for value in values_of(statement) if self._hides else ():
            self._scan(value, branches)
        match statement:
            case blocks.ExprStmt():
                pass
            case blocks.Assign(targets=targets, unread=unread):
                for target in targets:
                    self._target(target, "assign", unread, statement.end, branches)
            case blocks.AnnAssign(target=syntax.Name(id=name), annotation=annotation, value=given):
                self._add(Binding(name, "annotation", statement.at, statement.end, branches, given, annotation))
            case blocks.TypeAliasStmt(name=name, value=given):
                self._add(Binding(name, "assign", statement.at, statement.end, branches, given))
            case blocks.AugAssign(target=target, unread=unread):
                self._target(target, "augmented", unread, statement.end, branches)
            case blocks.For(target=target, iter=value):
                self._target(target, "for", value, value.end, branches)
            case blocks.With(items=items):
                for item in items:
                    if item.target is not None:
                        self._target(item.target, "with", item.context, item.target.end, branches)
            case blocks.Try(handlers=handlers):
                inner = [branch for branch, _ in branches_of(statement) if branch is not None]
                for handler, branch in zip(handlers, inner[1:], strict=False):
                    if handler.name:
                        since = handler.type.end if handler.type else statement.at
                        self._add(Binding(handler.name, "except", since, since, (*branches, branch), handler.type))
            case blocks.Import(names=names) | blocks.ImportFrom(names=names):
                for alias in names:
                    bound = alias.asname or alias.name.split(".")[0]
                    self._add(Binding(bound, "import", alias.at, statement.end, branches))
            case blocks.FunctionDef(name=name) | blocks.ClassDef(name=name):
                self._add(Binding(name, "definition", statement.at, statement.at, branches))
            case blocks.Scope(names=names):
                self.foreign.update(names)
            case blocks.Return(unread=returned) if returned is not None:
                self._returned.append(statement)
            case blocks.Match(subject=subject, cases=cases):
                for case, (own, _) in zip(cases, branches_of(statement), strict=False):
                    self._case(case, subject, (*branches, own) if own is not None else branches)
            case _:
                pass

    def _case(self, case: blocks.MatchCase, subject: Expr, branches: tuple[Branch, ...]) -> None:
        for name in case.bound:
            whole = isinstance(case.pattern, syntax.NamedExpr) and case.pattern.target.id == name
            value = case.pattern.value if whole and isinstance(case.pattern, syntax.NamedExpr) else None
            bare = isinstance(case.pattern, syntax.Name)
            self._add(
                Binding(name, "case", case.pattern.at, case.pattern.end, branches, value, subject if bare else None)
            )

    def _target(
        self,
        target: Expr,
        kind: Kind,
        value: Expr | blocks.Unread[Expr],
        since: int,
        branches: tuple[Branch, ...],
        place: tuple[int, ...] = (),
    ) -> None:
        if isinstance(target, syntax.Name):
            self._add(Binding(target.id, kind, target.at, since, branches, value, None, place))
        elif isinstance(target, syntax.Starred):
            starred = (*place[:-1], -1 - place[-1]) if place else ()
            self._target(target.value, kind, value, since, branches, starred)
        elif isinstance(target, syntax.Sequence):
            for index, element in enumerate(target.elements):
                self._target(element, kind, value, since, branches, (*place, index))

    def _scan(self, expr: Expr, branches: tuple[Branch, ...]) -> None:
        """Walrus targets and yields hide in expressions."""
        for node in () if isinstance(expr, syntax.Name) else walk(expr, into_functions=False):
            if isinstance(node, syntax.NamedExpr):
                self._target(node.target, "assign", node.value, node.end, branches)
            elif isinstance(node, syntax.Yield):
                self.yields.append(node)


def _encloses(outer: tuple[Branch, ...], inner: tuple[Branch, ...]) -> bool:
    return inner[: len(outer)] == outer


def _shut_off(binding: tuple[Branch, ...], use: tuple[Branch, ...]) -> bool:
    """True where control cannot come from the one place to the other."""
    taken = {branch.at: branch.index for branch in use}
    for branch in binding:
        there = taken.get(branch.at)
        if there is None and branch.ends:
            return True
        if there is not None and there != branch.index and branch.excludes:
            return True
    return False


# ------------------------------------------------------------------ statements


def branches_of(statement: blocks.Stmt) -> list[tuple[Branch | None, blocks.Block]]:
    """The blocks inside a statement that belong to the same scope. None for a block that always runs."""
    at = statement.at
    match statement:
        case blocks.If(body=body, orelse=orelse):
            return [(Branch(at, index, False, True, ends(block)), block) for index, block in enumerate((body, orelse))]
        case blocks.For(body=body, orelse=orelse) | blocks.While(body=body, orelse=orelse):
            return [(Branch(at, 0, True, False, False), body), (Branch(at, 1, False, False, False), orelse)]
        case blocks.With(body=body):
            return [(None, body)]
        case blocks.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            found: list[tuple[Branch | None, blocks.Block]] = [(Branch(at, 0, False, False, False), body)]
            for index, handler in enumerate(handlers, start=1):
                found.append((Branch(at, index, False, False, ends(handler.body)), handler.body))
            return [*found, (Branch(at, 0, False, False, False), orelse), (None, finalbody)]
        case blocks.Match(cases=cases):
            return [(Branch(at, index, False, True, ends(case.body)), case.body) for index, case in enumerate(cases)]
    return []


def ends(block: blocks.Block) -> bool:
    """True where control never comes out at the end of a block."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, blocks.If):
        return ends(last.body) and ends(last.orelse)
    return isinstance(last, blocks.Return | blocks.Raise) or (
        isinstance(last, blocks.Simple) and last.kind in {"break", "continue"}
    )


def values_of(statement: blocks.Stmt) -> list[Expr]:
    """The expressions of a statement itself, without those of its blocks; targets left out."""
    match statement:
        case blocks.Assign(value=value) | blocks.AugAssign(value=value) | blocks.ExprStmt(value=value):
            return [value]
        case blocks.AnnAssign(value=value) | blocks.Return(value=value):
            return [value] if value is not None else []
        case blocks.If(test=test) | blocks.While(test=test) | blocks.Assert(test=test):
            return [test]
        case blocks.For(iter=value) | blocks.Match(subject=value):
            return [value]
        case blocks.With(items=items):
            return [item.context for item in items]
    return []


# ------------------------------------------------------------------ where a trail leads


def branches_at(way: Sequence[object]) -> tuple[Branch, ...]:
    """The branches around the end of a trail, inside its innermost function."""
    found: list[Branch] = []
    for index, node in enumerate(way):
        if isinstance(node, blocks.FunctionDef | blocks.ClassDef | blocks.Module):
            found = []
        elif isinstance(node, syntax.Node):
            inside = _next_statement(way, index)
            for branch, block in branches_of(node) if inside is not None else ():  # type: ignore[arg-type]
                if branch and any(statement is inside for statement in block):
                    found.append(branch)
                    break
    return tuple(found)


def _next_statement(way: Sequence[object], index: int) -> object:
    """The statement that follows on a trail directly inside a block of the one at `index`."""
    for before, node in zip(way[index:], way[index + 1 :], strict=False):
        if isinstance(before, tuple) and isinstance(node, syntax.Node):
            return node
    return None


def conditions_at(way: Sequence[object]) -> list[Condition]:
    """The tests known to have come out true or false wherever control reaches the end of a trail, inside its function."""
    found: list[Condition] = []
    for index, node in enumerate(way):
        after = way[index + 1] if index + 1 < len(way) else None
        if isinstance(node, blocks.FunctionDef | blocks.ClassDef | blocks.Module):
            found = []
        elif isinstance(node, tuple) and isinstance(after, syntax.Node):
            found += _passed(node, after)
            if index and isinstance(way[index - 1], syntax.BoolOp):
                found += _short_circuit(way[index - 1], after)
        elif isinstance(node, blocks.If | blocks.While | syntax.IfExp):
            if after is node.body:
                found.append((node.test, True))
            elif after is node.orelse:
                found.append((node.test, False))
        elif isinstance(node, syntax.Comprehension) and after in (node.element, node.value):
            found += [(condition, True) for clause in node.clauses for condition in clause.conditions]
    return found


def _passed(block: tuple[object, ...], reached: syntax.Node) -> Iterator[Condition]:
    """What the statements before one in its block leave known: assertions, and tests whose branch ends."""
    for statement in block:
        if statement is reached:
            return
        if isinstance(statement, blocks.Assert):
            yield statement.test, True
        elif isinstance(statement, blocks.If):
            if ends(statement.body) and not statement.orelse:
                yield statement.test, False
            elif statement.orelse and ends(statement.orelse):
                yield statement.test, True


def _short_circuit(operation: object, reached: syntax.Node) -> Iterator[Condition]:
    if isinstance(operation, syntax.BoolOp):
        for value in operation.values:
            if value is reached:
                return
            yield value, operation.op == "and"
