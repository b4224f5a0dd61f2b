"""Owns dynamic dispatch: which definitions can run instead of the one that a lookup on the known class finds.

An object known to be a `C` may be of any subclass of `C`: every definition that a subclass in the tree brings in front
of the one found on `C` can be reached as well (data model, section 3.2.9; `super()` follows the receiver's own MRO).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import msgspec

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member

_CALLABLE = frozenset({"method", "classmethod", "staticmethod"})
SUBCLASSES = 400
"""Subclasses looked at for one call."""


class Reach(msgspec.Struct, frozen=True):
    """A definition that can run, and how many of the classes that may be meant reach it."""

    member: Member
    classes: int


def overriders(code: Codebase, ref: ClassRef, found: Member | None, name: str) -> tuple[Member, ...]:
    """The other definitions that instances of subclasses of `ref` reach, the most common first."""
    return _ranked(code, ref, found, name, None)


def next_definitions(code: Codebase, ref: ClassRef, found: Member | None, name: str) -> tuple[Member, ...]:
    """The other definitions that `super()` in `ref` reaches for receivers of its subclasses, the most common first."""
    return _ranked(code, ref, found, name, ref)


def candidates(code: Codebase, ref: ClassRef, name: str) -> tuple[Member, ...]:
    """What subclasses of a class define under a name that the class itself does not have, the most inherited first."""
    found = [
        Reach(member, len(code.hierarchy.subclass_refs(member.owner)))
        for member in code.hierarchy.definers(name)
        if member.kind in _CALLABLE and member.scope >= 0 and ref in code.hierarchy.linear(member.owner).order
    ]
    found.sort(key=lambda reach: (is_abstract(code, reach.member), -reach.classes))
    return tuple(reach.member for reach in found)


def _ranked(
    code: Codebase, ref: ClassRef, found: Member | None, name: str, after: ClassRef | None
) -> tuple[Member, ...]:
    key = f"reach {ref.path} {ref.scope} {ref.name} {name} {after is None} {place(found) if found else None}"
    kept = code.memo.get(key)
    if kept is None:
        counts: dict[tuple[str, int], Reach] = {}
        for member in _others(code, ref, found, name, after):
            known = counts.get(place(member))
            counts[place(member)] = Reach(known.member if known else member, known.classes + 1 if known else 1)
        ranked = sorted(counts.values(), key=lambda reach: (is_abstract(code, reach.member), -reach.classes))
        kept = code.memo[key] = tuple(reach.member for reach in ranked)
    return cast("tuple[Member, ...]", kept)


def _others(code: Codebase, ref: ClassRef, found: Member | None, name: str, after: ClassRef | None) -> Iterator[Member]:
    for subclass, _ in code.hierarchy.subclass_refs(ref)[:SUBCLASSES]:
        reached = code.hierarchy.lookup(subclass, name, after)
        first = next((member for member in reached if member.kind in _CALLABLE and member.scope >= 0), None)
        if first is not None and (found is None or place(first) != place(found)):
            yield first


def hidden_rivals(code: Codebase, ref: ClassRef, name: str) -> tuple[ClassRef, ...]:
    """Classes of the same package that define a name and have a base that only running the tree would tell.

    Any class may be above them. Special methods are left out: every other class defines them.
    """
    if name.startswith("__"):
        return ()
    return tuple(
        member.owner
        for member in code.hierarchy.definers(name)
        if code.package(member.path) == code.package(ref.path)
        and (linear := code.hierarchy.linear(member.owner)).open_ends
        and not linear.sure
        and ref not in linear.order
    )


def implementers(code: Codebase, protocol: ClassRef, name: str) -> tuple[Member, ...]:
    """The definitions of a protocol's member on the classes that have all of its members (PEP 544)."""
    wanted = [
        other
        for other, members in code.hierarchy.own_members(protocol).items()
        if members and members[0].kind in _CALLABLE and not other.startswith("_")
    ]
    found: dict[tuple[str, int], Member] = {}
    for member in code.hierarchy.definers(name):
        if member.kind not in _CALLABLE or member.scope < 0 or is_protocol(code, member.owner):
            continue
        if all(code.hierarchy.lookup(member.owner, other) for other in wanted):
            found.setdefault(place(member), member)
    return tuple(found.values())


def is_protocol(code: Codebase, ref: ClassRef) -> bool:
    """True for a class that derives from `typing.Protocol`."""
    return any(step.name == "typing.Protocol" for step in code.hierarchy.linear(ref).order)


def place(member: Member) -> tuple[str, int]:
    """Where a member is defined."""
    return member.path, member.line


def is_abstract(code: Codebase, member: Member) -> bool:
    """True for a definition that cannot be what was meant: marked abstract, or it only raises NotImplementedError."""
    if member.scope < 0 or member.kind not in _CALLABLE:
        return False
    facts = code.hierarchy.function_facts(member.path, member.scope)
    abstract = any(decorator.text.rpartition(".")[2] == "abstractmethod" for decorator in facts.decorators)
    return abstract or facts.body in {"not_implemented", "ellipsis"}
