"""Owns overrides: the definitions of one name above and below a class, and which of them keep its signature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import OverrideRow, OverridesAnswer
from sondage.core.classes.class_parts import mangled
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.contracts import signature
from sondage.core.contracts.judge import shown_signature
from sondage.core.contracts.lint import near_names
from sondage.core.contracts.objects import short


def overrides(code: Codebase, ref: ClassRef, name: str) -> OverridesAnswer | Candidates:
    """Every other definition of `name` in the MRO of a class and in the tree below it.

    What is only annotated is no definition. Of several on one class the one that holds at run time counts. Candidates
    where the class has no such member.
    """
    linear, known_as = code.hierarchy.linear(ref), mangled(name, short(ref))
    above = [member for step in linear.order for member in _definition(code, step, known_as)]
    if not above:
        names = tuple(f"{short(ref)}.{near}" for near in near_names(code, ref, name) if near != name)
        return Candidates(f"{short(ref)}.{name}", "member", "absent", names)
    found = above[0]
    below = [member for sub, _ in _below(code, ref) for member in _definition(code, sub, known_as)]
    rows = [_row(code, found, member, "up") for member in above if member.owner != ref]
    rows += [_row(code, found, member, "down") for member in below]
    return OverridesAnswer(
        f"{ref.name}.{name}",
        found.owner.name,
        found.path,
        found.line,
        shown_signature(code, found),
        tuple(rows),
        linear.why,
    )


def _below(code: Codebase, ref: ClassRef) -> list[tuple[ClassRef, int]]:
    return sorted(code.hierarchy.subclass_refs(ref), key=lambda pair: (pair[1], pair[0].path, pair[0].scope))


def _definition(code: Codebase, ref: ClassRef, name: str) -> Iterator[Member]:
    """The definition on this very class; what stands in its body goes before what its methods assign."""
    own = [member for member in code.hierarchy.own_members(ref).get(name, ()) if member.kind != "annotation"]
    yield from sorted(own, key=lambda member: member.kind == "instance")[:1]


def _row(code: Codebase, found: Member, other: Member, direction: Literal["up", "down"]) -> OverrideRow:
    asked, its = shown_signature(code, found), shown_signature(code, other)
    same = signature.same(asked, its) if asked and its else None
    return OverrideRow(other.owner.name, other.path, other.line, direction, its, same, other.kind)
