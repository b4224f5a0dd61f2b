"""Owns the layout of a tree of which few files are read: it is told where no import of the others could change it.

What the others import is looked for in their bytes, and more is found than there is: prose, or code in a text. So the
votes of a folder lie between those that were read and those that were found, and a root is settled where it has more
of the former than every other has of the latter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

from sondage.core.classes.imports_in_text import imports_found
from sondage.core.classes.modules import Layout, imports_of, laid_out, mapped_roots, sources_among
from sondage.core.classes.settings import Mapped
from sondage.core.classes.votes import Tree, Votes, first, splits, stem
from sondage.core.source.facts import FileFacts

MOST_READ = 60
"""Files that are read for their votes; where more would be needed all may as well be."""


def settled_layout(
    files: Mapping[str, bytes],
    facts: Mapping[str, FileFacts],
    settings: Mapping[str, str],
    stated: Sequence[str] = (),
    root_name: str = "",
) -> Layout | None:
    """What `infer_layout` makes of the facts of all files, reading as few as it takes; None where it takes too many.

    `files` are their bytes by path; `facts` is asked for single files, small ones first. The rest as there.
    """
    sources = sources_among(files)
    tree = Tree(sources)
    found = imports_found(files)
    most = Votes(tree, _by_folder(found))
    mapped = mapped_roots(stated, settings)
    prefix = _only_prefix(most, root_name)
    needed = None if prefix is None else _needed(_below(most, prefix), sources, mapped, bool(stated))
    if needed is None:
        return None
    read = Votes(tree, {})
    unread = iter(sorted(sources, key=lambda path: len(files[path])))
    for _ in range(MOST_READ):
        least = _below(read, prefix)
        lacking = {name for (folder, name), votes in needed.items() if least.counted[folder, name] < votes}
        if not lacking and (not prefix or least.prefixes()):
            return laid_out(sources, most, mapped, root_name, bool(stated))
        path = next((path for path in unread if _votes_for(found[path], lacking, prefix)), None)
        if path is None:
            return None
        read.add({path: imports_of(facts[path])})
    return None


def _by_folder(found: Mapping[str, Iterable[str]]) -> dict[str, Counter[str]]:
    """What the files of a folder (as `a/b/`) import together: names mean the same in all of them."""
    folders = defaultdict[str, Counter[str]](Counter)
    for path, modules in found.items():
        folders[path[: path.rfind("/") + 1]].update(modules)
    return folders


def _only_prefix(most: Votes, root_name: str) -> str | None:
    """The package around the root, which nothing can contradict, or that there is none (empty); None for no such luck."""
    prefixes = most.prefixes()
    named = [prefix for prefix in prefixes if prefix.rpartition(".")[2] == root_name]
    return "" if not prefixes else named[0] if len(named) == 1 else None


def _below(votes: Votes, prefix: str | None) -> Votes:
    """The same votes with those of names that begin with the package around the root."""
    if not prefix:
        return votes
    whole = copy(votes)
    whole.counted = votes.counted.copy()
    whole.count_below(prefix)
    return whole


def _votes_for(modules: Iterable[str], names: Iterable[str], prefix: str | None) -> bool:
    """Whether one of the modules begins with one of the names."""
    starts = {f"{prefix}.{name}" if prefix else name for name in names} or {prefix or ""}
    return any(module == start or module.startswith(f"{start}.") for module in modules for start in starts)


def _needed(
    most: Votes, sources: Iterable[str], mapped: Sequence[Mapped], stated: bool
) -> dict[tuple[str, str], int] | None:
    """(root, name in it) → votes that the root needs to be the one; None where a root is not settled by more votes."""
    needed: dict[tuple[str, str], int] = {}
    alike: set[str] = set()
    for path in sources:
        root = next((one for one in mapped if one.holds(path)), None)
        if root is not None and (stated or root.prefix):
            continue
        own = path.rpartition("/")[0]
        if root is None and most.natural_root(path) != own and (own, stem(path)) not in most.counted:
            if own in alike:  # as another file there: nothing is voted for in which they differ
                continue
            alike.add(own)
        folder = most.natural_root(path) if root is None else root.folder
        scripts = root is None and folder != "" and most.has_script_neighbours(folder)
        if scripts:  # or a likeness of names: both ways lead to the top where enough names start there
            folder = ""
        votes = max(_rival(most, path, folder, inside=root is None and not scripts), scripts)
        if votes > most.own(folder, path):
            return None
        if votes:
            pair = folder, first(path, folder)
            needed[pair] = max(needed.get(pair, 0), votes)
    return needed


def _rival(most: Votes, path: str, root: str, *, inside: bool) -> int:
    """The votes that a root needs to stand against every other folder above a file."""
    needed = 0
    for folder, name in splits(path):
        votes = most.counted[folder, name] if folder != root else 0
        if votes and inside and most.tree.is_package(folder) and folder.startswith(root):
            votes = max((votes - 3 + 9) // 10, root == path.rpartition("/")[0])
        needed = max(needed, votes)
    return needed
