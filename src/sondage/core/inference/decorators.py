"""Owns what decorators put in the place of what they decorate, as far as their bodies show it."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.inference.values import TYPED, ClassObject, Found, Frame, Function, Inferring, Types
from sondage.core.source import syntax

_KEEPING = frozenset(
    {"dataclass", "total_ordering", "final", "runtime_checkable", "define", "attrs", "s", "frozen", "unique", "wraps"}
)


def stand_ins(infer: Inferring, ref: ClassRef) -> Types:
    """The classes that class decorators return in the place of a class: those defined inside the decorator."""
    facts = infer.code.hierarchy.class_facts(ref) if ref.path else None
    if facts is None or not facts.decorators:
        return ()
    return infer.once(("stand-ins", ref), _stand_ins, infer, ref)


def _stand_ins(infer: Inferring, ref: ClassRef) -> Types:
    facts = infer.code.hierarchy.class_facts(ref)
    frame = infer.scope_frame(ref.path, facts.parent) if facts is not None else None
    found: list[Found] = []
    for decorator in facts.decorators if facts is not None and frame is not None else ():
        node = decorator.expression
        node = node.func if isinstance(node, syntax.Call) else node
        if decorator.text.partition("(")[0].rpartition(".")[2] in _KEEPING:
            continue
        for one in infer.expression(node, frame) if frame is not None else ():
            if isinstance(one.value, Function):
                found += [
                    Found(ClassObject(inner), (f"{decorator.text} returns {inner.name} in place of {ref.name}",), TYPED)
                    for inner in _returned_classes(infer, one.value.ref, 2)
                ]
    return tuple(found)


def _returned_classes(infer: Inferring, ref: FunctionRef, levels: int) -> Iterator[ClassRef]:
    """The classes defined in a function that it returns, or that a function it returns does."""
    frame = infer.frame(ref)
    flow = infer.flow(frame) if frame is not None else None
    for value in flow.returns if flow is not None and frame is not None else ():
        if isinstance(value, syntax.Name) and frame is not None and flow is not None:
            for binding in flow.bindings.get(value.id, ()):
                if binding.kind == "definition":
                    yield from _class_or_inner(infer, frame, binding.at, levels)


def _class_or_inner(infer: Inferring, frame: Frame, at: int, levels: int) -> Iterator[ClassRef]:
    scope = frame.file.scopes.get(at)
    if scope is None:
        return
    ref = infer.code.class_of(frame.path, scope)
    if ref is not None:
        yield ref
    elif levels > 1:
        yield from _returned_classes(infer, infer.code.function_of(frame.path, scope), levels - 1)
