"""Owns what the resolver of calls is given: the hierarchy, a way to each file's text, and the names found in text.

A `Codebase` is a frozen seam. Whoever builds one (`dig`, a test, a benchmark) says where texts come from; the core asks
for the few files that lie on the way of a question, and keeps their syntax for as long as the `Codebase` lives.

    Codebase(hierarchy, text_of, paths_with_word, pins=())

- `text_of(path)` gives the `SourceText` of a file of the root or of a library that was read, or None.
- `paths_with_word(name)` gives the paths of the root's files in whose text a name stands as a whole word.
- `pins` are assumptions of the user: `Pin("pkg.mod.Class.attribute" or "receiver as written", ClassRef)`.

A new hierarchy needs a new `Codebase`; an old one keeps answering from what it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import cached_property
from typing import TypeAlias, TypeVar, cast

import msgspec

from sondage.core.classes.file_syntax import FileSyntax, KeptFiles
from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.classes.tables import Table
from sondage.core.source.facts import AttributeAssigned, ClassScope
from sondage.core.source.text import SourceText

A = TypeVar("A")

Steps: TypeAlias = Generator[object, None, A]
"""An answer that takes long, given in steps: between them another question may have its turn.

A step may say something about the answer, such as how far it is; most say nothing (None).
"""


def finished(steps: Steps[A]) -> A:
    """The answer of all steps, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("A", end.value)


class Pin(msgspec.Struct, frozen=True):
    """An assumption: `receiver` (`Class.attribute`, or an expression as written) is an instance of `class_`."""

    receiver: str
    class_: ClassRef


class Codebase(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Everything a question about calls is answered from."""

    hierarchy: Hierarchy
    text_of: Callable[[str], SourceText | None]
    paths_with_word: Callable[[str], Sequence[str]]
    pins: tuple[Pin, ...] = ()
    memo: dict[str, object] = msgspec.field(default_factory=dict)
    """Room for what is worked out from this code base and holds as long as it does."""
    _kept: KeptFiles = msgspec.field(default_factory=KeptFiles)

    def class_of(self, path: str, scope: int) -> ClassRef | None:
        """The class of a scope of the facts, or None where the scope is none."""
        facts = self.hierarchy.files().get(path)
        if facts is None or not isinstance(facts.scopes[scope], ClassScope):
            return None
        return ClassRef(self._full_name(path, facts.scopes[scope].qualname), path, scope)

    def function_of(self, path: str, scope: int) -> FunctionRef:
        """The function of a scope of the facts."""
        facts = self.hierarchy.files()[path]
        return FunctionRef(self._full_name(path, facts.scopes[scope].qualname), path, scope)

    @property
    def attributes(self) -> dict[str, list[tuple[str, AttributeAssigned]]]:
        """Every `….name = value` of the tree by its name, with the path it stands in; all files are read for it."""
        return self._attributes.all()

    def assigned(self, name: str) -> Sequence[tuple[str, AttributeAssigned]]:
        """Every `….name = value` of the tree, with the path it stands in."""
        return self._attributes.get(name, (f"{name} =",))

    @cached_property
    def _attributes(self) -> Table[str, tuple[str, AttributeAssigned]]:
        files = self.hierarchy.files()
        return Table(self.hierarchy.world, lambda path: ((one.name, (path, one)) for one in files[path].attributes))

    def package(self, path: str) -> str:
        """The top-level package or module of a file."""
        return self.hierarchy.module_of(path).partition(".")[0]

    def related(self, path: str) -> frozenset[str]:
        """The top-level packages that a file imports from, its own included."""
        key = f"related {path}"
        kept = self.memo.get(key)
        if kept is None:
            facts = self.hierarchy.files().get(path)
            names = {one.module.partition(".")[0] for one in (facts.imports if facts else ()) if not one.level}
            kept = self.memo[key] = frozenset({*names, self.package(path)})
        return cast("frozenset[str]", kept)

    def is_enum(self, ref: ClassRef) -> bool:
        """True for a class whose chain holds `enum.Enum`: its plain attributes are its members."""
        return any(step.name == "enum.Enum" for step in self.hierarchy.linear(ref).order)

    def _full_name(self, path: str, qualname: str) -> str:
        module = self.hierarchy.module_of(path)
        return f"{module}.{qualname}" if module else qualname

    def syntax_of(self, path: str) -> FileSyntax | None:
        """The syntax of a file, or None where its text or its facts are not there."""
        kept = self._kept.get(path)
        if kept is not None:
            return kept
        text, facts = self.text_of(path), self.hierarchy.files().get(path)
        if text is None or facts is None:
            return None
        return self._kept.put(FileSyntax(path, text, facts))
