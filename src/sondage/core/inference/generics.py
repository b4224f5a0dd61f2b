"""Owns generics: what type variables stand for, by the receiver's arguments, its bases, or the arguments of a call."""

from __future__ import annotations

from sondage.core.inference import hints, known_functions
from sondage.core.inference.values import (
    TYPED,
    ClassObject,
    Found,
    Frame,
    Inferring,
    Instance,
    Invocation,
    TypeForm,
    Types,
    TypeVariable,
    graded,
    union,
)
from sondage.core.source import blocks, syntax
from sondage.core.source.parse import quoted_expression
from sondage.core.source.syntax import Expr
from sondage.core.source.written import Written


def substituted(infer: Inferring, found: Found, frame: Frame, invocation: Invocation | None) -> Types:
    """A type with its type variables replaced."""
    value = found.value
    if isinstance(value, TypeVariable):
        types = _variable(infer, value, frame, invocation)
        return graded(types, TYPED, *found.why) or value.bound
    if isinstance(value, TypeForm):
        inner = union(substituted(infer, one_, frame, invocation) for one_ in value.types)
        return union(hints.class_objects(one_) for one_ in inner)
    if isinstance(value, Instance) and any(value.args):
        args = tuple(union(substituted(infer, one_, frame, invocation) for one_ in arg) for arg in value.args)
        return (Found(Instance(value.class_, args, value.exact, value.fixed), found.why, found.grade),)
    return (found,)


def of_receiver(infer: Inferring, types: Types, receiver: Instance) -> Types:
    """What an attribute is on this very receiver: its type variables replaced, or their bounds taken."""
    if not any(isinstance(found.value, TypeVariable | TypeForm) for found in types):
        return types
    return bounded(union(_on_receiver(infer, found, receiver) for found in types))


def _on_receiver(infer: Inferring, found: Found, receiver: Instance) -> Types:
    if isinstance(found.value, TypeVariable):
        return graded(type_argument(infer, receiver, found.value.name), TYPED, *found.why) or (found,)
    return (found,)


def bounded(types: Types) -> Types:
    """Type variables as what they are at least; unbound ones say nothing."""
    return union(_bounded(found) for found in types)


def _bounded(found: Found) -> Types:
    value = found.value
    if isinstance(value, TypeVariable):
        return graded(value.bound, TYPED, *found.why)
    if isinstance(value, TypeForm) and any(isinstance(one_.value, TypeVariable) for one_ in value.types):
        return union(hints.class_objects(one_) for one_ in bounded(value.types))
    return (found,)


def _variable(infer: Inferring, variable: TypeVariable, frame: Frame, invocation: Invocation | None) -> Types:
    receiver = frame.receiver
    if isinstance(receiver, Instance | ClassObject):
        types = type_argument(infer, receiver, variable.name)
        if types:
            return types
    if invocation is None or not isinstance(frame.node, blocks.FunctionDef):
        return ()
    found: list[Types] = []
    for parameter, argument in known_functions.bound_arguments(frame.node.parameters, invocation):
        if parameter.annotation is not None and argument is not None:
            shape = parameter.annotation
            found.append(matched_variable(infer, shape, variable.name, infer.expression(argument, invocation.frame)))
    return union(found)


def matched_variable(infer: Inferring, shape: Expr, name: str, types: Types) -> Types:
    """What a type variable stands for when an object of these types is annotated with `shape`."""
    if isinstance(shape, syntax.Text):
        inner = quoted_expression(shape.value)
        return matched_variable(infer, inner, name, types) if inner is not None else ()
    if isinstance(shape, syntax.Name):
        return types if shape.id == name else ()
    if isinstance(shape, syntax.BinOp):
        return union(matched_variable(infer, side, name, types) for side in (shape.left, shape.right))
    if isinstance(shape, syntax.Subscript):
        base = shape.value.attr if isinstance(shape.value, syntax.Attribute) else getattr(shape.value, "id", "")
        parts = shape.index.elements if isinstance(shape.index, syntax.Sequence) else (shape.index,)
        if base in {"Type", "type"}:
            made = union(infer.result((one_,), None, None) for one_ in types if isinstance(one_.value, ClassObject))
            return matched_variable(infer, parts[0], name, made)
        if base in {"Optional", "Union", "Annotated"}:
            return union(matched_variable(infer, part, name, types) for part in parts)
        if base == "Callable":
            return matched_variable(infer, parts[-1], name, infer.result(types, None, None)) if len(parts) > 1 else ()
        if base in {"Dict", "dict", "Mapping", "MutableMapping"} and len(parts) > 1:
            values = union(
                one_.value.args[1] for one_ in types if isinstance(one_.value, Instance) and len(one_.value.args) > 1
            )
            return matched_variable(infer, parts[1], name, values)
        return matched_variable(infer, parts[0], name, infer.elements(types))
    return ()


def type_argument(infer: Inferring, receiver: Instance | ClassObject, name: str) -> Types:
    """What a class's type variable stands for on a receiver: its own arguments, or those a subclass gave to its base."""
    hierarchy = infer.code.hierarchy
    for step in hierarchy.linear(receiver.class_).order:
        facts = hierarchy.class_facts(step)
        if facts is None:
            continue
        own = facts.type_parameters or _generic_parameters(facts.bases)
        if step == receiver.class_ and name in own and own.index(name) < len(receiver.args):
            return receiver.args[own.index(name)]
        for base in facts.bases:
            expression = base.expression
            if not isinstance(expression, syntax.Subscript):
                continue
            frame = infer.scope_frame(step.path, facts.parent)
            if frame is None:
                continue
            for found in hints.named(infer, expression.value, frame):
                if isinstance(found.value, ClassObject):
                    parts = (
                        expression.index.elements
                        if isinstance(expression.index, syntax.Sequence)
                        else (expression.index,)
                    )
                    theirs = hierarchy.class_facts(found.value.class_)
                    names = (theirs.type_parameters or _generic_parameters(theirs.bases)) if theirs else ()
                    if name in names and names.index(name) < len(parts):
                        types = infer.annotation(parts[names.index(name)], frame)
                        if types and not any(isinstance(one_.value, TypeVariable) for one_ in types):
                            return types
    return ()


def _generic_parameters(bases: tuple[Written, ...]) -> tuple[str, ...]:
    """The names between the brackets of `Generic[…]`, or of the bases in order where there is none."""
    names: list[str] = []
    for base in bases:
        expression = base.expression
        if isinstance(expression, syntax.Subscript):
            parts = expression.index.elements if isinstance(expression.index, syntax.Sequence) else (expression.index,)
            here = [part.id for part in parts if isinstance(part, syntax.Name)]
            last = (
                expression.value.attr
                if isinstance(expression.value, syntax.Attribute)
                else getattr(expression.value, "id", "")
            )
            if last in {"Generic", "Protocol"}:
                return tuple(here)
            names += [name for name in here if name not in names]
    return tuple(names)
