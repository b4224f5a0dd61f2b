"""Imports in bytes that nobody parses: every one there is, and few that there are not."""

from __future__ import annotations

import pytest

from sondage.core.classes.imports_in_text import LONGEST, imports_found


@pytest.mark.parametrize(
    "text",
    [
        "import a.b",
        "import x, a.b as c, y",
        "import x, \\\n  a.b",
        "from a.b import c",
        "from a . b import (c)",
        "from \\\n a.b \\\n import c",
        "if x: import a.b",
        "x = 1; import a.b",
        "try:\n\timport a.b\nexcept E: ...",
        "from\ta.b\timport\tc",
        "# a note \\\nimport a.b",
        "\ufeffimport a.b",
        "x = 1\rimport a.b\ry = 2",
        "import importlib, a.b",
        "from a.b import important; import x",
        "def f():\n    from a.b import c",
        "'''text'''; from a.b import c",
    ],
)
def test_absolute_import_is_found_in_every_form(text: str) -> None:
    assert "a.b" in imports_found({"m.py": text.encode()})["m.py"]


def test_relative_imports_are_no_votes() -> None:
    assert imports_found({"m.py": b"from . import a\nfrom ..b import c"})["m.py"] == []


def test_each_import_counts() -> None:
    files = {"m.py": b"import a", "p/n.py": b"import a\nfrom b.c import x\nfrom a import y"}

    assert imports_found(files) == {"m.py": ["a"], "p/n.py": ["a", "b.c", "a"]}


def test_words_that_only_hold_the_word_are_no_imports() -> None:
    text = b"importlib.import_module('x')\nreimport = important\nfrom_a = 1\nfrom x.fromage.import_y import z\n"

    assert imports_found({"m.py": text}) == {"m.py": ["x.fromage.import_y"]}


def test_import_behind_an_endless_line_is_found() -> None:
    text = b"import;" * (3 * LONGEST) + b"from a.b import c"

    assert "a.b" in imports_found({"m.py": text})["m.py"]
