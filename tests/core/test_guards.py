"""Guards: the conditions on the way to each place of a body."""

from __future__ import annotations

from textwrap import dedent

from sondage.core.contracts import guards
from sondage.core.source import parse
from sondage.core.source.blocks import FunctionDef
from sondage.core.source.syntax import Call, Name
from sondage.core.source.text import SourceText


def ways(source: str) -> dict[str, list[str]]:
    """The guards of each call of a plain name in the first function, shown."""
    text = SourceText(dedent(source).encode())
    function = parse.module(text.utf8).body[0]
    assert isinstance(function, FunctionDef)
    found: dict[str, list[str]] = {}
    for statement, way in guards.statements(function.body):
        for place in guards.places(statement, way):
            if isinstance(place.expression, Call) and isinstance(place.expression.func, Name):
                found[place.expression.func.id] = [guards.show(guard, text) for guard in place.guards]
    return found


def test_branches_of_if_elif_and_else():
    found = ways("""
        def f(a, b):
            if a:
                one()
            elif b:
                two()
            else:
                three()
    """)
    assert found == {"one": ["a"], "two": ["not a", "b"], "three": ["not a", "not b"]}


def test_early_return_stays_in_force_and_a_check_is_of_another_kind():
    found = ways("""
        def f(a, b):
            if not a:
                return
            if b > 1:
                raise ValueError
            one()
    """)
    assert found["one"] == ["a", "not (b > 1)"]


def test_operands_of_and_or_and_conditional_expressions():
    found = ways("""
        def f(a, b):
            a and one()
            a or two()
            x = three() if b else four()
    """)
    assert found == {"one": ["a"], "two": ["not a"], "three": ["b"], "four": ["not b"]}


def test_exceptions_that_a_try_catches_guard_its_body_alone():
    found = ways("""
        def f():
            try:
                one()
            except AttributeError:
                two()
            else:
                three()
    """)
    assert found == {"one": ["except AttributeError"], "two": [], "three": []}


def test_loops_comprehensions_and_patterns():
    found = ways("""
        def f(a, b):
            while a:
                one()
            [two() for x in b if x]
            match b:
                case 1 if a:
                    three()
    """)
    assert found == {"one": ["a"], "two": ["x"], "three": ["case 1", "a"]}
