"""Owns the way from paths to module names and back: source roots, namespace packages, stubs, packages under another name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import msgspec

from sondage.core.classes.builtin_classes import MODULES
from sondage.core.classes.settings import Mapped, mapped_folders
from sondage.core.source.facts import FileFacts

_SUFFIXES = (".py", ".pyi")
_SOURCE_FOLDERS = frozenset({"src", "lib", "python", "source"})
"""Folders that hold packages but are none, where nothing else speaks for or against them."""
_MIN_PREFIX_VOTES = 2


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

    def package_of(self, path: str) -> str:
        """What a leading dot stands for in a file: its own name for an `__init__`, else the package around it."""
        module = self.module_of(path)
        return module if is_init(path) else module.rpartition(".")[0]

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for path, module in self.modules.items():
            found.setdefault(module, []).append(path)
        return {module: tuple(sorted(paths, key=_rank)) for module, paths in found.items()}

    @cached_property
    def _packages(self) -> frozenset[str]:
        found = {module for path, module in self.modules.items() if is_init(path)}
        for module in self.modules.values():
            while module := module.rpartition(".")[0]:
                if module in found:
                    continue
                found.add(module)
        return frozenset(found)


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
    sources = [path for path in paths if path.endswith(_SUFFIXES)]
    tree = _Tree(sources)
    votes = _Votes(tree, facts)
    mapped = [
        *(Mapped(root.strip("/").removeprefix("./").removesuffix("."), "") for root in stated),
        *mapped_folders(settings or {}),
    ]
    prefix = votes.prefix_of_root(root_name)
    if prefix:
        votes.count_below(prefix)
    modules: dict[str, str] = {}
    roots: dict[str, None] = {}
    for path in sources:
        folder, above = _placed(path, tree, votes, mapped, bool(stated))
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


def _placed(path: str, tree: _Tree, votes: _Votes, mapped: Sequence[Mapped], stated: bool) -> tuple[str, str]:
    """The source root of a file, and the dotted name that stands above it."""
    for one in sorted(mapped, key=lambda one: -len(one.folder)):
        if not one.folder or path.startswith(one.folder + "/"):
            inside = path[len(one.folder) + 1 :] if one.folder else path
            if stated or one.prefix or votes.favours(one.folder, inside):
                return one.folder, one.prefix
    return votes.root_of(path, tree), ""


class _Tree:
    """The folders of the sources and what they hold."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.files = frozenset(paths)
        self.folders: set[str] = set()
        self.parents: dict[str, set[str]] = {}
        """Name of a module or package → the folders that hold it."""
        for path in self.files:
            folder, _, file = path.rpartition("/")
            stem = file.rpartition(".")[0]
            if stem != "__init__":
                self.parents.setdefault(stem, set()).add(folder)
            while folder and folder not in self.folders:
                self.folders.add(folder)
                above, _, name = folder.rpartition("/")
                self.parents.setdefault(name, set()).add(above)
                folder = above

    def is_package(self, folder: str) -> bool:
        inside = f"{folder}/" if folder else ""
        return f"{inside}__init__.py" in self.files or f"{inside}__init__.pyi" in self.files

    def holds(self, folder: str, names: Sequence[str]) -> bool:
        """Whether a dotted name leads from the folder to a file or a folder."""
        inside = "/".join([folder, *names] if folder else names)
        return inside in self.folders or f"{inside}.py" in self.files or f"{inside}.pyi" in self.files


class _Votes:
    """What the imports of the sources say about where names start: every absolute import that leads to a file is a vote."""

    def __init__(self, tree: _Tree, facts: Mapping[str, FileFacts]) -> None:
        self.tree = tree
        self.counted: Counter[tuple[str, str]] = Counter()
        """(folder, name of the module or package in it) → number of imports that start there."""
        self.neighbours: Counter[tuple[str, str]] = Counter()
        """The same for bare names of modules beside the importing file: scripts that lie together, or a mere likeness."""
        self.homeless: Counter[tuple[str, ...]] = Counter()
        for path, file in facts.items():
            here = path.rpartition("/")[0]
            for names in {one.module for one in file.imports if not one.level}:
                self.count(tuple(names.split(".")), here)

    def count(self, names: tuple[str, ...], here: str) -> None:
        found = False
        for folder in self.tree.parents.get(names[0], ()):
            if len(names) > 1:
                found = found or self.tree.holds(folder, names)
                self.counted[folder, names[0]] += self.tree.holds(folder, names)
            elif names[0] not in MODULES and self.tree.is_package(_joined(folder, names[0])):
                found = True
                self.counted[folder, names[0]] += 1
            elif names[0] not in MODULES and folder == here:
                self.neighbours[folder, names[0]] += 1
        if not found and names[0] not in MODULES and len(names) > 1:
            self.homeless[names] += 1

    def favours(self, folder: str, inside: str) -> bool:
        """Whether nothing speaks for another root than `folder` for the file `inside` it."""
        first = inside.partition("/")[0].removesuffix(".py")
        own = self.counted[folder, first]
        return own >= max((self.counted[other] for other in _splits(_joined(folder, inside))), default=0)

    def root_of(self, path: str, tree: _Tree) -> str:
        """The folder that most imports start from; without votes, the one that packages and habits point to."""
        natural = self.natural_root(path, tree)
        best, most = natural, self.counted[natural, _first(path, natural)]
        above = max((self.counted[folder, name] for folder, name in _splits(path)), default=0)
        if above and natural == path.rpartition("/")[0] and not most:
            best = ""
        for folder, name in _splits(path):
            count = self.counted[folder, name]
            inside_package = tree.is_package(folder)
            if count > (most * 10 + 3 if inside_package and folder.startswith(natural) else most):
                best, most = folder, count
        return best

    def natural_root(self, path: str, tree: _Tree) -> str:
        """Above the outermost package that holds the file; below a folder such as `src`; where its neighbours start."""
        folder = path.rpartition("/")[0]
        top = folder
        while folder:
            if tree.is_package(folder):
                top = folder.rpartition("/")[0]
            folder = folder.rpartition("/")[0]
        parts = top.split("/") if top else []
        for count in range(len(parts), 0, -1):
            above = "/".join(parts[:count])
            if parts[count - 1] in _SOURCE_FOLDERS and not tree.is_package(above):
                return above
        if top == path.rpartition("/")[0] and self.has_script_neighbours(top):
            return top
        return ""

    def has_script_neighbours(self, folder: str) -> bool:
        """Whether files of the folder import one another by their bare names, as scripts that lie together do."""
        return folder in self._script_folders

    @cached_property
    def _script_folders(self) -> frozenset[str]:
        return frozenset(folder for folder, name in self.neighbours if self._is_file(folder, name))

    def _is_file(self, folder: str, name: str) -> bool:
        return _joined(folder, f"{name}.py") in self.tree.files and not self.tree.is_package(folder)

    def prefix_of_root(self, root_name: str) -> str:
        """The package that the root itself lies in: what imports that lead nowhere have to be cut by to lead to a file."""
        found: Counter[str] = Counter()
        for names, count in self.homeless.items():
            for cut in range(1, len(names)):
                if self.tree.holds("", names[cut:]):
                    found[".".join(names[:cut])] += count
        named = {prefix: count for prefix, count in found.items() if prefix.rpartition(".")[2] == root_name}
        if named:
            return max(named, key=lambda prefix: named[prefix])
        inside = sum(count for (folder, _), count in self.counted.items() if not folder)
        if found:
            prefix, count = found.most_common(1)[0]
            if (self.tree.is_package("") and count >= 1) or count >= max(_MIN_PREFIX_VOTES, 3 * inside + 1):
                return prefix
        return root_name if self.tree.is_package("") else ""

    def count_below(self, prefix: str) -> None:
        """Counts the imports that the prefix of the root explains as imports from the root."""
        cut = prefix.count(".") + 1
        for names, count in self.homeless.items():
            if ".".join(names[:cut]) == prefix and len(names) > cut and self.tree.holds("", names[cut:]):
                self.counted["", names[cut]] += count


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _first(path: str, folder: str) -> str:
    inside = path[len(folder) + 1 :] if folder else path
    first, slash, _ = inside.partition("/")
    return first if slash else first.rpartition(".")[0]


def _splits(path: str) -> Iterable[tuple[str, str]]:
    """Every folder above a path, with the name that follows it."""
    parts = path.split("/")
    for count in range(len(parts)):
        name = parts[count] if count + 1 < len(parts) else parts[count].rpartition(".")[0]
        yield "/".join(parts[:count]), name
