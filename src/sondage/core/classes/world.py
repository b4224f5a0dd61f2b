"""Owns all files together: those of the root and the library files that were read, by path and by module name."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import msgspec

from sondage.core.classes.bindings import Bindings
from sondage.core.classes.builtin_classes import MODULES
from sondage.core.classes.modules import Layout, dotted_path, is_init
from sondage.core.source.facts import FileFacts


class Library(msgspec.Struct, frozen=True):
    """A file outside the root that was read because a chain leads there.

    `path` is what faces show and keys the facts (it must not be a path of the root); `module` its full name. `stand_in` says
    what it stands in for ("standard library of the Python that runs sondage, 3.12"); empty where it is the host's own.
    """

    path: str
    module: str
    facts: FileFacts
    stand_in: str = ""


Mention: TypeAlias = str | tuple[str, ...]
"""What a text may hold: a name; one that is bound there, or is an attribute that is set (`x =`); one that comes from another
file, by an import or behind a dot (`. x`); a keyword with a name (`class X`, `def x`); or all that a tuple lists."""
Mentions: TypeAlias = Callable[[Iterable[Mention] | None], Iterable[str]]
"""From several of them to the paths of the root's files whose text holds one; a superset is fine. None is for all files."""


class World:
    """Immutable. `absent` are modules that were looked for among the libraries and are not there.

    With `mentions` the facts of a file are only asked for where a question leads to it, by an import or by a name that
    stands in its text: `files` may then be a mapping that reads them at that moment. Without, every file is as good.
    """

    def __init__(
        self,
        files: Mapping[str, FileFacts],
        layout: Layout,
        libraries: Iterable[Library] = (),
        absent: Iterable[str] = (),
        python: tuple[int, ...] = (3, 12),
        known: dict[str, Bindings] | None = None,
        mentions: Mentions | None = None,
    ) -> None:
        self.own = files
        self.mentions = mentions
        self.layout = layout
        self.libraries = {one.path: one for one in libraries}
        self.absent = frozenset(absent)
        self.python = python
        read = {path: one.facts for path, one in self.libraries.items()}
        self.files: Mapping[str, FileFacts] = {**files, **read} if mentions is None else ChainMap(read, files)  # type: ignore[arg-type]
        self._library_modules = {one.module: path for path, one in self.libraries.items()}
        self._library_packages = {
            ".".join(parts[:count])
            for module, path in self._library_modules.items()
            for parts in [module.split(".")]
            for count in range(1, len(parts) + is_init(path))
        }
        self._bindings: dict[str, Bindings] = {} if known is None else known
        self._display_modules: dict[str, tuple[FileFacts, str]] = {}

    def with_libraries(self, libraries: Iterable[Library], absent: Iterable[str]) -> World:
        """The same with more library files; what was worked out about single files is shared."""
        together = [*self.libraries.values(), *libraries]
        absent = self.absent | set(absent)
        return World(self.own, self.layout, together, absent, self.python, self._bindings, self.mentions)

    # ---- modules

    def module_of(self, path: str) -> str:
        library = self.libraries.get(path)
        return library.module if library else self.layout.module_of(path)

    def package_of(self, path: str) -> str:
        """What one leading dot stands for in a file."""
        module = self.module_of(path)
        return module if is_init(path) else module.rpartition(".")[0]

    def path_of(self, module: str, near: str = "") -> str | None:
        """The file of a module as seen from the file `near`: a library sees libraries first, the root its own files.

        A file of the root that bears the name of a standard module is only seen from below its own source root.
        """
        library = self._library_modules.get(module)
        if library and near in self.libraries:
            return library
        own = self.layout.path_of(module, near)
        if own is None or own not in self.files:
            return library
        if near and module.partition(".")[0] in MODULES and not self._shadows(own, module, near):
            return library
        return own

    def _shadows(self, path: str, module: str, near: str) -> bool:
        inside = path.removesuffix("i").removesuffix(".py").removesuffix("/__init__")
        root = inside[: -len(module)] if inside.replace("/", ".").endswith(module) else ""
        return near not in self.libraries and near.startswith(root)

    def is_package(self, module: str) -> bool:
        return self.layout.is_package(module) or module in self._library_packages

    def exists(self, module: str, near: str = "") -> bool:
        return self.path_of(module, near) is not None or self.is_package(module)

    # ---- many files

    def every_path(self) -> Sequence[str]:
        """In order: the root's own by their paths, then the libraries."""
        return self._every_path if self.mentions is None else [*self.own_paths(), *sorted(self.libraries)]

    @cached_property
    def _every_path(self) -> list[str]:
        return [*sorted(self.own), *sorted(self.libraries)]

    def own_paths(self) -> list[str]:
        """Those of the root's own files, for a question about all of them."""
        return sorted(self.own if self.mentions is None else self.mentions(None))

    def in_order(self, paths: Iterable[str]) -> list[str]:
        return sorted(paths, key=lambda path: (path in self.libraries, path))

    def mentioning(self, mentions: Iterable[Mention]) -> Sequence[str]:
        """The files that hold one of the mentions, in order. Library files are few, and always among them."""
        return (
            self.every_path() if self.mentions is None else self.in_order([*self.mentions(mentions), *self.libraries])
        )

    # ---- single files

    def facts(self, path: str) -> FileFacts:
        return self.files[path]

    def bindings(self, path: str) -> Bindings:
        found = self._bindings.get(path)
        if found is None or found.facts is not self.files[path]:
            found = self._bindings[path] = Bindings(self.files[path])
        return found

    def display_module(self, path: str) -> str:
        """The module that Python would name for classes of a file: a module may rename itself by `__name__ = "…"`."""
        facts = self.files[path]
        kept = self._display_modules.get(path)
        if kept is None or kept[0] is not facts:
            kept = self._display_modules[path] = facts, self._display_module(path, facts)
        return kept[1]

    def _display_module(self, path: str, facts: FileFacts) -> str:
        for assigned in facts.assignments:
            if assigned.name == "__name__" and assigned.scope == 0 and assigned.value is not None:
                text = assigned.value.text
                if text[:1] in "\"'" and text[-1:] == text[:1] and text[1:-1].replace(".", "").isidentifier():
                    return text[1:-1]
        return self.module_of(path) or dotted_path(path)
