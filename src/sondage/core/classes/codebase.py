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

from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from dataclasses import field
from functools import cached_property
from typing import TypeAlias, TypeVar, cast

from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.classes.tables import Table
from sondage.core.frozen import dataclass
from sondage.core.source import syntax
from sondage.core.source.facts import AttributeAssigned, ClassScope, FileFacts
from sondage.core.source.outline import inside, outline
from sondage.core.source.text import SourceText

KEPT_BYTES = 24_000_000
"""Source bytes whose syntax is kept at most: five times as much memory, fifteen where all bodies have been asked for."""

A = TypeVar("A")

Steps: TypeAlias = Generator[object, None, A]
"""An answer that takes long, given in steps: between them another question may have its turn.

A step may say something about the answer, such as how far it is; most say nothing (None).
"""

Definition: TypeAlias = syntax.FunctionDef | syntax.ClassDef | syntax.Module
Holder: TypeAlias = syntax.FunctionDef | syntax.ClassDef | syntax.Module | syntax.Lambda | syntax.Comprehension


def finished(steps: Steps[A]) -> A:
    """The answer of all steps, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("A", end.value)


@dataclass(frozen=True)
class Pin:
    """An assumption: `receiver` (`Class.attribute`, or an expression as written) is an instance of `class_`."""

    receiver: str
    class_: ClassRef


class FileSyntax:
    """The syntax of one file, with the definitions in it by the offset they start at."""

    def __init__(self, path: str, text: SourceText, facts: FileFacts) -> None:
        self.path = path
        self.text = text
        self.facts = facts
        self.module = outline(text, facts)
        self._definitions: dict[int, Definition | None] = {0: self.module}

    @cached_property
    def scopes(self) -> dict[int, int]:
        """Offset where a definition starts → its index in the facts."""
        return {scope.span.at: index for index, scope in enumerate(self.facts.scopes) if index}

    def definition(self, scope: int) -> Definition | None:
        """The syntax of a scope of the facts, of which 0 is the module; None for one that is not there."""
        if scope not in self._definitions:
            known = 0 < scope < len(self.facts.scopes)
            outer = self.definition(self.facts.scopes[scope].parent) if known else None
            self._definitions[scope] = inside(outer, self.facts.scopes[scope]) if outer is not None else None
        return self._definitions[scope]


@dataclass(frozen=True)
class Codebase:
    """Everything a question about calls is answered from."""

    hierarchy: Hierarchy
    text_of: Callable[[str], SourceText | None]
    paths_with_word: Callable[[str], Sequence[str]]
    pins: tuple[Pin, ...] = ()
    memo: dict[str, object] = field(default_factory=dict, repr=False, compare=False)
    """Room for what is worked out from this code base and holds as long as it does."""
    _kept: OrderedDict[str, FileSyntax] = field(default_factory=OrderedDict, repr=False, compare=False)

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
            self._kept.move_to_end(path)
            return kept
        text, facts = self.text_of(path), self.hierarchy.files().get(path)
        if text is None or facts is None:
            return None
        kept = self._kept[path] = FileSyntax(path, text, facts)
        held = sum(len(file.text.utf8) for file in self._kept.values())
        while held > KEPT_BYTES and len(self._kept) > 1:
            held -= len(self._kept.popitem(last=False)[1].text.utf8)
        return kept
