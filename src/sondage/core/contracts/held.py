"""Owns holders: the attributes through which a member could be reached that the class itself lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sondage.core.answers.contracts import Holder, Verdict
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import objects
from sondage.core.contracts.objects import Possible, short

Provided = Callable[[ClassRef, str], Verdict | None]
"""The verdict of a member on a class where the class provides it, else None."""


def holders(code: Codebase, ref: ClassRef, member: str, provided: Provided) -> Iterator[Holder]:
    """Every attribute of a class, with every class it can be of, that provides a member; nearest first."""
    for name in objects.holding(code, ref):
        if name == member:
            continue
        for possible in objects.of_attribute(code, ref, name):
            verdict = provided(possible.class_, member)
            if verdict is not None:
                yield _holder(code, name, possible, verdict)


def _holder(code: Codebase, name: str, possible: Possible, verdict: Verdict) -> Holder:
    return Holder(
        via=" → ".join([f"self.{name}", *(short(ref) for ref in way_up(code, possible.class_, verdict.owner))]),
        owner=verdict.owner,
        path=verdict.path,
        line=verdict.line,
        assigned_path=possible.path,
        assigned_line=possible.line,
        certainty="proved" if possible.sure and verdict.certainty == "proved" else "possible",
    )


def way_up(code: Codebase, ref: ClassRef, owner: str) -> tuple[ClassRef, ...]:
    """From a class over its bases to the class that owns a member; only the two where no base leads there."""
    order = code.hierarchy.linear(ref).order
    found = next((step for step in order if step.name == owner), None)
    if found is None or found == ref:
        return (ref,)
    between = [step for step in order[1 : order.index(found)] if found in code.hierarchy.linear(step).order]
    return (ref, *between, found)


def others(code: Codebase, ref: ClassRef, name: str, member: str, provided: Provided) -> tuple[str, ...]:
    """The other classes that the attribute can be of and that lack the member."""
    return tuple(
        short(possible.class_)
        for possible in objects.of_attribute(code, ref, name)
        if provided(possible.class_, member) is None
    )
