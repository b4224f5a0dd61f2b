"""Owns the layout of a tree of which few files are read: it is told where no import of the others could change it.

What the others import is looked for in their bytes, and more is found than there is: prose, or code in a text. So the
votes of a folder lie between those that were read and those that were found, and a root is settled where it has more
of the former than every other has of the latter.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy

from sondage.core.classes.modules import Layout, laid_out, mapped_roots, sources_among
from sondage.core.classes.settings import Mapped
from sondage.core.classes.votes import Tree, Votes, first, splits, stem
from sondage.core.source.facts import FileFacts
from sondage.core.source.text import SourceText, declared_encoding

_FROM = re.compile(rb"from[ \t\f]+([^\n\r#;\\]+?)[ \t\f]+import\b")
_FROM_CONTINUES = re.compile(rb"from[ \t\f]*[^ \t\f\n\r#;\\]*[ \t\f]*\\[\r\n]")
_FROM_OVER_LINES = re.compile(rb"from\b((?:[^\n\r#;\\]|\\\r?\n?)+?)\bimport\b")
_IMPORT = re.compile(
    rb"import\b(?:(?<=[\s;:][ \t\f]import)|(?<=[\s;:]import)(?<![ \t]import)|(?<!.import))"
    rb"([^\n\r#;\\]*(?:\\\r?\n?[^\n\r#;\\]*)*)",
    re.DOTALL,
)
"""The word where a statement may begin, and what follows. Behind `from x` stands but one blank, as a rule."""
_RENAMED = re.compile(rb"[\s\\]as[\s\\].*", re.DOTALL)
_BLANK = re.compile(rb"[\s\\]+")
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
    most = Votes(tree, imports_found(files))
    mapped = mapped_roots(stated, settings)
    prefix = _only_prefix(most, root_name)
    needed = None if prefix is None else _needed(_below(most, prefix), sources, mapped, bool(stated))
    read: dict[str, set[str]] = {}
    unread = iter(sorted(sources, key=lambda path: len(files[path])))
    while needed is not None and len(read) < MOST_READ:
        least = _below(Votes(tree, read), prefix)
        lacking = {name for (folder, name), votes in needed.items() if least.counted[folder, name] < votes}
        if not lacking and (not prefix or least.prefixes()):
            return laid_out(sources, most, mapped, root_name, bool(stated))
        path = next((path for path in unread if _votes_for(files[path], lacking, prefix)), None)
        if path is None:
            return None
        read[path] = {one.module for one in facts[path].imports if not one.level}
    return None


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


def _votes_for(data: bytes, names: Iterable[str], prefix: str | None) -> bool:
    """Whether a file may import something that begins with one of the names."""
    starts = {f"{prefix}.{name}" if prefix else name for name in names} or {prefix or ""}
    modules = imports_found({"": data})[""]
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


def imports_found(files: Mapping[str, bytes]) -> dict[str, Counter[str]]:
    """By folder (as `a/b/`), at least every module that each file in it imports by its absolute name, and how often."""
    folders: dict[str, list[bytes]] = {}
    for path, data in files.items():
        odd = b"\0" in data or (b"coding" in data[:1000] and declared_encoding(data) not in (None, "utf-8"))
        folders.setdefault(path[: path.rfind("/") + 1], []).append(SourceText(data).utf8 if odd else data)
    names = _Names()
    return {folder: _imports_in(b"\n\n".join(texts), names) for folder, texts in folders.items()}


def _imports_in(data: bytes, names: _Names) -> Counter[str]:
    written = Counter(_FROM.findall(data))
    if _FROM_CONTINUES.search(data):
        written.update(_FROM_OVER_LINES.findall(data))
    for listed, times in Counter(_IMPORT.findall(data)).items():
        for part in listed.split(b",") if b"," in listed else (listed,):
            written[_RENAMED.sub(b"", part) if b"as" in part else part] += times
    found: Counter[str] = Counter()
    for one, times in written.items():
        if name := names[one]:
            found[name] += times
    return found


class _Names(dict[bytes, str]):
    """From what is written to the name, empty where it is none or a relative one; most are written many times."""

    def __missing__(self, written: bytes) -> str:
        name = _BLANK.sub(b"", written).decode("utf-8", "replace")
        name = name if name.isascii() else unicodedata.normalize("NFKC", name)
        self[written] = name if all(part.isidentifier() for part in name.split(".")) else ""
        return self[written]
