"""Owns evidence from all over a package about attributes whose owner is not known, or does not know them itself."""

from __future__ import annotations

from sondage.core import similar
from sondage.core.refs import Member
from sondage.core.syntax import Expr
from sondage.core.values import (
    SHOWN,
    AnyValue,
    Builtin,
    External,
    Frame,
    Inferring,
    Instance,
    Literal,
    Types,
    TypeVariable,
    graded,
    one,
    union,
)

ASSIGNMENTS = 30
"""Assignments to one attribute name that are followed in a package."""
ANYWHERE = 3
"""Different types that assignments all over the package may show for one attribute name; more say nothing."""
_METHODS = frozenset({"method", "classmethod", "staticmethod"})
DEFINERS = 2
"""Families of classes that may define an attribute for its name alone to tell what it is."""


def attribute(infer: Inferring, receiver: Expr, name: str, frame: Frame) -> Types:
    """What an attribute of something unknown can be: by the class its owner is called after, or wherever it is assigned."""
    if name.startswith("__"):
        return ()
    return (
        _of_similar(infer, similar.called(receiver), name, frame.path)
        or anywhere(infer, name, frame.path)
        or _of_definers(infer, name, frame.path)
    )


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
    if infer.code.hierarchy.forwarders(base.class_) or not infer.code.hierarchy.linear(base.class_).complete:
        return ()
    return anywhere(infer, name, base.class_.path)


def anywhere(infer: Inferring, name: str, path: str) -> Types:
    """What an attribute of this name is wherever the package of a file assigns one, if that is always much the same."""
    package = infer.code.package(path)
    return infer.once(("anywhere", name, package), _anywhere, infer, name, package)


def _anywhere(infer: Inferring, name: str, package: str) -> Types:
    places = [(path, fact) for path, fact in infer.code.attributes.get(name, ()) if infer.code.package(path) == package]
    if not 0 < len(places) <= ASSIGNMENTS:
        return ()
    types = union(infer.assigned(path, fact) for path, fact in places)
    kept = tuple(found for found in types if _of_the_tree(found.value))
    return graded(kept, SHOWN, f"assigned to an attribute {name}") if len(kept) <= ANYWHERE else ()


def _of_definers(infer: Inferring, name: str, path: str) -> Types:
    """What the few classes of the package that define an attribute say it is."""
    package = infer.code.package(path)
    return infer.once(("definers", name, package), _defined, infer, name, package)


def _defined(infer: Inferring, name: str, package: str) -> Types:
    roots: dict[tuple[str, int], Member] = {}
    for member in infer.code.hierarchy.definers(name):
        if member.kind in _METHODS:
            return ()
        if infer.code.package(member.path) == package and not similar.is_test(member.path):
            chain = infer.code.hierarchy.lookup(member.owner, name)
            root = chain[-1] if chain and chain[-1].path else member
            roots.setdefault((root.path, root.line), root)
    if not 0 < len(roots) <= DEFINERS:
        return ()
    types = union(infer.attribute(one(Instance(member.owner), grade=SHOWN), name) for member in roots.values())
    kept = tuple(found for found in types if _of_the_tree(found.value))
    return graded(kept, SHOWN, f"few classes have an attribute {name}") if len(kept) <= ANYWHERE else ()


def _of_the_tree(value: AnyValue) -> bool:
    return not isinstance(value, External | Builtin | Literal | TypeVariable) and not (
        isinstance(value, Instance) and not value.class_.path
    )
