"""Owns what the contract engine asks of the inference: which classes an attribute can be of, and since where."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

from sondage.core.answers.certainty import Evidence
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.inference.infer import Inference
from sondage.core.inference.values import PROVED, Bound, Frame, Instance, Types, one, union
from sondage.core.source.facts import AttributeAssigned
from sondage.core.source.syntax import Call

Kept = TypeVar("Kept")
HOLDING = frozenset({"instance", "attribute", "annotation", "assigned", "generated", "slot", "property", "class"})
"""Kinds of member that can hold an object."""


class Possible(NamedTuple):
    """One class that an attribute can be of, and where that is said; `line` is 0 where nothing shows it."""

    class_: ClassRef
    path: str
    line: int
    sure: bool
    why: tuple[str, ...]


def remembered(code: Codebase, key: tuple[object, ...], work: Callable[[], Kept]) -> Kept:
    """The result of some work on a code base, worked out once."""
    room = cast("dict[tuple[object, ...], Kept]", code.memo.setdefault("contract", {}))
    if key not in room:
        room[key] = work()
    return room[key]


def inference(code: Codebase) -> Inference:
    """The inference of a code base, one for all questions, with fresh steps."""
    found = remembered(code, ("inference",), lambda: Inference(code))
    found.begin()
    return found


def of_attribute(code: Codebase, owner: ClassRef, name: str) -> tuple[Possible, ...]:
    """The classes that the attribute `name` of an instance of `owner` can be of; empty where nothing is known."""
    return remembered(code, ("attribute", owner, name), lambda: _of_attribute(code, owner, name))


def _of_attribute(code: Codebase, owner: ClassRef, name: str) -> tuple[Possible, ...]:
    types = inference(code).attribute(one(Instance(owner)), name)
    definitions = code.hierarchy.lookup(owner, name)
    if not classes(types):
        types = _given(code, owner, definitions) or _returned(code, owner, definitions)
    found = []
    for possibility in types:
        if isinstance(possibility.value, Instance):
            class_ = possibility.value.class_
            path, line = _since(code, owner, definitions, class_)
            found.append(Possible(class_, path, line, possibility.grade == PROVED, possibility.why))
    return tuple(sorted(found, key=lambda possible: possible.line))


def _given(code: Codebase, owner: ClassRef, definitions: tuple[Member, ...]) -> Types:
    """What is assigned, where the attribute's annotation names a class that was not read."""
    values = [
        inference(code).assigned(member.path, member.assigned, Instance(owner))
        for member in definitions
        if member.kind == "instance" and member.assigned is not None
    ]
    found = union(values)
    return found if classes(found) else ()


def _returned(code: Codebase, owner: ClassRef, definitions: tuple[Member, ...]) -> Types:
    """What the function that makes an attribute returns, where its annotation names a class that was not read."""
    for member in definitions:
        if member.assigned is None or member.assigned.value is None:
            continue
        call = member.assigned.value.expression
        frame = inference(code).scope_frame(member.path, member.assigned.scope, Instance(owner))
        if isinstance(call, Call) and frame is not None:
            bodies = [
                inference(code).frame(found.value.ref, found.value.receiver)
                for found in inference(code).expression(call.func, frame)
                if isinstance(found.value, Bound)
            ]
            return union(_results(code, body) for body in bodies if body is not None)
    return ()


def _results(code: Codebase, body: Frame) -> Types:
    flow = inference(code).flow(body)
    return union(inference(code).expression(value, body) for value in (flow.returns if flow is not None else ()))


def _since(code: Codebase, owner: ClassRef, definitions: tuple[Member, ...], class_: ClassRef) -> tuple[str, int]:
    """Where an attribute is given an object of a class: the assignment whose value can be one, or else the first."""
    for member in definitions:
        if member.assigned is not None and class_ in classes(
            inference(code).assigned(member.path, member.assigned, Instance(owner))
        ):
            return member.path, member.line
    return (definitions[0].path, definitions[0].line) if definitions else ("", 0)


def classes(types: Types) -> tuple[ClassRef, ...]:
    """The classes that a value can be an instance of."""
    return tuple(found.value.class_ for found in types if isinstance(found.value, Instance))


def holding(code: Codebase, ref: ClassRef) -> tuple[str, ...]:
    """The names of all attributes of a class that can hold an object, nearest class first, in source order."""
    names: dict[str, None] = {}
    for step in code.hierarchy.linear(ref).order:
        own = code.hierarchy.own_members(step)
        rows = [(members[0].line, name) for name, members in own.items() if members and members[0].kind in HOLDING]
        names.update((name, None) for _, name in sorted(rows))
    return tuple(names)


def set_from_outside(code: Codebase, ref: ClassRef, name: str) -> bool:
    """Whether code outside of a class may set an attribute of this name on an instance of it.

    Where the object that is written to is not known, it may be one.
    """
    return remembered(
        code,
        ("outside", ref, name),
        lambda: any(_may_be(code, ref, path, fact) for path, fact in code.assigned(name)),
    )


def given_from_outside(code: Codebase, ref: ClassRef, name: str) -> tuple[str, ...]:
    """Where code outside the class sets the attribute on an object that is known to be one, as `path:line`."""
    return remembered(
        code,
        ("given", ref, name),
        lambda: tuple(
            place
            for place, known in _set_from_outside(code, name)
            if any(ref in code.hierarchy.linear(one).order for one in known)
        ),
    )


def _set_from_outside(code: Codebase, name: str) -> tuple[tuple[str, tuple[ClassRef, ...]], ...]:
    """Where an attribute of this name is set on an object whose classes are known, with these."""
    return remembered(
        code,
        ("given", name),
        lambda: tuple(
            (f"{path}:{fact.line}", known)
            for path, fact in code.assigned(name)
            if (known := _written_to(code, path, fact))
        ),
    )


def _may_be(code: Codebase, ref: ClassRef, path: str, fact: AttributeAssigned) -> bool:
    known = _written_to(code, path, fact)
    if known is None:
        return True
    return any(ref in code.hierarchy.linear(one).order or one in code.hierarchy.linear(ref).order for one in known)


def _written_to(code: Codebase, path: str, fact: AttributeAssigned) -> tuple[ClassRef, ...] | None:
    """The classes of the object whose attribute is set, empty for `self`; None where they are not all known."""
    return remembered(code, ("written", path, fact.at), lambda: _classes_written_to(code, path, fact))


def _classes_written_to(code: Codebase, path: str, fact: AttributeAssigned) -> tuple[ClassRef, ...] | None:
    if fact.base.text in ("self", "cls"):
        return ()
    frame = inference(code).scope_frame(path, fact.scope)
    types = inference(code).expression(fact.base.expression, frame) if frame is not None else ()
    known = classes(types)
    return known if known and len(known) == len(types) else None


def unseen(code: Codebase, ref: ClassRef) -> tuple[str, ...]:
    """Attributes that hold the result of a call of which nothing at all is known: a class chosen at run time, mostly."""
    return remembered(code, ("unseen", ref), lambda: tuple(n for n in holding(code, ref) if _is_unseen(code, ref, n)))


def _is_unseen(code: Codebase, ref: ClassRef, name: str) -> bool:
    first = code.hierarchy.lookup(ref, name)[0]
    if first.kind != "instance" or first.assigned is None or first.assigned.value is None:
        return False
    made = isinstance(first.assigned.value.expression, Call)
    return made and not inference(code).attribute(one(Instance(ref)), name)


def evidence(code: Codebase, path: str, line: int) -> Evidence:
    """A line with its text, and the digest of its file."""
    text = code.text_of(path) if path else None
    return Evidence(path, line, text.line(line), text.digest) if text is not None else Evidence(path, line, "")


def short(ref: ClassRef) -> str:
    """The name of a class without its module, as far as a person needs it: the last part."""
    return ref.name.rpartition(".")[2]
