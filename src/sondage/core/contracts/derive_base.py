"""Owns contracts that classes set: what an abstract base or a Protocol asks, and what the siblings of a class have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import Contract, ContractItem
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.contracts import judge, presence
from sondage.core.contracts.objects import evidence, short

_ROUTINE = frozenset({"method", "classmethod", "staticmethod", "property"})


def derive_base(code: Codebase, base: ClassRef, name: str = "") -> Contract:
    """What a base asks of a class that fills it in, first its own members, then those of each Protocol it inherits.

    Abstract members and those of a Protocol are required. A member whose body only raises NotImplementedError, or is
    `...` or `pass`, is soft: the base does without it until it is called. What the base or its MRO implements is not
    asked.
    """
    items = list(_asked(code, base))
    items.sort(key=lambda item: bool(item.group))
    return Contract(name or f"what {short(base)} asks", tuple(items), base=base.name)


def _asked(code: Codebase, base: ClassRef) -> Iterator[ContractItem]:
    done: set[str] = set()
    for step in code.hierarchy.linear(base).order:
        if step.name in ("object", "typing.Protocol", "typing.Generic") or not step.path:
            continue
        own = sorted(code.hierarchy.own_members(step).items(), key=lambda entry: entry[1][0].line if entry[1] else 0)
        for name, members in own:
            if name not in done and members and not _is_machinery(name):
                done.add(name)
                item = _item(code, base, step, members[0])
                if item is not None:
                    yield item


def _is_machinery(name: str) -> bool:
    """Names that set a class up and are no part of what it offers."""
    return name in (
        "__init__",
        "__slots__",
        "__doc__",
        "__module__",
        "__init_subclass__",
        "__new__",
        "__class_getitem__",
    )


def _item(code: Codebase, base: ClassRef, step: ClassRef, member: Member) -> ContractItem | None:
    group = short(step) if step != base and presence.is_protocol(code, step) else ""
    shown: tuple[Evidence, ...] = (evidence(code, member.path, member.line),) if member.line else ()
    if member.kind == "annotation":
        return ContractItem(member.name, group=group, evidence=shown) if presence.is_protocol(code, step) else None
    if member.scope < 0 or member.kind not in _ROUTINE:
        return None
    facts = code.hierarchy.function_facts(member.path, member.scope)
    soft = facts.body in ("not_implemented", "ellipsis", "pass", "docstring")
    insists = presence.is_marked_abstract(facts) or presence.is_protocol(code, step)
    if not soft and not insists:
        return None
    return ContractItem(
        member.name,
        "required" if insists else "optional",
        signature=judge.shown_signature(code, member),
        soft=not insists,
        group=group,
        evidence=shown,
    )


# ------------------------------------------------------------------ siblings


def derive_siblings(code: Codebase, siblings: Sequence[ClassRef], least: float = 0.5, name: str = "") -> Contract:
    """What at least a share `least` (0 to 1) of some classes have in their own trees, with the share of each member.

    Private and special names are left out, and so is what comes from a class that was not read.
    """
    counted: Counter[str] = Counter()
    for ref in siblings:
        counted.update(frozenset(_offered(code, ref)))
    total = max(len(siblings), 1)
    items = tuple(
        ContractItem(member, "required" if count == total else "optional", "possible", share=count / total)
        for member, count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
        if count / total >= least
    )
    return Contract(name or f"what {total} classes have", items, notes=(f"counted over {total} classes",))


def _offered(code: Codebase, ref: ClassRef) -> Iterator[str]:
    for step in code.hierarchy.linear(ref).order:
        if step.path:
            for name, members in code.hierarchy.own_members(step).items():
                if not name.startswith("_") and members and members[0].kind != "annotation":
                    yield name
