"""Owns attributes: what `x.name` is, for each thing that `x` can be (data model, sections 3.2.9 and 3.3.2)."""

from __future__ import annotations

from itertools import groupby

from sondage.core.classes.refs import ClassRef, Member
from sondage.core.inference import containers, evidence, generics, library, open_bases, results
from sondage.core.inference.values import (
    LIMIT,
    SHOWN,
    TYPED,
    AnyValue,
    Bound,
    Builtin,
    ClassObject,
    Closure,
    External,
    Found,
    Function,
    Inferring,
    Instance,
    Literal,
    Module,
    Super,
    TypeForm,
    Types,
    TypeVariable,
    Value,
    builtin,
    graded,
    one,
    union,
)

_DEFINED = frozenset({"method", "classmethod", "staticmethod", "class"})
_ON_INSTANCE = frozenset({"instance", "annotation", "slot"})


def attribute(infer: Inferring, base: Types, name: str) -> Types:
    """What an attribute of any of these can be."""
    return union(_carried(of_one(infer, found.value, name), found) for found in base[:LIMIT])


def _carried(types: Types, base: Found) -> Types:
    return tuple(Found(one_.value, base.why + one_.why, max(one_.grade, base.grade)) for one_ in types)


def of_one(infer: Inferring, base: AnyValue, name: str) -> Types:
    """What an attribute of one value can be."""
    match base:
        case Instance():
            return infer.once(("instance", base, name), of_instance, infer, base, name)
        case ClassObject():
            return infer.once(("class", base, name), of_class, infer, base, name)
        case Module(ref=ref):
            found = infer.meanings(infer.code.hierarchy.attribute_of_module(ref.name, name))
            return found or one(External(f"{ref.name}.{name}"))
        case Super():
            return of_super(infer, base, name)
        case External(name=full) | Builtin(name=full):
            return one(library.missing(f"{full}.{name}"))
        case Literal():
            return _builtin_member(infer, Instance(ClassRef("str")), name)
        case TypeVariable(bound=bound):
            return infer.attribute(bound, name)
        case TypeForm(types=types):
            classes = union(results.class_object(found) for found in types if isinstance(found.value, Instance))
            return infer.attribute(classes, name)
        case Bound() | Function() | Closure() if name == "__call__":
            return one(base)
        case Bound(ref=ref, receiver=receiver) if name in {"__func__", "__wrapped__", "__self__"}:
            return one(receiver if name == "__self__" else Function(ref))
        case Function() if name == "__wrapped__":
            return one(base)
    return ()


# ------------------------------------------------------------------ instances


def of_instance(infer: Inferring, base: Instance, name: str) -> Types:
    """An attribute of an instance: what its methods assign, and what its classes define, nearest class first."""
    if name == "__class__":
        return one(ClassObject(base.class_, base.args, base.exact))
    if name == "__dict__":
        return builtin("dict", builtin("str"))
    pinned = _pinned(infer, base.class_, name)
    if pinned:
        return pinned
    if not base.class_.path and base.class_.name in library.BUILTIN_CLASSES:
        return _builtin_member(infer, base, name)
    found = infer.code.hierarchy.lookup(base.class_, name)
    found = _at_run_time(infer, found, base)
    types = generics.of_receiver(infer, _in_order(infer, found, base), base)
    types = containers.filled_attribute(infer, types, base.class_, name)
    if found and not base.exact and (not types or containers.is_empty(types)):
        return _of_subclasses(infer, base, name) or types
    if found:
        return types
    return (
        _forwarded(infer, base, name)
        or _behind_open_bases(infer, base, name)
        or evidence.assigned_from_outside(infer, base, name)
    )


def _at_run_time(infer: Inferring, found: tuple[Member, ...], base: Instance) -> tuple[Member, ...]:
    """Without what is only there for type checkers, where something else answers at run time."""
    real = tuple(member for member in found if not any("TYPE_CHECKING" in one_ for one_ in member.conditions))
    return real if real or infer.code.hierarchy.forwarders(base.class_) else found


SUBCLASSES = 12
"""Subclasses whose class attributes are looked at where the class itself leaves them empty."""


def _of_subclasses(infer: Inferring, base: Instance, name: str) -> Types:
    """What subclasses put in the place of a class attribute that is None or empty here: a template to be filled in."""
    types = union(
        infer.member(member, Instance(ref))
        for ref, _ in infer.code.hierarchy.subclass_refs(base.class_)[:SUBCLASSES]
        for member in infer.code.hierarchy.own_members(ref).get(name, ())[:1]
        if member.kind in {"attribute", "instance"}
    )
    return graded(types, SHOWN, f"subclasses of {base.class_.name} fill in {name}") if len(types) <= 3 else ()


def _pinned(infer: Inferring, ref: ClassRef, name: str) -> Types:
    for pin in infer.code.pins:
        owner, _, attribute_name = pin.receiver.rpartition(".")
        if attribute_name == name and any(
            owner in {step.name, step.name.rpartition(".")[2]} for step in infer.code.hierarchy.linear(ref).order
        ):
            return one(Instance(pin.class_), f"assumed: {pin.receiver} is {pin.class_.name}", grade=TYPED)
    return ()


def _builtin_member(infer: Inferring, base: Instance, name: str) -> Types:
    """A method of a built-in class; nothing where the class is known not to have it."""
    ref = ClassRef(base.class_.name)
    known = infer.code.hierarchy.linear(ref).complete
    if known and not infer.code.hierarchy.lookup(ref, name):
        return ()
    return one(Builtin(f"{base.class_.name}.{name}", base), grade=TYPED)


def _in_order(infer: Inferring, found: tuple[Member, ...], base: Instance) -> Types:
    """The nearest class that says something decides; a bare annotation only where nobody assigns."""
    declared: Types = ()
    for _, group in groupby(found, key=lambda member: member.owner):
        mine = list(group)
        on_class = [member for member in mine if member.kind not in _ON_INSTANCE]
        on_instance = [member for member in mine if member.kind in _ON_INSTANCE]
        if on_class and on_class[0].kind == "property":
            return _from_class(infer, on_class, base)
        annotated, assigned = _assigned(infer, on_instance, base)
        types = union((assigned, _from_class(infer, on_class, base) if on_class else ()))
        if annotated and on_class and on_class[0].kind in _DEFINED:
            return types
        if annotated:
            chosen = _narrower(infer, annotated, types)
            if on_class or any(member.assigned and member.assigned.value for member in on_instance):
                return chosen
            declared = declared or annotated
        elif types:
            return _narrower(infer, declared, types) if declared else types
        elif any(member.kind != "slot" for member in mine) and on_class:
            return declared
    return declared


def _assigned(infer: Inferring, found: list[Member], base: Instance) -> tuple[Types, Types]:
    """What the annotations say, and what is assigned."""
    annotated: list[Types] = []
    assigned: list[Types] = []
    for member in found:
        if member.assigned is None:
            continue
        types = infer.member(member, base)
        (annotated if member.assigned.annotation is not None else assigned).append(types)
    return union(annotated), union(assigned)


def _narrower(infer: Inferring, declared: Types, seen: Types) -> Types:
    """What is assigned, where all of it keeps to the annotation and says more; else the annotation."""
    classes = {one_.value.class_ for one_ in declared if isinstance(one_.value, Instance)}
    kept = [
        one_
        for one_ in seen
        if isinstance(one_.value, Instance)
        and classes.intersection(infer.code.hierarchy.linear(one_.value.class_).order)
    ]
    if kept and len(kept) == len(seen) and len(declared) == 1:
        generic = declared[0].value
        if (
            isinstance(generic, Instance)
            and generic.args
            and any(one_.value.class_ == generic.class_ for one_ in kept if isinstance(one_.value, Instance))
        ):
            return declared
        return union((tuple(kept), declared)) if len(kept) == 1 else tuple(kept)
    return declared


def _from_class(infer: Inferring, found: list[Member], base: Instance) -> Types:
    first = infer.member(found[0], base)
    others = [member for member in found[1:] if member.kind == "assigned" or member.conditions or found[0].conditions]
    if found[0].kind == "assigned":
        others = [member for member in found[1:] if member.kind != "assigned"][:1] + others
    return union((first, *(graded(infer.member(member, base), TYPED) for member in others)))


def _forwarded(infer: Inferring, base: Instance, name: str) -> Types:
    """What a `__getattr__` of the chain hands out for this name."""
    for member in infer.code.hierarchy.forwarders(base.class_)[:1]:
        if member.scope < 0:
            continue
        types = results.returned(
            infer, infer.code.function_of(member.path, member.scope), base, results.naming(name, infer, member)
        )
        types = tuple(found for found in types if not isinstance(found.value, Function | Closure))
        return graded(types, TYPED, f"handed on by {member.owner.name}.{member.name} at {member.path}:{member.line}")
    return ()


def _behind_open_bases(infer: Inferring, base: Instance | ClassObject, name: str) -> Types:
    """A member of a class that only the inference finds among the bases: a parameter, the result of a call."""
    for ref in open_bases.of_class(infer, base.class_):
        for member in infer.code.hierarchy.lookup(ref, name)[:1]:
            why = f"{ref.name} is among the bases of {base.class_.name}"
            return graded(infer.member(member, base), TYPED, why)
    return ()


# ------------------------------------------------------------------ classes


def of_class(infer: Inferring, base: ClassObject, name: str) -> Types:
    """An attribute of a class object: its chain, then its metaclass."""
    hierarchy = infer.code.hierarchy
    found = hierarchy.lookup(base.class_, name)
    on_class = [member for member in found if member.kind not in {"instance", "slot", "annotation"}]
    if on_class:
        nearest = [member for member in on_class if member.owner == on_class[0].owner]
        return _class_members(infer, nearest, base)
    for member in found:
        if member.kind == "annotation":
            return infer.member(member, base)
    behind = _behind_open_bases(infer, base, name)
    if behind:
        return behind
    if not base.class_.path:
        return one(Builtin(library.public(f"{base.class_.name}.{name}"), base), grade=TYPED)
    meta = hierarchy.metaclass(base.class_)
    if meta is not None and meta.path:
        above = [member for member in hierarchy.lookup(meta, name) if member.kind not in {"instance", "slot"}]
        if above and above[0].kind != "builtin":
            return infer.member(above[0], Instance(meta))
    return ()


def _class_members(infer: Inferring, found: list[Member], base: ClassObject) -> Types:
    first = infer.member(found[0], base)
    others = found[1:2] if found[0].kind == "assigned" or found[0].conditions else []
    return union((first, *(graded(infer.member(member, base), TYPED) for member in others)))


def of_super(infer: Inferring, base: Super, name: str) -> Types:
    """An attribute looked up behind a class in the MRO of the receiver's class."""
    found = infer.code.hierarchy.lookup(base.receiver.class_, name, base.after)
    found = tuple(member for member in found if member.kind not in _ON_INSTANCE)
    if found:
        return infer.member(found[0], base.receiver)
    for ref in open_bases.of_class(infer, base.receiver.class_):
        for member in infer.code.hierarchy.lookup(ref, name)[:1]:
            why = f"{ref.name} is among the bases of {base.receiver.class_.name}"
            return graded(infer.member(member, base.receiver), TYPED, why)
    return ()


# ------------------------------------------------------------------ one member


def value(infer: Inferring, member: Member, receiver: Value) -> Types:
    """What reading a member through a receiver gives: functions are bound, properties are called."""
    return infer.once(("member", member, receiver), _value, infer, member, receiver)


def _value(infer: Inferring, member: Member, receiver: Value) -> Types:
    why = f"{member.name} is defined by {member.owner.name} at {member.path}:{member.line}"
    match member.kind:
        case "method" | "staticmethod" | "classmethod" | "property" if member.scope >= 0:
            return _function(infer, member, receiver, why)
        case "class" if member.scope >= 0:
            ref = infer.code.class_of(member.path, member.scope)
            return one(ClassObject(ref), why) if ref is not None else ()
        case "import":
            scope = member.owner.scope
            return infer.meanings(infer.code.hierarchy.names(member.path, scope, member.name))
        case "generated" | "builtin":
            return one(Builtin(f"{member.owner.name}.{member.name}", receiver), why, grade=TYPED)
    if member.assigned is None:
        return ()
    if member.kind == "attribute" and infer.code.is_enum(member.owner) and not member.name.startswith("_"):
        return one(Instance(member.owner, exact=True), why, grade=TYPED)
    found = infer.assigned(member.path, member.assigned, receiver if member.kind == "instance" else None)
    if member.kind == "instance":
        return found
    return union(_read(infer, one_, receiver) for one_ in graded(found, TYPED, why))


def _function(infer: Inferring, member: Member, receiver: Value, why: str) -> Types:
    ref = infer.code.function_of(member.path, member.scope)
    if member.kind == "staticmethod":
        return one(Function(ref, member), why)
    if member.kind == "classmethod":
        holder = receiver
        if isinstance(receiver, Instance):
            holder = ClassObject(receiver.class_, receiver.args, receiver.exact)
        return one(Bound(ref, holder, member), why)
    if member.kind == "property":
        if isinstance(receiver, ClassObject):
            return one(Builtin("property"), why, grade=TYPED)
        return graded(results.returned(infer, ref, receiver, None), TYPED, f"{why}, a property")
    if member.name == "__new__":
        return one(Function(ref, member), why)
    through = _descriptor(infer, member, ref, receiver)
    if through is not None:
        return graded(through, TYPED, f"{why}, through a descriptor")
    if isinstance(receiver, ClassObject):
        return one(Function(ref, member), why)
    return one(Bound(ref, receiver, member), why)


def _descriptor(infer: Inferring, member: Member, ref: object, receiver: Value) -> Types | None:
    """What a method under a decorator class with `__get__` gives, like a property; None for plain methods."""
    facts = infer.code.hierarchy.function_facts(member.path, member.scope)
    for decorator in facts.decorators:
        frame = infer.scope_frame(member.path, facts.parent)
        for found in infer.expression(decorator.expression, frame) if frame else ():
            kind = found.value.class_ if isinstance(found.value, ClassObject | Instance) else None
            if kind is None or not kind.path or not isinstance(receiver, Instance):
                continue
            if infer.code.hierarchy.lookup(kind, "__get__") and not infer.code.hierarchy.lookup(kind, "__call__"):
                return results.returned(infer, infer.code.function_of(member.path, member.scope), receiver, None)
    return None


def _read(infer: Inferring, found: Found, receiver: Value) -> Types:
    """A class-level value read through a receiver: functions bind, descriptors answer for themselves."""
    held = found.value
    if isinstance(held, Function) and held.member is None and isinstance(receiver, Instance):
        return (Found(Bound(held.ref, receiver), found.why, found.grade),)
    if isinstance(held, Instance) and held.class_.path and isinstance(receiver, Instance):
        getter = [one_ for one_ in infer.code.hierarchy.lookup(held.class_, "__get__") if one_.scope >= 0]
        if getter:
            ref = infer.code.function_of(getter[0].path, getter[0].scope)
            return graded(results.returned(infer, ref, held, None), TYPED, *found.why)
    return (found,)
