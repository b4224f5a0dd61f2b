"""Owns all files together: those of the root and the library files that were read, by path and by module name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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


class World:
    """Immutable. `absent` are modules that were looked for among the libraries and are not there."""

    def __init__(
        self,
        files: Mapping[str, FileFacts],
        layout: Layout,
        libraries: Iterable[Library] = (),
        absent: Iterable[str] = (),
        python: tuple[int, ...] = (3, 12),
        known: dict[str, Bindings] | None = None,
    ) -> None:
        self.own = files
        self.layout = layout
        self.libraries = {one.path: one for one in libraries}
        self.absent = frozenset(absent)
        self.python = python
        self.files: dict[str, FileFacts] = {**files, **{path: one.facts for path, one in self.libraries.items()}}
        self._library_modules = {one.module: path for path, one in self.libraries.items()}
        self._library_packages = {
            ".".join(parts[:count])
            for module, path in self._library_modules.items()
            for parts in [module.split(".")]
            for count in range(1, len(parts) + is_init(path))
        }
        self._bindings: dict[str, Bindings] = {} if known is None else known

    def with_libraries(self, libraries: Iterable[Library], absent: Iterable[str]) -> World:
        """The same with more library files; what was worked out about single files is shared."""
        together = [*self.libraries.values(), *libraries]
        return World(self.own, self.layout, together, self.absent | set(absent), self.python, self._bindings)

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
        for assigned in self.files[path].assignments:
            if assigned.name == "__name__" and assigned.scope == 0 and assigned.value is not None:
                text = assigned.value.text
                if text[:1] in "\"'" and text[-1:] == text[:1] and text[1:-1].replace(".", "").isidentifier():
                    return text[1:-1]
        return self.module_of(path) or dotted_path(path)
