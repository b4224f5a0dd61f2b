"""Owns where a name stands on a class: the definitions that count, and whether anything unseen could come before them."""

from __future__ import annotations

from typing import NamedTuple

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, FunctionRef, Linear, Member
from sondage.core.contracts.dynamic import calls_in, function_of
from sondage.core.contracts.idioms import is_super
from sondage.core.contracts.objects import short
from sondage.core.source import syntax
from sondage.core.source.blocks import FunctionDef
from sondage.core.source.facts import Assigned, FunctionScope
from sondage.core.source.syntax import Attribute, Call, Expr

_NOWHERE = frozenset({"annotation", "instance", "assigned"})
"""Kinds that are not in the class's own body at run time."""
_ABSTRACT = frozenset({"abstractmethod", "abstractproperty", "abstractclassmethod", "abstractstaticmethod"})
_STARTING = frozenset({"__init__", "__post_init__", "__attrs_post_init__", "__new__", "__setstate__"})


class Presence(NamedTuple):
    """The definitions of one name, seen from one class, each group in MRO order.

    `body`: in the body of a class of the MRO, the one that a lookup finds first. `outside`: put on a class from
    elsewhere. `instance`: assigned through `self`. `abstract`: the one found first is abstract or not implemented (then
    `body` is empty). `announced`: annotated only, so that nothing is there at run time.
    """

    body: tuple[Member, ...] = ()
    outside: tuple[Member, ...] = ()
    instance: tuple[Member, ...] = ()
    abstract: tuple[Member, ...] = ()
    announced: tuple[Member, ...] = ()


def of(code: Codebase, ref: ClassRef, name: str) -> Presence:
    """The definitions of a name on a class, grouped."""
    found = code.hierarchy.lookup(ref, name)
    body = tuple(member for member in found if member.kind not in _NOWHERE)
    abstract: tuple[Member, ...] = ()
    if body and is_abstract(code, body[0]):
        body, abstract = (), body
    return Presence(
        body=body,
        outside=tuple(member for member in found if member.kind == "assigned"),
        instance=tuple(member for member in found if member.kind == "instance" or is_field(code, member)),
        abstract=abstract,
        announced=tuple(member for member in found if member.kind == "annotation" and not is_field(code, member)),
    )


def is_field(code: Codebase, member: Member) -> bool:
    """An annotated name without a value that a generated `__init__` sets on every instance: a field of a dataclass."""
    if member.kind != "annotation" or member.assigned is None or member.assigned.annotation is None:
        return False
    made = code.hierarchy.own_members(member.owner).get("__init__", ())
    said = member.assigned.annotation.text.split("[")[0].rpartition(".")[2].strip("\"'")
    return bool(made) and made[0].kind == "generated" and said not in ("ClassVar", "InitVar", "KW_ONLY")


def is_abstract(code: Codebase, member: Member) -> bool:
    """Marked abstract, or with a body that only raises NotImplementedError, or a stub in a Protocol."""
    if member.kind == "attribute":
        return _stands_for_nothing(code, member)
    if member.scope < 0 or member.kind not in ("method", "classmethod", "staticmethod", "property"):
        return False
    facts = code.hierarchy.function_facts(member.path, member.scope)
    if facts.body == "not_implemented":
        return True
    if is_marked_abstract(facts):
        return True
    return facts.body in ("ellipsis", "pass", "docstring") and is_protocol(code, member.owner)


def _stands_for_nothing(code: Codebase, member: Member) -> bool:
    """A class-level name for a function that only raises NotImplementedError: `forward = _forward_unimplemented`."""
    value = member.assigned.value if member.assigned is not None else None
    if value is None or not value.text.isidentifier() or not isinstance(member.assigned, Assigned):
        return False
    return any(
        isinstance(meaning.target, FunctionRef)
        and code.hierarchy.function_facts(meaning.target.path, meaning.target.scope).body == "not_implemented"
        for meaning in code.hierarchy.names(member.path, member.assigned.scope, value.text)
    )


def is_marked_abstract(function: FunctionScope) -> bool:
    """Whether a decorator of `abc` says so."""
    names = {decorator.text.split("(")[0].rpartition(".")[2] for decorator in function.decorators}
    return bool(names & _ABSTRACT)


def is_protocol(code: Codebase, ref: ClassRef) -> bool:
    """Whether a class is itself a Protocol (one that only inherits from a Protocol is none: typing, PEP 544)."""
    facts = code.hierarchy.class_facts(ref)
    if facts is None:
        return False
    return any(base.text.split("[")[0].rpartition(".")[2] == "Protocol" for base in facts.bases)


def behind_alias(code: Codebase, member: Member) -> Member:
    """The method that a class-level name stands for, or the member itself."""
    if member.kind == "attribute" and member.assigned is not None and member.assigned.value is not None:
        found = code.hierarchy.own_members(member.owner).get(member.assigned.value.text, ())
        if found and found[0].scope >= 0:
            return found[0]
    return member


# ------------------------------------------------------------------ certainty


def doubts(code: Codebase, ref: ClassRef, member: Member) -> tuple[str, ...]:
    """What unseen could change that this definition is the one found; empty where it is proved."""
    linear = code.hierarchy.linear(ref)
    if linear.error:
        return (f"the class has no MRO: {linear.error}",)
    found = list(_doubts_of_place(code, ref, linear, member))
    if not linear.sure:
        found.append("a base was chosen among alternatives")
    return tuple(found)


def _doubts_of_place(code: Codebase, ref: ClassRef, linear: Linear, member: Member) -> list[str]:
    if member.kind == "instance":
        return _doubts_of_assignment(code, ref, member)
    if member.kind == "annotation":
        return _doubts_of_start(code, ref, member.owner, "__init__")
    doubts = [f"{end.name} stands before it in the MRO and was not read" for end in before(linear, member.owner)]
    own = code.hierarchy.own_members(member.owner).get(member.name, ())
    if member.conditions and all(one.conditions for one in own):
        doubts.append(f"defined only under {' and '.join(member.conditions)}")
    return doubts


def unread_parts(code: Codebase, ref: ClassRef) -> tuple[str, ...]:
    """Places in the bodies of the MRO that could not be read as Python: a member may stand there."""
    found = []
    for step in code.hierarchy.linear(ref).order:
        facts = code.hierarchy.class_facts(step)
        for problem in code.hierarchy.files()[step.path].problems if facts is not None else ():
            inside = facts is not None and facts.span.first_line <= problem.line <= facts.span.last_line
            if problem.kind != "encoding" and inside:
                found.append(f"{step.path}:{problem.line} could not be read")
    return tuple(found)


def before(linear: Linear, owner: ClassRef) -> tuple[ClassRef, ...]:
    """The open ends that stand before a class in an MRO."""
    if owner not in linear.order:
        return linear.open_ends
    place = linear.order.index(owner)
    return tuple(end for end in linear.open_ends if end in linear.order and linear.order.index(end) < place)


def _doubts_of_assignment(code: Codebase, ref: ClassRef, member: Member) -> list[str]:
    method = _method_of(code, member)
    if method is None:
        return ["it is not known when the assignment runs"]
    if method not in _STARTING:
        return [f"assigned in {method}, which may not have run"]
    if member.conditions:
        return [f"assigned only under {' and '.join(member.conditions)}"]
    return _doubts_of_start(code, ref, member.owner, method)


def _method_of(code: Codebase, member: Member) -> str | None:
    if member.assigned is None or member.assigned.scope < 1:
        return None
    return code.hierarchy.files()[member.path].scopes[member.assigned.scope].name


def _doubts_of_start(code: Codebase, ref: ClassRef, owner: ClassRef, method: str) -> list[str]:
    """Whether the `__init__` of `owner` runs when a `ref` is made: each one before it must call on."""
    linear = code.hierarchy.linear(ref)
    after: ClassRef | None = None
    while True:
        found = code.hierarchy.lookup(ref, method, after) if after else code.hierarchy.lookup(ref, method)
        first = next((member for member in found if member.scope >= 0 or member.kind == "generated"), None)
        if first is None or first.owner == owner:
            return [f"{end.name}, which was not read, stands before it in the MRO" for end in before(linear, owner)]
        if owner in linear.order and linear.order.index(first.owner) > linear.order.index(owner):
            return []
        node = function_of(code, first)
        if node is None or not calls_on(node, method, short(owner)):
            return [f"assigned in {short(owner)}.{method}, which {short(first.owner)}.{method} does not call"]
        if _calls_by_name(node, method, short(owner)):
            return []
        after = first.owner


def calls_on(function: FunctionDef, method: str, owner: str = "") -> bool:
    """Whether a body calls `super().method(…)`, or `Owner.method(…)` by name."""
    return any(_is_super_call(call, method) for call in calls_in(function)) or _calls_by_name(function, method, owner)


def _calls_by_name(function: FunctionDef, method: str, owner: str) -> bool:
    return any(
        isinstance(call.func, Attribute) and call.func.attr == method and _last(call.func.value) == owner
        for call in calls_in(function)
    )


def _is_super_call(call: Call, method: str) -> bool:
    return isinstance(call.func, Attribute) and call.func.attr == method and is_super(call.func.value)


def _last(expression: Expr) -> str:
    if isinstance(expression, Attribute):
        return expression.attr
    return expression.id if isinstance(expression, syntax.Name) else ""
