"""Owns reading one body for what it does with the receiver: every member used, how, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from sondage.core.answers.contracts import Escape, How, Use
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import entering, guards, idioms, operators, signature
from sondage.core.contracts.guards import Guard, Guards
from sondage.core.contracts.objects import short
from sondage.core.contracts.things import Handle, Made, Seen, Things, Unit
from sondage.core.contracts.ways import Ways
from sondage.core.inference.values import ClassObject
from sondage.core.source import blocks, syntax
from sondage.core.source.blocks import FunctionDef, Stmt
from sondage.core.source.syntax import Attribute, Call, Expr, Name, Text

_BY_NAME = frozenset({"hasattr", "getattr", "setattr", "delattr"})
_ASKING = frozenset(
    [
        "hasattr",
        "getattr",
        "setattr",
        "delattr",
        "isinstance",
        "issubclass",
        "type",
        "id",
        "callable",
        "print",
        "repr",
        "str",
        "len",
        "bool",
        "cast",
        "super",
        "list",
        "tuple",
        "iter",
        "next",
        "enumerate",
        "zip",
        "vars",
        "dir",
    ]
)
"""Builtins that take an object and call no member of it by name, or are read here one by one."""


_SHOWN = 120
"""Characters of a call that are shown: it may go over many lines."""


class Context(NamedTuple):
    """How a body is reached: the conditions and members already made sure of by its callers, and the way in words."""

    guards: tuple[str, ...] = ()
    checked: frozenset[str] = frozenset()
    why: tuple[str, ...] = ()


class Spot(NamedTuple):
    """Where a member is used: its offset, how, the call if it is one, and the conditions on the way."""

    at: int
    how: How
    way: Guards
    call: Call | None = None


class Entry(NamedTuple):
    """A body, or an object made, that the receiver goes into from here."""

    into: Unit | Made
    context: Context


class Reader:
    """Reads one unit. `uses` holds (member, use) pairs, `entries` what is to be read next."""

    def __init__(self, ways: Ways, unit: Unit, context: Context) -> None:
        self.ways = ways
        self.unit = unit
        self.context = context
        self.uses: list[tuple[str, Use]] = []
        self.entries: list[Entry] = []
        self.escapes: list[Escape] = []
        self.handed: list[Escape] = []
        self._roles: dict[int, tuple[How, Call | None]] = {}
        self._inside: set[int] = set()

    def read(self) -> None:
        """Go through the body, closures included."""
        node = self.unit.node
        body = node.body if node is not None else getattr(self.unit.frame.node, "body", ())
        for statement, way in guards.statements(body):
            self._targets(statement)
            if isinstance(statement, FunctionDef):
                self._closure(statement, way)
            for operand, member in operators.asked_by_statement(statement):
                self._member(operand, member, Spot(operand.at, "call", way))
            for place in guards.places(statement, way):
                self._place(place.expression, place.guards, statement)

    # ---- what an expression is there for

    def _targets(self, statement: Stmt) -> None:
        match statement:
            case blocks.Assign(targets=targets):
                for target in targets:
                    self._written(target)
            case blocks.AnnAssign(target=target) if statement.value is not None:
                self._written(target)
            case blocks.AugAssign(target=target) | blocks.For(target=target):
                self._written(target)
            case blocks.Delete(targets=targets):
                for target in targets:
                    self._roles[id(target)] = ("delete", None)

    def _written(self, target: Expr) -> None:
        if isinstance(target, syntax.Sequence):
            for element in target.elements:
                self._written(element)
        else:
            self._roles[id(target)] = ("write", None)

    def _place(self, expression: Expr, way: Guards, statement: Stmt) -> None:
        match expression:
            case Call():
                self._roles[id(expression.func)] = ("call", expression)
                self._call(expression, way)
            case Attribute(value=value, attr=attr):
                how, call = self._roles.get(id(expression), ("read", None))
                self._member(value, attr, Spot(expression.attr_at, how, way, call))
            case syntax.Sequence() | syntax.Dict():
                self._kept(expression, statement)
        for operand, member in operators.asked_by(expression, self._roles.get(id(expression), ("read", None))[0]):
            self._member(operand, member, Spot(expression.at, "call", way))

    # ---- uses

    def _member(self, value: Expr, name: str, spot: Spot) -> None:
        for seen in self.ways.read(value, self.unit):
            if seen.thing == self.ways.receiver:
                self._use(name, spot, seen, optional=self._is_optional(name, spot.way))
                return

    def _use(self, name: str, spot: Spot, seen: Seen, *, optional: bool = False) -> None:
        if name in self._everywhere:
            return
        line, column = self.unit.file.text.position(spot.at)
        use = Use(
            spot.how,
            self.unit.frame.path,
            line,
            column,
            self._symbol(),
            optional,
            "proved" if seen.sure else "possible",
            signature.call_shape(spot.call) if spot.call is not None else None,
            (*self.context.guards, *self._conditions(spot.way)),
            (*self.context.why, *seen.why),
        )
        self.uses.append((name, use))

    @cached_property
    def _everywhere(self) -> frozenset[str]:
        """What every object has, so that no contract need ask for it."""
        return frozenset(self.ways.code.hierarchy.own_members(ClassRef("object"))) | {"__dict__", "__module__"}

    def _conditions(self, way: Guards) -> tuple[str, ...]:
        """What makes the difference between needed and not: a check that raises makes none."""
        text = self.unit.file.text
        return tuple(dict.fromkeys(guards.show(guard, text) for guard in way if guard.kind != "check"))

    def _symbol(self) -> str:
        return self.unit.file.facts.scopes[self.unit.frame.scope].qualname

    def _receiver_in(self, expression: Expr) -> Seen | None:
        return next((seen for seen in self.ways.read(expression, self.unit) if seen.thing == self.ways.receiver), None)

    # ---- calls

    def _call(self, call: Call, way: Guards) -> None:
        name = idioms.called_name(call)
        first = self._receiver_in(call.args[0]) if call.args and name in _BY_NAME else None
        if first is not None:
            self._by_name(call, str(name), first, way)
        for seen in self.ways.read(call.func, self.unit):
            if isinstance(seen.thing, Handle) and not isinstance(call.func, Attribute):
                self._use(seen.thing.member, Spot(call.at, "call", way, call), seen)
            elif seen.thing == self.ways.receiver:
                self._use(self._calling(call), Spot(call.at, "call", way, call), seen)
        if name not in _ASKING:
            self._follow(call, way)

    def _calling(self, call: Call) -> str:
        """What calling the receiver itself runs: a class makes an instance, an instance is called."""
        types = self.ways.typed(call.func, self.unit)
        return "__init__" if any(isinstance(found.value, ClassObject) for found in types) else "__call__"

    def _by_name(self, call: Call, function: str, seen: Seen, way: Guards) -> None:
        name = call.args[1].value if len(call.args) > 1 and isinstance(call.args[1], Text) else None
        if name is None:
            self._escape(call, f"{function} with a computed name")
        elif function == "hasattr":
            self._use(name, Spot(call.at, "probe", way), seen, optional=True)
        elif function == "getattr":
            role, outer = self._roles.get(id(call), ("read", None))
            how: How = "call" if role == "call" else "read"
            optional = len(call.args) > 2 or self._is_optional(name, way)
            self._use(name, Spot(call.at, how, way, outer), seen, optional=optional)
        else:
            self._use(name, Spot(call.at, "write" if function == "setattr" else "delete", way), seen)

    def _follow(self, call: Call, way: Guards) -> None:
        """Into the bodies that get the receiver, or something that leads to it."""
        given = entering.arguments(self.ways, call, self.unit)
        entered = []
        for callee in entering.callees(self.ways, call, self.unit):
            if isinstance(callee, Made) or callee.given or self._is_super(call):
                entered.append(callee)
                self.entries.append(Entry(callee, self._context(call, way)))
        if any(self._is_receiver(things) for things in given.values()):
            if entered:
                into = ", ".join(dict.fromkeys(_name_of(callee) for callee in entered))
                self.handed.append(self._handing(call, f"followed into {into}"))
            else:
                self._escape(call, "what is called there was not read")

    def _is_receiver(self, things: Things) -> bool:
        return any(seen.thing == self.ways.receiver for seen in things)

    def _is_super(self, call: Call) -> bool:
        return isinstance(call.func, Attribute) and idioms.is_super(call.func.value)

    def _context(self, call: Call, way: Guards) -> Context:
        return Context(
            (*self.context.guards, *self._conditions(way)),
            self.context.checked | frozenset(name for guard in way for name in self._checked(guard)),
            (*self.context.why, f"handed on at {self.unit.line(call.at)}"),
        )

    # ---- closures, containers

    def _closure(self, statement: FunctionDef, way: Guards) -> None:
        frame = self.ways.infer.scope_frame(self.unit.frame.path, self.unit.file.scopes.get(statement.at, -1))
        if frame is not None:
            inner = Unit(frame, None, (), self.unit)
            conditions = (*self.context.guards, *self._conditions(way))
            self.entries.append(Entry(inner, self.context._replace(guards=conditions)))

    def _kept(self, expression: syntax.Sequence | syntax.Dict, statement: Stmt) -> None:
        if (
            isinstance(statement, blocks.Assign | blocks.AnnAssign | blocks.Return)
            and id(expression) not in self._roles
        ):
            values = expression.elements if isinstance(expression, syntax.Sequence) else expression.values
            if any(self._receiver_in(value) is not None for value in values):
                self._escape(expression, "kept in a container")

    def _escape(self, expression: Expr, why: str) -> None:
        self.escapes.append(self._handing(expression, why))

    def _handing(self, expression: Expr, why: str) -> Escape:
        text = self.unit.file.text
        shown = " ".join(text.utf8[expression.at : expression.end].decode("utf-8", "replace").split())
        line = text.line_of(expression.at)
        return Escape(self.unit.frame.path, line, shown[:_SHOWN], why, self._symbol())

    # ---- optional or not

    def _is_optional(self, name: str, way: Guards) -> bool:
        """Whether the place is reached only where the object has the member, or the error is caught."""
        if name in self.context.checked:
            return True
        return any(name in self._checked(guard) or _catches(guard) for guard in way)

    def _checked(self, guard: Guard) -> Iterator[str]:
        if guard.kind == "test" and guard.test is not None:
            yield from self._found_by(guard.test, guard.holds)

    def _found_by(self, test: Expr, holds: bool) -> Iterator[str]:
        """The members that a test, having come out so, shows to be there."""
        match test:
            case syntax.UnaryOp(op="not", operand=operand):
                yield from self._found_by(operand, not holds)
            case syntax.BoolOp(op=op, values=values) if (op == "and") == holds:
                for value in values:
                    yield from self._found_by(value, holds)
            case syntax.Compare(left=left, ops=(op,), comparators=(syntax.Constant(kind="None"),)):
                if (op == "is not") == holds:
                    yield from self._found_by(left, True)
            case Call(args=(first, *rest)) if holds:
                if idioms.called_name(test) == "callable":
                    yield from self._found_by(first, True)
                elif rest and isinstance(rest[0], Text) and self._asks_receiver(test, first):
                    yield rest[0].value
            case Name(id=name) if holds:
                yield from self._found_by_local(name)

    def _asks_receiver(self, test: Call, first: Expr) -> bool:
        return idioms.called_name(test) in ("hasattr", "getattr") and self._receiver_in(first) is not None

    def _found_by_local(self, name: str) -> Iterator[str]:
        flow = self.ways.infer.flow(self.unit.frame)
        bindings = flow.bindings.get(name, []) if flow is not None else []
        if len(bindings) == 1 and isinstance(bindings[0].value, Call | syntax.BoolOp | syntax.Compare):
            yield from self._found_by(bindings[0].value, True)


def _catches(guard: Guard) -> bool:
    """Whether the lack of a member is provided for. A broad `except` answers for anything, and so for nothing."""
    if guard.kind != "caught" or guard.test is None:
        return False
    names = guard.test.elements if isinstance(guard.test, syntax.Sequence) else (guard.test,)
    return any((idioms.dotted(name) or ("",))[-1] == "AttributeError" for name in names)


def _name_of(callee: Unit | Made) -> str:
    if isinstance(callee, Made):
        return short(callee.class_)
    return callee.file.facts.scopes[callee.frame.scope].qualname
