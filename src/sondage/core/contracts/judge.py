"""Owns the judgement: one member on one class, by the table of verdicts and their order of precedence.

Forwarded (by a method that only hands on), own, assigned, inherited, instance, forwarded (by `__getattr__`), abstract,
held, dynamic, unknown, absent: the first that applies is the verdict, the others are named in `why`. `proved` is said
only where nothing unseen could change the verdict. What is said is about the class as declared: a subclass may say
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from sondage.core.answers.certainty import Evidence, VerdictName
from sondage.core.answers.contracts import Target, Verdict
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.contracts import dynamic, forwarding, guards, held, objects, presence, signature
from sondage.core.contracts.forwarding import Handing
from sondage.core.contracts.objects import evidence, remembered, short
from sondage.core.contracts.presence import Presence

_GIVEN = frozenset({"__dict__", "__module__", "__weakref__", "__doc__"})
"""Data model, section 3.2.10: attributes of classes and instances that no body defines."""
_DEEPEST = 6
"""Forwarders that are followed one after another: more than this is a circle or no help to anybody."""


def judged(code: Codebase, ref: ClassRef, member: str) -> Verdict:
    """The verdict on one member, as if it were required and nothing were known of its calls."""
    return remembered(code, ("verdict", ref, member), lambda: _Judge(code, ref, member, 0).verdict())


def provided(code: Codebase, ref: ClassRef, member: str, depth: int = 0) -> Verdict | None:
    """The verdict where the class itself provides the member, else None; holders are not looked for."""
    if depth > _DEEPEST:
        return None
    return remembered(code, ("provided", ref, member, depth), lambda: _Judge(code, ref, member, depth).provided())


class _Judge:
    """One question. `depth` counts the forwarders that were followed to come here."""

    def __init__(self, code: Codebase, ref: ClassRef, member: str, depth: int) -> None:
        self.code = code
        self.ref = ref
        self.member = member
        self.depth = depth
        self.presence: Presence = presence.of(code, ref, member)
        self.linear = code.hierarchy.linear(ref)

    # ---- the order of precedence

    def verdict(self) -> Verdict:
        return (
            self.provided()
            or self._given_by_python()
            or self._abstract()
            or self._held()
            or self._dynamic()
            or self._unknown_or_absent()
        )

    def provided(self) -> Verdict | None:
        first = next(self._present(), None)
        if first is None:
            return self._answered_by_getattr()
        verdict, member = first
        doubts = presence.doubts(self.code, self.ref, member)
        doubts += tuple(self._intercepted())
        return structs.replace(
            verdict,
            certainty="possible" if doubts else "proved",
            why=(*verdict.why, *doubts, *self._besides(member)),
            guards=(*(() if member.kind == "instance" else member.conditions), *verdict.guards),
        )

    def _present(self) -> Iterator[tuple[Verdict, Member]]:
        """What stands on the class or its instances, in the order of the table."""
        here = self.presence
        own = [member for member in here.body if member.owner == self.ref]
        if here.body:
            forwarded = self._forwarded(here.body[0])
            if forwarded is not None:
                yield forwarded, here.body[0]
        if own:
            yield self._defined("own", own[0]), own[0]
        if here.outside and here.outside[0].owner == self.ref:
            yield self._defined("assigned", here.outside[0]), here.outside[0]
        if here.body:
            yield self._defined("inherited", here.body[0], self._passed(here.body[0])), here.body[0]
        if here.outside:
            yield self._defined("assigned", here.outside[0], self._passed(here.outside[0])), here.outside[0]
        if here.instance:
            yield self._defined("instance", here.instance[0]), here.instance[0]

    def _passed(self, member: Member) -> tuple[str, ...]:
        passed = self.linear.order[: self.linear.order.index(member.owner)] if member.owner in self.linear.order else ()
        return (f"not in the body of {', '.join(short(step) for step in passed)}",) if passed else ()

    def _besides(self, chosen: Member) -> Iterator[str]:
        """The other definitions, nearest first: they are hidden, or come into force when the first is taken away."""
        here = self.presence
        for member in (*here.body, *here.outside, *here.instance):
            if member != chosen and member.owner != chosen.owner and member.line:
                yield f"also {member.kind} of {short(member.owner)} at {member.path}:{member.line}"
            elif member != chosen and member.kind != chosen.kind and member.line:
                yield f"also {_WORDS.get(member.kind, member.kind)} at {member.path}:{member.line}"

    def _intercepted(self) -> Iterator[str]:
        for forwarder in dynamic.forwarders(self.code, self.ref):
            if forwarder.member.name == "__getattribute__" and (forwarder.opaque or forwarder.handings):
                yield f"{short(forwarder.member.owner)}.__getattribute__ may answer in its place"

    # ---- found

    def _defined(self, name: VerdictName, member: Member, why: tuple[str, ...] = ()) -> Verdict:
        return Verdict(
            self.member,
            "required",
            name,
            "proved",
            owner=member.owner.name,
            kind=member.kind,
            path=member.path,
            line=member.line,
            signature=shown_signature(self.code, member),
            why=(*why, *((member.note,) if member.note else ()), *self._soft(member)),
            evidence=(evidence(self.code, member.path, member.line),) if member.line else (),
        )

    def _soft(self, member: Member) -> Iterator[str]:
        if member.scope >= 0 and member.kind in ("method", "classmethod", "staticmethod"):
            body = self.code.hierarchy.function_facts(member.path, member.scope).body
            if body in ("pass", "ellipsis", "docstring"):
                yield "its body does nothing"
            elif body == "returns_not_implemented":
                yield "its body only returns NotImplemented"

    def _forwarded(self, member: Member) -> Verdict | None:
        """A method that only hands on to an attribute; what it hands on to is judged in turn."""
        node = dynamic.function_of(self.code, member) if member.kind == "method" else None
        handings = forwarding.forwards(node) if node is not None and node.name == self.member else ()
        if not handings:
            return None
        verdict = self._defined("forwarded", member, () if member.owner == self.ref else self._passed(member))
        return self._with_target(verdict, member, handings)

    def _with_target(self, verdict: Verdict, member: Member, handings: tuple[Handing, ...]) -> Verdict:
        text = self.code.text_of(member.path)
        conditions = [guards.show(guard, text) for handing in handings for guard in handing.guards] if text else []
        lines = [evidence(self.code, member.path, text.line_of(handing.at)) for handing in handings] if text else []
        reached = [outcome for handing in handings for outcome in self._reached(handing)]
        found = next((target for target, _, _ in reached if target is not None), None)
        via = handings[0].path
        return structs.replace(
            verdict,
            via=f"self.{'.'.join(via)}",
            target=Target(found.owner, found.path, found.line) if found else None,
            why=(*verdict.why, *dict.fromkeys(reason for _, reason, _ in reached)),
            evidence=_once((*verdict.evidence, *lines, *(item for _, _, rows in reached for item in rows))),
            guards=tuple(dict.fromkeys((*verdict.guards, *conditions))),
            doubtful=bool(reached) and all(target is None for target, _, _ in reached),
        )

    def _reached(self, handing: Handing) -> Iterator[tuple[Verdict | None, str, tuple[Evidence, ...]]]:
        """Each class that the object handed on to can be of, with the verdict of the member there."""
        receiver = f"self.{'.'.join(handing.path)}"
        known = self._classes_at(handing.path)
        if not known:
            yield None, f"{receiver}: its class is not known", ()
        for possible in known:
            target = provided(self.code, possible.class_, self.member, self.depth + 1)
            rows = (evidence(self.code, possible.path, possible.line),) if possible.line else ()
            name = short(possible.class_)
            if target is None:
                may = "is" if len(known) == 1 else "may be"
                yield None, f"{receiver} {may} of class {name}, which does not provide it", rows
            else:
                shown = evidence(self.code, target.path, target.line)
                assumed = "".join(f" ({why})" for why in _assumed(possible))
                yield target, f"{receiver} is of class {name}: {target.verdict} there{assumed}", (*rows, shown)

    def _classes_at(self, path: tuple[str, ...]) -> tuple[objects.Possible, ...]:
        """The classes that `self.a.b` can be of."""
        found: tuple[objects.Possible, ...] = (objects.Possible(self.ref, "", 0, True, ()),)
        for name in path:
            found = tuple(
                dict.fromkeys(inner for outer in found for inner in objects.of_attribute(self.code, outer.class_, name))
            )
        return found

    # ---- through __getattr__

    def _answered_by_getattr(self) -> Verdict | None:
        for forwarder in dynamic.forwarders(self.code, self.ref):
            if self.member in forwarder.names:
                continue
            for handing in forwarder.handings:
                if any(target is not None for target, _, _ in self._reached(handing)):
                    return self._by_getattr(forwarder.member, handing)
        return None

    def _by_getattr(self, member: Member, handing: Handing) -> Verdict:
        name = f"{short(member.owner)}.{member.name}"
        verdict = structs.replace(self._defined("forwarded", member), why=(f"not found on the class; {name} hands on",))
        found = self._with_target(verdict, member, (handing,))
        target = next(target for target, _, _ in self._reached(handing) if target is not None)
        return structs.replace(found, certainty="possible", kind=target.kind, signature=target.signature)

    def _given_by_python(self) -> Verdict | None:
        """What `type` gives every class and its instances, without a definition anywhere."""
        if self.member not in _GIVEN:
            return None
        why = ("every class has it",)
        return Verdict(self.member, "required", "own", "proved", self.ref.name, "builtin", why=why)

    # ---- not provided

    def _abstract(self) -> Verdict | None:
        if not self.presence.abstract:
            return None
        first, *hidden = self.presence.abstract
        doubts = presence.doubts(self.code, self.ref, first)
        later = [m for m in hidden if not presence.is_abstract(self.code, m)]
        behind = tuple(f"{short(m.owner)} has one at {m.path}:{m.line}, later in the MRO" for m in later)
        verdict = self._defined("abstract", first, self._passed(first))
        return structs.replace(
            verdict, certainty="possible" if doubts else "proved", why=(*verdict.why, *doubts, *behind)
        )

    def _held(self) -> Verdict | None:
        found = tuple(held.holders(self.code, self.ref, self.member, self._provides))
        if not found:
            return None
        first = found[0]
        attribute = first.via.split(" → ", 1)[0].removeprefix("self.")
        lacking = held.others(self.code, self.ref, attribute, self.member, self._provides)
        why = [
            f"not on {short(self.ref)} nor on its bases",
            f"self.{attribute} has it: calling it on the object itself would fail",
        ]
        if lacking:
            why.append(f"self.{attribute} may also be {', '.join(lacking)}, without it")
        known = objects.of_attribute(self.code, self.ref, attribute)
        why += dict.fromkeys(assumed for possible in known for assumed in _assumed(possible))
        target = Target(first.owner, first.path, first.line)
        shown = [evidence(self.code, first.assigned_path, first.assigned_line)] if first.assigned_line else []
        source = self._provides_by_name(attribute, first.owner)
        return Verdict(
            self.member,
            "required",
            "held",
            "possible" if self._open() else "proved",
            owner=first.owner,
            kind=source.kind if source else "",
            path=first.path,
            line=first.line,
            signature=source.signature if source else "",
            via=first.via,
            target=target,
            why=(*why, *self._open(), *(f"also {holder.via}" for holder in found[1:])),
            evidence=(*shown, evidence(self.code, first.path, first.line)),
            holders=found,
        )

    def _provides(self, ref: ClassRef, member: str) -> Verdict | None:
        return provided(self.code, ref, member, self.depth + 1)

    def _provides_by_name(self, attribute: str, owner: str) -> Verdict | None:
        for possible in objects.of_attribute(self.code, self.ref, attribute):
            verdict = self._provides(possible.class_, self.member)
            if verdict is not None and verdict.owner == owner:
                return verdict
        return None

    def _open(self) -> tuple[str, ...]:
        """What keeps a "no" from being proved."""
        if self.linear.error:
            return (f"the class has no MRO: {self.linear.error}",)
        found = list(self.linear.why) or [f"{end.name} was not read" for end in self.linear.open_ends]
        if not self.linear.complete and not found:
            found.append("the MRO is not complete")
        return (
            *found,
            *presence.unread_parts(self.code, self.ref),
            *self._could_answer(),
            *dynamic.adders(self.code, self.ref),
        )

    def _dynamic(self) -> Verdict | None:
        why = (*self._could_answer(), *dynamic.adders(self.code, self.ref))
        if not why:
            return None
        first = next(iter(dynamic.forwarders(self.code, self.ref)), None)
        member = first.member if first else None
        open_ends = tuple(f"{end.name} was not read" for end in self.linear.open_ends)
        return Verdict(
            self.member,
            "required",
            "dynamic",
            "possible",
            path=member.path if member else "",
            line=member.line if member else 0,
            why=(*why, *open_ends, *self._announced()),
            evidence=(evidence(self.code, member.path, member.line),) if member and member.line else (),
        )

    def _could_answer(self) -> tuple[str, ...]:
        """What may give this very name: a `__getattr__` of the MRO, another class's method, an assignment elsewhere."""
        found: list[str] = []
        for forwarder in dynamic.forwarders(self.code, self.ref):
            name = f"{short(forwarder.member.owner)}.{forwarder.member.name}"
            if self.member in forwarder.names:
                found.append(f"{name} answers this name itself")
            elif forwarder.opaque:
                found.append(f"{name} may answer it")
            found += [reason for handing in forwarder.handings for reason in self._left_open(name, handing)]
        found += dynamic.lenders(self.code, self.ref, self.member)
        found += [
            f"set from outside at {place}" for place in objects.given_from_outside(self.code, self.ref, self.member)
        ]
        return tuple(dict.fromkeys(found))

    def _left_open(self, name: str, handing: Handing) -> Iterator[str]:
        """Why an object that a `__getattr__` asks may have the name: it is not known, or not known to the end."""
        receiver = f"self.{'.'.join(handing.path)}"
        known = self._classes_at(handing.path)
        if not known:
            yield f"{name} asks {receiver}, whose class is not known"
        for possible in known:
            if self.depth < _DEEPEST:
                judge = _Judge(self.code, possible.class_, self.member, self.depth + 1)
                asks = f"{name} asks {receiver}, of class {short(possible.class_)}"
                reasons = judge._open()
                for reason in reasons:
                    yield f"{asks}, which was not found to have it: {reason}"
                if not reasons:
                    yield f"{asks}, which has no such member; an object of a subclass of it could"

    def _unknown_or_absent(self) -> Verdict:
        complete = self.linear.complete and not self.linear.error and not presence.unread_parts(self.code, self.ref)
        why = () if complete else self._open()
        read = [step for step in self.linear.order if step not in self.linear.open_ends]
        said = f"not found on {', '.join(short(step) for step in read)}"
        return Verdict(
            self.member,
            "required",
            "absent" if complete else "unknown",
            "proved" if complete and self.linear.sure else "possible",
            why=(said, *why, *self._announced(), *self._containers(), *self._opaque_attributes()),
        )

    def _announced(self) -> Iterator[str]:
        for member in self.presence.announced:
            yield f"annotated at {member.path}:{member.line}, which gives it no value"

    def _containers(self) -> Iterator[str]:
        for forwarder in dynamic.forwarders(self.code, self.ref):
            if not forwarder.handings and not forwarder.opaque:
                name = f"{short(forwarder.member.owner)}.{forwarder.member.name}"
                yield f"{name} looks into containers of its own: data that is registered there at run time is not seen"

    def _opaque_attributes(self) -> Iterator[str]:
        """Attributes made from something that is not known at all: one of them may hold the member."""
        unseen = objects.unseen(self.code, self.ref)
        if unseen:
            yield f"not seen: the class of {', '.join(f'self.{name}' for name in unseen[:4])}"


_WORDS = {"instance": "assigned through self", "assigned": "put on the class"}


def shown_signature(code: Codebase, member: Member) -> str:
    """The signature of a method, also behind a plain alias in a class body (`forward_native = forward_cpu`)."""
    target = presence.behind_alias(code, member)
    if target.scope < 0 or target.kind in ("class", "property"):
        return ""
    return signature.show(code.hierarchy.function_facts(target.path, target.scope))


def _assumed(possible: objects.Possible) -> tuple[str, ...]:
    """What the user pinned, where the class of an attribute rests on it."""
    return tuple(dict.fromkeys(why for why in possible.why if why.startswith("assumed:")))


def _once(rows: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    return tuple({(row.path, row.line): row for row in rows if row.line}.values())
