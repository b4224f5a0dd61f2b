"""The syntax of one file, read where a question leads, and how much of it is kept."""

from __future__ import annotations

from textwrap import dedent

import pytest

from sondage.core.classes import file_syntax
from sondage.core.classes.file_syntax import FileSyntax, KeptFiles
from sondage.core.source import blocks
from sondage.core.source.extract import extract_text
from sondage.core.source.text import SourceText

SOURCE = dedent("""
    @decorated(there)
    class A(Base):
        x = made()

        def f(self, y=made()):
            def inner():
                made()
            return self.made()  # made(
        # after
    made (1)
    remade()
""")


def file_of(source: str, path: str = "a.py") -> FileSyntax:
    text = SourceText(source.encode())
    return FileSyntax(path, text, extract_text(text))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("there", ""),
        ("Base", ""),
        ("x =", "A"),
        ("y=", "A"),
        ("def inner", "f"),
        ("made()\n        return", "inner"),
        ("# after", ""),
    ],
)
def test_place_belongs_to_the_definition_in_whose_body_it_lies(written: str, name: str) -> None:
    found = file_of(SOURCE).around(SOURCE.index(written))
    assert name == ("" if isinstance(found, blocks.Module) else found.name)


def test_name_before_a_bracket_is_called_unless_it_is_defined_there() -> None:
    source = "def made():\n    pass\nmade()\nx.made (1)\nremade()\nmade\n"
    assert [source[at - 1 : at + 6] for at in file_of(source).called("made")] == ["\nmade()", ".made ("]


def test_file_that_cannot_be_read_in_all_parts_is_read_as_a_whole() -> None:
    file = file_of("class A:\n    def f(self):\n        x = = 1\n    y = 1\n")
    assert file.around(30) is file.module
    assert isinstance(file.definition(1), blocks.ClassDef)


def test_files_asked_for_last_are_kept_up_to_a_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def f():\n    return 1\n"
    monkeypatch.setattr(file_syntax, "KEPT_BYTES", 2 * len(source))
    kept = KeptFiles()
    files = [kept.put(file_of(source, f"{name}.py")) for name in "abc"]
    for file in files:
        file.definition(1)
    assert kept.get("a.py") is files[0]
    kept.put(file_of(source, "d.py"))
    assert [kept.get(f"{name}.py") is not None for name in "abcd"] == [True, False, True, True]


def test_bytes_of_a_file_that_was_let_go_of_are_not_counted_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def f():\n    return 1\n"
    monkeypatch.setattr(file_syntax, "KEPT_BYTES", 0)
    kept = KeptFiles()
    first = kept.put(file_of(source))
    first.definition(1)
    kept.put(file_of(source, "b.py"))
    first.definition(1)
    assert kept.get("a.py") is None
    assert kept.held == 0
