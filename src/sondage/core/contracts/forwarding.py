"""Owns what a body hands on: methods that only pass a call to an attribute, and what a `__getattr__` looks into.

Both are read from syntax alone; whether the attribute can answer is for `core.contracts.judge`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from sondage.core.contracts import guards, idioms
from sondage.core.contracts.guards import Guards
from sondage.core.contracts.idioms import Path
from sondage.core.source import blocks, syntax
from sondage.core.source.blocks import FunctionDef, Return, Stmt
from sondage.core.source.syntax import Attribute, Call, Expr, Name


class Handing(NamedTuple):
    """One place where a body hands on. `path` leads from `self` to the object that is asked; `at` is its offset."""

    path: Path
    at: int
    guards: Guards = ()


# ------------------------------------------------------------------ methods


def forwards(function: FunctionDef) -> tuple[Handing, ...]:
    """Where a method hands on to the member of its own name on an attribute of `self`, if it only does that.

    Allowed beside it are conditions, early returns, errors raised, and what else is asked of that same attribute.
    """
    if not function.parameters:
        return ()
    reader = _Forwarder(function.name, function.parameters[0].name)
    allowed = all(reader.allows(statement, way) for statement, way in guards.statements(function.body))
    asked = {handing.path[0] for handing in reader.found}
    return tuple(reader.found) if allowed and reader.touched <= asked else ()


def property_reads(function: FunctionDef) -> Handing | None:
    """The attribute of its own name that a property only passes on: `return self.model.start_layer` in `start_layer`."""
    body = [s for s in function.body if not (isinstance(s, blocks.ExprStmt) and isinstance(s.value, syntax.Text))]
    if len(body) != 1 or not isinstance(body[0], Return) or body[0].value is None or not function.parameters:
        return None
    path = idioms.path_from(body[0].value, {function.parameters[0].name: ()})
    return Handing(path[:-1], body[0].at) if path and len(path) > 1 and path[-1] == function.name else None


class _Forwarder:
    """Goes through a body once. `touched` holds the attributes of `self` that anything was asked of."""

    def __init__(self, member: str, this: str) -> None:
        self.member = member
        self.roots: dict[str, Path] = {this: ()}
        self.results: set[str] = set()
        self.touched: set[str] = set()
        self.found: list[Handing] = []

    def allows(self, statement: Stmt, way: Guards) -> bool:
        match statement:
            case blocks.Simple() | blocks.Raise() | blocks.Try() | blocks.Import() | blocks.ImportFrom():
                return True
            case blocks.If() | blocks.Assert():
                return True
            case Return():
                return statement.value is None or self._gives(statement.value, way)
            case blocks.ExprStmt():
                return isinstance(statement.value, syntax.Text) or self._asks(statement.value, way)
            case blocks.Assign(targets=(Name() as target,)):
                return self._binds(target.id, statement.value, way)
        return False

    def _binds(self, name: str, value: Expr, way: Guards) -> bool:
        path = idioms.path_from(value, self.roots)
        if path:
            self.roots[name] = path
            return True
        self.results.add(name)
        return self._gives(value, way)

    def _gives(self, value: Expr, way: Guards) -> bool:
        """Whether a value comes from the object that is handed on to, or says nothing."""
        if isinstance(value, syntax.Constant | syntax.Text):
            return True
        if isinstance(value, Name):
            return value.id in self.results or value.id in self.roots
        if isinstance(value, syntax.Sequence):
            return all(self._gives(element, way) for element in value.elements)
        if isinstance(value, syntax.IfExp):
            first = self._gives(value.body, (*way, guards.Guard("test", value.test)))
            return self._gives(value.orelse, (*way, guards.Guard("test", value.test, holds=False))) and first
        if isinstance(value, Attribute):
            return self._touch(idioms.path_from(value, self.roots))
        return self._asks(value, way)

    def _asks(self, value: Expr, way: Guards) -> bool:
        """A call on the object; one of the member's own name is what makes a forwarder."""
        if isinstance(value, syntax.Await):
            value = value.value
        if isinstance(value, syntax.Yield) and value.is_from and value.value is not None:
            value = value.value
        if not isinstance(value, Call):
            return False
        path = idioms.path_from(value.func, self.roots)
        if path and len(path) > 1 and path[-1] == self.member:
            self.found.append(Handing(path[:-1], value.at, way))
        return self._touch(path)

    def _touch(self, path: Path | None) -> bool:
        if not path or len(path) < 2:
            return False
        self.touched.add(path[0])
        return True


# ------------------------------------------------------------------ __getattr__


class Getattr(NamedTuple):
    """What a `__getattr__` or `__getattribute__` can answer.

    `hands_on`: the objects it asks for the same name. `names`: names it answers itself. `opaque`: it may answer
    anything; a body that only looks into containers of its own, or only raises, has none of the three.
    """

    hands_on: tuple[Handing, ...] = ()
    names: frozenset[str] = frozenset()
    opaque: bool = False


Given = Literal["container", "refusal", "opaque"]


def reads_getattr(function: FunctionDef) -> Getattr:
    """What the body of a `__getattr__` gives back."""
    if len(function.parameters) < 2:
        return Getattr(opaque=True)
    reader = _GetattrReader(function.parameters[0].name, function.parameters[1].name)
    for statement, way in guards.statements(function.body):
        reader.reads(statement, way)
    return Getattr(tuple(reader.hands_on), frozenset(reader.names), reader.opaque)


class _GetattrReader:
    def __init__(self, this: str, asked: str) -> None:
        self.roots: dict[str, Path] = {this: ()}
        self.values: dict[str, list[Expr]] = {}
        self.asked = asked
        self.hands_on: list[Handing] = []
        self.names: set[str] = set()
        self.opaque = False

    def reads(self, statement: Stmt, way: Guards) -> None:
        if (
            isinstance(statement, blocks.Assign)
            and len(statement.targets) == 1
            and isinstance(statement.targets[0], Name)
        ):
            name = statement.targets[0].id
            path = idioms.path_from(statement.value, self.roots)
            if path:
                self.roots[name] = path
            self.values.setdefault(name, []).append(statement.value)
        if isinstance(statement, Return) and statement.value is not None:
            self._given(statement.value, way)

    def _given(self, value: Expr, way: Guards) -> None:
        literals = frozenset(self._literals(way))
        if literals:
            self.names |= literals
            return
        path = self._asked_of(value)
        if path is not None:
            if path:
                self.hands_on.append(Handing(path, value.at, way))
            return
        if isinstance(value, Name) and value.id in self.values and value.id not in self.roots:
            for earlier in self.values[value.id]:
                self._given_plainly(earlier, way)
            return
        self._given_plainly(value, way)

    def _given_plainly(self, value: Expr, way: Guards) -> None:
        path = self._asked_of(value)
        if path:
            self.hands_on.append(Handing(path, value.at, way))
        elif path is None and not self._from_container(value):
            self.opaque = True

    def _literals(self, way: Guards) -> Iterator[str]:
        """The names that the way to a place allows: `name == "x"`, `name in ("x", "y")`."""
        for guard in way:
            test = guard.test
            if guard.kind not in ("test", "check") or not guard.holds or not isinstance(test, syntax.Compare):
                continue
            if not (isinstance(test.left, Name) and test.left.id == self.asked and len(test.ops) == 1):
                continue
            (other,) = test.comparators
            if test.ops[0] == "==" and isinstance(other, syntax.Text):
                yield other.value
            if test.ops[0] == "in" and isinstance(other, syntax.Sequence):
                yield from (element.value for element in other.elements if isinstance(element, syntax.Text))

    def _asked_of(self, value: Expr) -> Path | None:
        """The object that is asked for the same name; `()` for the ordinary lookup on `self`, None for anything else."""
        if not isinstance(value, Call) or not value.args:
            return None
        if idioms.called_name(value) == "getattr" and len(value.args) > 1 and self._is_asked(value.args[1]):
            return idioms.path_from(value.args[0], self.roots)
        function = value.func
        if isinstance(function, Attribute) and function.attr in ("__getattr__", "__getattribute__"):
            if idioms.is_super(function.value) or len(value.args) == 2:
                return ()
            return idioms.path_from(function.value, self.roots) if self._is_asked(value.args[0]) else None
        return None

    def _is_asked(self, expression: Expr) -> bool:
        return isinstance(expression, Name) and expression.id == self.asked

    def _from_container(self, value: Expr) -> bool:
        """`self._things[name]` and `self._things.get(name)`, also through `self.__dict__`."""
        if isinstance(value, syntax.Subscript) and self._is_asked(value.index):
            return idioms.path_from(value.value, self.roots) is not None
        if (
            isinstance(value, Call)
            and isinstance(value.func, Attribute)
            and value.func.attr in ("get", "pop")
            and value.args
        ):
            return self._is_asked(value.args[0]) and idioms.path_from(value.func.value, self.roots) is not None
        return False
