"""Typed patterns: how they are read, where they match in a line, and how the same is said to grep."""

from __future__ import annotations

import pytest

from sondage.core.search.pattern import compile_pattern, spans_in, to_grep
from sondage.core.search.regex import Plain
from sondage.errors import UsageError


@pytest.mark.parametrize("pattern", ["a\nb", r"a\nb", r"\\\n", r"[\n]"])
def test_pattern_with_a_line_end_is_refused_rather_than_never_found(pattern: str) -> None:
    with pytest.raises(UsageError, match="across lines"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "options", "line", "spans"),
    [
        ("head", {}, "head lm_head", [(0, 4), (8, 12)]),
        ("head", {"word": True}, "head head lm_head", [(0, 4), (5, 9)]),
        ("x*", {}, "axxbx", [(1, 3), (4, 5)]),
        ("", {}, "abc", []),
        ("b$", {}, "é日b", [(2, 3)]),
        ("a.b", {}, "a\udcffb a\udc80b", [(0, 3), (4, 7)]),
        ("^a", {}, "aa", [(0, 1)]),
    ],
)
def test_every_match_of_a_line_has_its_span(
    pattern: str, options: dict[str, bool], line: str, spans: list[tuple[int, int]]
) -> None:
    assert spans_in(compile_pattern(pattern, **options), line) == spans


@pytest.mark.parametrize(
    ("pattern", "reason", "column"),
    [
        ("ab(cd", "missing )", 3),
        (r"(a\((b[(]", "missing )", 5),
        ("a)b(", "unexpected )", 2),
        ("ab[cd", "missing ]", 3),
        ("x[z-a]", "invalid character class range", 3),
        ("ab**", "bad repetition operator", 3),
        ("(?=look)", "invalid perl operator", 1),
        (r"x\1", "invalid escape sequence", 2),
        ("end\\", "trailing", 4),
    ],
)
def test_invalid_pattern_is_refused_with_reason_and_place(pattern: str, reason: str, column: int) -> None:
    with pytest.raises(UsageError) as caught:
        compile_pattern(pattern)
    assert reason in caught.value.what
    assert caught.value.where == f"column {column} of {pattern}"


@pytest.mark.parametrize(
    ("pattern", "options", "plain"),
    [
        ("self", {}, Plain("self")),
        (r"self\.x", {}, Plain("self.x")),
        (r"^def forward\b", {}, Plain("def forward", "^", r"\b")),
        (r"\bx$", {}, Plain("x", r"\b", "$")),
        ("self", {"word": True}, Plain("self", r"\W", r"\W")),
        ("f(x)*", {"fixed": True}, Plain("f(x)*")),
        (r"\bself", {"word": True}, None),
        ("self", {"ignore_case": True}, None),
        ("sel+f", {}, None),
        ("a|b", {}, None),
        ("^", {}, None),
        ("", {"fixed": True}, None),
    ],
)
def test_pattern_that_is_a_text_with_its_edges_is_known_as_such(
    pattern: str, options: dict[str, bool], plain: Plain | None
) -> None:
    assert compile_pattern(pattern, **options).plain == plain


def test_pattern_of_no_characters_is_refused() -> None:
    with pytest.raises(UsageError):
        compile_pattern("\udcff")


def test_literals_that_every_match_needs_are_known_before_searching() -> None:
    assert compile_pattern(r"\w+_and_head").literals == (b"_and_head",)
    assert compile_pattern(r"\w+").literals == ()
    assert compile_pattern("f(x", fixed=True).literals == (b"f(x",)


@pytest.mark.parametrize(
    ("pattern", "options", "arguments"),
    [
        ("a|eagle.*delegate", {}, ("-nE", "a|eagle.*delegate")),
        ("f(x)", {"fixed": True}, ("-nF", "f(x)")),
        ("head", {"word": True}, ("-nwE", "head")),
        ("head", {"word": True, "fixed": True}, ("-nwF", "head")),
        ("-x", {"fixed": True}, ("-nF", "-e", "-x")),
        ("self", {"ignore_case": True}, None),
        ("a|b", {"word": True}, None),
        ("é", {"fixed": True}, None),
        ("", {}, None),
    ],
)
def test_pattern_is_said_to_grep_only_where_it_means_the_same(
    pattern: str, options: dict[str, bool], arguments: tuple[str, ...] | None
) -> None:
    assert to_grep(compile_pattern(pattern, **options)) == arguments


def test_plain_files_let_more_be_said_to_grep() -> None:
    assert to_grep(compile_pattern("self", ignore_case=True), plain=True) == ("-niE", "self")
    assert to_grep(compile_pattern("^class "), plain=True) == ("-nE", "^class ")
