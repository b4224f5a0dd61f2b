"""Owns one resolution: what a callee can be → the definitions it reaches, each with its certainty and its reasons."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator

import msgspec

from sondage.core.answers.calls import CallSite, Definition, ReceiverType, Resolution
from sondage.core.answers.certainty import Certainty
from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.classes.refs import ClassRef, FunctionRef, Member
from sondage.core.inference import dispatch, evidence, guesses, plain_names, results, similar
from sondage.core.inference.infer import Inference
from sondage.core.inference.values import (
    PROVED,
    SHOWN,
    TYPED,
    Bound,
    Builtin,
    ClassObject,
    Closure,
    External,
    Found,
    Frame,
    Function,
    Instance,
    Literal,
    Module,
    Super,
    Types,
)
from sondage.core.source import syntax
from sondage.core.source.facts import FunctionScope

SHOWN_OVERRIDES = 2
"""Overriding definitions named beside the declared one; further ones are counted in `unresolved`."""
SHOWN_INSTEAD = 4
"""Overriding definitions named in place of an abstract one."""
SHOWN_CANDIDATES = 3
"""Definitions named where the receiver is only known as a class that has no such member, but whose subclasses do."""
_CALLABLE = frozenset({"method", "classmethod", "staticmethod"})


class Spot(msgspec.Struct, frozen=True):
    """The name at a position: its node, the call it is the callee of (if any), and where it is read."""

    node: syntax.Name | syntax.Attribute
    call: syntax.Call | None
    frame: Frame


class Answer:
    """Works out one resolution."""

    def __init__(self, infer: Inference, file: FileSyntax, spot: Spot, everything: bool = False) -> None:
        self.everything = everything
        self.infer = infer
        self.code = infer.code
        self.file = file
        self.spot = spot
        self.name = spot.node.attr if isinstance(spot.node, syntax.Attribute) else spot.node.id
        self.left_out: list[str] = []

    def resolution(self) -> Resolution:
        node = self.spot.node
        base = self.infer.expression(node.value, self.spot.frame) if isinstance(node, syntax.Attribute) else ()
        callee = self.infer.expression(node, self.spot.frame)
        found = [definition for one in callee for definition in self.definitions(one)]
        if not found and self.spot.call is None:
            found = list(self.plain(base))
        elif not found and isinstance(node, syntax.Attribute):
            found = list(self.elsewhere(node, base, callee))
        elif not found and not callee:
            found = list(self.called_after(node))
        unresolved = self.open_end(base, callee, found)
        return Resolution(self.site(), self.receivers(base), _once(found), unresolved)

    def some(self, members: tuple[Member, ...], limit: int) -> tuple[Member, ...]:
        """As many as a reader wants to see; all of them where callers are looked for."""
        return members if self.everything else members[:limit]

    def site(self) -> CallSite | None:
        node = self.spot.node
        at = node.attr_at if isinstance(node, syntax.Attribute) else node.at
        line, column = self.file.text.position(at)
        receiver = ""
        if isinstance(node, syntax.Attribute):
            receiver = self.file.text.utf8[node.value.at : node.value.end].decode("utf-8", "replace")
        return CallSite(self.file.path, line, column, receiver, self.name)

    def receivers(self, base: Types) -> tuple[ReceiverType, ...]:
        found = {}
        for one in base:
            value = one.value
            how = "; ".join(one.why)
            if isinstance(value, Instance):
                found[value.class_.name] = how
            elif isinstance(value, ClassObject):
                found[f"type[{value.class_.name}]"] = how
            elif isinstance(value, Super):
                found[f"super({value.after.name})"] = how
            elif isinstance(value, Module):
                found[value.ref.name] = how
        return tuple(ReceiverType(name, how) for name, how in found.items())

    # ---- definitions

    def definitions(self, found: Found) -> Iterator[Definition]:
        value = found.value
        match value:
            case Function(ref=ref, member=member):
                yield from self.plain_function(ref, found, member)
            case Bound(ref=ref, member=member, receiver=receiver):
                yield from self.bound(ref, found, member, receiver)
            case ClassObject():
                yield from self.constructor(value, found)
            case Closure():
                line = value.frame.file.text.line_of(value.node.at)
                yield Definition(_module(value.frame.path), "<lambda>", value.frame.path, line, "possible", found.why)
            case Instance() if self.spot.call is not None:
                yield from self.called_instance(value, found)

    def plain_function(self, ref: FunctionRef, found: Found, member: Member | None) -> Iterator[Definition]:
        """A function, and what the tree puts in its place from outside its module (`module.name = other`)."""
        definition = self.function(ref, found, member, None)
        patches = evidence.patches(self.infer, ref) if member is None else ()
        yield _doubted(definition, "another function is put in its place elsewhere") if patches else definition
        for patch in patches:
            if isinstance(patch.value, Function):
                yield _doubted(self.function(patch.value.ref, patch, None, None), "")

    def bound(self, ref: FunctionRef, found: Found, member: Member | None, receiver: object) -> Iterator[Definition]:
        declared = self.function(ref, found, member, receiver)
        if member is None or not isinstance(receiver, Instance | ClassObject) or receiver.exact:
            yield declared
            return
        if found.grade == SHOWN:
            yield from self.first_of_family(receiver.class_, member, found)
        if dispatch.is_protocol(self.code, member.owner) and dispatch.is_abstract(self.code, member):
            yield from self.implementers(member, declared, found)
            return
        behind = self._super()
        if behind is not None and member.name == self.name:
            others = dispatch.next_definitions(self.code, behind.after, member, member.name)
        else:
            others = dispatch.overriders(self.code, receiver.class_, member, member.name)
        if not others:
            rivals = dispatch.hidden_rivals(self.code, receiver.class_, member.name) if behind is None else ()
            yield _doubted(declared, f"{rivals[0].name} may derive from it, and defines it too") if rivals else declared
            return
        instead = dispatch.is_abstract(self.code, member) and len(others) <= SHOWN_INSTEAD
        shown = self.some(others, SHOWN_INSTEAD if instead else SHOWN_OVERRIDES)
        if not instead:
            yield _doubted(declared, f"{len(others)} other definitions in subclasses")
        for other in shown:
            yield self.override(other, found)
        if len(others) > len(shown):
            self.left_out.append(f"{len(others) - len(shown)} more definitions of {member.name} in subclasses")

    def first_of_family(self, ref: ClassRef, member: Member, found: Found) -> Iterator[Definition]:
        """Where the receiver's class is only what some places show, the definition that its method overrides may run."""
        chain = [
            one for one in self.code.hierarchy.lookup(ref, member.name) if one.kind in _CALLABLE and one.scope >= 0
        ]
        if len(chain) > 1 and not dispatch.is_abstract(self.code, chain[-1]):
            yield self.override(chain[-1], found)

    def implementers(self, member: Member, declared: Definition, found: Found) -> Iterator[Definition]:
        """What runs for a member of a protocol: the classes that have all of its members, whoever they derive from."""
        if member.name == "__call__":
            self.left_out.append(f"{member.owner.name} is a protocol: anything that can be called fits")
            return
        others = dispatch.implementers(self.code, member.owner, member.name)
        yield _doubted(declared, f"a protocol: {len(others)} classes have all of its members")
        for other in self.some(others, SHOWN_INSTEAD):
            yield self.override(other, found, "has it")

    def _super(self) -> Super | None:
        node = self.spot.node
        if isinstance(node, syntax.Attribute):
            for one in self.infer.expression(node.value, self.spot.frame):
                if isinstance(one.value, Super):
                    return one.value
        return None

    def override(self, member: Member, found: Found, verb: str = "overrides it") -> Definition:
        ref = self.code.function_of(member.path, member.scope)
        reason = f"{member.owner.name} {verb} at {member.path}:{member.line}"
        definition = self.function(ref, Found(Function(ref), (*found.why, reason), TYPED), member, None)
        return _doubted(definition, "")

    def function(self, ref: FunctionRef, found: Found, member: Member | None, receiver: object) -> Definition:
        facts = self.code.hierarchy.function_facts(ref.path, ref.scope)
        owner = self.code.hierarchy.class_of_function(ref.path, ref.scope)
        through: tuple[str, ...] = ()
        if owner is not None and isinstance(receiver, Instance | ClassObject):
            order = self.code.hierarchy.linear(receiver.class_).order
            if owner in order:
                through = tuple(step.name for step in order[: order.index(owner)])
        holder = owner.name if owner is not None else ref.name.rpartition(".")[0]
        certainty: Certainty = "proved" if found.grade == PROVED and self._plain(facts) else "possible"
        definition = Definition(holder, facts.name, ref.path, facts.span.line, certainty, found.why, through)
        if self._hidden_by_instance(member, receiver):
            return _doubted(definition, f"self.{facts.name} is assigned too, and hides it where that has run")
        return definition

    def _hidden_by_instance(self, member: Member | None, receiver: object) -> bool:
        """Whether an attribute of the object itself may stand before what its class has (data model, section 3.3.2.3)."""
        if member is None or member.kind not in _CALLABLE:
            return False
        if isinstance(receiver, Instance):
            holder = receiver.class_
        elif member.kind == "staticmethod":  # what it is called on is not kept: it may be an object
            holder = member.owner
        else:
            return False
        return any(one.kind == "instance" for one in self.code.hierarchy.lookup(holder, member.name))

    def _plain(self, facts: FunctionScope) -> bool:
        """No decorator that could put something else in the function's place."""
        return all(decorator.text.rpartition(".")[2].partition("(")[0] in _HARMLESS for decorator in facts.decorators)

    def constructor(self, value: ClassObject, found: Found) -> Iterator[Definition]:
        if self.spot.call is None:
            yield from self.class_itself(value.class_, found)
            return
        hierarchy = self.code.hierarchy
        for name in ("__init__", "__new__"):
            for member in hierarchy.lookup(value.class_, name)[:1]:
                if member.kind in _CALLABLE and member.scope >= 0:
                    ref = self.code.function_of(member.path, member.scope)
                    definition = self.function(ref, found, member, Instance(value.class_))
                    if self._made_otherwise(value.class_, name):
                        definition = _doubted(definition, "__new__ or a metaclass may make something else")
                    others = () if value.exact else dispatch.overriders(self.code, value.class_, member, name)
                    yield _doubted(definition, "a subclass may be meant") if others else definition
                    for other in self.some(others, SHOWN_OVERRIDES):
                        yield self.override(other, found)
                    return
        yield from self.class_itself(value.class_, found)

    def _made_otherwise(self, ref: ClassRef, name: str) -> bool:
        """True where something else than `name` decides what calling the class gives (data model 3.3.3, 3.2.10)."""
        hierarchy = self.code.hierarchy
        if name != "__new__" and any(member.path for member in hierarchy.lookup(ref, "__new__")):
            return True
        meta = hierarchy.metaclass(ref)
        return meta is not None and any(member.path for member in hierarchy.lookup(meta, "__call__"))

    def class_itself(self, ref: ClassRef, found: Found) -> Iterator[Definition]:
        facts = self.code.hierarchy.class_facts(ref)
        if facts is not None:
            certainty: Certainty = "proved" if found.grade == PROVED else "possible"
            module = ref.name.rpartition(".")[0]
            yield Definition(module, facts.name, ref.path, facts.span.line, certainty, found.why)

    def called_instance(self, value: Instance, found: Found) -> Iterator[Definition]:
        for one in results.calling(self.infer, value):
            if isinstance(one.value, Bound | Function):
                yield from self.definitions(Found(one.value, (*found.why, *one.why), max(one.grade, found.grade)))

    def plain(self, base: Types) -> Iterator[Definition]:
        """A name that is not called: where it gets its value."""
        node = self.spot.node
        if isinstance(node, syntax.Attribute):
            yield from plain_names.of_attribute(self.infer, base, node.attr)
        else:
            yield from plain_names.of_name(self.infer, node, self.spot.frame)

    # ---- guesses

    def elsewhere(self, node: syntax.Attribute, base: Types, callee: Types) -> Iterator[Definition]:
        """Where the lookup found nothing: the subclasses of what is known, then names."""
        for one in base:
            if isinstance(one.value, Super):
                after = one.value.after
                others = dispatch.next_definitions(self.code, after, None, self.name)
                for member in self.some(others, SHOWN_INSTEAD):
                    yield self.override(member, Found(one.value, (*one.why, "by the MRO of a subclass"), TYPED))
        for one in base:
            ref = _class_of(one)
            if ref is None or ref.name.partition(".")[0] in _WITHOUT_CANDIDATES:
                continue
            if self.code.hierarchy.lookup(ref, self.name):
                continue
            others = dispatch.candidates(self.code, ref, self.name)
            shown = self.some(others, SHOWN_CANDIDATES)
            for member in shown:
                yield self.override(member, Found(one.value, (*one.why, f"not on {ref.name} itself"), TYPED), "has it")
            if len(others) > len(shown):
                self.left_out.append(f"{len(others) - len(shown)} more subclasses of {ref.name} define {self.name}")
        if any(one.grade < SHOWN for one in (*base, *callee)):
            return
        for member, reason in guesses.by_name(self.code, node.value, self.name, self.file.path):
            others = dispatch.overriders(self.code, member.owner, member, self.name)
            abstract = bool(others) and dispatch.is_abstract(self.code, member)
            for chosen in others if abstract and len(others) <= SHOWN_INSTEAD else (member,):
                guessed = self.code.function_of(chosen.path, chosen.scope)
                yield _doubted(self.function(guessed, Found(Function(guessed), (reason,), TYPED), chosen, None), "")

    def called_after(self, node: syntax.Name | syntax.Attribute) -> Iterator[Definition]:
        """A variable of unknown content with the name of a class: `def f(Model): Model()`."""
        assert isinstance(node, syntax.Name)
        classes = similar.classes_called(self.code, node.id, self.file.path) if node.id[:1].isupper() else []
        for ref in classes if len(classes) <= SHOWN_OVERRIDES else ():
            found = Found(ClassObject(ref, exact=False), (f"{ref.name} is called like the variable",), SHOWN)
            yield from (_doubted(one, "") for one in self.definitions(found))

    # ---- what stays open

    def open_end(self, base: Types, callee: Types, found: list[Definition]) -> str | None:
        outside = [one.value.name for one in callee if isinstance(one.value, External | Builtin)]
        if found and not base and isinstance(self.spot.node, syntax.Attribute):
            self.left_out.append("the receiver's type is not known: candidates by name only")
        if found:
            return "; ".join(self.left_out) or None
        if self.infer.exhausted:
            return "the search was given up: too many steps"
        if outside:
            return f"leads outside of what was read: {outside[0]}"
        if any(isinstance(one.value, Literal) for one in base):
            return "a method of str"
        if base:
            names = ", ".join(receiver.class_ for receiver in self.receivers(base))
            return f"{self.name} was not found on {names}" if names else "the receiver is no object of the tree"
        if isinstance(self.spot.node, syntax.Attribute):
            return "the receiver's type is not known"
        return "; ".join(self.left_out) or f"nothing is known about {self.name}"


_HARMLESS = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "override", "final", "overload", "no_type_check", "deprecated",
     "contextmanager", "asynccontextmanager", "lru_cache", "cache", "wraps", "property"}
)  # fmt: skip


_WITHOUT_CANDIDATES = sys.stdlib_module_names | frozenset(dir(builtins))
"""Classes of the standard library are meant as they are, far more often than by some subclass in the tree."""


def _class_of(found: Found) -> ClassRef | None:
    """The class of a receiver, be it one that was not read."""
    if isinstance(found.value, Instance | ClassObject):
        return found.value.class_
    return ClassRef(found.value.name) if isinstance(found.value, External) else None


def _doubted(definition: Definition, reason: str) -> Definition:
    why = (*definition.why, reason) if reason else definition.why
    return Definition(
        definition.owner, definition.name, definition.path, definition.line, "possible", why, definition.through
    )


def _once(found: list[Definition]) -> tuple[Definition, ...]:
    kept: dict[tuple[str, int], Definition] = {}
    for definition in found:
        known = kept.get((definition.path, definition.line))
        if known is None or (known.certainty == "possible" and definition.certainty == "proved"):
            kept[definition.path, definition.line] = definition
    definitions = tuple(kept.values())
    if len(definitions) > 1:
        return tuple(_doubted(one, "") for one in definitions)
    return definitions


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")
