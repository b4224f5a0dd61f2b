"""Where a body may bind a name, told from its text: wherever it does."""

from __future__ import annotations

import ast
import contextlib
import inspect
import typing

import pytest

from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.inference.flow import Flow
from sondage.core.source import blocks, outline
from sondage.core.source.extract import extract
from sondage.core.source.facts import FunctionScope
from sondage.core.source.names_in_text import may_bind, places_of
from sondage.core.source.text import SourceText


@pytest.mark.parametrize(
    "body",
    [
        "x = 1",
        "x: int",
        "x += 1",
        "x //= 1",
        "x |= 1",
        "a, x = 1, 2",
        "(x) = 1",
        "[a, *x] = 1, 2",
        "(a,\n x  # first\n ) = 1, 2",
        "for x in y: pass",
        "with a as x: pass",
        "with (a as x, b): pass",
        "try: pass\nexcept E as x: pass",
        "if (x := 1): pass",
        "import x",
        "import x.y",
        "import os, x.y",
        "import os, \\\n x.y",
        "from a import x",
        "from a import (b, x)",
        "from a import b as x",
        "def x(): pass",
        "def \\\n x (): pass",
        "class x[T]: pass",
        "async def x[T](): pass",
        "type x = int",
        "type x[T] = list[T]",
        "global x",
        "match y:\n case x if y: pass",
        "match y:\n case [x, 1] | {'a': x}: pass",
        "match y:\n case P(a=x) as q: pass",
        "match y:\n case (x\n | 1): pass",
    ],
)
def test_statement_that_binds_a_name_may_do_so_by_its_text(body: str) -> None:
    assert may_bind(body.encode(), 0, len(body), b"x")


@pytest.mark.parametrize(
    "body",
    ["x()", "x.y = 1", "x[0] = 1", "a.x = 1", "y = x + 1", "if x == 1: pass", "xx = ax = 1", "            x.y()"],
)
def test_name_that_is_only_read_is_told_by_its_text(body: str) -> None:
    assert not may_bind(body.encode(), 0, len(body), b"x")


@pytest.mark.parametrize("module", [ast, contextlib, inspect, typing])
def test_every_name_that_a_body_binds_is_seen_in_its_text(module: object) -> None:
    text = SourceText(inspect.getsource(module).encode())  # type: ignore[arg-type]
    facts = extract(text.data)
    file = FileSyntax("m.py", text, facts)
    for index, scope in enumerate(facts.scopes):
        node = file.definition(index)
        if isinstance(node, blocks.FunctionDef) and isinstance(scope, FunctionScope):
            flow, body = Flow(node, text.utf8), outline.body_at(text, scope)
            bound = {name for name, found in flow.bindings.items() if any(one.kind != "parameter" for one in found)}
            unseen = [name for name in bound | flow.foreign if not may_bind(text.utf8, body, node.end, name.encode())]
            assert unseen == []


def test_name_stands_where_no_letter_touches_it() -> None:
    assert list(places_of(b"x xx x1 a.x,x", b"x", 0, 13)) == [0, 10, 12]
