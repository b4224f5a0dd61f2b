"""Owns the inference: what an expression can be, read in a frame. Each possibility carries its reasons.

Nothing is run and nothing is assumed closed: an empty answer means "not known". A question may take `STEPS` steps.
What was worked out while a circle was being cut, or after the steps were used up, is not kept: it would make later
answers depend on the order of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import (
    AttributeRef,
    BuiltinRef,
    ClassRef,
    FunctionRef,
    Meaning,
    Member,
    MissingRef,
    ModuleRef,
    ParameterRef,
    VariableRef,
)
from sondage.core.inference import (
    containers,
    decorators,
    evidence,
    hints,
    library,
    members,
    narrowing,
    parameters,
    protocols,
    results,
)
from sondage.core.inference.flow import Binding
from sondage.core.inference.frames import Frames
from sondage.core.inference.values import (
    PROVED,
    TYPED,
    Builtin,
    ClassObject,
    Closure,
    Found,
    Frame,
    Function,
    Instance,
    Literal,
    Module,
    Types,
    TypeVariable,
    Value,
    builtin,
    graded,
    one,
    union,
)
from sondage.core.source import blocks, syntax
from sondage.core.source.facts import Assigned, AttributeAssigned
from sondage.core.source.syntax import Expr

STEPS = 1500
"""Expressions looked at for one question."""
WIDE = 1
"""How many levels of callers a parameter is followed up."""
KEPT = 200_000
"""Results that are kept at most, before all are forgotten."""
DEPTH = 34
"""Nested looks: each costs up to eight frames of Python's own stack."""


class Inference(Frames):
    """Answers what expressions can be. One per `Codebase`; `begin` starts a new question."""

    def __init__(self, code: Codebase) -> None:
        super().__init__(code)
        self.wide = WIDE
        self._steps = 0
        self._depth = 0
        self._cuts = 0
        self._kept: dict[tuple[object, ...], Types] = {}
        self._open: set[tuple[object, ...]] = set()

    def begin(self) -> None:
        """Give a new question its steps."""
        self._steps = STEPS
        self.wide = WIDE
        if len(self._kept) > KEPT:
            self._kept.clear()

    @property
    def exhausted(self) -> bool:
        """True where the question has used up its steps."""
        return self._steps <= 0

    # ---- keeping

    def once(self, key: tuple[object, ...], work: Callable[..., Types], *arguments: object) -> Types:
        """The result of some work, kept by key; empty while the same work is already under way."""
        key = (*key, self.wide)
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        if key in self._open or self._depth >= DEPTH or self._steps <= 0:
            self._cuts += 1
            return ()
        self._steps -= 1
        self._depth += 1
        self._open.add(key)
        before = self._cuts
        try:
            found = work(*arguments)
        finally:
            self._open.discard(key)
            self._depth -= 1
        if self._cuts == before:
            self._kept[key] = found
        return found

    # ---- expressions

    def expression(self, node: Expr, frame: Frame) -> Types:
        """What an expression can be."""
        match node:
            case syntax.Text(value=text):
                return one(Literal(text), grade=TYPED)
            case syntax.Constant(kind=kind):
                return () if kind in {"None", "Ellipsis"} else builtin(kind)
            case syntax.Interpolated():
                return builtin("str")
            case syntax.Unparsed():
                return ()
        key = (frame.key, node.at, node.end, type(node))
        return self.once(key, self._expression, node, frame)

    def _expression(self, node: Expr, frame: Frame) -> Types:
        pinned = self._pinned(node) if self.code.pins else ()
        if pinned:
            return pinned
        match node:
            case syntax.Name():
                return narrowing.narrowed(self, node, frame, self.name(node.id, frame, node.at))
            case syntax.Attribute(value=value, attr=attr):
                base = self.expression(value, frame)
                found = self.attribute(base, attr) if base else evidence.attribute(self, value, attr, frame)
                return narrowing.narrowed(self, node, frame, found)
            case syntax.Call(func=func):
                return self.result(self.expression(func, frame), node, frame)
            case syntax.Subscript(value=value, index=index):
                found = protocols.subscript(self, self.expression(value, frame), index, frame)
                return narrowing.narrowed(self, node, frame, found)
            case syntax.Await(value=value):
                return protocols.awaited(self, self.expression(value, frame))
            case syntax.NamedExpr(value=value) | syntax.Starred(value=value):
                return self.expression(value, frame)
            case syntax.BoolOp(op=op, values=values):
                taken = values if op == "or" else values[-1:]
                return union(self.expression(value, frame) for value in taken)
            case syntax.IfExp(body=body, orelse=orelse):
                return union((self.expression(body, frame), self.expression(orelse, frame)))
            case syntax.Lambda():
                return one(Closure(node, frame), grade=TYPED)
            case syntax.Sequence(kind=kind, elements=elements):
                return self._display(kind, elements, frame)
            case syntax.Dict(keys=keys, values=values):
                return builtin("dict", *self._entries(keys, values, frame))
            case syntax.Comprehension():
                return self._comprehension(node, frame)
            case syntax.BinOp():
                return protocols.operation(self, node, frame)
            case syntax.UnaryOp(op=op, operand=operand):
                return builtin("bool") if op == "not" else self.expression(operand, frame)
            case syntax.Compare():
                return builtin("bool")
            case syntax.Yield(value=value, is_from=True) if value is not None:
                return ()
        return ()

    def _pinned(self, node: Expr) -> Types:
        """What the user assumes about a receiver as it is written here."""
        written = narrowing.dotted(node)
        for pin in self.code.pins:
            if written and pin.receiver == written:
                return one(Instance(pin.class_), f"assumed: {pin.receiver} is {pin.class_.name}", grade=TYPED)
        return ()

    def _display(self, kind: str, elements: tuple[Expr, ...], frame: Frame) -> Types:
        if kind == "tuple" and not any(isinstance(element, syntax.Starred) for element in elements):
            parts = tuple(self.expression(element, frame) for element in elements[:24])
            return one(Instance(ClassRef("tuple"), parts, fixed=True), grade=TYPED)
        return builtin(kind, union(self._spread(element, frame) for element in elements[:24]))

    def _spread(self, element: Expr, frame: Frame) -> Types:
        if isinstance(element, syntax.Starred):
            return self.elements(self.expression(element.value, frame))
        return self.expression(element, frame)

    def _entries(self, keys: tuple[Expr | None, ...], values: tuple[Expr, ...], frame: Frame) -> tuple[Types, Types]:
        known = [(key, value) for key, value in zip(keys, values, strict=False) if key is not None][:40]
        return (
            union(self.expression(key, frame) for key, _ in known[:4]),
            union(self.expression(value, frame) for _, value in known),
        )

    def _comprehension(self, node: syntax.Comprehension, frame: Frame) -> Types:
        inner = Frame(frame.file, frame.scope, node, frame)
        element = self.expression(node.element, inner)
        if node.kind == "dict":
            return builtin("dict", element, self.expression(node.value, inner) if node.value is not None else ())
        return builtin("Generator" if node.kind == "generator" else node.kind, element)

    # ---- names

    def name(self, name: str, frame: Frame, at: int | None) -> Types:
        """What a plain name means in a frame (language reference 4.2.2); `at` None where the order does not matter."""
        inner = True
        for outer in frame.outward():
            inside = outer.node
            if isinstance(inside, syntax.Comprehension):
                found = self._comprehension_target(inside, name, outer)
                if found is not None:
                    return found
            elif isinstance(inside, syntax.Lambda):
                if any(parameter.name == name for parameter in inside.parameters):
                    return parameters.of_lambda(self, inside, name, outer)
            elif isinstance(inside, blocks.FunctionDef):
                bindings = self.bindings(name, outer, at if inner else None)
                if bindings:
                    return self._local(name, bindings, outer)
                inner = False
            elif isinstance(inside, blocks.Module) or inner:
                return self._global(name, outer, at if inner else None)
        return ()

    def _global(self, name: str, frame: Frame, at: int | None) -> Types:
        found = self.meanings(self.code.hierarchy.names(frame.path, frame.scope, name, at))
        if not found and at is not None:
            found = self.meanings(self.code.hierarchy.names(frame.path, frame.scope, name, None))
        return found or library.builtin_function(name)

    def _comprehension_target(self, node: syntax.Comprehension, name: str, frame: Frame) -> Types | None:
        for clause in node.clauses:
            place = _place_of(name, clause.target)
            if place is not None:
                inside = frame if clause is not node.clauses[0] else frame.parent or frame
                return self.placed(self.elements(self.expression(clause.iter, inside)), place)
        return None

    def local(self, name: str, frame: Frame, at: int | None) -> Types:
        """What a local name of a function can be at an offset of it; anywhere where `at` is None."""
        return self._local(name, self.bindings(name, frame, at), frame)

    def _local(self, name: str, bindings: list[Binding], frame: Frame) -> Types:
        key = (frame.key, "local", name, tuple(binding.at for binding in bindings))
        return self.once(key, self._bound, bindings, frame)

    def _bound(self, bindings: list[Binding], frame: Frame) -> Types:
        found = union(self._binding(binding, frame) for binding in bindings)
        return containers.filled_local(self, found, bindings[0].name, frame) if bindings else found

    def _binding(self, binding: Binding, frame: Frame) -> Types:
        match binding.kind:
            case "parameter":
                return parameters.of_function(self, binding.name, frame)
            case "import":
                return self.meanings(
                    self.code.hierarchy.names(frame.path, frame.scope, binding.name, binding.since)
                ) or self.meanings(self.code.hierarchy.names(frame.path, frame.scope, binding.name))
            case "definition":
                return self._definition(binding, frame)
            case "annotation" if binding.annotation is not None:
                found = self.annotation(binding.annotation, frame)
                if found or binding.value is None:
                    return graded(found, TYPED, f"{binding.name} is annotated at {frame.place(binding.at)}")
        if binding.value is None:
            if binding.kind == "case" and binding.annotation is not None:
                return self.expression(binding.annotation, frame)
            return ()
        why = f"{binding.name} is bound at {frame.place(binding.at)}"
        return graded(self._bound_value(binding.kind, binding.value, binding.place, frame), TYPED, why)

    def _bound_value(self, kind: str, value: Expr, place: tuple[int, ...], frame: Frame) -> Types:
        match kind:
            case "for":
                return self.placed(self.elements(self.expression(value, frame)), place)
            case "with":
                return self.placed(protocols.entered(self, self.expression(value, frame)), place)
            case "except":
                return protocols.caught(self, self.expression(value, frame))
            case "case":
                return protocols.matched(self, value, frame)
        return self.placed(self.expression(value, frame), place)

    def _definition(self, binding: Binding, frame: Frame) -> Types:
        scope = frame.file.scopes.get(binding.at)
        if scope is None:
            return ()
        fact = frame.file.facts.scopes[scope]
        ref = self.code.class_of(frame.path, scope)
        if ref is not None:
            return one(ClassObject(ref), f"class {fact.qualname} at {frame.place(binding.at)}")
        return one(
            Function(self.code.function_of(frame.path, scope)),
            f"def {fact.qualname} at {frame.place(binding.at)}",
        )

    def placed(self, types: Types, place: tuple[int, ...]) -> Types:
        """The part of a tuple that a target at `place` takes."""
        for index in place:
            types = union(protocols.item(self, one, index) for one in types)
        return types

    # ---- what names stand for

    def meanings(self, found: Iterable[Meaning]) -> Types:
        """The values behind the meanings of a name."""
        return union(self._meaning(meaning) for meaning in found)

    def _meaning(self, meaning: Meaning) -> Types:
        grade = PROVED if meaning.sure else TYPED
        why = meaning.way
        match meaning.target:
            case ClassRef() as ref:
                return (Found(ClassObject(ref), why, grade), *decorators.stand_ins(self, ref))
            case FunctionRef() as ref:
                return (Found(Function(ref), why, grade),)
            case ModuleRef() as ref:
                return (Found(Module(ref), why, grade),)
            case MissingRef(name=name, detail="a type parameter"):
                return (Found(TypeVariable(name), why, TYPED),)
            case MissingRef(name=name, reason=reason):
                known = library.is_known(name)
                return (Found(library.missing(name), why, grade),) if known or reason == "not indexed" else ()
            case BuiltinRef(name=name):
                return (Found(Builtin(name), why, grade),)
            case VariableRef() as ref:
                if library.is_known(ref.name):
                    return (Found(library.missing(ref.name), why, grade),)
                return graded(self.assigned(ref.path, ref.assigned), max(grade, TYPED), *why)
            case AttributeRef() as ref:
                return graded(self.assigned(ref.path, ref.assigned), max(grade, TYPED), *why)
            case ParameterRef() as ref:
                frame = self.scope_frame(ref.path, ref.scope)
                return self.local(ref.name, frame, None) if frame else ()
        return ()

    def assigned(self, path: str, fact: Assigned | AttributeAssigned, receiver: Value | None = None) -> Types:
        """The value of an assignment found in the facts, read where it stands."""
        frame = self.scope_frame(path, fact.scope, receiver)
        if frame is None:
            return ()
        key = (frame.key, "assigned", fact.at, fact.name)
        return self.once(key, self._assigned, fact, frame)

    def _assigned(self, fact: Assigned | AttributeAssigned, frame: Frame) -> Types:
        if fact.annotation is not None:
            found = self.annotation(fact.annotation.expression, frame)
            if found:
                return graded(found, TYPED, f"{fact.name} is annotated at {frame.place(fact.at)}")
        if fact.value is None:
            return ()
        found = self._bound_value(fact.how, fact.value.expression, fact.place, frame)
        return graded(found, TYPED, f"{fact.name} is assigned at {frame.place(fact.at)}")

    # ---- parts

    def annotation(self, node: Expr, frame: Frame) -> Types:
        return hints.read(self, node, frame)

    def attribute(self, base: Types, name: str) -> Types:
        return members.attribute(self, base, name)

    def member(self, member: Member, receiver: Value) -> Types:
        return members.value(self, member, receiver)

    def elements(self, types: Types) -> Types:
        return protocols.elements(self, types)

    def result(self, callee: Types, call: syntax.Call | None, frame: Frame | None) -> Types:
        return results.called(self, callee, call, frame)


def _place_of(name: str, target: Expr, place: tuple[int, ...] = ()) -> tuple[int, ...] | None:
    """The way through a target to a name in it, or None."""
    if isinstance(target, syntax.Name):
        return place if target.id == name else None
    if isinstance(target, syntax.Starred):
        return _place_of(name, target.value, (*place[:-1], -1 - place[-1]) if place else ())
    if isinstance(target, syntax.Sequence):
        for index, element in enumerate(target.elements):
            found = _place_of(name, element, (*place, index))
            if found is not None:
                return found
    return None
