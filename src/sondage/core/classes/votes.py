"""Owns the votes on where module names start: each absolute import that leads to a file of the tree is one for a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from sondage.core.classes.builtin_classes import MODULES

_SOURCE_FOLDERS = frozenset({"src", "lib", "python", "source"})
"""Folders that hold packages but are none, where nothing else speaks for or against them."""
_MIN_PREFIX_VOTES = 2


class Tree:
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


class Votes:
    """What the imports of the sources say about where names start.

    `imported` are the modules imported by absolute names, by the file (or the folder, `a/b/`) they are imported in.
    """

    def __init__(self, tree: Tree, imported: Mapping[str, Iterable[str]]) -> None:
        self.tree = tree
        self.counted: Counter[tuple[str, str]] = Counter()
        """(folder, name of the module or package in it) → number of imports that start there."""
        self.neighbours: Counter[tuple[str, str]] = Counter()
        """The same for bare names of modules beside the importing file: scripts that lie together, or a mere likeness."""
        self.homeless: Counter[tuple[str, ...]] = Counter()
        self._natural: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._prefixes: Counter[str] | None = None
        self.add(imported)

    def add(self, imported: Mapping[str, Iterable[str]]) -> None:
        """Counts the imports of more files. A name of several parts means the same from everywhere and is looked up once."""
        self._natural, self._roots, self._prefixes = {}, {}, None
        dotted: Counter[str] = Counter()
        for path, modules in imported.items():
            here = path.rpartition("/")[0]
            for module, times in (modules if isinstance(modules, Counter) else Counter(modules)).items():
                if "." in module:
                    dotted[module] += times
                else:
                    self._count((module,), here, times)
        for module, times in dotted.items():
            self._count(tuple(module.split(".")), "", times)

    def _count(self, names: tuple[str, ...], here: str, times: int) -> None:
        found = False
        for folder in self.tree.parents.get(names[0], ()):
            if len(names) > 1:
                holds = self.tree.holds(folder, names)
                found = found or holds
                if holds:
                    self.counted[folder, names[0]] += times
            elif names[0] not in MODULES and self.tree.is_package(_joined(folder, names[0])):
                found = True
                self.counted[folder, names[0]] += times
            elif names[0] not in MODULES and folder == here:
                self.neighbours[folder, names[0]] += times
        if not found and names[0] not in MODULES and len(names) > 1:
            self.homeless[names] += times

    def favours(self, folder: str, path: str) -> bool:
        """Whether nothing speaks for another root than `folder` for a file in it."""
        return self.own(folder, path) >= self.most(path)

    def own(self, folder: str, path: str) -> int:
        """The votes for a folder as the root of a file."""
        return self.counted[folder, first(path, folder)]

    def most(self, path: str) -> int:
        """The most votes that any folder above a file has as its root."""
        return max((self.counted[pair] for pair in splits(path)), default=0)

    def root_of(self, path: str) -> str:
        """The folder that most imports start from; without votes, the one that packages and habits point to."""
        folder = path.rpartition("/")[0]
        natural = self.natural_root(path)
        if natural == folder or (folder, stem(path)) in self.counted:
            return self._elected(path, natural)
        root = self._roots.get(folder)  # all its other files differ in nothing that is voted for
        if root is None:
            root = self._roots[folder] = self._elected(path, natural)
        return root

    def _elected(self, path: str, natural: str) -> str:
        best, most = natural, self.own(natural, path)
        if not most and natural == path.rpartition("/")[0] and self.most(path):
            best = ""
        for folder, name in splits(path):
            count = self.counted[folder, name]
            if count > self.needed(folder, natural, most):
                best, most = folder, count
        return best

    def needed(self, folder: str, natural: str, most: int) -> int:
        """What a folder has to have more votes than, where another has `most`: inside of a package far more than that."""
        return most * 10 + 3 if self.tree.is_package(folder) and folder.startswith(natural) else most

    def natural_root(self, path: str) -> str:
        """Above the outermost package that holds the file; below a folder such as `src`; where its neighbours start."""
        folder = path.rpartition("/")[0]
        root = self._natural.get(folder)
        if root is None:
            root = self._natural[folder] = self._natural_root(folder)
        return root

    def _natural_root(self, own: str) -> str:
        top = folder = own
        while folder:
            if self.tree.is_package(folder):
                top = folder.rpartition("/")[0]
            folder = folder.rpartition("/")[0]
        parts = top.split("/") if top else []
        for count in range(len(parts), 0, -1):
            above = "/".join(parts[:count])
            if parts[count - 1] in _SOURCE_FOLDERS and not self.tree.is_package(above):
                return above
        return top if top == own and self.has_script_neighbours(top) else ""

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
        found = self.prefixes()
        named = {prefix: count for prefix, count in found.items() if prefix.rpartition(".")[2] == root_name}
        if named:
            return max(named, key=lambda prefix: named[prefix])
        inside = sum(count for (folder, _), count in self.counted.items() if not folder)
        if found:
            prefix, count = found.most_common(1)[0]
            if (self.tree.is_package("") and count >= 1) or count >= max(_MIN_PREFIX_VOTES, 3 * inside + 1):
                return prefix
        return root_name if self.tree.is_package("") else ""

    def prefixes(self) -> Counter[str]:
        """The packages that the root may lie in, with the imports that speak for each."""
        if self._prefixes is not None:
            return self._prefixes
        found = self._prefixes = Counter()
        for names, count in self.homeless.items():
            for cut in range(1, len(names)):
                if self.tree.holds("", names[cut:]):
                    found[".".join(names[:cut])] += count
        return found

    def count_below(self, prefix: str) -> None:
        """Counts the imports that the prefix of the root explains as imports from the root."""
        self._roots = {}
        cut = prefix.count(".") + 1
        for names, count in self.homeless.items():
            if ".".join(names[:cut]) == prefix and len(names) > cut and self.tree.holds("", names[cut:]):
                self.counted["", names[cut]] += count


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def first(path: str, folder: str) -> str:
    """The name of the module or package in a folder that leads to a file."""
    inside = path[len(folder) + 1 :] if folder else path
    name, slash, _ = inside.partition("/")
    return name if slash else stem(name)


def stem(path: str) -> str:
    """The name of a file without its ending."""
    return path.rpartition("/")[2].rpartition(".")[0]


def splits(path: str) -> Iterable[tuple[str, str]]:
    """Every folder above a path, with the name that follows it."""
    parts = path.split("/")
    for count in range(len(parts)):
        name = parts[count] if count + 1 < len(parts) else parts[count].rpartition(".")[0]
        yield "/".join(parts[:count]), name
