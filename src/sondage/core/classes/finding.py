"""Owns finding by name: classes and functions by full, partial or bare names, and the rows of the symbol search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Literal, TypeVar

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.text import SymbolRow
from sondage.core.classes.names import Names
from sondage.core.classes.refs import ClassRef, FunctionRef, ModuleRef
from sondage.core.classes.tables import Table
from sondage.core.classes.world import Mention, World
from sondage.core.source.facts import ClassScope, FunctionScope, ModuleScope, ScopeFact

Ref = TypeVar("Ref", ClassRef, FunctionRef)
_LOCALS = ".<locals>"


class Finder:
    """Finds over the root's own files; library files are found by their full names only."""

    def __init__(self, world: World, names: Names) -> None:
        self.world = world
        self.names = names
        self._classes: Table[str, ClassRef] = Table(world, lambda path: self._by_last(ClassRef, ClassScope, path))
        self._functions: Table[str, FunctionRef] = Table(
            world, lambda path: self._by_last(FunctionRef, FunctionScope, path)
        )

    def _by_last(
        self, make: Callable[[str, str, int], Ref], kind: type[ScopeFact], path: str
    ) -> Iterator[tuple[str, Ref]]:
        """The definitions of one of the root's own files, by the last part of their names."""
        for index, scope in enumerate(self.world.own[path].scopes if path in self.world.own else ()):
            if isinstance(scope, kind):
                yield scope.name, make(self.names.full_name(path, scope.qualname), path, index)

    @cached_property
    def classes(self) -> tuple[ClassRef, ...]:
        """In order of path and line."""
        return tuple(
            ClassRef(self.names.full_name(path, scope.qualname), path, index)
            for path in self.world.own_paths()
            for index, scope in enumerate(self.world.own[path].scopes)
            if isinstance(scope, ClassScope)
        )

    def find_class(self, name: str, near: str = "") -> ClassRef | Candidates:
        found = self._find(name, near, self._classes, self._exported_class)
        if isinstance(found, tuple):
            return Candidates(name, "class", "ambiguous", found)
        return found if found is not None else self._absent(name, "class", self._classes)

    def find_function(self, name: str, near: str = "") -> FunctionRef | Candidates:
        found = self._find(name, near, self._functions, self._exported_function)
        if isinstance(found, tuple):
            return Candidates(name, "symbol", "ambiguous", found)
        return found if found is not None else self._absent(name, "symbol", self._functions)

    def class_called(self, name: str) -> ClassRef | None:
        """The one class of a name; None for several and for none, for which no like name is looked for."""
        found = self._find(name, "", self._classes, self._exported_class)
        return found if isinstance(found, ClassRef) else None

    def function_called(self, name: str) -> FunctionRef | None:
        """The one function or method of a name, as with `class_called`."""
        found = self._find(name, "", self._functions, self._exported_function)
        return found if isinstance(found, FunctionRef) else None

    def _find(
        self, name: str, near: str, table: Table[str, Ref], exported: Callable[[str], Ref | None]
    ) -> Ref | tuple[str, ...] | None:
        """The one that is meant, the names of several, or None."""
        wanted = name.replace(_LOCALS, "")
        last = wanted.rpartition(".")[2]
        matches = [one for one in table.get(last, self._mentions(table, wanted)) if _matches(one.name, wanted)]
        whole = [one for one in matches if one.name.replace(_LOCALS, "") == wanted]
        matches = self._last_definitions(whole or matches)
        if not matches:
            return exported(wanted)
        if len(matches) == 1:
            return matches[0]
        nearest = sorted(matches, key=lambda one: (-_common(one.path, near), one.path.count("/"), one.path, one.scope))
        return tuple(one.name for one in nearest)

    def _mentions(self, table: Table[str, Ref], wanted: str) -> Iterator[Mention]:
        """What stands in the text of a definition's file: its own statement, and that of what its name says is around it."""
        above, _, last = wanted.rpartition(".")
        own = f"class {last}" if table is self._classes else f"def {last}"
        around = above.rpartition(".")[2]
        if not around or self.world.layout.has_last_part(around):
            yield own
            return
        for other in (f"class {around}", f"def {around}"):
            yield own, other
        yield own, "__name__ =", around

    def _last_definitions(self, refs: Sequence[Ref]) -> list[Ref]:
        """Of definitions with the same full name in one file, the one that holds in the end."""
        found: dict[tuple[str, str], Ref] = {}
        for ref in refs:
            found[ref.name, ref.path] = ref
        for (full, path), ref in found.items():
            facts = self.world.facts(path)
            scope = facts.scopes[ref.scope]
            for meaning in self.names.bound(path, scope.parent, scope.name)[:1]:
                if (
                    isinstance(meaning.target, type(ref))
                    and meaning.target.path == path
                    and meaning.target.name == full
                ):
                    found[full, path] = meaning.target
        return list(found.values())

    def _exported_class(self, name: str) -> ClassRef | None:
        """A class by a name it is handed on under: `pkg.Class` for one that `pkg/__init__.py` imports."""
        target = self._target(name)
        return target if isinstance(target, ClassRef) and (target.path or target.name == name) else None

    def _exported_function(self, name: str) -> FunctionRef | None:
        target = self._target(name)
        return target if isinstance(target, FunctionRef) else None

    def _target(self, name: str) -> object:
        parts = name.split(".")
        for count in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:count])
            if self.world.exists(module):
                target: object = ModuleRef(module)
                for part in parts[count:]:
                    found = self.names.attribute(target, part, "")  # type: ignore[arg-type]
                    target = found[0].target if found else None
                return target
        return None

    def _absent(self, name: str, kind: Literal["class", "symbol"], table: Table[str, Ref]) -> Candidates:
        last, every = name.rpartition(".")[2], table.all()
        same = [key for key in every if key.lower() == last.lower()]
        from difflib import get_close_matches  # noqa: PLC0415  only a name that is not there pays for it

        close = same or get_close_matches(last, list(every), n=5, cutoff=0.7)
        names = [one.name for key in close for one in every[key]]
        return Candidates(name, kind, "absent", tuple(names[:10]))

    def symbols(self) -> Iterator[SymbolRow]:
        for path in self.world.own_paths():
            facts = self.world.own[path]
            module = self.names.full_name(path, "").rstrip(".")
            for scope in facts.scopes:
                if isinstance(scope, ModuleScope):
                    yield SymbolRow(module.rpartition(".")[2], module, "module", path, 1, 0.0)
                    continue
                kind: Literal["class", "function", "method"] = "class" if isinstance(scope, ClassScope) else "function"
                if kind == "function" and isinstance(facts.scopes[scope.parent], ClassScope):
                    kind = "method"
                yield SymbolRow(scope.name, f"{module}.{scope.qualname}", kind, path, scope.span.line, 0.0)
            for assigned in facts.assignments:
                outer = facts.scopes[assigned.scope]
                if isinstance(outer, ClassScope) and assigned.how != "delete":
                    qualname = f"{module}.{outer.qualname}.{assigned.name}"
                    yield SymbolRow(assigned.name, qualname, "attribute", path, assigned.line, 0.0)


def _matches(full: str, wanted: str) -> bool:
    full = full.replace(_LOCALS, "")
    return full == wanted or full.endswith(f".{wanted}")


def _common(path: str, near: str) -> int:
    count = 0
    for one, other in zip(path.split("/"), near.split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count
