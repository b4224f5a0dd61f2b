"""Owns whether an import can succeed: what a file needs, directly and by way of other files of the tree, to be imported at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sondage.core.classes.builtin_classes import MODULES
from sondage.core.classes.conditions import is_taken
from sondage.core.classes.world import World
from sondage.core.source.facts import MODULE, Imported


class Importing:
    """`absolute(path, imported)` gives the full name of an imported module."""

    def __init__(self, world: World, absolute: Callable[[str, Imported], str | None]) -> None:
        self.world = world
        self.absolute = absolute
        self._needs: dict[str, frozenset[str]] = {}

    def missing(self, path: str, imported: Imported) -> tuple[bool, tuple[str, ...]]:
        """Whether an import in `path` fails for sure, and else which outside modules it hangs on that were not looked for.

        What the file itself needs anyway is taken for granted.
        """
        module = self.absolute(path, imported)
        targets = [module, f"{module}.{imported.attribute}"] if module else []
        paths = [found for one in targets if (found := self.world.path_of(one, path))]
        lacking: set[str] = set()
        for one in paths:
            lacking |= self.needs(one)
        lacking -= self.needs(path)
        unknown = sorted(one for one in lacking if self.world.path_of(one) is None)
        return any(one in self.world.absent for one in unknown), tuple(unknown)

    def needs(self, path: str) -> frozenset[str]:
        """Top-level names of outside modules that importing a file imports without a way out."""
        known = self._needs.get(path)
        if known is not None:
            return known
        found: set[str] = set()
        waiting, seen = [path], {path}
        while waiting:
            for module in self._unguarded(current := waiting.pop()):
                inner = self.world.path_of(module, current)
                if inner is None:
                    top = module.partition(".")[0]
                    if top not in MODULES and not self.world.exists(top, current):
                        found.add(top)
                elif inner not in seen and inner not in self.world.libraries:
                    seen.add(inner)
                    waiting.append(inner)
        self._needs[path] = frozenset(found)
        return self._needs[path]

    def _unguarded(self, path: str) -> Iterator[str]:
        facts = self.world.facts(path)
        for one in facts.imports:
            if one.scope == MODULE and (one.guard < 0 or is_taken(facts.guards, one.guard, self.world.python)):
                module = self.absolute(path, one)
                if module:
                    yield module
