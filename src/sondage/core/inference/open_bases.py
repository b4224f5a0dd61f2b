"""Owns bases that names alone do not tell: parameters, results of calls. The inference may know what they can be."""

from __future__ import annotations

from sondage.core.classes.refs import ClassRef
from sondage.core.inference.values import TYPED, ClassObject, Found, Frame, Inferring, TypeForm, Types
from sondage.core.source import syntax
from sondage.core.source.syntax import Expr


def of_class(infer: Inferring, ref: ClassRef) -> tuple[ClassRef, ...]:
    """The classes that may stand among the bases of a class's chain beside those that the hierarchy knows."""
    if not ref.path or infer.code.hierarchy.linear(ref).complete:
        return ()
    return tuple(class_refs(infer.once(("open bases", ref), _of_class, infer, ref)))


def _of_class(infer: Inferring, ref: ClassRef) -> Types:
    order = infer.code.hierarchy.linear(ref).order
    found: dict[ClassRef, None] = {}
    for step in order:
        facts = infer.code.hierarchy.class_facts(step)
        frame = infer.scope_frame(step.path, facts.parent) if facts is not None else None
        for base in facts.bases if facts is not None and frame is not None else ():
            for candidate in _classes(infer, base.expression, frame) if frame is not None else ():
                if candidate.path and candidate not in order:
                    found.setdefault(candidate)
    return tuple(Found(ClassObject(candidate), (), TYPED) for candidate in found)


def _classes(infer: Inferring, base: Expr, frame: Frame) -> list[ClassRef]:
    """The classes a base can be; for a call that makes one, those it gives back and those that go into it."""
    found = class_refs(infer.expression(base, frame))
    if isinstance(base, syntax.Call):
        if isinstance(base.func, syntax.Attribute):
            found += class_refs(infer.expression(base.func.value, frame))
        for argument in base.args:
            found += class_refs(infer.expression(argument, frame))
    return found


def class_refs(types: Types) -> list[ClassRef]:
    """The classes among some values."""
    found: list[ClassRef] = []
    for one in types:
        if isinstance(one.value, ClassObject):
            found.append(one.value.class_)
        elif isinstance(one.value, TypeForm):
            found += [inner.class_ for inner in (each.value for each in one.value.types) if hasattr(inner, "class_")]
    return found
