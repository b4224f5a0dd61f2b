"""Owns the bases of a class: from the expressions in its header to the classes Python would put into `__bases__`.

PEP 560 (`__mro_entries__`) as `typing` carries it out, PEP 695, functional forms (`namedtuple(…)`, `type(…)`), metaclasses
handed over as `with_metaclass(…)` does, and the bases that cannot be known: those become open ends with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from sondage.core.classes.builtin_table import base_names, in_table
from sondage.core.classes.factories import Built, Factories
from sondage.core.classes.names import Names
from sondage.core.classes.refs import ClassRef, FunctionRef, Meaning, MissingRef, ModuleRef, ParameterRef, VariableRef
from sondage.core.classes.world import World
from sondage.core.source import syntax
from sondage.core.source.facts import ClassScope
from sondage.core.source.syntax import Expr

GENERIC = "typing.Generic"
PROTOCOL = "typing.Protocol"
_SAME_NAMES = {
    "typing_extensions.Generic": GENERIC,
    "typing_extensions.Protocol": PROTOCOL,
    "typing_extensions.NamedTuple": "typing.NamedTuple",
    "typing_extensions.TypedDict": "typing.TypedDict",
}
_NAMEDTUPLE = frozenset({"collections.namedtuple", "typing.NamedTuple"})
_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum"})
_CLASS_MAKERS = frozenset({"type", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType", "types.new_class"})


class Base(NamedTuple):
    """One base. `form` is how `typing` would treat it; `reason` says why the class was not read, where it is an open end."""

    ref: ClassRef
    form: str = "plain"
    sure: bool = True
    conditions: tuple[str, ...] = ()
    reason: str = ""
    module: str = ""
    others: tuple[ClassRef, ...] = ()
    wants: tuple[str, ...] = ()
    """Modules that the other alternatives would need."""
    way: tuple[str, ...] = ()


class Made(msgspec.Struct, frozen=True):
    """A class that a call makes. `how` names the call; `fields` are the names it gets."""

    how: str
    call: syntax.Call
    path: str
    scope: int
    fields: tuple[str, ...]
    known_bases: tuple[ClassRef | None, ...] | None = None
    """Where a function makes the class: its bases, None for those that are not known."""


Place: TypeAlias = tuple[str, int, int]
"""A path, a scope in it, and the offset that an expression is evaluated at."""


class Bases:
    """Works out bases. `is_metaclass(ref)` tells whether a class has `type` in its MRO: calling it makes a class."""

    def __init__(self, world: World, names: Names, is_metaclass: Callable[[ClassRef], bool]) -> None:
        self.world = world
        self.names = names
        self.is_metaclass = is_metaclass
        self.factories = Factories(world, names)
        self.made: dict[ClassRef, Made] = {}

    # ---- what stands in a header

    def header(self, ref: ClassRef) -> tuple[list[Base], list[Base]]:
        """The bases of a class that was read, in order, before `typing` has its say; and its metaclass, if it names one."""
        scope = self.world.facts(ref.path).scopes[ref.scope]
        assert isinstance(scope, ClassScope)
        bases: list[Base] = []
        metaclass: list[Base] = []
        for written in scope.bases:
            place = (ref.path, scope.parent, written.at)
            if written.text.startswith("*"):
                bases.append(_open(written.text, "bases given by unpacking are not followed"))
                continue
            self._add(written.expression, place, bases, metaclass)
        for keyword in scope.keywords:
            if keyword.name == "metaclass":
                metaclass += self.options(keyword.value.expression, (ref.path, scope.parent, keyword.value.at))[:1]
        for decorator in scope.decorators:
            value = decorator.expression
            if isinstance(value, syntax.Call) and value.args and _last_name(value.func) == "add_metaclass":
                metaclass += self.options(value.args[0], (ref.path, scope.parent, decorator.at))[:1]
        if scope.type_parameters:
            bases.append(Base(ClassRef(GENERIC), "generic"))
        return bases, metaclass

    def _add(self, value: Expr, place: Place, bases: list[Base], metaclass: list[Base]) -> None:
        handed = self._with_metaclass(value, place)
        if handed is None:
            bases += self._chosen(self.options(value, place))
            return
        meta, *rest = handed.args or (None,)
        if meta is not None:
            metaclass += self.options(meta, place)[:1]
        for one in rest:
            if one is not None:
                bases += self._chosen(self.options(one, place))

    def _with_metaclass(self, value: Expr, place: Place) -> syntax.Call | None:
        """`with_metaclass(Meta, Base)`, as `six` has it and many copies of it, also by way of a variable."""
        if isinstance(value, syntax.Name):
            for one in self.names.evaluate(value, *place)[:1]:
                if isinstance(one.target, VariableRef) and one.target.assigned.value is not None:
                    value = one.target.assigned.value.expression
        if isinstance(value, syntax.Call) and _last_name(value.func).endswith("with_metaclass"):
            return value
        return None

    def _chosen(self, options: Sequence[Base]) -> list[Base]:
        if not options:
            return []
        first, *rest = options
        others = tuple(one.ref for one in rest if one.ref != first.ref)
        wants = [module for one in options for module in (*one.wants, one.module if one is not first else "") if module]
        return [first._replace(others=others, wants=tuple(wants))]

    # ---- what one expression can be

    def options(self, value: Expr, place: Place, depth: int = 0) -> list[Base]:
        """Every class an expression can stand for in a header, the one Python would take first."""
        if depth > 20:
            return [_open("", "the chain of aliases does not end")]
        if isinstance(value, syntax.Subscript):
            return self._subscripted(value, place, depth)
        if isinstance(value, syntax.Call):
            made = self.made_class(value, place[0], place[1])
            if made is not None:
                return [Base(made)]
            return [_open(f"{_last_name(value.func) or 'a call'}(…)", "a base made by a call is not known")]
        found: list[Base] = []
        for meaning in self.names.evaluate(value, *place):
            found += self._of_meaning(meaning, place, depth)
        return found or [_open(_dotted(value) or "?", f"the name {_dotted(value) or '?'} is not bound")]

    def _of_meaning(self, meaning: Meaning, place: Place, depth: int) -> list[Base]:
        target = meaning.target
        sure, conditions, way = meaning.sure, meaning.conditions, meaning.way
        if isinstance(target, ClassRef):
            form = "typing" if meaning.typing_alias else "plain"
            return [Base(self._special(target), form, sure, conditions, wants=meaning.wants, way=way)]
        if isinstance(target, MissingRef):
            name = _SAME_NAMES.get(target.name, target.name)
            form = "typing" if meaning.typing_alias else "plain"
            reason = _reason(target)
            return [Base(ClassRef(name or "?"), form, sure, conditions, reason, target.module, way=way)]
        if isinstance(target, VariableRef) and target.assigned.value is not None:
            inner = target.assigned
            value = inner.value.expression if inner.value else None
            if isinstance(value, syntax.Subscript | syntax.Call) and not inner.place:
                return [
                    one._replace(
                        sure=one.sure and sure, conditions=(*conditions, *one.conditions), way=(*way, *one.way)
                    )
                    for one in self.options(value, (target.path, inner.scope, inner.at), depth + 1)
                ]
            return [_open(target.name, f"{target.name} is bound to a value that is not followed")]
        if isinstance(target, FunctionRef):
            name = _SAME_NAMES.get(target.name, target.name)
            known = name in _NAMEDTUPLE or name == "typing.TypedDict"
            return [Base(ClassRef(name), reason="" if known else f"{name} is a function")]
        if isinstance(target, ParameterRef):
            return [_open(target.name, f"{target.name} is a parameter: each call can bring another base")]
        name = target.name
        what = "a module" if isinstance(target, ModuleRef) else "no class"
        return [_open(name, f"{name} is {what}")]

    def _special(self, ref: ClassRef) -> ClassRef:
        """`typing_extensions` hands on the classes of `typing` where these exist."""
        name = _SAME_NAMES.get(ref.name)
        return ClassRef(name) if name and not ref.path else ref

    def _subscripted(self, value: syntax.Subscript, place: Place, depth: int) -> list[Base]:
        return [
            one._replace(
                form="generic" if one.ref.name == GENERIC else one.form if one.form == "typing" else "subscripted"
            )
            for one in self.options(value.value, place, depth + 1)
        ]

    # ---- classes made by calls

    def made_class(self, call: syntax.Call, path: str, scope: int) -> ClassRef | None:
        """The class that a call makes or hands back, where it is one that is known; else None."""
        for meaning in self.names.evaluate(call.func, path, scope, call.at)[:1]:
            target = meaning.target
            if isinstance(target, FunctionRef) and target.name not in _NAMEDTUPLE:
                returned = self._returned_class(target, call, path, scope)
                if returned is not None:
                    return returned
            name = getattr(target, "name", "")
            how = self._maker(_SAME_NAMES.get(name, name), call)
            if not how and len(call.args) == 3 and isinstance(target, ClassRef) and self.is_metaclass(target):
                how = "type"
            if how and call.args and isinstance(call.args[0], syntax.Text):
                ref = ClassRef(self.names.full_name(path, call.args[0].value), path, -1, call.at)
                self.made[ref] = Made(how, call, path, scope, _fields(how, call))
                return ref
        return None

    def _maker(self, name: str, call: syntax.Call) -> str:
        if name in _NAMEDTUPLE:
            return "namedtuple" if name.startswith("collections") else "NamedTuple"
        if name == "typing.TypedDict":
            return "TypedDict"
        if name in _ENUMS and (len(call.args) > 1 or any(one.name == "names" for one in call.keywords)):
            return "Enum"
        if name == "dataclasses.make_dataclass":
            return "make_dataclass"
        if len(call.args) >= 3 and name in _CLASS_MAKERS:
            return "type"
        return "new_class" if name == "types.new_class" else ""

    def _returned_class(self, function: FunctionRef, call: syntax.Call, path: str, scope: int) -> ClassRef | None:
        found = self.factories.result(function, call, path, scope)
        if not isinstance(found, Built):
            return found
        self.made[found.ref] = Made(
            f"type(…) in {function.name}", call, path, scope, _fields("type", found.call), found.bases
        )
        return found.ref

    def made_bases(self, ref: ClassRef) -> list[Base]:
        made = self.made[ref]
        if made.known_bases is not None:
            computed = _open("?", f"a base of the class made by {made.how} is computed")
            return [Base(one) if one is not None else computed for one in made.known_bases]
        if made.how in ("namedtuple", "NamedTuple"):
            return [Base(ClassRef("tuple"))]
        if made.how == "TypedDict":
            return [Base(ClassRef("dict"))]
        place = (made.path, made.scope, made.call.at)
        if made.how == "Enum":
            return self._chosen(self.options(made.call.func, place))
        listed = made.call.args[1] if len(made.call.args) > 1 else _keyword(made.call, "bases")
        if not isinstance(listed, syntax.Sequence):
            plain = made.how == "make_dataclass" or listed is None
            return [] if plain else [_open("?", "the bases of a class made by a call are computed")]
        found: list[Base] = []
        for one in listed.elements if made.how != "make_dataclass" else ():
            self._add(one, place, found, [])
        return found

    def table_bases(self, ref: ClassRef) -> list[Base]:
        """Of a class written in C."""
        return [Base(ClassRef(name)) for name in base_names(ref)] if in_table(ref) else []


def entries(bases: Sequence[Base], has_generic: frozenset[ClassRef], generic: ClassRef, typed_dict: bool) -> list[Base]:
    """What `__mro_entries__` of the bases put into `__bases__` (PEP 560, and `typing` of CPython).

    `has_generic` are those of the bases that have `Generic` (which is `generic`) among their own ancestors, or are it. A TypedDict,
    and whatever is derived from one, is a plain `dict` at run time.
    """
    if typed_dict:
        has = any(base.form == "generic" or (base.form == "subscripted" and base.ref in has_generic) for base in bases)
        return [Base(ClassRef("dict")), *([Base(generic)] if has else [])]
    found: list[Base] = []
    names = {base.ref.name for base in bases}
    for index, base in enumerate(bases):
        later = bases[index + 1 :]
        if base.form == "typing":
            if base.ref not in [one.ref for one in bases if one.form == "plain"]:
                found.append(base)
            if not any(_is_alias(one, has_generic) or one.ref in has_generic for one in later):
                found.append(Base(generic))
        elif base.form == "generic":
            if PROTOCOL not in names and not any(_is_alias(one, has_generic) for one in later):
                found.append(base._replace(ref=generic))
        elif base.ref.name == "typing.NamedTuple":
            found.append(Base(ClassRef("tuple")))
        else:
            found.append(base)
    return found


def _is_alias(base: Base, has_generic: frozenset[ClassRef]) -> bool:
    """Whether the base is an alias object of `typing`: `List[int]`, or a user's generic class with a subscript."""
    return base.form in ("typing", "generic") or (base.form == "subscripted" and base.ref in has_generic)


def _fields(how: str, call: syntax.Call) -> tuple[str, ...]:
    """The names that a functional form gives its class."""
    listed = call.args[1] if len(call.args) > 1 else _keyword(call, "names") or _keyword(call, "field_names")
    if how in ("type", "new_class"):
        listed = call.args[2] if len(call.args) > 2 else None
    if isinstance(listed, syntax.Text):
        return tuple(listed.value.replace(",", " ").split())
    if isinstance(listed, syntax.Dict):
        return tuple(key.value for key in listed.keys if isinstance(key, syntax.Text))
    if isinstance(listed, syntax.Sequence):
        firsts = [
            one.elements[0] if isinstance(one, syntax.Sequence) and one.elements else one for one in listed.elements
        ]
        return tuple(one.value for one in firsts if isinstance(one, syntax.Text))
    named = [one.name for one in call.keywords if one.name and how in ("NamedTuple", "TypedDict")]
    return tuple(named)


def _keyword(call: syntax.Call, name: str) -> Expr | None:
    return next((one.value for one in call.keywords if one.name == name), None)


def _open(name: str, reason: str) -> Base:
    return Base(ClassRef(name or "?"), reason=reason, sure=False)


def _reason(missing: MissingRef) -> str:
    if missing.reason == "not indexed":
        return f"{missing.name} is not indexed: {missing.module or missing.name} is {missing.detail}"
    if missing.reason == "beyond top":
        return missing.detail
    return f"{missing.name} {missing.detail}" if missing.detail else f"{missing.name} is {missing.reason}"


def _last_name(value: Expr) -> str:
    if isinstance(value, syntax.Attribute):
        return value.attr
    return value.id if isinstance(value, syntax.Name) else ""


def _dotted(value: Expr) -> str:
    if isinstance(value, syntax.Attribute):
        return f"{_dotted(value.value)}.{value.attr}"
    return value.id if isinstance(value, syntax.Name) else ""
