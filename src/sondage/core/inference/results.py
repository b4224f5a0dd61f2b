"""Owns results: what a call gives back, what iterating, entering, awaiting and subscripting give.

A function gives what its annotation says; where that is silent, what its `return` statements return, read with the
arguments of the call where they depend on them.
"""

from __future__ import annotations

from sondage.core.classes.refs import ClassRef, FunctionRef, Member
from sondage.core.inference import generics, hints, known_functions, library
from sondage.core.inference.values import (
    LIMIT,
    TYPED,
    AnyValue,
    Bound,
    ClassObject,
    Closure,
    External,
    Found,
    Frame,
    Function,
    Inferring,
    Instance,
    Invocation,
    TypeForm,
    Types,
    Value,
    graded,
    one,
    union,
)
from sondage.core.source import blocks, syntax
from sondage.core.source.facts import FunctionScope
from sondage.core.source.syntax import Expr

NESTED_CALLS = 2
"""How many calls deep arguments are followed into bodies."""


def called(infer: Inferring, callee: Types, call: syntax.Call | None, frame: Frame | None) -> Types:
    """What calling any of these gives."""
    return union(_carried(_called(infer, found.value, call, frame), found) for found in callee[:LIMIT])


def _carried(types: Types, base: Found) -> Types:
    return tuple(Found(one_.value, base.why + one_.why, max(one_.grade, base.grade)) for one_ in types)


def _called(infer: Inferring, callee: AnyValue, call: syntax.Call | None, frame: Frame | None) -> Types:
    name = library.name_of(callee)
    if name and call is not None and frame is not None:
        known = known_functions.result(infer, name, callee, call, frame)
        if known is not None:
            return known
    invocation = Invocation(call, frame, isinstance(callee, Bound)) if call is not None and frame is not None else None
    match callee:
        case ClassObject():
            return constructed(infer, callee, invocation)
        case Function(ref=ref):
            return returned(infer, ref, None, invocation)
        case Bound(ref=ref, receiver=receiver):
            return returned(infer, ref, receiver, invocation)
        case Closure():
            inner = callee.frame
            if invocation is not None and frame is not None and frame.invocations < NESTED_CALLS:
                inner = Frame(inner.file, inner.scope, callee.node, inner, None, invocation)
            else:
                inner = Frame(inner.file, inner.scope, callee.node, inner)
            return infer.expression(callee.node.body, inner)
        case Instance():
            return called(infer, calling(infer, callee), call, frame)
        case TypeForm(types=types):
            return types
        case External(name=full):
            return one(External(f"{full}()"), grade=TYPED) if full not in library.OPAQUE else ()
    return ()


def class_object(found: Found) -> Types:
    """The class of an instance."""
    return hints.class_objects(found)


def constructed(infer: Inferring, callee: ClassObject, invocation: Invocation | None) -> Types:
    """An instance; what `__new__` returns instead, where it is written in the tree and returns something else."""
    made = one(Instance(callee.class_, callee.args, exact=callee.exact), grade=TYPED)
    for member in infer.code.hierarchy.lookup(callee.class_, "__new__")[:1]:
        if member.scope >= 0 and member.kind != "builtin":
            ref = infer.code.function_of(member.path, member.scope)
            other = [
                found
                for found in returned(infer, ref, callee, None)
                if isinstance(found.value, Instance) and found.value.class_.path
            ]
            return union((tuple(other), made)) if other else made
    return made


_TORCH_MODULES = frozenset({"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"})


def calling(infer: Inferring, callee: Instance) -> Types:
    """What runs when an instance is called: `__call__`, or the `forward` that a torch module's hands on to."""
    if not callee.class_.path:
        return ()
    hierarchy = infer.code.hierarchy
    for step in hierarchy.linear(callee.class_).order:
        if step.name in _TORCH_MODULES:
            why = f"a {step.name}: calling it runs forward"
            return graded(infer.attribute(one(callee, grade=TYPED), "forward"), TYPED, why)
        if step.path and "__call__" in hierarchy.own_members(step):
            break
    return infer.attribute(one(callee, grade=TYPED), "__call__")


# ------------------------------------------------------------------ functions


def returned(infer: Inferring, ref: FunctionRef, receiver: Value | None, invocation: Invocation | None) -> Types:
    """What a function gives back to this call."""
    key: tuple[object, ...] = ("returned", ref, receiver)
    if invocation is not None:
        key = (*key, invocation.frame.key, invocation.call.at, invocation.bound)
    return infer.once(key, _returned, infer, ref, receiver, invocation)


def _returned(infer: Inferring, ref: FunctionRef, receiver: Value | None, invocation: Invocation | None) -> Types:
    frame = infer.frame(ref, receiver)
    if frame is None or not isinstance(frame.node, blocks.FunctionDef):
        return ()
    node = frame.node
    types: Types = ()
    annotation = node.returns or _overload_annotation(infer, ref)
    if annotation is not None:
        types = annotations_of_result(infer, annotation, frame, invocation)
        why = f"{node.name} returns what it is annotated with at {frame.place(node.name_at)}"
        types = graded(types, TYPED, why)
        if any(_has_gaps(found.value) for found in types):
            seen = _from_body(infer, frame, receiver, invocation)
            types = union(_filled(found, seen) for found in types)
    if not types:
        types = _from_body(infer, frame, receiver, invocation)
    return _decorated(infer, node, types, frame)


def _has_gaps(value: AnyValue) -> bool:
    """True for a tuple of which the annotation leaves some elements open (`tuple[Callable[…], int]`)."""
    return isinstance(value, Instance) and value.fixed and not all(value.args)


def _filled(found: Found, seen: Types) -> Types:
    """An annotated tuple with its open elements as the body gives them; anything else as it is."""
    value = found.value
    if not isinstance(value, Instance) or not _has_gaps(value):
        return (found,)
    others = [
        one_.value.args
        for one_ in seen
        if isinstance(one_.value, Instance) and one_.value.fixed and len(one_.value.args) == len(value.args)
    ]
    args = tuple(arg or union(other[index] for other in others) for index, arg in enumerate(value.args))
    return (Found(Instance(value.class_, args, fixed=True), found.why, found.grade),)


def _overload_annotation(infer: Inferring, ref: FunctionRef) -> Expr | None:
    """The first annotation among the overloads of a function that has none itself."""
    facts = infer.code.hierarchy.files()[ref.path]
    mine = facts.scopes[ref.scope]
    for index in facts.children.get(mine.parent, ()):
        scope = facts.scopes[index]
        if isinstance(scope, FunctionScope) and scope.name == mine.name and index != ref.scope:
            overload = any(decorator.text.endswith("overload") for decorator in scope.decorators)
            if overload and scope.returns is not None:
                return scope.returns.expression
    return None


def annotations_of_result(infer: Inferring, annotation: Expr, frame: Frame, invocation: Invocation | None) -> Types:
    """The annotated result, with type variables replaced by what the receiver and the arguments say."""
    types = infer.annotation(annotation, frame)
    assert isinstance(frame.node, blocks.FunctionDef)
    if frame.node.is_async and not _is_generator(infer, frame):
        types = union((one(Instance(ClassRef("Coroutine"), (types,)), grade=TYPED),)) if types else ()
    return union(generics.substituted(infer, found, frame, invocation) for found in types)


def _is_generator(infer: Inferring, frame: Frame) -> bool:
    flow = infer.flow(frame)
    return bool(flow and flow.yields)


def _from_body(infer: Inferring, frame: Frame, receiver: Value | None, invocation: Invocation | None) -> Types:
    flow = infer.flow(frame)
    if flow is None:
        return ()
    if invocation is not None and flow.echoes and invocation.frame.invocations < NESTED_CALLS:
        frame = Frame(frame.file, frame.scope, frame.node, frame.parent, frame.receiver, invocation)
    assert isinstance(frame.node, blocks.FunctionDef)
    if flow.yields:
        given = union(_yielded(infer, one_, frame) for one_ in flow.yields)
        kind = "AsyncIterator" if frame.node.is_async else "Generator"
        return one(Instance(ClassRef(kind), (given,)), grade=TYPED)
    types = union(infer.expression(value, frame) for value in flow.returns)
    types = graded(types, TYPED, f"returned by {frame.node.name} at {frame.place(frame.node.name_at)}")
    if frame.node.is_async and types:
        return one(Instance(ClassRef("Coroutine"), (types,)), grade=TYPED)
    return types


def _yielded(infer: Inferring, node: syntax.Yield, frame: Frame) -> Types:
    if node.value is None:
        return ()
    types = infer.expression(node.value, frame)
    return infer.elements(types) if node.is_from else types


def _decorated(infer: Inferring, node: blocks.FunctionDef, types: Types, frame: Frame) -> Types:
    """What the decorators make of a result, as far as they are known."""
    for decorator in reversed(node.decorators):
        last = decorator.func if isinstance(decorator, syntax.Call) else decorator
        name = last.attr if isinstance(last, syntax.Attribute) else last.id if isinstance(last, syntax.Name) else ""
        if name in {"contextmanager", "asynccontextmanager"}:
            inner = union(arg for found in types if isinstance(found.value, Instance) for arg in found.value.args[:1])
            types = one(Instance(ClassRef("ContextManager"), (inner,)), grade=TYPED) if inner else ()
    return types


def naming(name: str, infer: Inferring, member: Member) -> Invocation | None:
    """The call that Python makes to a `__getattr__` for a name."""
    frame = infer.scope_frame(member.path, 0)
    if frame is None:
        return None
    text = syntax.Text(-1 - len(name), -1, name)
    call = syntax.Call(-hash(name) % 1_000_003 - 2_000_000, -1, text, (text,), ())
    return Invocation(call, frame, bound=True)
