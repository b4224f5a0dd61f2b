"""Owns narrowing: what tests on the way to a place leave of the possibilities (`isinstance`, `type(x) is C`)."""

from __future__ import annotations

from sondage.core.classes.refs import ClassRef
from sondage.core.inference.flow import Condition, conditions_at
from sondage.core.inference.values import (
    TYPED,
    ClassObject,
    Found,
    Frame,
    Inferring,
    Instance,
    TypeForm,
    Types,
    one,
    union,
)
from sondage.core.inference.walking import trail
from sondage.core.late import late_pattern
from sondage.core.source import blocks, syntax
from sondage.core.source.syntax import Expr

_TESTS = (b"isinstance(", b"issubclass(", b"type(")
_TESTED = late_pattern(rb"[\w.\x80-\xff]*+")


def narrowed(infer: Inferring, node: Expr, frame: Frame, types: Types) -> Types:
    """The possibilities that are left at this very place."""
    key = dotted(node)
    if not key or not _tests(frame, key):
        return types
    for condition in _conditions(frame, node.at):
        types = _after(infer, condition, key, frame, types)
    return types


def dotted(node: Expr) -> str:
    """`a.b.c` as text; empty for anything but names and attributes."""
    if isinstance(node, syntax.Name):
        return node.id
    if isinstance(node, syntax.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _holder(frame: Frame) -> Frame:
    for outer in frame.outward():
        if isinstance(outer.node, blocks.FunctionDef | blocks.Module):
            return outer
    return frame


def _tests(frame: Frame, key: str) -> bool:
    """A look at the text, so that only bodies with such a test are walked."""
    holder = _holder(frame)
    kept = frame.file.memo.get(("tests", holder.scope))
    if not isinstance(kept, frozenset):
        kept = frame.file.memo["tests", holder.scope] = _tested(holder)
    return key.encode() in kept


def _tested(holder: Frame) -> frozenset[bytes]:
    """The dotted names that may be tested in a body."""
    node, source = holder.node, holder.file.text.utf8
    at, end = (0, len(source)) if isinstance(node, blocks.Module) else (node.at, node.end)
    found: set[bytes] = set()
    for word in _TESTS:
        place = source.find(word, at, end)
        while place >= 0:
            tested = _TESTED.match(source, place + len(word), end)
            found.update(tested.group() for tested in (tested,) if tested)
            place = source.find(word, place + 1, end)
    return frozenset(found)


def _conditions(frame: Frame, at: int) -> list[Condition]:
    holder = _holder(frame).node
    root = holder.body if isinstance(holder, blocks.FunctionDef) else holder
    return conditions_at(trail(root, at))


def _after(infer: Inferring, condition: Condition, key: str, frame: Frame, types: Types) -> Types:
    test, holds = condition
    match test:
        case syntax.UnaryOp(op="not", operand=operand):
            return _after(infer, (operand, not holds), key, frame, types)
        case syntax.BoolOp(op=op, values=values) if (op == "and") == holds:
            for value in values:
                types = _after(infer, (value, holds), key, frame, types)
            return types
        case syntax.BoolOp(op="or", values=values) if holds:
            parts = [_classes_of(infer, value, key, frame) for value in values]
            if all(part is not None for part in parts):
                return _kept(infer, types, tuple(ref for part in parts if part for ref in part))
            return types
    classes = _classes_of(infer, test, key, frame)
    if classes is None:
        return types
    if not holds:
        return tuple(found for found in types if not _is_one_of(infer, found, classes))
    subclass = isinstance(test, syntax.Call) and dotted(test.func) == "issubclass"
    return _kept(infer, types, classes, as_class=subclass)


def _classes_of(infer: Inferring, test: Expr, key: str, frame: Frame) -> tuple[ClassRef, ...] | None:
    """The classes that a test asks about for `key`; None where it asks something else."""
    if isinstance(test, syntax.Call) and dotted(test.func) in {"isinstance", "issubclass"} and len(test.args) == 2:
        subject = test.args[0]
        if isinstance(subject, syntax.NamedExpr):
            subject = subject.target
        return _refs(infer.expression(test.args[1], frame)) if dotted(subject) == key else None
    if isinstance(test, syntax.Compare) and test.ops in {("is",), ("==",)} and isinstance(test.left, syntax.Call):
        call = test.left
        if dotted(call.func) == "type" and call.args and dotted(call.args[0]) == key:
            return _refs(infer.expression(test.comparators[0], frame))
    return None


def _refs(types: Types) -> tuple[ClassRef, ...] | None:
    found: list[ClassRef] = []
    for one_ in types:
        value = one_.value
        if isinstance(value, ClassObject):
            found.append(value.class_)
        elif isinstance(value, Instance):
            for arg in value.args:
                found += _refs(arg) or ()
        elif isinstance(value, TypeForm):
            found += [inner.value.class_ for inner in value.types if isinstance(inner.value, Instance)]
    return tuple(found) or None


def _is_one_of(infer: Inferring, found: Found, classes: tuple[ClassRef, ...]) -> bool:
    value = found.value
    if not isinstance(value, Instance | ClassObject):
        return False
    order = infer.code.hierarchy.linear(value.class_).order
    return any(ref in order for ref in classes)


def _kept(infer: Inferring, types: Types, classes: tuple[ClassRef, ...], as_class: bool = False) -> Types:
    """Those that pass the test as they are; for a class that none of them is, the class itself."""
    fitting = tuple(found for found in types if _is_one_of(infer, found, classes))
    missing = [
        ref
        for ref in classes
        if not any(
            ref in infer.code.hierarchy.linear(found.value.class_).order
            for found in fitting
            if isinstance(found.value, Instance | ClassObject)
        )
    ]
    if fitting:
        return fitting
    made = (ClassObject(ref, exact=False) if as_class else Instance(ref) for ref in missing)
    return union(one(value, "narrowed by a test", grade=TYPED) for value in made)
