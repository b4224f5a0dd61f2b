"""Owns lineages: from the bases of each class to its MRO, with the open ends and Python's own errors kept as answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from sondage.core.classes.bases import GENERIC, PROTOCOL, Base, Bases, entries
from sondage.core.classes.builtin_table import OBJECT, in_table
from sondage.core.classes.linearize import Inconsistent, duplicate, merged
from sondage.core.classes.names import Names
from sondage.core.classes.refs import ClassRef, Linear, Meaning, MissingRef
from sondage.core.classes.world import World
from sondage.core.source import syntax
from sondage.core.source.facts import AttributeAssigned

TYPED_DICT = "typing.TypedDict"
_CYCLE = "a __bases__ item causes an inheritance cycle"
"""What Python says when bases are assigned so (`type.__bases__`)."""


class Lineage:
    """MROs over a `World`, worked out when asked for and kept. Nothing recurses: chains may be thousands of classes long."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.names = Names(world, self.class_attribute, self._made_class)
        self.bases_of = Bases(world, self.names, self._is_metaclass)
        self._headers: dict[ClassRef, tuple[list[Base], list[Base]]] = {}
        self._reading: set[ClassRef] = set()
        self._linear: dict[ClassRef, Linear] = {OBJECT: Linear((OBJECT,), True)}
        self._entries: dict[ClassRef, list[Base]] = {}
        self._typed_dicts: set[ClassRef] = set()
        self._aliased: set[ClassRef] = set()
        self._wants: dict[ClassRef, tuple[str, ...]] = {}
        self._cuts = 0

    @cached_property
    def generic(self) -> ClassRef:
        """`typing.Generic`: the one of the library that was read, else the one written in C."""
        for meaning in self.names.module_attribute("typing", "Generic"):
            if isinstance(meaning.target, ClassRef):
                return meaning.target
        return ClassRef(GENERIC)

    def keep(self, other: Lineage) -> None:
        """Takes over what another lineage found out for sure: chains that are complete cannot change by more libraries."""
        stale = {other.generic} - {self.generic}  # `typing` has been read since: there is one Generic, not two
        for ref, linear in other._linear.items():
            if linear.complete and not other.wanted(ref) and stale.isdisjoint(linear.order):
                self._linear[ref] = linear
                self._headers[ref] = other._headers.get(ref, ([], []))
                self._entries[ref] = other._entries.get(ref, [])
        self.bases_of.made.update(other.bases_of.made)
        self._typed_dicts |= other._typed_dicts & self._linear.keys()
        self._aliased |= other._aliased & self._linear.keys()

    # ---- bases

    def header(self, ref: ClassRef) -> tuple[list[Base], list[Base]]:
        """Bases and metaclass as the header names them; empty for a class that was not read."""
        known = self._headers.get(ref)
        if known is not None:
            return known
        if ref == OBJECT:
            return [], []
        if ref in self._reading:
            self._cuts += 1
            return [], []
        self._reading.add(ref)
        before = self._cuts
        try:
            found = self._read_header(ref)
        finally:
            self._reading.discard(ref)
        if self._cuts == before or not self._reading:
            self._headers[ref] = found
        return found

    def _read_header(self, ref: ClassRef) -> tuple[list[Base], list[Base]]:
        if ref.scope >= 0:
            bases, metaclass = self.bases_of.header(ref)
            return self._rebased(ref) or bases, metaclass
        if ref in self.bases_of.made:
            return self.bases_of.made_bases(ref), []
        return self.bases_of.table_bases(ref), []

    def _rebased(self, ref: ClassRef) -> list[Base]:
        """The bases that a module gives a class anew: `Class.__bases__ = (…)`."""
        if not self._bases_assigned:
            return []
        for path, attribute in self._bases_assigned:
            value = attribute.value.expression if attribute.value else None
            if attribute.base.text.rpartition(".")[2] != ref.name.rpartition(".")[2]:
                continue
            target = self.names.evaluate(attribute.base.expression, path, 0, attribute.at)[:1]
            if isinstance(value, syntax.Sequence) and target and target[0].target == ref:
                place = (path, 0, attribute.at)
                return [base for one in value.elements for base in self.bases_of.options(one, place)[:1]]
        return []

    @cached_property
    def _bases_assigned(self) -> list[tuple[str, AttributeAssigned]]:
        return [
            (path, attribute)
            for path in self.world.mentioning(("__bases__ =",))
            for attribute in self.world.facts(path).attributes
            if attribute.name == "__bases__" and attribute.scope == 0 and attribute.guard < 0
        ]

    @property
    def rebased(self) -> list[ClassRef]:
        """The classes that are given bases anew."""
        found = []
        for path, attribute in self._bases_assigned:
            for meaning in self.names.evaluate(attribute.base.expression, path, 0, attribute.at)[:1]:
                found += [meaning.target] if isinstance(meaning.target, ClassRef) else []
        return found

    def _is_metaclass(self, ref: ClassRef) -> bool:
        return any(one.name == "type" and not one.path for one in self.linear(ref).order)

    def bases(self, ref: ClassRef) -> list[Base]:
        """`__bases__`, as far as they are known; `object` where the header names none."""
        self.linear(ref)
        return self._entries.get(ref, [])

    def is_open(self, ref: ClassRef) -> bool:
        """Whether the class was not read, is in no table, and was not made by a call that was read."""
        return ref.scope < 0 and ref not in self.bases_of.made and not in_table(ref) and ref != OBJECT

    # ---- linearization

    def linear(self, ref: ClassRef) -> Linear:
        known = self._linear.get(ref)
        if known is not None:
            return known
        local: dict[ClassRef, Linear] = {}
        tainted: set[ClassRef] = set()
        waiting, below = [ref], {ref}
        while waiting:
            current = waiting[-1]
            before = self._cuts
            raw = self.header(current)[0]
            if self._cuts != before:
                tainted.add(current)
            ahead = [one.ref for one in raw if one.ref not in local and one.ref not in self._linear]
            circle = [one for one in ahead if one in below]
            if circle or not ahead:
                waiting.pop()
                below.discard(current)
                if circle:
                    tainted.add(current)
                if tainted.intersection(one.ref for one in raw):
                    tainted.add(current)
                local[current] = (
                    self._error_of_circle(current, circle) if circle else self._combine(current, raw, local)
                )
                if current not in tainted:
                    self._linear[current] = local[current]
            else:
                waiting.append(ahead[0])
                below.add(ahead[0])
        return local[ref]

    def _combine(self, ref: ClassRef, raw: Sequence[Base], local: dict[ClassRef, Linear]) -> Linear:
        if self.is_open(ref):
            return Linear((ref,), False, (ref,))
        known = {one.ref: local.get(one.ref) or self._linear[one.ref] for one in raw}
        generic = frozenset(one for one, linear in known.items() if _has_generic(linear.order))
        raw = [one._replace(form="plain") if self._subscripts_to_itself(one, known[one.ref]) else one for one in raw]
        if any(one.form == "subscripted" for one in raw):
            self._aliased.add(ref)
        typed_dict = any(one.ref.name == TYPED_DICT or one.ref in self._typed_dicts for one in raw)
        if typed_dict:
            self._typed_dicts.add(ref)
        bases = entries(raw, generic, self.generic, typed_dict) or [Base(OBJECT)]
        for one in bases:
            if one.ref not in known:
                known[one.ref] = local.get(one.ref) or self.linear(one.ref)
        self._entries[ref] = bases
        return self._merge(ref, bases, known)

    def _subscripts_to_itself(self, base: Base, linear: Linear) -> bool:
        """Whether `Base[…]` runs a `__class_getitem__` that somebody wrote: those hand back the class, as a rule.

        The standard library assigns `classmethod(GenericAlias)` instead, which makes an alias.
        """
        if base.form != "subscripted":
            return False
        for one in linear.order:
            if one.name == GENERIC:
                return False
            own = self.world.bindings(one.path).all_of(one.scope, "__class_getitem__") if one.scope >= 0 else ()
            if own:
                return isinstance(own[-1].fact, int)
        return False

    def has_alias_base(self, ref: ClassRef) -> bool:
        """Whether a base is an alias object (`Base[int]`), so that the class gets `__orig_bases__`."""
        self.linear(ref)
        return ref in self._aliased

    def is_typed_dict(self, ref: ClassRef) -> bool:
        self.linear(ref)
        return ref in self._typed_dicts

    def _merge(self, ref: ClassRef, bases: Sequence[Base], known: dict[ClassRef, Linear]) -> Linear:
        refs = [one.ref for one in bases]
        parents = [known[one] for one in refs]
        open_ends = tuple(dict.fromkeys(one for parent in parents for one in parent.open_ends))
        why = tuple(dict.fromkeys([*_reasons(ref, bases), *(line for parent in parents for line in parent.why)]))
        sure = all(one.sure for one in bases) and all(parent.sure for parent in parents)
        error = next((parent.error for parent in parents if parent.error), None)
        again = duplicate(refs)
        if again is not None:
            error = f"duplicate base class {_short(again)}"
        order: tuple[ClassRef, ...] = ()
        if error is None:
            try:
                order = merged(ref, [parent.order for parent in parents], refs)
            except Inconsistent as inconsistent:
                names = ", ".join(_short(one) for one in inconsistent.left if isinstance(one, ClassRef))
                error = f"Cannot create a consistent method resolution order (MRO) for bases {names}"
        if error is not None:
            met = [one for parent in parents for one in parent.order if one != OBJECT]
            order = (*dict.fromkeys([ref, *met]), OBJECT)
        if open_ends and error is None:
            order = tuple(one for one in order if one != OBJECT)
        return Linear(order, not open_ends and sure and error is None, open_ends, why, error, sure)

    def _error_of_circle(self, ref: ClassRef, circle: Sequence[ClassRef]) -> Linear:
        names = " and ".join(one.name for one in dict.fromkeys(circle))
        return Linear(
            (ref, *dict.fromkeys(circle)),
            False,
            (),
            (),
            f"{_CYCLE}: {ref.name} inherits from {names}, which inherits from it",
        )

    # ---- what names need to know about classes

    def class_attribute(self, ref: ClassRef, name: str) -> tuple[Meaning, ...]:
        """What `Class.name` stands for where it is a nested class or another name of one."""
        order: Iterable[ClassRef] = (ref,)
        if ref.scope >= 0 and not self.names.bound(ref.path, ref.scope, name):
            order = self.linear(ref).order
        for one in order:
            found = self.names.bound(one.path, one.scope, name) if one.scope >= 0 else ()
            if found:
                return found
            if self.is_open(one):
                return (Meaning(MissingRef(f"{ref.name}.{name}", "not indexed", "behind an open end", "")),)
        return (Meaning(MissingRef(f"{ref.name}.{name}", "dynamic", "no class attribute that is known")),)

    def _made_class(self, call: object, path: str, scope: int) -> ClassRef | None:
        return self.bases_of.made_class(call, path, scope)  # type: ignore[arg-type]

    # ---- metaclasses

    def metaclass(self, ref: ClassRef) -> ClassRef | None:
        """The class of the class: named in a header of the chain, the most derived one; None for `type` itself."""
        best: ClassRef | None = None
        for one in self.linear(ref).order:
            for base in self.header(one)[1][:1]:
                if best is None or best in self.linear(base.ref).order[1:]:
                    best = base.ref
            if best is None and one.scope < 0 and one.name in ("abc.ABC", PROTOCOL):
                best = ClassRef("abc.ABCMeta")
        return best

    def reason(self, ref: ClassRef, linear: Linear) -> str:
        """Why an open end of a chain was not read."""
        for one in linear.order:
            for base in self.header(one)[0]:
                if base.ref == ref and base.reason:
                    return base.reason
        return f"{ref.name} was not read"

    def wanted(self, ref: ClassRef) -> tuple[str, ...]:
        """Modules that were not read and that would complete the chain, those above first; metaclasses count too."""
        found = dict.fromkeys(module for one in self.linear(ref).order for module in self._own_wants(one))
        return tuple(one for one in found if one not in self.world.absent and self.world.path_of(one) is None)

    def _own_wants(self, ref: ClassRef) -> tuple[str, ...]:
        """The modules that a class's own header leads to, with the packages around them."""
        known = self._wants.get(ref)
        if known is None:
            found: dict[str, None] = {}
            for bases in self.header(ref):
                for base in bases:
                    for module in (base.module, *base.wants):
                        parts = module.split(".") if module else []
                        found.update(dict.fromkeys(".".join(parts[:count]) for count in range(1, len(parts) + 1)))
            known = self._wants[ref] = tuple(found)
        return known


def _has_generic(order: Sequence[ClassRef]) -> bool:
    return any(one.name in (GENERIC, PROTOCOL) for one in order)


def _reasons(ref: ClassRef, bases: Sequence[Base]) -> list[str]:
    found = []
    for base in bases:
        if base.reason:
            found.append(base.reason)
        if not base.sure and base.others:
            others = ", ".join(one.name for one in base.others)
            condition = f" ({'; '.join(base.conditions)})" if base.conditions else ""
            found.append(f"{ref.name}: taken is {base.ref.name}{condition}; it may be {others} instead")
    return found


def _short(ref: ClassRef) -> str:
    return ref.name.rpartition(".")[2]
