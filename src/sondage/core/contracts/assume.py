"""Owns assumptions: claims in a fixed form are checked at once, anything else is kept as an open note.

- `CLASS inherits CLASS`
- `RECEIVER is CLASS`: the receiver is a slot, `Class.attribute`; it can be pinned
- `CONSUMER on RECEIVER needs only A,B`
- `CLASS.MEMBER unchanged since TARGET`
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sondage.core.answers.certainty import Candidates, Evidence
from sondage.core.answers.contracts import Assumption, ClaimKind, ClaimState, Contract, ContractItem, Use
from sondage.core.classes.codebase import Codebase, Pin
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts import derive, drift, held, judge, objects, presence
from sondage.core.contracts.objects import evidence, short
from sondage.core.contracts.receiver import read_receiver
from sondage.core.contracts.things import Slot
from sondage.core.late import late_pattern
from sondage.errors import UsageError

_INHERITS = late_pattern(r"(\S+)\s+inherits\s+(?:from\s+)?(\S+)\Z")
_IS = late_pattern(r"(\S+)\s+is\s+(?:an?\s+)?(\S+)\Z")
_NEEDS = late_pattern(r"(.+?)\s+on\s+(\S+)\s+needs\s+only\s+(.+)\Z")
_UNCHANGED = late_pattern(r"(\S+)\.(\w+)\s+unchanged\s+since\s+(.+)\Z")

Other = Callable[[str], Codebase | None]
"""The code base of another target, or None where it cannot be had."""


def assume(code: Codebase, claim: str, other: Other = lambda _: None) -> Assumption:
    """A claim with its state. A claim in one of the forms whose names mean nothing stays open, and says so."""
    text = " ".join(claim.split())
    if found := _NEEDS.match(text):
        return _needs(code, text, found[1], found[2], found[3])
    if found := _UNCHANGED.match(text):
        return _unchanged(code, text, (found[1], found[2]), found[3], other)
    if found := _INHERITS.match(text):
        return _inherits(code, text, found[1], found[2])
    if found := _IS.match(text):
        return _is(code, text, found[1], found[2])
    return Assumption(text, "note", "open", ("free text: nothing checks it",))


def pin(code: Codebase, claim: str) -> Pin | None:
    """What a claim `RECEIVER is CLASS` fixes for later answers; None for any other claim, or where a name is not clear."""
    found = _IS.match(" ".join(claim.split()))
    target = code.hierarchy.find_class(found[2]) if found else None
    if found is None or not isinstance(target, ClassRef):
        return None
    owner, _, attribute = found[1].rpartition(".")
    holder = code.hierarchy.find_class(owner) if owner and not owner.startswith("self") else None
    return Pin(f"{holder.name}.{attribute}" if isinstance(holder, ClassRef) else found[1], target)


def _unclear(claim: str, kind: ClaimKind, found: Candidates) -> Assumption:
    names = f": {', '.join(found.names[:4])}" if found.names else ""
    state = "means several things" if found.reason == "ambiguous" else "is not there"
    return Assumption(claim, kind, "open", (f"{found.asked} {state}{names}",))


# ------------------------------------------------------------------ inherits


def _inherits(code: Codebase, claim: str, child: str, parent: str) -> Assumption:
    below, above = code.hierarchy.find_class(child), code.hierarchy.find_class(parent)
    if isinstance(below, Candidates):
        return _unclear(claim, "inherits", below)
    linear = code.hierarchy.linear(below)
    named = [
        ref for ref in linear.order if ref == above or (isinstance(above, Candidates) and ref.name.endswith(parent))
    ]
    if named:
        way = held.way_up(code, below, named[0].name)
        shown = tuple(_class_line(code, ref) for ref in way if ref.path)
        return Assumption(claim, "inherits", "holds", (" → ".join(short(ref) for ref in way),), shown)
    if isinstance(above, Candidates) and above.reason == "ambiguous":
        return _unclear(claim, "inherits", above)
    bases = ", ".join(short(ref) for ref in linear.order[1:] if ref.name != "object") or "nothing but object"
    why = [f"{short(below)} inherits {bases}"]
    holders = _holding_instead(code, below, above) if isinstance(above, ClassRef) else ()
    why += [text for text, _ in holders]
    shown = (_class_line(code, below), *(row for _, row in holders))
    state: ClaimState = "refuted" if _cannot(linear.open_ends, above) else "open"
    why += [f"{end.name} was not read" for end in linear.open_ends]
    return Assumption(claim, "inherits", state, tuple(why), shown)


def _cannot(open_ends: tuple[ClassRef, ...], above: ClassRef | Candidates) -> bool:
    """Whether no unread base can lead to a class: all were imported from packages that the root does not hold.

    A library does not inherit from a class of the tree that uses it.
    """
    if not open_ends:
        return True
    if isinstance(above, Candidates):
        return False
    top = above.name.split(".")[0]
    return all("." in end.name and end.name.split(".")[0] != top for end in open_ends)


def _holding_instead(code: Codebase, below: ClassRef, above: ClassRef) -> tuple[tuple[str, Evidence], ...]:
    """Attributes that are what the class was thought to be: composition taken for inheritance."""
    found = []
    for name in objects.holding(code, below):
        for possible in objects.of_attribute(code, below, name):
            if above in code.hierarchy.linear(possible.class_).order and possible.line:
                way = " → ".join(dict.fromkeys((short(possible.class_), short(above))))
                found.append((f"its attribute self.{name} is one: {way}", evidence(code, possible.path, possible.line)))
    return tuple(found)


def _class_line(code: Codebase, ref: ClassRef) -> Evidence:
    facts = code.hierarchy.class_facts(ref)
    return evidence(code, ref.path, facts.span.line if facts else 0)


# ------------------------------------------------------------------ is


def _is(code: Codebase, claim: str, receiver: str, class_name: str) -> Assumption:
    wanted = code.hierarchy.find_class(class_name)
    if isinstance(wanted, Candidates):
        return _unclear(claim, "is", wanted)
    try:
        slot = read_receiver(code, receiver)
    except UsageError as trouble:
        return Assumption(claim, "is", "open", (str(trouble),))
    if not isinstance(slot, Slot):
        return Assumption(claim, "is", "open", (f"{receiver} starts nowhere: name it as Class.attribute",))
    known = objects.of_attribute(code, slot.class_, slot.attribute)
    shown = tuple(evidence(code, possible.path, possible.line) for possible in known if possible.line)
    if not known:
        return Assumption(claim, "is", "open", (f"nothing shows what {receiver} is",), shown)
    names = ", ".join(short(possible.class_) for possible in known)
    fitting = [possible for possible in known if wanted in code.hierarchy.linear(possible.class_).order]
    wider = [possible for possible in known if possible.class_ in code.hierarchy.linear(wanted).order]
    if len(fitting) == len(known):
        return Assumption(claim, "is", "holds", (f"{receiver} is of class {names}",), shown)
    if fitting or wider:
        return Assumption(claim, "is", "open", (f"{receiver} may be of class {names}",), shown)
    return Assumption(claim, "is", "refuted", (f"{receiver} is of class {names}",), shown)


# ------------------------------------------------------------------ needs only


def _needs(code: Codebase, claim: str, consumers: str, receiver: str, members: str) -> Assumption:
    """Enough is only what every user of the object can live with: its holder's own needs count as well."""
    allowed = frozenset(name for name in re.split(r"[,\s]+", members) if name and name != "and")
    specs = [part for part in re.split(r"[,\s]+", consumers) if part]
    try:
        needs = [("", derive.derive(code, specs, receiver))]
        owner = derive.holder(code, specs, receiver)
        if owner is not None:
            held_by = (
                f"{owner.class_.path}:{code.hierarchy.files()[owner.class_.path].scopes[owner.class_.scope].qualname}"
            )
            slot = f"{owner.class_.name}.{owner.attribute}"
            needs.append((f"{short(owner.class_)}, which holds it, ", derive.derive(code, [held_by], slot)))
    except UsageError as trouble:
        return Assumption(claim, "needs", "open", (str(trouble),))
    return _weighed(code, claim, [(who, contract, _beyond(contract, allowed)) for who, contract in needs])


def _beyond(contract: Contract, allowed: frozenset[str]) -> list[ContractItem]:
    return [item for item in contract.items if item.required == "required" and item.member not in allowed]


def _weighed(code: Codebase, claim: str, needs: list[tuple[str, Contract, list[ContractItem]]]) -> Assumption:
    why = [f"{who}{_when(item)} {item.member}" for who, _, more in needs for item in more]
    items = [item for _, _, more in needs for item in more]
    shown = tuple(evidence(code, use.path, use.line) for item in items for use in _needing(item)[:1])
    if any(item.certainty == "proved" for item in items):
        return Assumption(claim, "needs", "refuted", tuple(why), shown)
    lost = [
        f"{place.path}:{place.line} {place.text}: {place.why}" for _, contract, _ in needs for place in contract.escapes
    ]
    if items or lost:
        return Assumption(claim, "needs", "open", (*why, *lost), shown)
    return Assumption(claim, "needs", "holds", ("no other member is needed",), shown)


def _needing(item: ContractItem) -> list[Use]:
    return [use for use in item.uses if not use.optional and use.how != "probe"]


def _when(item: ContractItem) -> str:
    word = "needs" if item.certainty == "proved" else "may need"
    return f"{word}, under a condition," if item.conditional else word


# ------------------------------------------------------------------ unchanged


def _unchanged(code: Codebase, claim: str, member: tuple[str, str], target: str, other: Other) -> Assumption:
    before = other(target)
    if before is None:
        return Assumption(claim, "unchanged", "open", (f"{target} cannot be asked",))
    name, attribute = member
    old, new = before.hierarchy.find_class(name), code.hierarchy.find_class(name)
    if isinstance(new, Candidates):
        return _unclear(claim, "unchanged", new)
    if isinstance(old, Candidates):
        return Assumption(
            claim, "unchanged", "refuted", (f"{name} is not there in {target}",), (_class_line(code, new),)
        )
    first, second = judge.judged(before, old, attribute), judge.judged(code, new, attribute)
    changes = tuple(drift.differences(first, second))
    if changes:
        return Assumption(claim, "unchanged", "refuted", changes, second.evidence)
    if _body(before, old, attribute) != _body(code, new, attribute):
        why = ("the same verdict and signature; the body differs: read both",)
        return Assumption(claim, "unchanged", "open", why, second.evidence)
    return Assumption(claim, "unchanged", "holds", ("verdict, signature and body are the same",), second.evidence)


def _body(code: Codebase, ref: ClassRef, member: str) -> str:
    """The source of a definition, with blank space drawn together; empty where it has none."""
    found = presence.of(code, ref, member)
    first = next(iter((*found.body, *found.outside, *found.instance, *found.abstract)), None)
    text = code.text_of(first.path) if first is not None and first.path else None
    if first is None or text is None:
        return ""
    if first.scope < 0:
        return text.line(first.line).strip()
    span = code.hierarchy.function_facts(first.path, first.scope).span
    return "\n".join(line.rstrip() for line in text.lines[span.first_line - 1 : span.last_line])
