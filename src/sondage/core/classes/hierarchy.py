"""Owns the hierarchy: from the facts of all files to bases, MRO, subclasses, and who defines what.

A `Hierarchy` is immutable; answers are worked out when asked and kept. A refresh builds a new one. The one door to the
rooms behind it: `world` (files and modules), `names`, `bases`, `lineage`, `class_members`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MemberRow, MroAnswer, MroStep, SubclassesAnswer, SubclassRow
from sondage.core.answers.text import SymbolRow
from sondage.core.classes.aliases import words
from sondage.core.classes.builtin_table import NOTE, in_table
from sondage.core.classes.class_parts import mangled, names_written
from sondage.core.classes.finding import Finder
from sondage.core.classes.lineage import Lineage
from sondage.core.classes.modules import Layout, infer_layout
from sondage.core.classes.refs import ClassRef, FunctionRef, Linear, Meaning, Member
from sondage.core.classes.world import Library, Mentions, World
from sondage.core.source.facts import ClassScope, FileFacts, FunctionScope

if TYPE_CHECKING:
    from sondage.core.classes.class_members import ClassMembers

__all__ = ["Hierarchy", "Library"]

_AT_RUN_TIME_LAST = {"instance": 1, "annotation": 2}


class Hierarchy:
    """All that the facts say together. Paths of library files live beside those of the root.

    `build(files, layout, libraries)` and `with_libraries(more)` make one; everything else asks. A hierarchy is not shared between
    threads while it is being asked.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.lineage = Lineage(world)
        self.finder = Finder(world, self.lineage.names)
        self._definers: dict[str, tuple[Member, ...]] = {}
        self._written_names: dict[str, frozenset[str]] = {}
        self._below_some: dict[ClassRef, list[ClassRef]] = {}

    @cached_property
    def members(self) -> ClassMembers:
        from sondage.core.classes.class_members import ClassMembers  # noqa: PLC0415  not asked for where only bases are

        return ClassMembers(self.lineage)

    @classmethod
    def build(
        cls,
        files: Mapping[str, FileFacts],
        layout: Layout | None = None,
        libraries: Iterable[Library] = (),
        *,
        absent: Iterable[str] = (),
        python: tuple[int, ...] = (3, 12),
        mentions: Mentions | None = None,
    ) -> Hierarchy:
        """`python` is the version that conditions on `sys.version_info` are judged by; `absent` as in `with_libraries`.

        With `mentions` only those of the `files` are read that a question leads to, see `core.classes.world`.
        """
        layout = layout or infer_layout(tuple(files), files)
        return cls(World(files, layout, libraries, absent, python, mentions=mentions))

    def with_libraries(self, libraries: Iterable[Library], absent: Iterable[str] = ()) -> Hierarchy:
        """A hierarchy that knows these files too; `absent` are modules that were looked for and are not there."""
        after = Hierarchy(self.world.with_libraries(libraries, absent))
        after.lineage.keep(self.lineage)
        return after

    # ---- finding

    def classes(self) -> Iterator[ClassRef]:
        """Every `class` statement of the root's own files, in order of path and line."""
        return iter(self.finder.classes)

    def find_class(self, name: str, near: str = "") -> ClassRef | Candidates:
        """A full, partial (`Outer.Inner`) or bare name; the nearest to the path `near` come first among candidates."""
        return self.finder.find_class(name, near)

    def find_base(self, name: str) -> ClassRef | Candidates:
        """As `find_class`; besides it finds what was not read, or is built in, where a class here has it for a base."""
        found = self.find_class(name)
        if isinstance(found, ClassRef) or found.reason != "absent":
            return found
        unread = [ref for ref in self._below if not ref.path and f".{ref.name}".endswith(f".{name}")]
        unread = [ref for ref in unread if ref.name == name] or unread
        if len(unread) == 1:
            return unread[0]
        return Candidates(name, "class", "ambiguous", tuple(sorted(ref.name for ref in unread))) if unread else found

    def find_function(self, name: str, near: str = "") -> FunctionRef | Candidates:
        """A function or method by full, partial or bare name."""
        return self.finder.find_function(name, near)

    def class_called(self, name: str) -> ClassRef | None:
        """The one class that `find_class` finds, if it is one; names that are like it are not looked for."""
        return self.finder.class_called(name)

    def function_called(self, name: str) -> FunctionRef | None:
        """The one function that `find_function` finds, as with `class_called`."""
        return self.finder.function_called(name)

    def class_at(self, path: str, line: int) -> ClassRef | None:
        """The class whose statement (decorators included) starts on this line."""
        for index, scope in enumerate(self._scopes(path)):
            if isinstance(scope, ClassScope) and scope.span.first_line <= line <= scope.span.line:
                return self.class_ref(path, index)
        return None

    def symbol_at(self, path: str, line: int) -> str:
        """Qualified name (without the module) of the innermost class or function around a line; empty at module level."""
        facts = self.world.files.get(path)
        return facts.scopes[facts.innermost(line)].qualname if facts else ""

    def symbols(self) -> Iterator[SymbolRow]:
        """Every module, class, function and class-level name of the root's own files, with a score of 0."""
        return self.finder.symbols()

    def class_ref(self, path: str, scope: int) -> ClassRef:
        """The reference of a class statement."""
        found = self.lineage.names.definition(path, scope)
        assert isinstance(found, ClassRef)
        return found

    def class_facts(self, ref: ClassRef) -> ClassScope | None:
        """The facts of a class statement; None for any other class."""
        scope = self.world.facts(ref.path).scopes[ref.scope] if ref.scope >= 0 else None
        return scope if isinstance(scope, ClassScope) else None

    def function_facts(self, path: str, scope: int) -> FunctionScope:
        found = self.world.facts(path).scopes[scope]
        assert isinstance(found, FunctionScope)
        return found

    def files(self) -> Mapping[str, FileFacts]:
        """The facts of the root's own files and of the libraries read, by path."""
        return self.world.files

    def module_of(self, path: str) -> str:
        """The module name by which Python calls the definitions of a file."""
        return self.world.display_module(path) if path in self.world.files else ""

    def library(self, path: str) -> Library | None:
        """The library a path belongs to; None for the root's own files."""
        return self.world.libraries.get(path)

    def class_of_function(self, path: str, scope: int) -> ClassRef | None:
        """The class in whose body the `def` stands directly."""
        parent = self.world.facts(path).scopes[scope].parent
        inside = parent >= 0 and isinstance(self.world.facts(path).scopes[parent], ClassScope)
        return self.class_ref(path, parent) if inside else None

    def _scopes(self, path: str) -> tuple[object, ...]:
        facts = self.world.files.get(path)
        return facts.scopes if facts else ()

    # ---- names

    def names(self, path: str, scope: int, name: str, at: int | None = None) -> tuple[Meaning, ...]:
        """What a plain name means in a scope (LEGB, language reference section 4.2.2), the likeliest first.

        `at`: a byte offset, bindings after it in the same scope do not count. Empty where nothing binds the name. Plain
        locals of a function are only known where it holds a class or declares the name `global`.
        """
        return self.lineage.names.names(path, scope, name, at)

    def attribute_of_module(self, module: str, name: str, near: str = "") -> tuple[Meaning, ...]:
        """What `module.name` stands for, seen from the file `near`."""
        return self.lineage.names.module_attribute(module, name, near)

    # ---- structure

    def bases(self, ref: ClassRef) -> tuple[Meaning, ...]:
        """One meaning for each class that Python would have in `__bases__`, `object` included."""
        return tuple(Meaning(one.ref, one.sure, one.conditions, one.way) for one in self.lineage.bases(ref))

    def linear(self, ref: ClassRef) -> Linear:
        """The MRO as far as it is known, with open ends, reasons and errors."""
        return self.lineage.linear(ref)

    def mro(self, ref: ClassRef, members: bool = False) -> MroAnswer:
        """The answer for the faces; `members` adds who defines each name."""
        linear = self.linear(ref)
        path, line = self.place(ref)
        bases = tuple(one.ref.name for one in self.lineage.bases(ref) if one.ref.name != "object")
        steps = tuple(self._step(one, linear) for one in linear.order)
        table = self._member_rows(ref) if members else None
        return MroAnswer(ref.name, path, line, bases, steps, linear.complete, linear.why, linear.error, table)

    def _step(self, ref: ClassRef, linear: Linear) -> MroStep:
        path, line = self.place(ref)
        if ref in linear.open_ends:
            return MroStep(ref.name, "", 0, self.lineage.reason(ref, linear))
        return MroStep(ref.name, path, line, None, self._note(ref))

    def _note(self, ref: ClassRef) -> str:
        made = self.lineage.bases_of.made.get(ref)
        if made is not None:
            return f"made by {made.how}(…)"
        if in_table(ref):
            return NOTE
        stub = self.world.layout.stubs.get(ref.path)
        if stub is not None:
            return f"read from the source; the stub {stub} was not asked"
        library = self.world.libraries.get(ref.path)
        return library.stand_in if library else ""

    def place(self, ref: ClassRef) -> tuple[str, int]:
        """Path and line (of the `class` keyword, or of the call that makes it); empty and 0 for a class that was not read."""
        facts = self.class_facts(ref)
        if facts is not None:
            return ref.path, facts.span.line
        return (ref.path, self.members.line_of_made(ref)) if ref.path else ("", 0)

    def _directly_below(self, ref: ClassRef) -> Sequence[ClassRef]:
        """The classes that have it for a base in their headers."""
        if self.world.mentions is None or not ref.path:
            return self._below.get(ref, ())
        found = self._below_some.get(ref)
        if found is None:
            asked = (
                one for one in self._may_be_below(ref) if ref in (base.ref for base in self.lineage.header(one)[0])
            )
            found = self._below_some[ref] = list(dict.fromkeys(asked))
        return found

    @cached_property
    def _below(self) -> dict[ClassRef, list[ClassRef]]:
        found: dict[ClassRef, list[ClassRef]] = {}
        for ref in self._all_classes():
            for base in self.lineage.header(ref)[0]:
                found.setdefault(base.ref, []).append(ref)
        return found

    def _may_be_below(self, ref: ClassRef) -> Iterator[ClassRef]:
        """The classes that name another one in their headers, or whose bases are not those of the header."""
        names, paths = self.members.aliases.of(ref)
        for path in paths:
            for one in self._classes_in(path):
                scope = self.class_facts(one)
                if scope and not names.isdisjoint(words(" ".join([base.text for base in scope.bases]))):
                    yield one
        yield from self.lineage.rebased
        yield from list(self.lineage.bases_of.made)

    def _all_classes(self) -> Iterator[ClassRef]:
        yield from self.classes()
        for path in self.world.libraries:
            yield from self._classes_in(path)
        yield from list(self.lineage.bases_of.made)

    def subclass_refs(self, ref: ClassRef) -> tuple[tuple[ClassRef, int], ...]:
        """Every class of the tree below, with its depth from 1, nearest first."""
        found: dict[ClassRef, int] = {}
        level, depth = [ref], 0
        while level:
            depth += 1
            below = [one for above in level for one in self._directly_below(above) if one != ref and one not in found]
            level = list(dict.fromkeys(below))
            found.update(dict.fromkeys(level, depth))
        return tuple(found.items())

    def subclasses(self, ref: ClassRef) -> SubclassesAnswer:
        rows = [SubclassRow(one.name, *self.place(one), depth) for one, depth in self.subclass_refs(ref)]
        unread = not ref.path and not in_table(ref)
        why = (f"{ref.name} was not read, nor the classes outside that derive from it",) if unread else ()
        return SubclassesAnswer(ref.name, tuple(sorted(rows, key=lambda row: (row.depth, row.path, row.line))), why)

    def metaclass(self, ref: ClassRef) -> ClassRef | None:
        """The most derived metaclass that a class of the chain names; None for `type` itself."""
        return self.lineage.metaclass(ref)

    def wanted(self, ref: ClassRef) -> tuple[str, ...]:
        """Modules outside all that was read which would have to be read to go on with the chain, parents before children.

        Read them (each as `a/b.py` or `a/b/__init__.py`), hand them over by `with_libraries`, those that do not exist as
        `absent`, and ask again: a chain may need several rounds.
        """
        return self.lineage.wanted(ref)

    # ---- members

    def own_members(self, ref: ClassRef) -> Mapping[str, tuple[Member, ...]]:
        """Name → definitions on this very class, the one that holds at run time first. Private names are mangled."""
        return self.members.own(ref)

    def lookup(self, ref: ClassRef, name: str, after: ClassRef | None = None) -> tuple[Member, ...]:
        """Definitions of a name in MRO order; `after` starts behind that class (what `super()` does).

        A private name (`__x`) is also found as its class has mangled it.
        """
        order = self.linear(ref).order
        if after is not None:
            order = order[order.index(after) + 1 :] if after in order else ()
        found: list[Member] = []
        for one in order:
            own = self.members.own(one)
            rows = own.get(name)
            if rows is None and name.startswith("__"):
                rows = own.get(mangled(name, one.name.rpartition(".")[2]))
            found += rows or ()
        return tuple(found)

    def _member_rows(self, ref: ClassRef) -> dict[str, MemberRow]:
        found: dict[str, Member] = {}
        for one in self.linear(ref).order:
            if one.name == "object" and not one.path:
                continue
            for name, rows in self.members.own(one).items():
                best = min(rows, key=lambda row: _AT_RUN_TIME_LAST.get(row.kind, 0))
                known = found.get(name)
                if known is None or _AT_RUN_TIME_LAST.get(known.kind, 0) > _AT_RUN_TIME_LAST.get(best.kind, 0):
                    found[name] = best
        return {name: MemberRow(one.owner.name, one.kind, one.path, one.line) for name, one in sorted(found.items())}

    def definers(self, name: str) -> tuple[Member, ...]:
        """Every definition of a name on a class of the root (what is only generated left out)."""
        kept = self._definers.get(name)
        if kept is None:
            rows = (row for ref in self._writing(name) for row in self.members.own(ref).get(name, ()))
            kept = self._definers[name] = tuple(row for row in rows if row.kind != "generated")
        return kept

    def _writing(self, name: str) -> Iterator[ClassRef]:
        """The classes that may define a name: those of files that write it, and those it is put on from elsewhere."""
        plain = {name, f"__{name.split('__', 1)[-1]}" if name.startswith("_") else name}
        patched = {member.owner for one in plain for member in self.members.put_outside(one)}
        paths = self._paths_writing(plain)
        for path in self.world.in_order({*paths, *(ref.path for ref in patched)} & self.world.own.keys()):
            written = self._names_written(path)
            every = not plain.isdisjoint(written) or "__slots__" in written
            yield from (ref for ref in self._classes_in(path) if every or ref in patched)

    def _paths_writing(self, names: set[str]) -> Iterable[str]:
        """The files that may define one of some names on a class."""
        if self.world.mentions is not None:
            return self.world.mentioning((*(f"{one} =" for one in names), "__slots__"))
        return [path for one in (*names, "__slots__") for path in self._writers.get(one, ())]

    @cached_property
    def _writers(self) -> dict[str, list[str]]:
        """The files that write each name."""
        found: dict[str, list[str]] = {}
        for path in self.world.own:
            for name in self._names_written(path):
                found.setdefault(name, []).append(path)
        return found

    def _names_written(self, path: str) -> frozenset[str]:
        written = self._written_names.get(path)
        if written is None:
            written = self._written_names[path] = names_written(self.world.own[path])
        return written

    def _classes_in(self, path: str) -> Iterator[ClassRef]:
        return (self.class_ref(path, at) for at, one in enumerate(self._scopes(path)) if isinstance(one, ClassScope))

    def abstract_left(self, ref: ClassRef) -> tuple[Member, ...]:
        """Abstract members that nothing in the chain has filled (what `__abstractmethods__` holds)."""
        left: dict[str, Member] = {}
        seen: set[str] = set()
        for one in self.linear(ref).order:
            for name, rows in self.members.own(one).items():
                row = next((row for row in rows if row.kind not in ("instance", "annotation")), None)
                if row is not None and name not in seen:
                    seen.add(name)
                    if self._is_abstract(row):
                        left[name] = row
        return tuple(left[name] for name in sorted(left))

    def _is_abstract(self, member: Member) -> bool:
        scope = self.world.facts(member.path).scopes[member.scope] if member.scope >= 0 else None
        decorators = scope.decorators if isinstance(scope, FunctionScope) else ()
        return any(one.text.rpartition(".")[2].startswith("abstract") for one in decorators)

    def forwarders(self, ref: ClassRef) -> tuple[Member, ...]:
        """`__getattr__` and `__getattribute__` in the chain (those of classes written in C left out)."""
        found = (*self.lookup(ref, "__getattr__"), *self.lookup(ref, "__getattribute__"))
        return tuple(one for one in found if one.kind != "builtin")
