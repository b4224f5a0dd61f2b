"""Owns what could give a class a name without a definition: `__getattr__`, metaclasses, decorators, `setattr`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.contracts import forwarding
from sondage.core.contracts.forwarding import Handing
from sondage.core.contracts.guards import heads, statements
from sondage.core.contracts.idioms import called_name, within
from sondage.core.contracts.objects import remembered, short
from sondage.core.source import blocks
from sondage.core.source.blocks import FunctionDef
from sondage.core.source.syntax import Attribute, Call, Expr, Name

_PLAIN_METACLASSES = frozenset(
    {"type", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType", "typing._ProtocolMeta", "typing.NamedTupleMeta"}
)
_PLAIN_DECORATORS = frozenset(
    {
        "dataclass", "dataclasses.dataclass", "final", "typing.final", "runtime_checkable", "typing.runtime_checkable",
        "total_ordering", "functools.total_ordering", "unique", "enum.unique", "typing_extensions.final",
        "typing_extensions.runtime_checkable", "deprecated", "warnings.deprecated", "typing_extensions.deprecated",
    }
)  # fmt: skip
"""Decorators of the standard library that add only members which the hierarchy knows of."""


_RESTORING = frozenset({"__setstate__", "__copy__", "__deepcopy__", "__setattr__", "__reduce__"})
"""Methods that put back what an object had before, or that every assignment goes through."""


class Forwarder(NamedTuple):
    """A `__getattr__` or `__getattribute__` of the MRO, read. `handings` are empty where it hands on to nothing."""

    member: Member
    handings: tuple[Handing, ...]
    names: frozenset[str]
    opaque: bool


def forwarders(code: Codebase, ref: ClassRef) -> tuple[Forwarder, ...]:
    """What the `__getattr__` and `__getattribute__` of a class's MRO can answer, nearest first."""
    return remembered(
        code, ("forwarders", ref), lambda: tuple(_read(code, member) for member in code.hierarchy.forwarders(ref))
    )


def _read(code: Codebase, member: Member) -> Forwarder:
    node = function_of(code, member)
    if node is None:
        return Forwarder(member, (), frozenset(), opaque=True)
    read = forwarding.reads_getattr(node)
    return Forwarder(member, read.hands_on, read.names, read.opaque)


def function_of(code: Codebase, member: Member) -> FunctionDef | None:
    """The syntax of a method, where its file can be read."""
    if member.scope < 0 or not member.path:
        return None
    file = code.syntax_of(member.path)
    node = file.definition(member.scope) if file is not None else None
    return node if isinstance(node, FunctionDef) else None


# ------------------------------------------------------------------ what adds members


def adders(code: Codebase, ref: ClassRef) -> tuple[str, ...]:
    """What could add members to the class that no source line names, each as a sentence."""
    return remembered(code, ("adders", ref), lambda: tuple(dict.fromkeys(_adders(code, ref))))


def _adders(code: Codebase, ref: ClassRef) -> Iterator[str]:
    metaclass = code.hierarchy.metaclass(ref)
    if metaclass is not None and metaclass.name not in _PLAIN_METACLASSES:
        yield f"its metaclass {metaclass.name} may add members"
    for step in code.hierarchy.linear(ref).order:
        facts = code.hierarchy.class_facts(step)
        if facts is None:
            continue
        for decorator in facts.decorators:
            if not _is_plain(code, step, decorator.text):
                yield f"{short(step)} is decorated with @{decorator.text.split('(')[0]}, which may add members"
        yield from _computed(code, step)


def _is_plain(code: Codebase, ref: ClassRef, text: str) -> bool:
    """Whether a class decorator adds nothing: known as such, or read and seen to give back what it was given."""
    name = text.split("(", maxsplit=1)[0]
    if name in _PLAIN_DECORATORS:
        return True
    last = name.rpartition(".")[2]
    found = code.hierarchy.find_function(last, near=ref.path)
    path, scope = getattr(found, "path", ""), getattr(found, "scope", -1)
    file = code.syntax_of(path) if scope >= 0 else None
    node = file.definition(scope) if file is not None else None
    return isinstance(node, FunctionDef) and gives_back(node)


def gives_back(function: FunctionDef) -> bool:
    """Whether a decorator, or the decorator that a call of it makes, returns its own argument and sets nothing on it."""
    inner = {s.name: s for s, _ in statements(function.body) if isinstance(s, FunctionDef)}
    returned = [s.value for s, _ in statements(function.body) if isinstance(s, blocks.Return) and s.value is not None]
    if not returned or _sets(function):
        return False
    own = {parameter.name for parameter in function.parameters}
    return all(
        isinstance(value, Name) and (value.id in own or (value.id in inner and gives_back(inner[value.id])))
        for value in returned
    )


def _sets(function: FunctionDef) -> bool:
    own = {parameter.name for parameter in function.parameters}
    for statement, _ in statements(function.body):
        targets = statement.targets if isinstance(statement, blocks.Assign) else ()
        for target in targets:
            if isinstance(target, Attribute) and isinstance(target.value, Name) and target.value.id in own:
                return True
        if any(called_name(node) == "setattr" for head in heads(statement) for node in within(head)):
            return True
    return False


def _computed(code: Codebase, ref: ClassRef) -> Iterator[str]:
    """Places in the methods of a class that set attributes of `self` under names that callers choose."""
    text = code.text_of(ref.path) if ref.path else None
    if text is None or (b"setattr" not in text.data and b"__dict__" not in text.data):
        return
    for members in code.hierarchy.own_members(ref).values():
        for member in members:
            node = function_of(code, member) if member.kind == "method" and member.name not in _RESTORING else None
            written = _written(code, member, node) if node is not None else b""
            if node is None or (b"setattr" not in written and b"__dict__" not in written):
                continue
            if any(sets_computed(call, node) for call in calls_in(node)):
                yield f"{short(ref)}.{node.name} sets attributes under computed names"


def filled_by_keywords(code: Codebase, ref: ClassRef) -> bool:
    """Whether an `__init__` of the MRO hands `**keywords` to a base that was not read: those may become attributes."""
    return remembered(
        code, ("keywords", ref), lambda: any(_hands_keywords(code, step) for step in _open_above(code, ref))
    )


def _open_above(code: Codebase, ref: ClassRef) -> tuple[ClassRef, ...]:
    linear = code.hierarchy.linear(ref)
    return tuple(step for step in linear.order if step.path) if linear.open_ends else ()


def _hands_keywords(code: Codebase, ref: ClassRef) -> bool:
    for member in code.hierarchy.own_members(ref).get("__init__", ()):
        node = function_of(code, member)
        for call in calls_in(node) if node is not None else ():
            is_base = isinstance(call.func, Attribute) and call.func.attr == "__init__"
            if is_base and any(keyword.name is None for keyword in call.keywords):
                return True
    return False


def lenders(code: Codebase, ref: ClassRef, name: str) -> tuple[str, ...]:
    """Classes outside the MRO whose method is run on `self` and sets the attribute: `Other.__init__(self)`."""
    order = code.hierarchy.linear(ref).order
    return tuple(
        f"{short(step)} runs {short(other)}.{method} on itself, which may set it"
        for step in order
        for other, method in _lent_to(code, step)
        if other not in order and _sets_in(code, other, method, name)
    )


def _lent_to(code: Codebase, ref: ClassRef) -> tuple[tuple[ClassRef, str], ...]:
    return remembered(code, ("lenders", ref), lambda: tuple(_lenders(code, ref)))


def _sets_in(code: Codebase, ref: ClassRef, method: str, name: str) -> bool:
    """Whether a method of a class assigns the attribute through its first parameter."""
    return any(
        member.kind == "instance"
        and member.assigned is not None
        and code.hierarchy.files()[member.path].scopes[member.assigned.scope].name == method
        for member in code.hierarchy.lookup(ref, name)
    )


def _lenders(code: Codebase, ref: ClassRef) -> Iterator[tuple[ClassRef, str]]:
    for members in code.hierarchy.own_members(ref).values():
        for member in members:
            node = function_of(code, member) if member.kind == "method" else None
            this = node.parameters[0].name if node is not None and node.parameters else ""
            if node is None or not _hands_first(code, member, node, this):
                continue
            for call in calls_in(node):
                function = call.func
                given = call.args[0] if call.args else None
                if not isinstance(function, Attribute) or not isinstance(function.value, Name):
                    continue
                if isinstance(given, Name) and given.id == this:
                    for meaning in code.hierarchy.names(member.path, member.scope, function.value.id):
                        if isinstance(meaning.target, ClassRef) and meaning.target.path:
                            yield meaning.target, function.attr


def _hands_first(code: Codebase, member: Member, function: FunctionDef, name: str) -> bool:
    """Whether a name can be the first argument of a call, told from the text: most bodies need not be read for it."""
    first = rb"\(\s*(?:%b\b|[#(\\])" % re.escape(name.encode("utf-8", "replace"))
    return re.search(first, _written(code, member, function)) is not None


def _written(code: Codebase, member: Member, function: FunctionDef) -> bytes:
    text = code.text_of(member.path)
    return text.utf8[function.at : function.end] if text is not None else b""


def calls_in(function: FunctionDef) -> Iterator[Call]:
    """All calls in a body, those of nested functions left out."""
    for statement, _ in statements(function.body):
        for head in heads(statement):
            for node in within(head):
                if isinstance(node, Call):
                    yield node


def sets_computed(call: Call, method: FunctionDef) -> bool:
    """`setattr(self, name, …)` and `self.__dict__.update(…)` where a parameter of the method says which names.

    Names that the object itself had before (a loop over its own containers) add nothing.
    """
    if not method.parameters:
        return False
    this, given = method.parameters[0].name, {parameter.name for parameter in method.parameters[1:]}
    if called_name(call) == "setattr" and len(call.args) == 3:
        return _is_name(call.args[0], this) and _comes_from(call.args[1], given, method)
    function = call.func
    return (
        isinstance(function, Attribute)
        and function.attr == "update"
        and isinstance(function.value, Attribute)
        and function.value.attr == "__dict__"
        and _is_name(function.value.value, this)
    )


def _is_name(expression: Expr, name: str) -> bool:
    return isinstance(expression, Name) and expression.id == name


def _comes_from(expression: Expr, given: set[str], method: FunctionDef) -> bool:
    """Whether a name is a parameter, or runs over one: `for key, value in options.items()`."""
    names = {node.id for node in within(expression) if isinstance(node, Name)}
    loops = [s for s, _ in statements(method.body) if isinstance(s, blocks.For)]
    for loop in loops:
        if names & {node.id for node in within(loop.target) if isinstance(node, Name)}:
            names |= {node.id for node in within(loop.iter) if isinstance(node, Name)}
    return bool(names & given)
