"""Owns the members of single classes: what each body binds, what methods and others assign, what is generated or built in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sondage.core.classes.aliases import Aliases
from sondage.core.classes.bindings import Live
from sondage.core.classes.builtin_table import NOTE, in_table, member_names
from sondage.core.classes.class_parts import ClassParts, class_parts, is_classmethod, mangled, slot_names
from sondage.core.classes.conditions import conditions, is_taken
from sondage.core.classes.generated import Subject, generated, made_members
from sondage.core.classes.hooks import Hooks
from sondage.core.classes.lineage import TYPED_DICT, Lineage
from sondage.core.classes.refs import ClassRef, Member, MemberKind
from sondage.core.classes.tables import Table
from sondage.core.source import syntax
from sondage.core.source.facts import Assigned, AttributeAssigned, ClassScope, FunctionScope, Imported

_PROPERTIES = ("property", "cached_property", "cachedproperty", "lazy_property", "hybrid_property", "getter")
_SAME_PROPERTY = ("setter", "deleter", "getter")
_CONTINUES = ("register", "expression", "comparator", "update_expression", *_SAME_PROPERTY)
_WRAPPERS: Mapping[str, MemberKind] = {
    "classmethod": "classmethod",
    "staticmethod": "staticmethod",
    "property": "property",
}
FOR_TYPING = "seen by type checkers only"

Members = Mapping[str, tuple[Member, ...]]


class ClassMembers:
    """Members by class, worked out when asked for and kept."""

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage
        self.world = lineage.world
        self._own: dict[ClassRef, Members] = {}
        self._parts: dict[str, ClassParts] = {}
        self.aliases = Aliases(self.world)
        self._outside: Table[ClassRef, Member] = Table(self.world, self._outside_of)
        self._put: Table[str, tuple[str, AttributeAssigned]] = Table(
            self.world, lambda path: ((one.name, (path, one)) for one in self.parts(path).outside)
        )
        self.hooks = Hooks(lineage, self.parts)

    def parts(self, path: str) -> ClassParts:
        found = self._parts.get(path)
        if found is None:
            found = self._parts[path] = class_parts(self.world.facts(path))
        return found

    def own(self, ref: ClassRef) -> Members:
        """Name → definitions on this very class, the one that holds at run time first. Private names are mangled."""
        found = self._own.get(ref)
        if found is None:
            found = self._own[ref] = self._collect(ref)
        return found

    def _collect(self, ref: ClassRef) -> Members:
        if ref.scope >= 0:
            return self._of_statement(ref)
        if in_table(ref):
            return {name: (Member(ref, name, "builtin", note=NOTE),) for name in member_names(ref)}
        made = self.lineage.bases_of.made.get(ref)
        if made is None:
            return {}
        line = self.line_of_made(ref)
        note = f"by {made.how}(…)"
        return {
            name: (Member(ref, name, "generated", ref.path, line, note=note),)
            for name in made_members(made.how, made.fields)
        }

    def line_of_made(self, ref: ClassRef) -> int:
        """The line of the nearest fact at or before the call: the assignment or class statement it stands in."""
        facts = self.world.facts(ref.path)
        spots = [(one.at, one.line) for one in facts.assignments] + [
            (one.span.at, one.span.line) for one in facts.scopes
        ]
        return max((spot for spot in spots if spot[0] <= ref.at), default=(0, 1))[1]

    # ---- a class statement

    def _of_statement(self, ref: ClassRef) -> Members:
        facts = self.world.facts(ref.path)
        scope = facts.scopes[ref.scope]
        assert isinstance(scope, ClassScope)
        parts = self.parts(ref.path)
        found: dict[str, list[Member]] = {}
        bindings = self.world.bindings(ref.path)
        for name in bindings.names(ref.scope):
            for member in self._bound(ref, mangled(name, scope.name), name):
                found.setdefault(member.name, []).append(member)
        for assigned in parts.annotated.get(ref.scope, ()):
            self._add(found, ref, mangled(assigned.name, scope.name), "annotation", assigned)
        self._add_slots(found, ref, scope)
        for member in self.outside(ref):
            self._add_assigned(found, member)
        for attribute in parts.on_class.get(ref.scope, ()):
            self._add(found, ref, mangled(attribute.name, scope.name), "assigned", attribute)
        written = {
            name: row for name, row in found.items() if any(one.kind not in ("annotation", "slot") for one in row)
        }
        for name, note in (*generated(self._subject(ref, scope, written)), *self.hooks.members(ref, written)):
            row = found.setdefault(name, [])
            if not any(one.kind in ("method", "attribute", "property", "classmethod", "staticmethod") for one in row):
                place = 0 if not row or row[0].kind == "annotation" else len(row)
                line = scope.span.line
                row.insert(place, Member(ref, name, "generated", ref.path, line, note=f"generated by {note}"))
        for attribute in parts.instance.get(ref.scope, ()):
            self._add(found, ref, mangled(attribute.name, scope.name), "instance", attribute)
        return {name: tuple(rows) for name, rows in found.items()}

    def _add(
        self,
        found: dict[str, list[Member]],
        ref: ClassRef,
        name: str,
        kind: MemberKind,
        fact: Assigned | AttributeAssigned,
    ) -> None:
        words = conditions(self.world.facts(ref.path).guards, fact.guard)
        found.setdefault(name, []).append(Member(ref, name, kind, ref.path, fact.line, -1, fact, words))

    def _add_assigned(self, found: dict[str, list[Member]], member: Member) -> None:
        """What a module puts on a class after its body replaces what stands there, when that runs for sure."""
        row = found.setdefault(member.name, [])
        row.insert(0 if member.note == "" else len(row), member)

    def _add_slots(self, found: dict[str, list[Member]], ref: ClassRef, scope: ClassScope) -> None:
        for member in found.get("__slots__", [])[:1]:
            if isinstance(member.assigned, Assigned):
                for name, line in slot_names(member.assigned):
                    own = mangled(name, scope.name)
                    slot = Member(ref, own, "slot", ref.path, line, -1, member.assigned)
                    row = found.setdefault(own, [])
                    row.insert(0 if row and row[0].kind == "annotation" else len(row), slot)

    def _bound(self, ref: ClassRef, own: str, name: str) -> Iterator[Member]:
        facts = self.world.facts(ref.path)
        bindings = self.world.bindings(ref.path)
        live = bindings.live(ref.scope, name, None, self.world.python)
        live = sorted(live, key=lambda one: one.rank(facts.guards))
        for one in live:
            fact = one.binding.fact
            member = self._member(ref, own, one)
            wrapped = self._wrapped(ref, own, name, one) if isinstance(fact, Assigned) else None
            if wrapped is not None:
                yield wrapped
            elif isinstance(fact, int) and self._continues(ref, fact):
                yield from self._property_parts(ref, own, name, one, member)
            else:
                yield member

    def _member(self, ref: ClassRef, own: str, live: Live) -> Member:
        fact = live.binding.fact
        if isinstance(fact, int):
            scope = self.world.facts(ref.path).scopes[fact]
            kind: MemberKind = function_kind(scope) if isinstance(scope, FunctionScope) else "class"
            if live.taken is False:
                return Member(
                    ref, own, "annotation", ref.path, scope.span.line, fact, None, live.conditions, FOR_TYPING
                )
            return Member(ref, own, kind, ref.path, scope.span.line, fact, None, live.conditions)
        if live.taken is False:
            assigned = fact if isinstance(fact, Assigned) else None
            return Member(ref, own, "annotation", ref.path, fact.line, -1, assigned, live.conditions, FOR_TYPING)
        if isinstance(fact, Imported):
            return Member(ref, own, "import", ref.path, fact.line, -1, None, live.conditions, f"from {fact.module}")
        return Member(ref, own, "attribute", ref.path, fact.line, -1, fact, live.conditions)

    def _wrapped(self, ref: ClassRef, own: str, name: str, live: Live) -> Member | None:
        """The `def` that `name = wrapper(name)` stands for: a decorator in the form of before PEP 318."""
        fact = live.binding.fact
        if not isinstance(fact, Assigned) or fact.value is None or not fact.value.text.startswith(tuple(_WRAPPERS)):
            return None
        value = fact.value.expression
        if not isinstance(value, syntax.Call) or not value.args or not isinstance(value.func, syntax.Name):
            return None
        inner, kind = value.args[0], _WRAPPERS.get(value.func.id)
        if kind is None or not isinstance(inner, syntax.Name) or inner.id != name:
            return None
        for one in self.world.bindings(ref.path).live(ref.scope, name, live.binding.at - 1, self.world.python)[:1]:
            if isinstance(one.binding.fact, int):
                scope = self.world.facts(ref.path).scopes[one.binding.fact]
                note = f"{name} = {value.func.id}({name})"
                return Member(ref, own, kind, ref.path, scope.span.line, one.binding.fact, None, live.conditions, note)
        return None

    def _continues(self, ref: ClassRef, index: int) -> bool:
        """Whether a `def` adds to what the same name meant before: `@x.setter`, `@x.register`."""
        scope = self.world.facts(ref.path).scopes[index]
        heads = (
            [one.text.partition("(")[0].rpartition(".") for one in scope.decorators]
            if isinstance(scope, FunctionScope)
            else []
        )
        return any(dot and last in _CONTINUES and isinstance(scope, FunctionScope) for _, dot, last in heads)

    def _property_parts(self, ref: ClassRef, own: str, name: str, live: Live, member: Member) -> Iterator[Member]:
        """The getter stands for the whole property; the other parts follow it. A setter of an inherited property stands alone."""
        guards = self.world.facts(ref.path).guards
        later = [member]
        for one in reversed(self.world.bindings(ref.path).all_of(ref.scope, name)):
            if one.at < live.binding.at and is_taken(guards, one.guard, self.world.python) is not False:
                earlier = Live(one, True, conditions(guards, one.guard))
                if isinstance(one.fact, int) and self._continues(ref, one.fact):
                    later.append(self._member(ref, own, earlier))
                    continue
                yield self._member(ref, own, earlier)
                break
        yield from reversed(later)

    # ---- generated members

    def _subject(self, ref: ClassRef, scope: ClassScope, written: Mapping[str, Sequence[Member]]) -> Subject:
        header = self.lineage.header(ref)[0]
        bases = self.lineage.bases(ref)
        direct = [one.ref.name for one in header]
        aliased = [one.ref for one in header] != [one.ref for one in bases] and bool(header)
        aliased = (
            aliased or any(one.form in ("typing", "generic") for one in header) or self.lineage.has_alias_base(ref)
        )
        if self.lineage.is_typed_dict(ref):
            direct.append(TYPED_DICT)
        annotated = [
            one
            for one in self.parts(ref.path).annotated.get(ref.scope, ())
            if not one.annotation or "ClassVar" not in one.annotation.text
        ]
        above = self.lineage.linear(ref).order[1:]
        return Subject(ref, scope, written, annotated, above, direct, aliased, self.decorators(ref, scope))

    def decorators(self, ref: ClassRef, scope: ClassScope) -> list[tuple[str, syntax.Call | None]]:
        """Full names of the class's decorators, with the call where it is one."""
        found: list[tuple[str, syntax.Call | None]] = []
        for written in scope.decorators:
            value = written.expression
            call = value if isinstance(value, syntax.Call) else None
            meanings = self.lineage.names.evaluate(call.func if call else value, ref.path, scope.parent, written.at)
            name = getattr(meanings[0].target, "name", "") if meanings else ""
            found.append((name, call))
        return found

    # ---- assignments from outside

    def outside(self, ref: ClassRef) -> Sequence[Member]:
        """What `Class.name = value` and `setattr(Class, "name", value)` put on a class, wherever they stand."""
        if self.world.mentions is None:
            return self._outside.all().get(ref, ())
        names, paths = self.aliases.of(ref)
        return [
            member
            for path in paths
            for attribute in self.parts(path).outside
            if attribute.base.text.rpartition(".")[2] in names
            for member in self._put_by(path, attribute)
            if member.owner == ref
        ]

    def put_outside(self, name: str) -> Iterator[Member]:
        """What is put on classes from outside of them under a name."""
        for path, attribute in self._put.get(name, (f"{name} =",)):
            yield from self._put_by(path, attribute)

    def _outside_of(self, path: str) -> Iterator[tuple[ClassRef, Member]]:
        for attribute in self.parts(path).outside:
            for member in self._put_by(path, attribute):
                yield member.owner, member

    def _put_by(self, path: str, attribute: AttributeAssigned) -> Iterator[Member]:
        """The member that an assignment makes, where its base is a class that was read."""
        base = attribute.base.text
        if not base.replace(".", "").replace("_", "a").isalnum():
            return
        at = attribute.at if not attribute.scope else None
        for meaning in self.lineage.names.evaluate(attribute.base.expression, path, attribute.scope, at)[:1]:
            if isinstance(meaning.target, ClassRef) and meaning.target.path:
                yield self._from_outside(meaning.target, attribute, path)

    def _from_outside(self, ref: ClassRef, attribute: AttributeAssigned, path: str) -> Member:
        facts = self.world.facts(path)
        words = conditions(facts.guards, attribute.guard)
        holder = facts.scopes[attribute.scope]
        note = f"when {holder.qualname} has run" if attribute.scope else ""
        return Member(ref, attribute.name, "assigned", path, attribute.line, -1, attribute, words, note)


def function_kind(scope: FunctionScope) -> MemberKind:
    for one in scope.decorators:
        head = one.text.partition("(")[0]
        last = head.rpartition(".")[2]
        if last in ("staticmethod", "abstractstaticmethod"):
            return "staticmethod"
        if last in ("classmethod", "abstractclassmethod"):
            return "classmethod"
        if last in _PROPERTIES or last in _SAME_PROPERTY or last.endswith("property"):
            return "property"
    return "classmethod" if is_classmethod(scope) else "staticmethod" if scope.name == "__new__" else "method"
