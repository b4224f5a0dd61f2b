"""What is read of a file in parts is what is read of it at once."""

from __future__ import annotations

import argparse
import inspect
from types import ModuleType

import pytest

from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.source import blocks, parse, syntax
from sondage.core.source.extract import extract_text, read_tree
from sondage.core.source.facts import FunctionScope
from sondage.core.source.outline import inside, outline
from sondage.core.source.text import SourceText

SOURCES = {
    "class": (
        "class A(B, metaclass=(M)):  # note\n    # before\n    x = 1\n"
        "    @d(1)\n    def f(self) -> int:\n        return 1\n    # after\n\ny = 2\n"
    ),
    "bases": "class A(*some, k=1): pass\nclass B(*some, C): pass\n",
    "one line": "class A: x = 1; y = 2\ndef f(): return (\n1)\nasync def g(a=lambda: 1, *b): pass; await a\n",
    "one byte": "class A: x\ndef f(): y\n",
    "no header": "class A ( ) :\n    pass\nclass B(\n    C,  # why :\n):\n    def f(\n        self,\n    ): ...\n",
    "type parameters": "class A[T: int](B):\n    def f[U = int](self, x: U) -> T:\n        return x\nclass C[T]:\n    y = 1\n",
    "nested": (
        "if x:\n  class A:\n    class B:\n      def f(self):\n        class C:\n          def g(self): return 1\n"
        "        return C\nelse:\n  def f(): pass\n"
    ),
    "further left": 'class A:\n    def f(self):\n        return (\n1 +\n2)\n    s = """\nx\n"""\n    t = """a\nb"""\n',
    "continued": "def f(a) \\\n        -> int \\\n        : \\\n    return a\nclass A \\\n  (B): \\\n  x = 1\n",
    "beyond ASCII": "class Ärger(Größe):\n    def übel(self, ö='ü'): return 'ß'\n",
    "unreadable": "class A:\n    def f(self):\n        x = = 1\n    y = 1\ndef g(): return 2\n",
    "empty": "",
}


def both(source: str) -> tuple[blocks.Module, blocks.Module]:
    text = SourceText(source.encode())
    return outline(text, extract_text(text)), parse.module(text.utf8, read_tree(text)[0])


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_bodies_read_later_say_the_same(source: str) -> None:
    in_parts, at_once = both(source)
    assert in_parts == at_once


@pytest.mark.parametrize("module", [parse, syntax, argparse], ids=lambda module: module.__name__)
def test_a_real_file_says_the_same_in_parts(module: ModuleType) -> None:
    in_parts, at_once = both(inspect.getsource(module))
    assert in_parts == at_once


@pytest.mark.parametrize("source", [*SOURCES.values(), inspect.getsource(argparse)], ids=[*SOURCES, argparse.__name__])
def test_a_definition_says_alone_what_it_says_in_its_file(source: str) -> None:
    text = SourceText(source.encode())
    facts = extract_text(text)
    file, whole = FileSyntax("a.py", text, facts), parse.module(text.utf8, read_tree(text)[0])
    in_file: list[blocks.Module | blocks.FunctionDef | blocks.ClassDef] = [whole]
    for index, scope in enumerate(facts.scopes[1:], start=1):
        alone, found = file.definition(index), inside(in_file[scope.parent], scope)
        assert found is not None and alone is not None
        assert said(alone) == said(found)
        in_file.append(found)


def said(definition: object) -> tuple[object, ...]:
    """All that a definition says but where its last comment ends."""
    assert isinstance(definition, blocks.FunctionDef | blocks.ClassDef)
    header = definition.parameters if isinstance(definition, blocks.FunctionDef) else definition.bases
    return definition.name, definition.name_at, definition.decorators, header, definition.body


def test_every_definition_is_found_from_its_scope() -> None:
    text = SourceText(SOURCES["nested"].encode())
    facts = extract_text(text)
    file = FileSyntax("a.py", text, facts)
    for index, scope in enumerate(facts.scopes[1:], start=1):
        found = file.definition(index)
        assert isinstance(found, blocks.FunctionDef | blocks.ClassDef)
        assert (found.at, found.name) == (scope.span.at, scope.name)
        assert isinstance(found, blocks.FunctionDef) == isinstance(scope, FunctionScope)
    assert file.definition(0) is file.module
    assert file.definition(-1) is None
    assert file.definition(len(facts.scopes)) is None
