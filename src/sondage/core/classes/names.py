"""Owns the meaning of names: scopes (language reference, section 4.2.2), imports, re-exports, aliases by assignment.

Every answer is a tuple of `Meaning`, the one Python would take first. Circles are cut; what was worked out while one
was being cut is not kept, since it would make answers depend on the order of questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from sondage.core.classes.bindings import Live
from sondage.core.classes.builtin_classes import TYPING_ALIASES
from sondage.core.classes.builtin_table import builtin_class, exported_class, is_builtin_function, is_c_module
from sondage.core.classes.importing import Importing
from sondage.core.classes.modules import is_init
from sondage.core.classes.refs import (
    BuiltinRef,
    ClassRef,
    FunctionRef,
    Meaning,
    MissingRef,
    ModuleRef,
    ParameterRef,
    Target,
    VariableRef,
)
from sondage.core.classes.stars import Stars, with_step
from sondage.core.classes.world import World
from sondage.core.source import syntax
from sondage.core.source.facts import MODULE, Assigned, ClassScope, FunctionScope, Imported
from sondage.core.source.syntax import Expr

_MAX_HOPS = 60
"""A chain of imports and aliases longer than this is taken for a circle."""
_TYPING = frozenset({"typing", "typing_extensions"})


class Names:
    """Resolves names over a `World`. `class_attribute` and `made_class` are how the hierarchy helps with classes."""

    def __init__(
        self,
        world: World,
        class_attribute: Callable[[ClassRef, str], tuple[Meaning, ...]],
        made_class: Callable[[syntax.Call, str, int], ClassRef | None],
    ) -> None:
        self.world = world
        self.class_attribute = class_attribute
        self.made_class = made_class
        self.stars = Stars(self, world)
        self.importing = Importing(world, self.absolute)
        self._known: dict[tuple[object, ...], tuple[Meaning, ...]] = {}
        self._open: set[tuple[object, ...]] = set()
        self._cuts = 0

    # ---- names in a scope

    def names(self, path: str, scope: int, name: str, at: int | None = None) -> tuple[Meaning, ...]:
        """What a plain name means in a scope; bindings after the offset `at` do not count. Empty where nothing binds it."""
        return self._once((path, scope, name, at), lambda: self._names(path, scope, name, at), name)

    def _names(self, path: str, scope: int, name: str, at: int | None) -> tuple[Meaning, ...]:
        facts = self.world.facts(path)
        start = scope
        while scope >= 0:
            own = facts.scopes[scope]
            if scope != start and isinstance(own, ClassScope):
                scope = own.parent
                continue
            bindings = self.world.bindings(path)
            if isinstance(own, FunctionScope) and not bindings.is_global(scope, name):
                found = self._local(path, scope, name, at)
            else:
                found = self.bound(path, scope, name, at)
            if found:
                return found
            if name in getattr(own, "type_parameters", ()):
                return (Meaning(MissingRef(name, "dynamic", "a type parameter")),)
            if isinstance(own, FunctionScope):
                at = None
            scope = own.parent
        return self._builtin(name)

    def _local(self, path: str, scope: int, name: str, at: int | None) -> tuple[Meaning, ...]:
        found = self.bound(path, scope, name, at)
        function = self.world.facts(path).scopes[scope]
        assert isinstance(function, FunctionScope)
        signature = function.signature.text if function.signature else ""
        for index, parameter in enumerate(function.parameters if name in signature else ()):
            if parameter.name == name:
                own = Meaning(ParameterRef(name, path, scope, index), not found)
                return (*found, own)
        return found

    def _builtin(self, name: str) -> tuple[Meaning, ...]:
        ref = builtin_class(name)
        if ref is not None:
            return (Meaning(ref),)
        return (Meaning(BuiltinRef(name)),) if is_builtin_function(name) else ()

    def bound(self, path: str, scope: int, name: str, at: int | None = None) -> tuple[Meaning, ...]:
        """What the bindings of one scope alone (star imports included) make of a name."""
        bindings = self.world.bindings(path)
        live = bindings.live(scope, name, at, self.world.python)
        if not live and at is not None:
            live = [one for one in bindings.live(scope, name, None, self.world.python) if one.binding.late]
        starred = self.stars.meanings(path, scope, name, at, live)
        if not live:
            return starred
        found: list[tuple[tuple[int, int, int], Meaning]] = []
        guards = bindings.facts.guards
        for order, one in enumerate(live):
            fails, wants = self._can_fail(path, one) if len(live) > 1 else (False, ())
            for meaning in self._bound_by(path, scope, one):
                quality = _quality(meaning.target) + 4 * fails
                rank = (quality, one.rank(guards), order if one.rank(guards) < 2 else -order)
                found.append((rank, replace(meaning, wants=(*meaning.wants, *wants)) if wants else meaning))
        found.sort(key=lambda pair: pair[0])
        meanings = [meaning for _, meaning in found]
        if starred and starred[0].sure:
            meanings = [*starred, *meanings]
        return _judged(meanings, live)

    def _can_fail(self, path: str, live: Live) -> tuple[bool, tuple[str, ...]]:
        """Whether an import in a `try` fails, and what is not known about that."""
        fact, guard = live.binding.fact, live.binding.guard
        if not isinstance(fact, Imported) or guard < 0 or self.world.facts(path).guards[guard].kind != "try":
            return False, ()
        return self.importing.missing(path, fact)

    def _bound_by(self, path: str, scope: int, live: Live) -> Iterator[Meaning]:
        fact = live.binding.fact
        if isinstance(fact, int):
            yield Meaning(self.definition(path, fact), True, live.conditions)
            return
        found = self._imported(path, fact) if isinstance(fact, Imported) else self._assigned(path, scope, fact)
        for meaning in found:
            conditions = (*live.conditions, *meaning.conditions)
            yield replace(meaning, conditions=conditions)

    def definition(self, path: str, scope: int) -> ClassRef | FunctionRef:
        """The reference for a `class` or `def` of a file."""
        facts = self.world.facts(path).scopes[scope]
        name = self.full_name(path, facts.qualname)
        return ClassRef(name, path, scope) if isinstance(facts, ClassScope) else FunctionRef(name, path, scope)

    def full_name(self, path: str, qualname: str) -> str:
        module = self.world.display_module(path)
        return f"{module}.{qualname}" if module else qualname

    # ---- assignments

    def _assigned(self, path: str, scope: int, fact: Assigned) -> tuple[Meaning, ...]:
        own = VariableRef(self.full_name(path, self._qualname(path, fact)), path, fact)
        if fact.how not in ("assign", "annotation", "type", "walrus") or fact.value is None:
            return (Meaning(own),)
        value = element(fact.value.expression, fact.place)
        if value is None:
            return (Meaning(own),)
        found = self.evaluate(value, path, fact.scope, fact.at)
        useful = [one for one in found if not isinstance(one.target, MissingRef) or one.target.reason != "dynamic"]
        if not useful:
            return (Meaning(own),)
        step = f"{path}:{fact.line} {fact.name} = {fact.value.text[:60]}"
        return tuple(with_step(one, step) for one in useful)

    def _qualname(self, path: str, fact: Assigned) -> str:
        outer = self.world.facts(path).scopes[fact.scope]
        return f"{outer.qualname}.{fact.name}" if isinstance(outer, ClassScope) else fact.name

    def evaluate(self, value: Expr, path: str, scope: int, at: int | None) -> tuple[Meaning, ...]:
        """What an expression of names, dots and alternatives stands for; `dynamic` for anything that has to be run."""
        if isinstance(value, syntax.Name):
            return self.names(path, scope, value.id, at)
        if isinstance(value, syntax.Attribute):
            return tuple(
                replace(
                    inner,
                    sure=inner.sure and outer.sure,
                    conditions=(*outer.conditions, *inner.conditions),
                    way=(*outer.way, *inner.way),
                    wants=(*outer.wants, *inner.wants),
                )
                for outer in self.evaluate(value.value, path, scope, at)
                for inner in self.attribute(outer.target, value.attr, path)
            )
        if isinstance(value, syntax.IfExp | syntax.BoolOp):
            branches = (value.body, value.orelse) if isinstance(value, syntax.IfExp) else value.values
            found = [one for branch in branches for one in self.evaluate(branch, path, scope, at)]
            classes = [one for one in found if not isinstance(one.target, MissingRef | VariableRef)]
            return tuple(replace(one, sure=False) for one in (classes or found))
        if isinstance(value, syntax.Call):
            made = self.made_class(value, path, scope)
            if made is not None:
                return (Meaning(made),)
        return (Meaning(MissingRef("", "dynamic", "its value is computed")),)

    def attribute(self, owner: Target, name: str, near: str) -> tuple[Meaning, ...]:
        """What `owner.name` stands for."""
        if isinstance(owner, ModuleRef):
            return self.module_attribute(owner.name, name, near)
        if isinstance(owner, ClassRef):
            return self.class_attribute(owner, name)
        if isinstance(owner, MissingRef) and owner.reason == "not indexed":
            module = owner.module if owner.name == owner.module else owner.name
            return (Meaning(MissingRef(f"{owner.name}.{name}", owner.reason, owner.detail, module)),)
        base = getattr(owner, "name", "")
        return (Meaning(MissingRef(f"{base}.{name}" if base else name, "dynamic", "an attribute of a value")),)

    # ---- imports

    def _imported(self, path: str, fact: Imported) -> tuple[Meaning, ...]:
        step = f"{path}:{fact.line} imports {fact.name}"
        module = self.absolute(path, fact)
        if module is None:
            dots = "." * fact.level
            missing = MissingRef(
                f"{dots}{fact.module}.{fact.attribute}", "beyond top", "relative import beyond the top-level package"
            )
            return (Meaning(missing, True, (), (step,)),)
        if fact.attribute is not None:
            found = self.module_attribute(module, fact.attribute, path)
        elif fact.whole:
            found = (Meaning(self.module(module, path)),)
        else:
            found = (Meaning(self.module(module.partition(".")[0], path)),)
        return tuple(with_step(one, step) for one in found)

    def absolute(self, path: str, fact: Imported) -> str | None:
        """The full name of the module an import names; None for a relative one beyond the top (import system, 5.7)."""
        if not fact.level:
            return fact.module
        package = self.world.package_of(path)
        parts = package.split(".") if package else []
        if fact.level - 1 >= max(len(parts), 1):
            return None
        kept = parts[: len(parts) - (fact.level - 1)]
        return ".".join([*kept, fact.module] if fact.module else kept)

    def module(self, name: str, near: str) -> ModuleRef | MissingRef:
        path = self.world.path_of(name, near)
        if path is not None:
            return ModuleRef(name, path)
        if self.world.is_package(name) or is_c_module(name):
            return ModuleRef(name)
        return MissingRef(name, "not indexed", self._why_absent(name), name)

    def _why_absent(self, name: str) -> str:
        top = name.partition(".")[0]
        return "not found among the libraries" if {name, top} & self.world.absent else "outside the indexed root"

    def module_attribute(self, module: str, name: str, near: str = "") -> tuple[Meaning, ...]:
        """What `module.name` stands for: a name bound in the module, a submodule, or the reason for neither."""
        return self._once(
            ("module", module, name, near in self.world.libraries),
            lambda: self._module_attribute(module, name, near),
            f"{module}.{name}",
        )

    def _module_attribute(self, module: str, name: str, near: str) -> tuple[Meaning, ...]:
        path = self.world.path_of(module, near)
        found = self.bound(path, MODULE, name) if path is not None else ()
        if not found or isinstance(found[0].target, VariableRef | MissingRef):
            table = exported_class(module, name)
            if table is not None:
                return (Meaning(table),)
        if module in _TYPING and name in TYPING_ALIASES:
            return self._typing_alias(name, near)
        inner = f"{module}.{name}"
        if found and not isinstance(found[0].target, MissingRef):
            return found
        if self.world.exists(inner, near) or is_c_module(inner):
            return (Meaning(self.module(inner, near)),)
        return found or (Meaning(self._missing(module, path, name)),)

    def _missing(self, module: str, path: str | None, name: str) -> MissingRef:
        full = f"{module}.{name}"
        if path is None and not self.world.is_package(module):
            return MissingRef(full, "not indexed", self._why_absent(module), module)
        facts = self.world.facts(path) if path else None
        if facts is not None:
            unread = [
                one
                for one in self.world.bindings(path or "").stars.get(MODULE, ())
                if self.stars.is_unread(path or "", one)
            ]
            if unread:
                source = self.absolute(path or "", unread[0]) or unread[0].module
                return MissingRef(f"{source}.{name}", "not indexed", "by a star import", source)
            if path in self.world.libraries and is_init(path or "") and full not in self.world.absent:
                return MissingRef(full, "not indexed", "not read", full)
            if self.world.bindings(path or "").all_of(MODULE, "__getattr__"):
                return MissingRef(full, "dynamic", "the module has a __getattr__")
        return MissingRef(full, "not found", f"{module} does not bind it")

    def _typing_alias(self, name: str, near: str) -> tuple[Meaning, ...]:
        module, _, origin = TYPING_ALIASES[name].rpartition(".")
        found = self.module_attribute(module, origin, near) if module else self._builtin(origin)
        return tuple(replace(one, typing_alias=True) for one in found)

    # ---- circles

    def _once(self, key: tuple[object, ...], work: Callable[[], tuple[Meaning, ...]], name: str) -> tuple[Meaning, ...]:
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._open or len(self._open) > _MAX_HOPS:
            self._cuts += 1
            return ()
        self._open.add(key)
        before = self._cuts
        try:
            found = work()
        finally:
            self._open.discard(key)
        if self._cuts == before or not self._open:
            self._known[key] = found
        return found


def element(value: Expr, place: tuple[int, ...]) -> Expr | None:
    """The part of a display that a place in a tuple target takes; None where that cannot be read off."""
    for index in place:
        if not isinstance(value, syntax.Sequence) or index < 0 or index >= len(value.elements):
            return None
        if any(isinstance(one, syntax.Starred) for one in value.elements[: index + 1]):
            return None
        value = value.elements[index]
    return value


def _quality(target: Target) -> int:
    """How likely a target is what was meant: something read before something missing before a plain value."""
    if isinstance(target, ClassRef | FunctionRef | ModuleRef | BuiltinRef | ParameterRef):
        return 0
    if isinstance(target, MissingRef):
        return 1 if target.reason == "not indexed" else 4
    if isinstance(target, VariableRef) and target.assigned.value is not None:
        return 3 if target.assigned.value.text == "None" else 2
    return 2


def _judged(meanings: Sequence[Meaning], live: Sequence[Live]) -> tuple[Meaning, ...]:
    """Marks as unsure what other meanings could replace. An import in a `try` that leads somewhere succeeds."""
    distinct: dict[Target, Meaning] = {}
    for one in meanings:
        distinct.setdefault(one.target, one)
    if len(distinct) < 2:
        return tuple(distinct.values())
    first = next(iter(distinct.values()))
    tried = isinstance(first.target, ClassRef | FunctionRef | ModuleRef) and first.conditions[-1:] == ("try",)
    holds = tried and not first.wants
    return tuple(replace(one, sure=one.sure and holds and one is first) for one in distinct.values())
