"""Owns star imports: what `from module import *` brings (language reference, section 7.11), `__all__` included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec.structs import replace

from sondage.core.classes.bindings import Live
from sondage.core.classes.builtin_table import exports, is_c_module
from sondage.core.classes.refs import Meaning, MissingRef, ModuleRef, Target
from sondage.core.classes.world import World
from sondage.core.source.facts import MODULE, FileFacts, Imported


class Resolver(Protocol):
    """What is needed of `core.classes.names.Names`."""

    def absolute(self, path: str, fact: Imported) -> str | None: ...

    def attribute(self, owner: Target, name: str, near: str) -> tuple[Meaning, ...]: ...

    def bound(self, path: str, scope: int, name: str, at: int | None = None) -> tuple[Meaning, ...]: ...

    def module_attribute(self, module: str, name: str, near: str = "") -> tuple[Meaning, ...]: ...


class Stars:
    """Star imports over a `World`."""

    def __init__(self, names: Resolver, world: World) -> None:
        self.names = names
        self.world = world

    def meanings(self, path: str, scope: int, name: str, at: int | None, live: Sequence[Live]) -> tuple[Meaning, ...]:
        """What the last star import that brings the name makes of it, unless a later binding covers it."""
        after = max((one.binding.at for one in live if one.taken), default=-1)
        doubtful: tuple[Meaning, ...] = ()
        for star in reversed(self.world.bindings(path).stars.get(scope, ())):
            if (at is not None and star.at > at) or star.at < after:
                continue
            module = self.names.absolute(path, star)
            brings = self.exports(module, name, path) if module is not None else False
            found = (
                self.names.module_attribute(module, name, path) if module is not None and brings is not False else ()
            )
            if not found or (isinstance(found[0].target, MissingRef) and found[0].target.reason == "not found"):
                continue
            step = f"{path}:{star.line} imports * from {module}"
            meanings = tuple(with_step(one, step, sure=brings is True) for one in found)
            if brings:
                return meanings
            doubtful = doubtful or meanings
        return doubtful

    def is_unread(self, path: str, star: Imported) -> bool:
        """Whether a star import comes from a module that was not read."""
        module = self.names.absolute(path, star)
        return module is not None and not self.world.exists(module, path) and not is_c_module(module)

    def exports(self, module: str, name: str, near: str) -> bool | None:
        """Whether `from module import *` brings a name; None where `__all__` is computed or the module was not read."""
        path = self.world.path_of(module, near)
        if path is None:
            if is_c_module(module):
                return name in exports(module)
            return False if self.world.is_package(module) else None
        facts = self.world.facts(path)
        if not facts.exported:
            return not name.startswith("_")
        return self._listed(path, facts, name, set())

    def _listed(self, path: str, facts: FileFacts, name: str, seen: set[str]) -> bool | None:
        """Whether `__all__` of a file lists a name, following `__all__ += other.__all__`."""
        listed: bool | None = False
        seen.add(path)
        for step in facts.exported:
            if step.names is not None:
                if name in step.names:
                    listed = step.how != "remove"
                elif step.how == "set":
                    listed = False
                continue
            other = self._module_named(path, step.from_module) if step.from_module else None
            if other is None:
                listed = None if listed is False else listed
            elif other not in seen and self._listed(other, self.world.facts(other), name, seen):
                listed = True
        return listed

    def _module_named(self, path: str, dotted: str) -> str | None:
        """The file of a module that a dotted name stands for at the top of a file."""
        found: tuple[Meaning, ...] = ()
        for index, part in enumerate(dotted.split(".")):
            found = (
                self.names.bound(path, MODULE, part) if not index else self.names.attribute(found[0].target, part, path)
            )
            if not found:
                return None
        target = found[0].target
        return target.path if isinstance(target, ModuleRef) and target.path else None


def with_step(meaning: Meaning, step: str, *, sure: bool = True) -> Meaning:
    """The meaning with one more step before its way."""
    return replace(meaning, sure=meaning.sure and sure, way=(step, *meaning.way))
