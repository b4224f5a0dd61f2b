"""Owns the protocols of the language: what iterating, entering, awaiting, subscripting, unpacking and operators give."""

from __future__ import annotations

from sondage.core.classes.refs import ClassRef
from sondage.core.inference import hints, library
from sondage.core.inference.values import (
    LIMIT,
    TYPED,
    AnyValue,
    Builtin,
    ClassObject,
    External,
    Found,
    Frame,
    Inferring,
    Instance,
    Literal,
    TypeForm,
    Types,
    builtin,
    graded,
    one,
    union,
)
from sondage.core.source import syntax
from sondage.core.source.syntax import Expr


def awaited(infer: Inferring, types: Types) -> Types:
    """What `await x` gives."""
    return union(_awaited(infer, found) for found in types)


def _awaited(infer: Inferring, found: Found) -> Types:
    value = found.value
    if isinstance(value, Instance):
        if value.class_.name in {"Awaitable", "Coroutine"}:
            return graded(value.args[-1], found.grade, *found.why) if value.args else ()
        if value.class_.path and infer.code.hierarchy.lookup(value.class_, "__await__"):
            return ()
    return (found,)


def entered(infer: Inferring, types: Types) -> Types:
    """What `with x as target` binds."""
    return union(_entered(infer, found) for found in types)


def _entered(infer: Inferring, found: Found) -> Types:
    value = found.value
    if not isinstance(value, Instance):
        return (found,) if isinstance(value, External) else ()
    if value.class_.name in {"ContextManager", "Generator"}:
        return graded(value.args[0], found.grade, *found.why) if value.args else ()
    if value.class_.name in {"Awaitable", "Coroutine"}:
        return entered(infer, _awaited(infer, found))
    for name in ("__enter__", "__aenter__"):
        types = awaited(infer, infer.result(infer.attribute((found,), name), None, None))
        if types:
            return types
    return (found,) if not value.class_.path else ()


def caught(infer: Inferring, types: Types) -> Types:
    """What `except types as target` binds."""
    found: list[Types] = []
    for one_ in types:
        if isinstance(one_.value, ClassObject):
            found.append((Found(Instance(one_.value.class_), one_.why, max(one_.grade, TYPED)),))
        elif isinstance(one_.value, Instance):
            found.append(caught(infer, union(one_.value.args)))
        elif isinstance(one_.value, External | Builtin):
            found.append(one(External(library.name_of(one_.value) + "()"), grade=TYPED))
    return union(found)


def matched(infer: Inferring, pattern: Expr, frame: Frame) -> Types:
    """What a class pattern captures."""
    if isinstance(pattern, syntax.Call):
        return infer.result(infer.expression(pattern.func, frame), None, None)
    if isinstance(pattern, syntax.BinOp):
        return union(matched(infer, side, frame) for side in (pattern.left, pattern.right))
    return ()


def elements(infer: Inferring, types: Types) -> Types:
    """What iterating gives, one element at a time."""
    return union(_elements(infer, found) for found in types[:LIMIT])


def _elements(infer: Inferring, found: Found) -> Types:
    value = found.value
    if isinstance(value, Literal):
        return builtin("str")
    if isinstance(value, ClassObject):
        if infer.code.is_enum(value.class_):
            return one(Instance(value.class_, exact=True), *found.why, grade=TYPED)
        return ()
    if isinstance(value, External):
        return (found,)
    if not isinstance(value, Instance):
        return ()
    if value.class_.name in {"Awaitable", "Coroutine"}:
        return elements(infer, _awaited(infer, found))
    if not value.class_.path:
        taken = value.args if value.fixed else value.args[:1]
        return graded(union(taken), found.grade, *found.why)
    return _iterated(infer, found, value)


def _iterated(infer: Inferring, found: Found, value: Instance) -> Types:
    """Iteration over an object of the tree: its own methods, or the elements its base is declared for."""
    for name in ("__iter__", "__aiter__"):
        members = [member for member in infer.code.hierarchy.lookup(value.class_, name) if member.kind != "builtin"]
        if members:
            made = infer.result(infer.attribute((found,), name), None, None)
            nexts = [
                infer.result(infer.attribute((one_,), "__next__"), None, None)
                for one_ in made
                if isinstance(one_.value, Instance) and one_.value.class_.path
            ]
            return union((*nexts, elements(infer, tuple(one_ for one_ in made if not _is_self(one_, value)))))
    declared = container_arguments(infer, value.class_)
    if declared:
        return declared[0]
    if infer.code.hierarchy.lookup(value.class_, "__getitem__"):
        return infer.result(infer.attribute((found,), "__getitem__"), None, None)
    return ()


def _is_self(found: Found, value: Instance) -> bool:
    return isinstance(found.value, Instance) and found.value.class_ == value.class_


def container_arguments(infer: Inferring, ref: ClassRef) -> tuple[Types, ...]:
    """The element types of the container that a class derives from (`class Items(List[Item])`)."""
    hierarchy = infer.code.hierarchy
    for step in hierarchy.linear(ref).order:
        facts = hierarchy.class_facts(step)
        for base in facts.bases if facts is not None else ():
            expression = base.expression
            if isinstance(expression, syntax.Subscript):
                frame = infer.scope_frame(step.path, facts.parent if facts else 0)
                for found in infer.annotation(expression, frame) if frame else ():
                    if isinstance(found.value, Instance) and not found.value.class_.path and found.value.args:
                        return found.value.args
    return ()


def item(infer: Inferring, found: Found, index: int) -> Types:
    """The part of an unpacked value at a position; a negative one is a starred target."""
    value = found.value
    if isinstance(value, Instance) and value.fixed:
        if 0 <= index < len(value.args):
            return graded(value.args[index], found.grade, *found.why)
        return builtin("list", union(value.args)) if index < 0 else ()
    named = named_fields(infer, value)
    if named and 0 <= index < len(named):
        return named[index]
    types = elements(infer, (found,))
    return builtin("list", types) if index < 0 else types


def named_fields(infer: Inferring, value: AnyValue) -> tuple[Types, ...]:
    """The fields of a `NamedTuple` class in order."""
    if not isinstance(value, Instance) or not value.class_.path:
        return ()
    hierarchy = infer.code.hierarchy
    if not any(step.name in {"tuple", "typing.NamedTuple"} for step in hierarchy.linear(value.class_).order):
        return ()
    fields = [
        member
        for members in hierarchy.own_members(value.class_).values()
        for member in members
        if member.assigned is not None and member.assigned.annotation is not None
    ]
    return tuple(infer.member(member, value) for member in sorted(fields, key=lambda member: member.line))


def subscript(infer: Inferring, types: Types, index: Expr, frame: Frame) -> Types:
    """What `x[index]` gives."""
    return union(_subscript(infer, found, index, frame) for found in types[:LIMIT])


def _subscript(infer: Inferring, found: Found, index: Expr, frame: Frame) -> Types:
    value = found.value
    match value:
        case Builtin() | TypeForm():
            types = hints.subscripted(infer, found, index, frame)
            return one(TypeForm(types), grade=TYPED) if types else ()
        case ClassObject(class_=ref):
            if infer.code.is_enum(ref):
                return one(Instance(ref, exact=True), *found.why, grade=TYPED)
            types = hints.subscripted(infer, found, index, frame)
            return union(hints.class_objects(one_) for one_ in types) or (found,)
        case Instance(class_=ref) if not ref.path:
            if isinstance(index, syntax.Slice):
                return (found,)
            return graded(_entry(value, index), found.grade, *found.why)
        case Instance():
            member = infer.attribute((found,), "__getitem__")
            types = infer.result(member, None, None) if member else ()
            if not types:
                declared = container_arguments(infer, value.class_)
                types = declared[-1] if declared else ()
            return types
        case External():
            return (found,)
    return ()


def _entry(value: Instance, index: Expr) -> Types:
    if value.class_.name in library.MAPPINGS:
        return value.args[1] if len(value.args) > 1 else ()
    if value.fixed:
        position = _constant_index(index)
        if position is not None and -len(value.args) <= position < len(value.args):
            return value.args[position]
        return union(value.args)
    return value.args[0] if value.args else ()


def _constant_index(index: Expr) -> int | None:
    if isinstance(index, syntax.UnaryOp) and index.op == "-":
        inner = _constant_index(index.operand)
        return None if inner is None else -inner
    if isinstance(index, syntax.Constant) and index.kind == "int" and index.value.isdecimal():
        return int(index.value)
    return None


_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "&": "and",
    "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift", "**": "pow",
}  # fmt: skip


def operation(infer: Inferring, node: syntax.BinOp, frame: Frame) -> Types:
    """What a binary operator gives (data model, section 3.3.8)."""
    left = infer.expression(node.left, frame)
    if node.op == "|" and any(isinstance(found.value, ClassObject | TypeForm) for found in left):
        types = infer.annotation(node, frame)
        return one(TypeForm(types), grade=TYPED) if types else ()
    name = _OPERATORS.get(node.op, "")
    kept = tuple(found for found in left if isinstance(found.value, Instance) and not found.value.class_.path)
    if any(isinstance(found.value, Literal) for found in left):
        kept = union((kept, builtin("str")))
    own = tuple(found for found in left if isinstance(found.value, Instance) and found.value.class_.path)
    types = infer.result(infer.attribute(own, f"__{name}__"), None, None) if own else ()
    if not types and not own:
        right = infer.expression(node.right, frame)
        theirs = tuple(found for found in right if isinstance(found.value, Instance) and found.value.class_.path)
        types = infer.result(infer.attribute(theirs, f"__r{name}__"), None, None) if theirs else ()
        if not kept and not types and name == "add":
            kept = tuple(found for found in right if isinstance(found.value, Instance) and not found.value.class_.path)
    return union((types, kept))
