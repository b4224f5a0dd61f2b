"""Reading around errors: no class and no method may vanish."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.source.extract import extract

WHOLE = """\
class First(Base):
    def one(self):
        value = call(1, 2)
        return value

    async def two(self): pass

class Second(First):
    x = 1
    def three(self):
        return [1, 2]
"""


def names(source: str) -> list[str]:
    return [scope.qualname for scope in extract(source.encode()).scopes[1:]]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("call(1, 2)", "call(1, 2"),
        ("call(1, 2)", "call(1, [2"),
        ("return value", "return value +"),
        ("return value", "return 'value"),
        ("return value", "return $value"),
        ("x = 1", "x = = 1"),
        ("    x = 1", "<<<<<<< HEAD\n    x = 1\n=======\n    x = 2\n>>>>>>> other"),
        ("x = 1", "print 'a' if"),
        ("return [1, 2]", "return [1, 2"),
        ("value = call(1, 2)", "if value"),
    ],
)
def test_definitions_around_an_error_keep_their_classes(before: str, after: str) -> None:
    broken = WHOLE.replace(before, after, 1)
    facts = extract(broken.encode())
    assert [scope.qualname for scope in facts.scopes[1:]] == names(WHOLE)
    assert facts.partial


def test_problem_names_the_line() -> None:
    facts = extract(b"class A:\n    def f(self):\n        x = = 1\n    def g(self): pass\n")
    assert [problem.line for problem in facts.problems] == [3]


def test_class_with_a_template_for_a_name_is_listed_as_written() -> None:
    facts = extract(b"class {{ cookiecutter.name }}(Base):\n    def f(self): pass\nclass After: pass\n")
    assert [scope.qualname for scope in facts.scopes[1:]] == [
        "{{ cookiecutter.name }}",
        "{{ cookiecutter.name }}.f",
        "After",
    ]


def test_valid_python_that_the_grammar_stumbles_over_is_not_partial() -> None:
    facts = extract(
        b"class Outer:\n    def f(self):\n        x = self.g(a=\n1, b=2)\n        return x\n    def g(self): pass\n"
    )
    assert [scope.qualname for scope in facts.scopes[1:]] == ["Outer", "Outer.f", "Outer.g"]
    assert not facts.partial


def test_unclosed_text_does_not_swallow_the_rest() -> None:
    facts = extract(b'class A:\n    """never closed\n    def f(self): pass\nclass B: pass\n')
    assert {"A", "B"} <= {scope.name for scope in facts.scopes}


@given(st.text(alphabet=" \n\t:()[]{}'\"#=,.abclsdefxyz", max_size=120))
def test_any_text_is_read_to_the_end(source: str) -> None:
    assert extract(source.encode()).scopes[0].qualname == ""
