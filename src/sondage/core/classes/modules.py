"""Owns the way from paths to module names and back: source roots, namespace packages, stubs, packages under another name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from sondage.core.classes.settings import Mapped, mapped_folders
from sondage.core.classes.votes import Tree, Votes
from sondage.core.source.facts import FileFacts

LAYOUT_VERSION = 1
"""Raised when the same files come to bear other names: layouts are kept."""
_SUFFIXES = (".py", ".pyi")


class Layout(msgspec.Struct, frozen=True, dict=True):
    """Which file is which module. Build it with `infer_layout`.

    `modules` maps each path to its module name (`a/b/__init__.py` → `a.b`); `roots` are the source roots, relative to the
    root of the index (`""` is the root itself); `stubs` maps a source file to the `.pyi` beside it.
    """

    modules: Mapping[str, str]
    roots: tuple[str, ...] = ("",)
    stubs: Mapping[str, str] = {}

    def module_of(self, path: str) -> str:
        """The module name of a file; empty where the path is not in the layout."""
        return self.modules.get(path, "")

    def path_of(self, module: str, near: str = "") -> str | None:
        """The file of a module (source before stub); the one whose path is nearest to `near` where several roots have it."""
        found = self._paths.get(module)
        if not found:
            return None
        if len(found) == 1 or not near:
            return found[0]
        return max(found, key=lambda path: (_common(path, near), -found.index(path)))

    def is_package(self, module: str) -> bool:
        """True for packages with a folder, `__init__` or not."""
        return module in self._packages

    def has_last_part(self, name: str) -> bool:
        """Whether the name of some module ends with this part."""
        return name in self._last_parts

    @cached_property
    def _last_parts(self) -> frozenset[str]:
        return frozenset(module.rpartition(".")[2] for module in self.modules.values())

    def package_of(self, path: str) -> str:
        """What a leading dot stands for in a file: its own name for an `__init__`, else the package around it."""
        module = self.module_of(path)
        return module if is_init(path) else module.rpartition(".")[0]

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path, module in self.modules.items():
            found.setdefault(module, []).append(path)
        return {module: tuple(sorted(paths, key=_rank) if len(paths) > 1 else paths) for module, paths in found.items()}

    @cached_property
    def _packages(self) -> frozenset[str]:
        above: set[str] = set()
        for module in self.modules.values():
            while (module := module.rpartition(".")[0]) and module not in above:
                above.add(module)
        return frozenset(above).union(module for path, module in self.modules.items() if is_init(path))


def infer_layout(
    paths: Sequence[str],
    facts: Mapping[str, FileFacts],
    settings: Mapping[str, str] | None = None,
    stated: Sequence[str] = (),
    root_name: str = "",
) -> Layout:
    """Module names for all `paths` (relative to the root of the index, `/` separated).

    `settings` are the texts of `pyproject.toml`, `setup.cfg` and `setup.py` files by path, read as text and never run.
    `stated` are the source roots the user named; they come first, and the rest is inferred. `root_name` is the name of
    the root's own folder: it names the package where the root lies inside of one.
    """
    imported = {path: imports_of(file) for path, file in facts.items()}
    return layout_by_imports(paths, imported, settings or {}, stated, root_name)


def imports_of(facts: FileFacts) -> set[str]:
    """The modules that a file imports by their absolute names: all of it that its tree's layout rests on."""
    return {one.module for one in facts.imports if not one.level}


def layout_by_imports(
    paths: Iterable[str],
    imported: Mapping[str, Iterable[str]],
    settings: Mapping[str, str],
    stated: Sequence[str],
    root_name: str,
) -> Layout:
    """As `infer_layout`, of which `imported` has what `imports_of` each file gave."""
    sources = sources_among(paths)
    votes = Votes(Tree(sources), imported)
    return laid_out(sources, votes, mapped_roots(stated, settings), root_name, bool(stated))


def sources_among(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if path.endswith(_SUFFIXES)]


def mapped_roots(stated: Sequence[str], settings: Mapping[str, str]) -> list[Mapped]:
    """The source roots that the user or the project's settings name, the deepest first, the user's before the others."""
    own = [Mapped(root.strip("/").removeprefix("./").removesuffix("."), "") for root in stated]
    return sorted([*own, *mapped_folders(settings)], key=lambda one: -len(one.folder))


def laid_out(sources: Sequence[str], votes: Votes, mapped: Sequence[Mapped], root_name: str, stated: bool) -> Layout:
    """The layout that votes make. `stated`: the user names the source roots, so no vote is asked about them."""
    prefix = votes.prefix_of_root(root_name)
    if prefix:
        votes.count_below(prefix)
    modules: dict[str, str] = {}
    roots: dict[str, None] = {}
    for path in sources:
        folder, above = _placed(path, votes, mapped, stated)
        inner = path[len(folder) + 1 :] if folder else path
        name = dotted_path(inner)
        above = above or (prefix if not folder else "")
        modules[path] = ".".join(part for part in (above, name) if part) or root_name
        roots[folder] = None
    stubs = {path: path + "i" for path in modules if path.endswith(".py") and path + "i" in modules}
    return Layout(modules, tuple(roots), stubs)


def dotted_path(path: str) -> str:
    """`a/b/c.py` → `a.b.c`; `a/__init__.py` → `a`."""
    inner = path.removesuffix("i").removesuffix(".py")
    return inner.removesuffix("__init__").rstrip("/").replace("/", ".")


def is_init(path: str) -> bool:
    return path.rpartition("/")[2] in ("__init__.py", "__init__.pyi")


def _rank(path: str) -> tuple[bool, bool, int, str]:
    """Source before stub, package before module (as the import system finds them), shallow before deep."""
    return path.endswith(".pyi"), not is_init(path), path.count("/"), path


def _common(path: str, near: str) -> int:
    """How many leading folders two paths share."""
    count = 0
    for one, other in zip(path.split("/")[:-1], near.split("/")[:-1], strict=False):
        if one != other:
            break
        count += 1
    return count


def _placed(path: str, votes: Votes, mapped: Sequence[Mapped], stated: bool) -> tuple[str, str]:
    """The source root of a file, and the dotted name that stands above it."""
    for one in mapped:
        if one.holds(path) and (stated or one.prefix or votes.favours(one.folder, path)):
            return one.folder, one.prefix
    return votes.root_of(path), ""
