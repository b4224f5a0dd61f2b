"""Owns calls that a followed object goes into: which bodies run, which objects are made, and which parameters get it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.contracts.idioms import is_super
from sondage.core.contracts.things import Given, Handle, Made, Thing, Things, Unit, Way, given_to, nesting
from sondage.core.inference.values import Bound, ClassObject, Function, Instance, Types
from sondage.core.source import syntax
from sondage.core.source.blocks import FunctionDef
from sondage.core.source.syntax import Attribute, Call, Expr

_NESTED = 3
"""Objects made with one another in their hands are followed this deep."""
Arguments: TypeAlias = "dict[int | str, Things]"
"""The arguments of a call that are followed, by position or name."""


class Reading(Protocol):
    """What reading expressions offers: see `core.contracts.ways`."""

    code: Codebase
    receiver: Way

    def read(self, expression: Expr, unit: Unit) -> Things: ...

    def typed(self, expression: Expr, unit: Unit) -> Types: ...

    def unit(
        self, ref: FunctionRef, this: Thing | None = None, class_: ClassRef | None = None, given: Given = ()
    ) -> Unit | None: ...


class _Entering:
    """One call, with what goes into it."""

    def __init__(self, reading: Reading, call: Call, unit: Unit, with_arguments: bool) -> None:
        self.reading = reading
        self.code = reading.code
        self.call = call
        self.here = unit
        self.arguments = arguments(reading, call, unit) if with_arguments else {}
        self.this = bound_to(reading, call, unit)

    def callees(self) -> Iterator[Unit | Made]:
        if not self.arguments and self.this is None:
            return
        for found in self.reading.typed(self.call.func, self.here):
            match found.value:
                case Function(ref=ref):
                    yield from self._body(ref, None, None, 0)
                case Bound(ref=ref, receiver=receiver):
                    yield from self._body(
                        ref, self.this, receiver.class_ if isinstance(receiver, Instance) else None, 1
                    )
                case ClassObject(class_=class_) if self.arguments:
                    yield from self._made(class_)
                case Instance(class_=class_):
                    for member in self.code.hierarchy.lookup(class_, "__call__")[:1]:
                        if member.scope >= 0:
                            yield from self._body(self.code.function_of(member.path, member.scope), None, class_, 1)

    def _body(self, ref: FunctionRef, this: Thing | None, class_: ClassRef | None, bound: int) -> Iterator[Unit]:
        unit = self.reading.unit(ref, this, class_)
        if unit is not None and unit.node is not None:
            yield Unit(unit.frame, this, given_to(unit.node, self.arguments, bound))

    def _made(self, class_: ClassRef) -> Iterator[Made]:
        for member in self.code.hierarchy.lookup(class_, "__init__")[:1]:
            file = self.code.syntax_of(member.path) if member.scope >= 0 else None
            node = file.definition(member.scope) if file is not None else None
            given = given_to(node, self.arguments, 1) if isinstance(node, FunctionDef) else ()
            if given and nesting(given) <= _NESTED:
                yield Made(class_, given)


def callees(reading: Reading, call: Call, unit: Unit, *, with_arguments: bool = True) -> Iterator[Unit | Made]:
    """The bodies that a call may run and the objects it may make, where something followed goes in."""
    return _Entering(reading, call, unit, with_arguments).callees()


def arguments(reading: Reading, call: Call, unit: Unit) -> Arguments:
    """The arguments that are followed; those behind a `*` have no known place and are left out."""
    found: Arguments = {}
    for index, argument in enumerate(call.args):
        if isinstance(argument, syntax.Starred):
            break
        things = reading.read(argument, unit)
        if things:
            found[index] = things
    for keyword in call.keywords:
        things = reading.read(keyword.value, unit) if keyword.name is not None else ()
        if things and keyword.name is not None:
            found[keyword.name] = things
    return found


def bound_to(reading: Reading, call: Call, unit: Unit) -> Thing | None:
    """The followed object that a method is called on; `super().m()` is on the unit's own."""
    if not isinstance(call.func, Attribute):
        return None
    if is_super(call.func.value):
        return unit.this
    for seen in reading.read(call.func.value, unit):
        if seen.thing != reading.receiver and not isinstance(seen.thing, Handle):
            return seen.thing
    return None
