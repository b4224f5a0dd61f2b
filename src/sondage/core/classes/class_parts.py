"""Owns what one file says about its classes outside of their bodies' own bindings: attributes set in methods, annotations."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from sondage.core.late import late_pattern
from sondage.core.source import syntax
from sondage.core.source.facts import Assigned, AttributeAssigned, ClassScope, FileFacts, FunctionScope

_FIRST = late_pattern(r"\(\s*([^\W\d]\w*)\s*[,:=)]")
"""The first parameter where nothing odd stands before it."""
_IMPLICIT_CLASSMETHODS = frozenset({"__init_subclass__", "__class_getitem__"})


class ClassParts(msgspec.Struct, frozen=True):
    """Of one file, by the scope of the class: annotated names without a value; what methods assign on `self`; on the class."""

    annotated: dict[int, list[Assigned]]
    instance: dict[int, list[AttributeAssigned]]
    on_class: dict[int, list[AttributeAssigned]]
    outside: list[AttributeAssigned]
    """Assignments whose base is none of the class's own: `C.m = f`, `module.name = v`, and those on locals."""


def class_parts(facts: FileFacts) -> ClassParts:
    parts = ClassParts({}, {}, {}, [])
    for assigned in facts.assignments:
        if (
            assigned.how == "annotation"
            and assigned.value is None
            and isinstance(facts.scopes[assigned.scope], ClassScope)
        ):
            parts.annotated.setdefault(assigned.scope, []).append(assigned)
    methods: dict[int, int] = {}
    for attribute in facts.attributes:
        method = methods.get(attribute.scope)
        if method is None:
            method = methods[attribute.scope] = method_around(facts, attribute.scope)
        where = _place(facts, method, attribute) if method >= 0 else "outside"
        if where == "outside":
            parts.outside.append(attribute)
        else:
            table = parts.instance if where == "instance" else parts.on_class
            table.setdefault(facts.scopes[method].parent, []).append(attribute)
    return parts


def method_around(facts: FileFacts, scope: int) -> int:
    """The outermost-but-class function around a scope: the method whose `self` closures see; -1 where there is none."""
    found = -1
    while scope > 0:
        here = facts.scopes[scope]
        if isinstance(here, ClassScope):
            break
        if isinstance(facts.scopes[here.parent], ClassScope):
            found = scope
            break
        scope = here.parent
    return found


def first_parameter(function: FunctionScope) -> str:
    """The name of the first positional parameter; empty where there is none."""
    quick = _FIRST.match(function.signature.text) if function.signature else None
    if quick is not None:
        return quick[1]
    parameters = function.parameters
    return parameters[0].name if parameters and parameters[0].kind in ("positional", "normal") else ""


def is_classmethod(function: FunctionScope) -> bool:
    names = {one.text.rpartition(".")[2] for one in function.decorators}
    return "classmethod" in names or function.name in _IMPLICIT_CLASSMETHODS


def is_staticmethod(function: FunctionScope) -> bool:
    return any(one.text.rpartition(".")[2] == "staticmethod" for one in function.decorators)


def _place(facts: FileFacts, method: int, attribute: AttributeAssigned) -> str:
    function = facts.scopes[method]
    assert isinstance(function, FunctionScope)
    first = "" if is_staticmethod(function) else first_parameter(function)
    base = attribute.base.text
    if not first:
        return "outside"
    if base == first:
        on_class = is_classmethod(function) or function.name == "__new__"
        return "on_class" if on_class else "instance"
    if base in (f"{first}.__class__", f"type({first})"):
        return "on_class"
    if function.name == "__new__" and base.isidentifier() and attribute.scope == method:
        return "instance"
    return "outside"


def slot_names(assigned: Assigned) -> Iterator[tuple[str, int]]:
    """The names in a `__slots__` and their lines."""
    value = assigned.value
    if value is None:
        return
    found = value.expression
    items = (
        found.keys
        if isinstance(found, syntax.Dict)
        else found.elements
        if isinstance(found, syntax.Sequence)
        else (found,)
    )
    for item in items:
        if isinstance(item, syntax.Text):
            before = value.text.encode()[: max(item.at - value.at, 0)]
            yield item.value, assigned.line + before.count(b"\n")


def mangled(name: str, class_name: str) -> str:
    """A private name as the compiler writes it inside a class (language reference, section 6.2.1)."""
    if not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = class_name.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


def names_written(facts: FileFacts) -> frozenset[str]:
    """Every name that something in a file is bound to: no class of it can define another (but by `__slots__`)."""
    return frozenset(
        name
        for names in (
            (scope.name for scope in facts.scopes),
            (one.name for one in facts.assignments),
            (one.name for one in facts.attributes),
            (one.name for one in facts.imports),
        )
        for name in names
    )
