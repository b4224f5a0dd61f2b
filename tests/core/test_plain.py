"""Statements whose text is enough: what the text alone says is what the compiler says."""

from __future__ import annotations

import ast
import unicodedata

from hypothesis import assume, example, given
from hypothesis import strategies as st

from sondage.core.source.extract import extract

GAPS = st.sampled_from(["", "", " ", "\t", " \\\n            "])
GAPS_IN_BRACKETS = st.sampled_from(["", " ", "\n            ", "  # c\n            "])
NAMES = st.sampled_from(["a", "self", "größe", "in_", "print"])
VALUES = st.sampled_from(
    [
        "v",
        "f(a.b, k=c.d)",
        "a.b",
        "{a.b: c}",
        "lambda: a.b",
        "a.b == c",
        "b if a.b else c",
        "'a.b = c'",
        "(yield)",
        "(w := a.b)",
    ]
)


@st.composite
def attributes(draw: st.DrawFn) -> str:
    base = draw(NAMES | st.sampled_from(["a.b", "f(a.b, k=c).d", "a[b.c]", "(a)", "''"]))
    return base + draw(GAPS) + "." + draw(GAPS) + draw(NAMES)


@st.composite
def bracketed(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    items = draw(st.lists(inner, min_size=1, max_size=3))
    opening, closing = draw(st.sampled_from(["()", "[]"]))
    comma = draw(GAPS_IN_BRACKETS) + "," + draw(GAPS_IN_BRACKETS)
    return opening + draw(GAPS_IN_BRACKETS) + comma.join(items) + draw(st.sampled_from(["", ","])) + closing


SINGLE = NAMES | attributes() | st.sampled_from(["a[b.c]", "a[b.c : d]", "a.b[c]"])
NESTED = st.recursive(SINGLE | attributes().map("*".__add__), bracketed, max_leaves=5)
TARGETS = NESTED | st.lists(NESTED, min_size=2, max_size=3).map(", ".join)


@st.composite
def statements(draw: st.DrawFn) -> str:
    target, value, before, after = draw(TARGETS), draw(VALUES), draw(GAPS), draw(GAPS)
    forms = [
        f"{target}{before}={after}{value}",
        f"{target}{before}={after}{draw(TARGETS)} = {value}",
        f"{target}{before}:{after}{value}",
        f"{target}{before}:{after}a.b = {value}",
        f"{target}{before}+={after}{value}",
        f"for {target} in {value}: pass",
        f"with f({value}) as {target}: pass",
        f"with c as ({target}), d as {target}: pass",
        f"f({target}, k={value})",
        f"del {target}",
        f"assert {target}, {value}",
    ]
    return draw(st.sampled_from(["", "a = 1; ", "if a.b: "])) + draw(st.sampled_from(forms))


def _stored(tree: ast.AST) -> list[str]:
    """The names of the attributes that a function binds, in no order; those of augmented assignments were bound before."""
    grown = {id(node.target) for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and id(node) not in grown]
    return sorted(unicodedata.normalize("NFKC", node.attr) for node in found if isinstance(node.ctx, ast.Store))


@given(
    st.lists(statements(), min_size=1, max_size=2), st.sampled_from(["", "    class Local: pass\n", "    global a\n"])
)
@example(["(a.b  # c\n            , a) = v"], "")
def test_function_binds_the_attributes_that_the_compiler_sees_bound(lines: list[str], first: str) -> None:
    source = "def f(v, c, d):\n" + first + "".join(f"    {line}\n" for line in lines)
    try:
        expected = _stored(ast.parse(source))
    except SyntaxError:
        assume(False)
    facts = extract(source.encode())
    assume(not facts.partial)
    assert sorted(one.name for one in facts.attributes) == expected, source
