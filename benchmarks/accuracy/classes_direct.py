"""Answers the MRO and member questions of `score.py` straight from the core, without command line, store or processes.

    python benchmarks/accuracy/classes_direct.py QUESTIONS SITE ANSWERS [--lib STDLIB_DIR]

SITE is the folder of `get_packages.py`; the standard library that classes lead to is read from STDLIB_DIR (default: that of
the running Python), only the files on a chain.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sysconfig
import time
from collections.abc import Iterable

from sondage.core.classes.hierarchy import Hierarchy, Library
from sondage.core.classes.modules import infer_layout
from sondage.core.classes.refs import ClassRef
from sondage.core.source.extract import extract


def read_root(root: pathlib.Path) -> Hierarchy:
    """The hierarchy of every Python file below a folder."""
    paths = sorted(str(path.relative_to(root)) for path in root.rglob("*.py"))
    facts = {path: extract((root / path).read_bytes()) for path in paths}
    return Hierarchy.build(facts, infer_layout(paths, facts))


def complete(hierarchy: Hierarchy, classes: Iterable[ClassRef], lib: pathlib.Path) -> Hierarchy:
    """The same, with the library files that the chains of some classes lead to."""
    classes = list(classes)
    tried: set[str] = set()
    while True:
        wanted = {module for ref in classes for module in hierarchy.wanted(ref)} - tried
        if not wanted:
            return hierarchy
        tried |= wanted
        found = [library for module in sorted(wanted) if (library := read_library(module, lib))]
        absent = wanted - {library.module for library in found}
        hierarchy = hierarchy.with_libraries(found, absent)


def read_library(module: str, lib: pathlib.Path) -> Library | None:
    inner = module.replace(".", "/")
    for path in (f"{inner}/__init__.py", f"{inner}.py"):
        if (lib / path).is_file():
            return Library(
                f"stdlib:{path}", module, extract((lib / path).read_bytes()), "the running Python's own library"
            )
    return None


def answer(hierarchy: Hierarchy, question: dict[str, str]) -> object:
    ref = hierarchy.class_at(question["file"], int(question["line"]))
    if ref is None:
        found = hierarchy.find_class(question["class"])
        ref = found if isinstance(found, ClassRef) else None
    if ref is None:
        return None
    if question["q"] == "mro":
        return list(hierarchy.mro(ref).mro) or None
    row = (hierarchy.mro(ref, members=True).members or {}).get(question["name"])
    return {"definer": row.owner, "file": row.path, "line": row.line} if row else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("answers", type=pathlib.Path)
    parser.add_argument("--lib", type=pathlib.Path, default=pathlib.Path(sysconfig.get_paths()["stdlib"]))
    args = parser.parse_args()
    questions = [json.loads(line) for line in args.questions.read_text(encoding="utf-8").splitlines()]
    questions = [one for one in questions if one["q"] in ("mro", "member") and not one["file"].startswith("stdlib:")]
    started = time.process_time()
    hierarchy = read_root(args.root)
    read = time.process_time()
    places = {(one["file"], int(one["line"])) for one in questions}
    asked = [ref for path, line in sorted(places) if (ref := hierarchy.class_at(path, line))]
    hierarchy = complete(hierarchy, asked, args.lib)
    completed = time.process_time()
    with args.answers.open("w", encoding="utf-8") as out:
        for question in questions:
            out.write(json.dumps({"id": question["id"], "answer": answer(hierarchy, question)}) + "\n")
    ended = time.process_time()
    print(f"read {read - started:.1f} s, libraries {completed - read:.1f} s, answers {ended - completed:.1f} s")


if __name__ == "__main__":
    main()
