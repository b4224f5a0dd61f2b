"""Owns following one object through bodies: which expressions stand for it, however they reach it.

The object is the *receiver* of a contract. Two ways to name it:
- a path, `self.target_worker.model_runner.model` for a consumer class: steps from the consumer to the object;
- a slot, `ModelRunner.model`: that attribute of any instance, found by the inferred class of what stands before it.

Expressions are read on demand: a local name through the bindings that reach it, a parameter through the arguments of
the call that is being followed, an attribute through properties and assignments, a call through what the callee
returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, FunctionRef, Member
from sondage.core.contracts import entering, objects
from sondage.core.contracts.idioms import called_name, reads_literal
from sondage.core.contracts.things import (
    ELEMENT,
    Given,
    Handle,
    Loops,
    Made,
    Seen,
    Slot,
    Thing,
    Things,
    Unit,
    Way,
    loops_in,
    once,
    similar,
)
from sondage.core.inference.flow import Binding, Flow
from sondage.core.inference.infer import Inference
from sondage.core.inference.values import TYPED, Instance, Types, one
from sondage.core.source import syntax
from sondage.core.source.syntax import Attribute, Call, Expr, Name

_DEEPEST = 24
"""Steps of reading one expression through another."""


class Ways:
    """Reads expressions for one receiver. `root` is the consumer class of a path; `slot` is set instead for a slot."""

    def __init__(
        self, code: Codebase, root: ClassRef | None, slot: Slot | None = None, names: frozenset[str] = frozenset()
    ) -> None:
        self.code = code
        self.root = root
        self.slot = slot
        self.names = names
        """For a slot: the attributes anywhere that may be given its value; others are not looked into."""
        self.receiver = Way(("·",))
        """Out of any way's reach until `aim` names the end of a path; a slot's receiver is not reached by steps."""
        self.limited = slot is not None
        """Whether only ways that lead to the receiver are kept; not so while the receiver itself is being made out."""
        self._kept: dict[tuple[object, ...], Things] = {}
        self._tried: dict[tuple[object, ...], Things] = {}
        self._open: set[tuple[object, ...]] = set()
        self._types: dict[tuple[str, ...], Types] = {}
        self._loops: dict[tuple[str, int], Loops] = {}
        self._cuts = 0

    @cached_property
    def infer(self) -> Inference:
        return objects.inference(self.code)

    def aim(self, steps: Iterable[str]) -> None:
        """Fix the receiver of a path, with properties and aliases on the way replaced by what they stand for."""
        reached = Way(())
        for step in steps:
            found = [seen.thing for seen in self._step(reached, step) if isinstance(seen.thing, Way)]
            reached = found[0] if found else Way((*reached.steps, step))
        self.receiver = reached
        self.limited = True
        self._kept.clear()

    # ---- types

    def types(self, way: Way) -> Types:
        """What the object at the end of a way can be, by the inference."""
        if not way.steps:
            return one(Instance(self.root)) if self.root else ()
        known = self._types.get(way.steps)
        if known is None:
            before = self.types(Way(way.steps[:-1]))
            self.infer.begin()
            last = way.steps[-1]
            known = self.infer.elements(before) if last == ELEMENT else self.infer.attribute(before, last)
            self._types[way.steps] = known
        return known

    def classes(self, thing: Thing) -> tuple[ClassRef, ...]:
        if isinstance(thing, Made):
            return (thing.class_,)
        return objects.classes(self.types(thing)) if isinstance(thing, Way) and not self.slot else ()

    def typed(self, expression: Expr, unit: Unit) -> Types:
        """What the inference says about an expression, in the frame of a unit."""
        self.infer.begin()
        return self.infer.expression(expression, unit.frame)

    # ---- reading

    def read(self, expression: Expr, unit: Unit) -> Things:
        """What an expression can stand for, as far as it is followed; empty for all that is not."""
        key = (unit.key, expression.at, expression.end, type(expression))
        kept = self._kept.get(key)
        if kept is None:
            kept = self._tried.get(key)
        if kept is not None:
            return kept
        if key in self._open or len(self._open) > _DEEPEST:
            self._cuts += 1
            return ()
        self._open.add(key)
        before = self._cuts
        found = once(self._read(expression, unit))
        self._open.discard(key)
        self._keep(key, found, whole=self._cuts == before)
        return found

    def _keep(self, key: tuple[object, ...], found: Things, *, whole: bool) -> None:
        """What was read while a circle was being cut holds for the outermost question alone, whose answer is whole."""
        if not self._open:
            self._tried.clear()
        if whole or not self._open:
            self._kept[key] = found
        else:
            self._tried[key] = found

    def _read(self, expression: Expr, unit: Unit) -> Iterator[Seen]:
        match expression:
            case Name():
                yield from self._name(expression.id, expression.at, unit)
            case Attribute(value=value, attr=attr):
                yield from self.attribute(value, attr, unit)
            case Call():
                yield from self._call(expression, unit)
            case syntax.Subscript(value=value):
                by_name = reads_literal(expression)
                if by_name is not None:
                    yield from self.attribute(*by_name, unit)
                else:
                    yield from self._elements(self.read(value, unit))
            case syntax.BoolOp(op=op, values=values):
                for value in values if op == "or" else values[-1:]:
                    yield from self.read(value, unit)
            case syntax.IfExp(body=body, orelse=orelse):
                yield from self.read(body, unit)
                yield from self.read(orelse, unit)
            case syntax.NamedExpr(value=value) | syntax.Await(value=value) | syntax.Starred(value=value):
                yield from self.read(value, unit)
            case syntax.Sequence(elements=elements):
                for element in elements:
                    yield from (
                        seen._replace(thing=Way((*seen.thing.steps, "()")))
                        for seen in self.read(element, unit)
                        if isinstance(seen.thing, Way) and not self.limited
                    )

    # ---- names

    def _name(self, name: str, at: int, unit: Unit) -> Iterator[Seen]:
        target = self._looped_over(name, at, unit)
        if target is not None:
            yield from self._elements(self.read(target, unit))
            return
        flow = self.infer.flow(unit.frame)
        if flow is not None and name in flow.bindings and name not in flow.foreign:
            for binding in self._reaching(flow, name, at):
                yield from self._binding(binding, unit)
        elif unit.outer is not None:
            yield from self._name(name, at, unit.outer)

    def _looped_over(self, name: str, at: int, unit: Unit) -> Expr | None:
        """What the innermost comprehension around an offset that binds a name loops over."""
        node = unit.node
        if node is None:
            return None
        key = (unit.frame.path, unit.frame.scope)
        if key not in self._loops:
            self._loops[key] = loops_in(node)
        around = [clause.iter for loop, clause in self._loops[key].get(name, ()) if loop.at <= at < loop.end]
        return around[-1] if around else None

    def _reaching(self, flow: Flow, name: str, at: int) -> list[Binding]:
        if len(flow.bindings[name]) == 1 or not flow.node.at <= at < flow.node.end:
            return flow.bindings[name]
        return flow.reaching(name, at)

    def _binding(self, binding: Binding, unit: Unit) -> Iterator[Seen]:
        if binding.kind == "parameter":
            yield from self._parameter(binding.name, unit)
        elif binding.value is None:
            return
        elif binding.kind in ("assign", "annotation") and not binding.place:
            yield from self.read(binding.value, unit)
        elif binding.kind in ("assign", "annotation") and isinstance(binding.value, syntax.Sequence):
            index = binding.place[0]
            if len(binding.place) == 1 and 0 <= index < len(binding.value.elements):
                yield from self.read(binding.value.elements[index], unit)
        elif binding.kind == "for":
            yield from self._loop(binding.value, binding.place, unit)
        elif binding.kind == "with" and isinstance(binding.value, Call):
            yield from self._entered(binding.value, unit)

    def _loop(self, iterated: Expr, place: tuple[int, ...], unit: Unit) -> Iterator[Seen]:
        wrapped = called_name(iterated)
        if isinstance(iterated, Call) and wrapped == "enumerate" and place == (1,) and iterated.args:
            yield from self._elements(self.read(iterated.args[0], unit))
        elif isinstance(iterated, Call) and wrapped == "zip" and len(place) == 1 and place[0] < len(iterated.args):
            yield from self._elements(self.read(iterated.args[place[0]], unit))
        elif not place:
            yield from self._elements(self.read(iterated, unit))

    def _elements(self, things: Things) -> Iterator[Seen]:
        for seen in things:
            if isinstance(seen.thing, Way):
                yield from self._within(seen, Way((*seen.thing.steps, ELEMENT)))

    def _parameter(self, name: str, unit: Unit) -> Iterator[Seen]:
        if name == unit.this_name and unit.this is not None:
            yield Seen(unit.this)
        elif name in unit.given:
            yield from unit.given[name]
        elif isinstance(unit.this, Way) and unit.node is not None:
            yield from self._stored(name, unit)

    def _stored(self, name: str, unit: Unit) -> Iterator[Seen]:
        """A parameter that the same body stores as `self.x = name` is what `self.x` is from then on."""
        assert unit.node is not None
        assert isinstance(unit.this, Way)
        for fact in unit.file.facts.attributes:
            on_self = fact.scope == unit.frame.scope and fact.base.text == unit.this_name
            if on_self and fact.value is not None and fact.value.text == name:
                yield from self._step(unit.this, fact.name)
                return

    # ---- attributes

    def attribute(self, value: Expr, name: str, unit: Unit) -> Iterator[Seen]:
        """What `value.name` can stand for."""
        if self.slot is not None and name == self.slot.attribute:
            yield from self._in_slot(value, unit)
        for seen in self.read(value, unit):
            if seen.thing == self.receiver:
                yield Seen(Handle(name), seen.sure, seen.why)
            elif isinstance(seen.thing, Way):
                yield from (inner._replace(sure=inner.sure and seen.sure) for inner in self._step(seen.thing, name))
            elif isinstance(seen.thing, Made) and (seen.thing.given or name in self.names):
                yield from self._field(seen.thing, name)

    def _in_slot(self, value: Expr, unit: Unit) -> Iterator[Seen]:
        assert self.slot is not None
        types = self.typed(value, unit)
        for found in types:
            if isinstance(found.value, Instance) and self._is_owner(found.value.class_):
                yield Seen(self.receiver, found.grade <= TYPED, found.why)
                return
        if not types and similar(value, self.slot.words):
            yield Seen(self.receiver, False, (f"named like {objects.short(self.slot.class_)}, its class is not known",))

    def _is_owner(self, ref: ClassRef) -> bool:
        assert self.slot is not None
        return self.slot.class_ in self.code.hierarchy.linear(ref).order

    def _step(self, way: Way, name: str) -> Iterator[Seen]:
        """One step from a followed object: what a property gives, what was assigned, or else the attribute itself."""
        key = ("step", way, name)
        if key in self._open:
            yield from self._within(Seen(way), Way((*way.steps, name)))
            return
        self._open.add(key)
        found: list[Seen] = []
        unread = False
        for ref in self.classes(way)[:4] or (None,):
            aliases, left = self._aliases(ref, way, name) if ref is not None else ([], True)
            found += [seen for seen in aliases if isinstance(seen.thing, Way)]
            unread = unread or left
        self._open.discard(key)
        yield from found
        if unread or not found:
            yield from self._within(Seen(way), Way((*way.steps, name)))

    def _aliases(self, ref: ClassRef, this: Thing, name: str) -> tuple[list[Seen], bool]:
        """What the definitions of an attribute give on an object, and whether one of them gives something of its own."""
        found: list[Seen] = []
        left = False
        for member in self.code.hierarchy.lookup(ref, name):
            if member.kind == "property":
                given = list(self._returned(self.code.function_of(member.path, member.scope), this, ref))
                return [*found, *given], not given and not found
            if member.kind in ("instance", "assigned") and member.assigned is not None:
                value = member.assigned.value
                if value is None or value.text == "None":
                    continue
                given = list(self._assigned(member, this, ref))
                found += given
                left = left or not given
        return found, left

    def _assigned(self, member: Member, this: Thing, ref: ClassRef) -> Iterator[Seen]:
        fact = member.assigned
        assert fact is not None
        assert fact.value is not None
        given = this.given if isinstance(this, Made) else ()
        unit = self.unit(self.code.function_of(member.path, fact.scope), this, ref, given)
        if unit is None or fact.place:
            return
        if fact.how == "for":
            yield from self._loop(fact.value.expression, (), unit)
        elif fact.how not in ("delete", "augmented"):
            yield from self.read(fact.value.expression, unit)

    def _field(self, made: Made, name: str) -> Things:
        key = ("field", made, name)
        kept = self._kept.get(key)
        if kept is None and key not in self._open:
            self._open.add(key)
            kept = once(self._aliases(made.class_, made, name)[0])
            self._open.discard(key)
            self._kept[key] = kept
        return kept or ()

    def _within(self, seen: Seen, way: Way) -> Iterator[Seen]:
        """A way, unless it leads away from the receiver."""
        if not self.limited or way.steps == self.receiver.steps[: len(way.steps)]:
            yield seen._replace(thing=way)

    # ---- calls

    def _call(self, call: Call, unit: Unit) -> Iterator[Seen]:
        name = called_name(call)
        by_name = reads_literal(call)
        if by_name is not None:
            yield from self.attribute(*by_name, unit)
            if name == "getattr" and len(call.args) > 2:
                yield from self.read(call.args[2], unit)
        elif name == "cast" and len(call.args) == 2:
            yield from self.read(call.args[1], unit)
        elif name in ("list", "tuple", "reversed", "sorted", "iter") and call.args:
            yield from self.read(call.args[0], unit)
        elif name == "next" and call.args:
            yield from self._elements(self.read(call.args[0], unit))
        else:
            for callee in entering.callees(self, call, unit, with_arguments=self.limited):
                yield from self._result(callee)

    def _entered(self, call: Call, unit: Unit) -> Iterator[Seen]:
        """What `with f(…) as x` binds: what a generator function yields, or the object made."""
        for callee in entering.callees(self, call, unit):
            if isinstance(callee, Made):
                yield Seen(callee)
                continue
            flow = self.infer.flow(callee.frame)
            for one_yield in flow.yields if flow is not None else ():
                if one_yield.value is not None:
                    yield from self.read(one_yield.value, callee)

    def _result(self, callee: Unit | Made) -> Iterator[Seen]:
        if isinstance(callee, Made):
            yield Seen(callee)
            return
        flow = self.infer.flow(callee.frame)
        for value in flow.returns if flow is not None else ():
            yield from self.read(value, callee)

    def _returned(self, ref: FunctionRef, this: Thing, class_: ClassRef) -> Iterator[Seen]:
        unit = self.unit(ref, this, class_)
        if unit is not None:
            yield from self._result(unit)

    def unit(
        self, ref: FunctionRef, this: Thing | None = None, class_: ClassRef | None = None, given: Given = ()
    ) -> Unit | None:
        """A function as a body to read, on an object of a class."""
        frame = self.infer.frame(ref, Instance(class_) if class_ is not None else None)
        return Unit(frame, this, given) if frame is not None else None
