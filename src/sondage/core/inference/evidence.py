"""Owns evidence from all over a package about attributes whose owner is not known, or does not know them itself."""

from __future__ import annotations

from sondage.core.classes.refs import FunctionRef, Member
from sondage.core.inference import similar
from sondage.core.inference.values import (
    SHOWN,
    TYPED,
    AnyValue,
    Builtin,
    External,
    Frame,
    Function,
    Inferring,
    Instance,
    Literal,
    Module,
    Types,
    TypeVariable,
    graded,
    one,
    union,
)
from sondage.core.source.syntax import Expr

ASSIGNMENTS = 30
"""Assignments to one attribute name that are followed in a package."""
ANYWHERE = 3
"""Different types that assignments all over the package may show for one attribute name; more say nothing."""
_METHODS = frozenset({"method", "classmethod", "staticmethod"})
_COMMON = frozenset(dir(str) + dir(list) + dir(dict) + dir(set) + dir(bytes) + ["close", "read", "write", "flush"])
DEFINERS = 2
"""Families of classes that may define an attribute for its name alone to tell what it is."""


def attribute(infer: Inferring, receiver: Expr, name: str, frame: Frame) -> Types:
    """What an attribute of something unknown can be.

    By the class its owner is called after; by the few classes that have a method of this name, if it is one; else by
    what is assigned to it, and by the few classes that declare it.
    """
    if name.startswith("__"):
        return ()
    package = infer.code.package(frame.path)
    by_class = _of_similar(infer, similar.called(receiver), name, frame.path)
    if by_class:
        return by_class
    methods = infer.once(("methods", name, package), _methods, infer, name, package)
    if methods or _is_method(infer, name, package):
        return methods
    return anywhere(infer, name, frame.path) or infer.once(("definers", name, package), _defined, infer, name, package)


def _definers(infer: Inferring, name: str, package: str) -> list[Member]:
    return [
        member
        for member in infer.code.hierarchy.definers(name)
        if infer.code.package(member.path) == package and not similar.is_test(member.path)
    ]


def _is_method(infer: Inferring, name: str, package: str) -> bool:
    return any(member.kind in _METHODS for member in _definers(infer, name, package))


def _methods(infer: Inferring, name: str, package: str) -> Types:
    """The methods of this name, where they are few families; not of names that built-in classes have as well."""
    found = [member for member in _definers(infer, name, package) if member.kind in _METHODS]
    roots = _roots(infer, found, name)
    if name in _COMMON or not 0 < len(roots) <= DEFINERS:
        return ()
    why = f"only {len(roots)} families of classes define {name}"
    return graded(union(infer.member(member, Instance(member.owner)) for member in roots), SHOWN, why)


def _roots(infer: Inferring, found: list[Member], name: str) -> list[Member]:
    """The first definitions of the families that some members belong to."""
    roots: dict[tuple[str, int], Member] = {}
    for member in found:
        chain = [one_ for one_ in infer.code.hierarchy.lookup(member.owner, name) if one_.path]
        root = chain[-1] if chain else member
        roots.setdefault((root.path, root.line), root)
    return list(roots.values())


def _of_similar(infer: Inferring, called: str, name: str, path: str) -> Types:
    if called:
        return infer.once(("similar", called, name, infer.code.package(path)), _similar, infer, called, name, path)
    return ()


def _similar(infer: Inferring, called: str, name: str, path: str) -> Types:
    owners = [ref for ref in similar.classes_called(infer.code, called, path) if infer.code.hierarchy.lookup(ref, name)]
    if len(owners) != 1:
        return ()
    why = f"{owners[0].name} is called like the receiver"
    return graded(infer.attribute(one(Instance(owners[0]), why, grade=SHOWN), name), SHOWN)


def assigned_from_outside(infer: Inferring, base: Instance, name: str) -> Types:
    """What any `….name = value` of the same package gives an attribute that the class itself does not know."""
    if (
        name.startswith("__")
        or infer.code.hierarchy.forwarders(base.class_)
        or not infer.code.hierarchy.linear(base.class_).complete
    ):
        return ()
    return anywhere(infer, name, base.class_.path)


def anywhere(infer: Inferring, name: str, path: str) -> Types:
    """What an attribute of this name is wherever the package of a file assigns one, if that is always much the same."""
    package = infer.code.package(path)
    return infer.once(("anywhere", name, package), _anywhere, infer, name, package)


def _anywhere(infer: Inferring, name: str, package: str) -> Types:
    places = [(path, fact) for path, fact in infer.code.assigned(name) if infer.code.package(path) == package]
    if not 0 < len(places) <= ASSIGNMENTS:
        return ()
    types = union(infer.assigned(path, fact) for path, fact in places)
    kept = tuple(found for found in types if _of_the_tree(found.value))
    return graded(kept, SHOWN, f"assigned to an attribute {name}") if len(kept) <= ANYWHERE else ()


def _defined(infer: Inferring, name: str, package: str) -> Types:
    """What the few classes of the package that declare an attribute say it is."""
    roots = _roots(infer, _definers(infer, name, package), name)
    if not 0 < len(roots) <= DEFINERS:
        return ()
    types = union(infer.attribute(one(Instance(member.owner), grade=SHOWN), name) for member in roots)
    kept = tuple(found for found in types if _of_the_tree(found.value))
    return graded(kept, SHOWN, f"few classes have an attribute {name}") if len(kept) <= ANYWHERE else ()


def patches(infer: Inferring, ref: FunctionRef) -> Types:
    """What other places of the tree assign to a function's name on its module."""
    facts = infer.code.hierarchy.files()[ref.path]
    scope = facts.scopes[ref.scope]
    if scope.parent != 0:
        return ()
    found: list[Types] = []
    for path, fact in infer.code.assigned(scope.name):
        frame = infer.scope_frame(path, fact.scope)
        bases = infer.expression(fact.base.expression, frame) if frame is not None else ()
        if any(isinstance(one_.value, Module) and one_.value.ref.path == ref.path for one_ in bases):
            put = infer.assigned(path, fact) or one(External(f"a value assigned at {path}:{fact.line}"), grade=SHOWN)
            found.append(graded(put, TYPED, f"{scope.name} is put on the module at {path}:{fact.line}"))
    return tuple(each for each in union(found) if each.value != Function(ref))


def _of_the_tree(value: AnyValue) -> bool:
    return not isinstance(value, External | Builtin | Literal | TypeVariable) and not (
        isinstance(value, Instance) and not value.class_.path
    )
