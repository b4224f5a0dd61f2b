"""Layouts from few files: the same as from all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sondage.core.classes.modules import infer_layout
from sondage.core.classes.settled import settled_layout
from sondage.core.source.extract import extract


def both(
    files: Mapping[str, str], settings: Mapping[str, str] | None = None, root: str = "tree"
) -> tuple[object, object]:
    data = {path: text.encode() for path, text in files.items()}
    facts = {path: extract(source) for path, source in data.items()}
    whole = infer_layout(list(files), facts, settings, (), root)
    return whole, settled_layout(data, facts, settings or {}, (), root)


def test_settled_layout_reads_few_of_many_files() -> None:
    files = {f"shop/part{number}.py": f"from shop.part{number - 1} import x\n" for number in range(1, 200)}
    read: list[str] = []

    class Facts(dict):  # type: ignore[type-arg]
        def __missing__(self, path: str) -> object:
            read.append(path)
            return extract(files[path].encode())

    data = {path: text.encode() for path, text in files.items()}
    layout = settled_layout(data, Facts(), {}, (), "tree")

    assert layout is not None
    assert layout.module_of("shop/part7.py") == "shop.part7"
    assert len(read) < 5


@pytest.mark.parametrize(
    "files",
    [
        {"src/a/__init__.py": "", "src/a/b.py": "import a.c", "src/a/c.py": ""},
        {"python/a/b.py": "from a.c import x", "python/a/c.py": "", "tests/t.py": "import a.b"},
        {
            "a/__init__.py": "",
            "a/b/__init__.py": "",
            "a/b/c.py": "from b.d import x",
            "a/b/d.py": "",
            "a/e.py": "import a.b.c",
        },
        {"scripts/run.py": "import helper", "scripts/helper.py": ""},
        {"a.py": "import b", "b.py": '"""from src.a import b"""'},
        {"a/b.py": "# from lib.a.b import c", "lib/a/b.py": "import a.b"},
        {"__init__.py": "", "b.py": "from tree.c import x", "c.py": "import tree.b"},
    ],
)
def test_settled_layout_is_that_of_all_files_where_there_is_one(files: dict[str, str]) -> None:
    whole, settled = both(files)

    assert settled in (None, whole)


def test_import_that_only_stands_in_a_text_is_not_taken_for_a_vote() -> None:
    """Were it one, the file would be a module of another name."""
    files = {"a/__init__.py": "", "a/b/c.py": "", "m.py": "TEXT = '''\nfrom b.c import x\nfrom b.c import y\n'''\n"}
    whole, settled = both(files)

    assert settled in (None, whole)


def test_folders_that_a_project_names_are_its_roots() -> None:
    files = {"code/a/b.py": "import a.c", "code/a/c.py": ""}
    whole, settled = both(files, {"setup.cfg": "[options.packages.find]\nwhere = code\n"})

    assert settled == whole
