"""Finding names in bytes: every file that holds one, whatever way it is written."""

from __future__ import annotations

import pytest

from sondage.core.classes.codebase import finished
from sondage.core.search.vocabulary import Vocabulary
from sondage.core.source.extract import extract
from sondage.dig.mentions import KnownWords, Mentions
from sondage.dig.sources import SourceFile


def found(mention: str | tuple[str, ...], data: bytes) -> bool:
    return bool(Mentions({"a.py": SourceFile(data)})([mention]))


def test_name_is_found_as_a_whole_word_only() -> None:
    assert found("Base", b"class Model(Base): ...")
    assert not found("Base", b"class Baseline(MyBase): ...")


@pytest.mark.parametrize(
    "data",
    [
        b"class Base: ...",
        b"class  \t Base(object): ...",
        b"class \\\n  Base: ...",
        "# coding: latin-1\n# \xe9\nclass Base: ...".encode("latin-1"),
        "class B\N{MATHEMATICAL BOLD SMALL A}se: ...".encode(),
    ],
)
def test_class_statement_is_found_however_it_is_spaced_or_spelled(data: bytes) -> None:
    assert [scope.name for scope in extract(data).scopes[1:]] == ["Base"]
    assert found("class Base", data)


def test_class_statement_is_told_from_other_mentions() -> None:
    assert not found("class Base", b"Base()\nclass Model(Base): ...")


@pytest.mark.parametrize(
    "data",
    [
        b"load = 1",
        b"x.load=1",
        b"load: int",
        b"x.load += 1",
        b"x.load \\\n = 1",
        b"a, (load) = b",
        b"[x.load, y] = b",
        b"for x.load in y: ...",
        b"with a as x.load: ...",
        b"del x.load",
        b"def load(self): ...",
        b"def load[T](self): ...",
        b"class load: ...",
        b"import load",
        b"import load.part",
        b"import other, \\\n load.part",
        b"from a import b as load",
        b"from a import (\n    b,\n    load\n)",
        b"setattr(x, 'load', 1)",
        b"setattr(x, 'lo' 'ad', 1)",
        b"setattr(x, 'lo\\x61d', 1)",
        b"(load := 1)",
        b"type load = int",
        b"__slots__ = ('load',)",
    ],
)
def test_whatever_binds_a_name_is_found(data: bytes) -> None:
    assert found("load =", data)


def test_calls_and_reads_bind_nothing() -> None:
    assert not found("load =", b"x.load(1)\ny = x.load.more\nz = x.load[0]")


@pytest.mark.parametrize(
    "data",
    [
        b"import a\na.Base.x = 1",
        b"import a\na \\\n . \\\n Base",
        b"from a import Base",
        b"from a import b, Base as B",
        b"from a import b, \\\n  Base",
        b"from a import (  # all (of it)\n    b,\n    Base,\n)",
        b"from a import *\nBase.x = 1",
    ],
)
def test_name_from_another_file_is_found(data: bytes) -> None:
    assert found(". Base", data)


def test_name_of_the_file_itself_comes_from_no_other() -> None:
    assert not found(". Base", b"from a import b\n\nBase = b.Other\nBase()")


def test_all_that_is_listed_has_to_be_there() -> None:
    assert found(("def load", "class Model"), b"class Model:\n    def load(self): ...")
    assert not found(("def load", "class Model"), b"def load(): ...")


@pytest.mark.parametrize(
    "mention", ["Base", "class Base", ". Base", "load =", "Caf\N{LATIN SMALL LETTER E WITH ACUTE}"]
)
def test_files_whose_words_are_known_are_found_as_those_that_are_read(mention: str) -> None:
    texts = [
        "class Base: ...",
        "from a import Base as B\nBase.load = 1",
        "import a\na.Baseline = a.load",
        "setattr(x, 'lo' 'ad', 1)",
        "class Caf\N{LATIN SMALL LETTER E WITH ACUTE}(Base): ...",
        "x→load = 1",
    ]
    files = {f"{number}.py": SourceFile(text.encode()) for number, text in enumerate(texts)}
    vocabulary = Vocabulary()
    finished(vocabulary.learn(dict(list(files.items())[1:])))
    known = KnownWords(vocabulary, {files[path].digest: path == "3.py" for path in ("1.py", "2.py", "3.py")})

    assert Mentions(files, known)([mention]) == Mentions(files)([mention])
