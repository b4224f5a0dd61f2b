"""Small trees for the tests of names, classes and layouts: a hierarchy from sources, with expectations in their comments.

A `class` line that ends in `# mro: A B object` expects exactly that order, by last names; `# open: A B …` the same of a chain
that is not complete; `# error: text` the beginning of Python's message.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import dedent

from sondage.core.answers.certainty import Candidates
from sondage.core.classes.hierarchy import Hierarchy, Library
from sondage.core.classes.modules import infer_layout
from sondage.core.classes.refs import ClassRef
from sondage.core.source.extract import extract
from sondage.core.source.facts import FileFacts

STDLIB = Path(sysconfig.get_paths()["stdlib"])
_MARK = re.compile(r"class\s+\w+.*#\s*(mro|open|error): (.*)$")


def facts_of(source: str) -> FileFacts:
    return extract(dedent(source).encode())


def hierarchy(
    files: Mapping[str, str] | str,
    *,
    settings: Mapping[str, str] | None = None,
    roots: Sequence[str] = (),
    python: tuple[int, ...] = (3, 12),
) -> Hierarchy:
    """The hierarchy of these files (path → source); one source alone is `app.py`."""
    files = {"app.py": files} if isinstance(files, str) else files
    facts = {path: facts_of(source) for path, source in files.items()}
    return Hierarchy.build(facts, infer_layout(list(facts), facts, settings, roots), python=python)


def the_class(tree: Hierarchy, name: str) -> ClassRef:
    found = tree.find_class(name)
    assert not isinstance(found, Candidates), found
    return found


def order(tree: Hierarchy, name: str) -> list[str]:
    """The MRO of a class by last names."""
    return [one.name.rpartition(".")[2] for one in tree.linear(the_class(tree, name)).order]


def check(files: Mapping[str, str] | str, **options: object) -> Hierarchy:
    """Every marked class has the order its comment says."""
    files = {"app.py": files} if isinstance(files, str) else files
    tree = hierarchy(files, **options)  # type: ignore[arg-type]
    count = 0
    for path, source in files.items():
        for number, line in enumerate(dedent(source).split("\n"), start=1):
            mark = _MARK.search(line)
            if mark is None:
                continue
            count += 1
            ref = tree.class_at(path, number)
            assert ref is not None, line
            linear = tree.linear(ref)
            names = [one.name.rpartition(".")[2] for one in linear.order]
            if mark[1] == "error":
                assert (linear.error or "").startswith(mark[2]), (line, linear)
            else:
                assert names == mark[2].split(), (line, linear)
                assert bool(linear.open_ends) == (mark[1] == "open"), (line, linear)
    assert count, "no class is marked"
    return tree


def with_standard_library(tree: Hierarchy, *names: str) -> Hierarchy:
    """The same, with the library files that the chains of these classes lead to, from the Python that runs the tests."""
    tried: set[str] = set()
    while wanted := {module for name in names for module in tree.wanted(the_class(tree, name))} - tried:
        tried |= wanted
        read = [library for module in sorted(wanted) if (library := _library(module))]
        tree = tree.with_libraries(read, wanted - {library.module for library in read})
    return tree


def _library(module: str) -> Library | None:
    inner = module.replace(".", "/")
    for path in (f"{inner}/__init__.py", f"{inner}.py"):
        if (STDLIB / path).is_file():
            return Library(f"stdlib/{path}", module, extract((STDLIB / path).read_bytes()), "the running Python's own")
    return None
