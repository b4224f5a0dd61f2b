"""Which texts a match must hold, as far as a pattern says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.search.pattern import compile_pattern
from sondage.core.search.regex import read, required_literals
from sondage.errors import UsageError


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("get_embed", {"get_embed"}),
        (r"\w+_and_head", {"_and_head"}),
        ("one|other", {"one", "other"}),
        ("eagle.*delegate", {"delegate"}),
        ("(foo|quux)bar?", {"foo", "quux"}),
        ("ab(?:cd)+", {"ab"}),
        ("(?:abc)+x", {"abc"}),
        ("a{2}", {"a"}),
        ("ab*", {"a"}),
        (r"f\(x\)", {"f(x)"}),
        (r"\x41bc", {"bc"}),
        (r"\x{41}bc", {"bc"}),
        (r"\pLab", {"ab"}),
        (r"\p{Greek}ab", {"ab"}),
        ("a{x", {"a{x"}),
        ("a{,2}", {"a{,2}"}),
        ("[[:alpha:]]bc", {"bc"}),
        ("[]x]bc", {"bc"}),
        (r"[\]x]bc", {"bc"}),
    ],
)
def test_literals_that_every_match_holds(pattern: str, literals: set[str]) -> None:
    group = read(pattern)
    assert group is not None
    assert required_literals(group) == literals


@pytest.mark.parametrize("pattern", ["", "a*", "a?", "a|", "(a|b?)", r"\w", "[ab]", "^$", "a{0,3}", "."])
def test_nothing_is_promised_where_a_match_can_do_without(pattern: str) -> None:
    group = read(pattern)
    assert group is not None
    assert required_literals(group) == set()


@pytest.mark.parametrize("pattern", ["(?i)abc", r"\Qa|b\E", "x(?i:y)", "(" * 60 + "a" + ")" * 60])
def test_pattern_that_changes_its_own_rules_is_not_read(pattern: str) -> None:
    assert read(pattern) is None


@given(st.text(alphabet="ab|()*+?[]^-\\{},12d.x:", max_size=12), st.text(alphabet="ab|([-\\{12", max_size=12))
def test_promise_is_kept_by_every_match_of_any_valid_pattern(text: str, line: str) -> None:
    try:
        pattern = compile_pattern(text)
    except UsageError:
        return
    group = read(text)
    match = pattern.regex.search(line.encode())
    if group and match:
        literals = required_literals(group)
        held = match.group().decode()
        assert not literals or any(literal in held for literal in literals)
