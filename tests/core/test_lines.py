"""The lines of a file that match: which, where, and that only those looked at are made."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sondage.core.search.lines import hits_in
from sondage.core.search.pattern import compile_pattern
from sondage.core.source.text import SourceText


def found(pattern: str, data: bytes, **options: bool) -> list[tuple[int, int, str]]:
    return [tuple(hit) for hit in hits_in(compile_pattern(pattern, **options), data)]


def test_one_hit_per_line_at_the_column_of_its_first_match() -> None:
    assert found("self", b"x\nself.self\n  self\n") == [(2, 1, "self.self"), (3, 3, "  self")]


def test_anchors_are_those_of_each_line() -> None:
    data = b"class A:\n    class B:\nclass C"
    assert found("^class", data) == [(1, 1, "class A:"), (3, 1, "class C")]
    assert found(":$", data) == [(1, 8, "class A:"), (2, 12, "    class B:")]


def test_text_anchors_are_those_of_each_line_too() -> None:
    data = b"def a\n def b\ndef c"
    assert found(r"\Adef", data) == [(1, 1, "def a"), (3, 1, "def c")]
    assert found(r"[a-c]\z", data) == [(1, 5, "def a"), (2, 6, " def b"), (3, 5, "def c")]
    assert found("(?-m:^)def", data) == [(1, 1, "def a"), (3, 1, "def c")]


def test_match_never_spans_lines() -> None:
    assert found(r"a\s+b", b"a\nb\na b\n") == [(3, 1, "a b")]
    assert found(r"a[^x]b", b"a\nb\n") == []
    assert found(r"(?s)a.b", b"a\nb\n") == []


def test_backslash_before_a_letter_n_is_no_line_end() -> None:
    assert found(r"\\n", rb"print('\n')" + b"\n") == [(1, 8, r"print('\n')")]


def test_pattern_that_matches_nothing_finds_every_line_once() -> None:
    assert [hit[0] for hit in found("x*", b"a\n\nb\n")] == [1, 2, 3]
    assert [hit[0] for hit in found("$", b"a\n\nb")] == [1, 2, 3]
    assert found("", b"") == []


def test_carriage_return_before_a_line_end_is_not_part_of_the_line() -> None:
    assert found("b$", b"ab\r\ncb\r\n") == [(1, 2, "ab"), (2, 2, "cb")]
    assert found("\r", b"a\r\nb\rc\n") == [(2, 2, "b\rc")]
    assert found("$", b"\r") == [(1, 1, "")]


def test_columns_count_code_points() -> None:
    assert found("x", "é日🙂x\n".encode()) == [(1, 4, "é日🙂x")]


def test_byte_order_mark_is_no_column() -> None:
    assert found("^import", b"\xef\xbb\xbfimport os\n") == [(1, 1, "import os")]


def test_declared_encoding_is_followed() -> None:
    data = "# -*- coding: latin-1 -*-\nname = 'é', 1\n".encode("latin-1")
    assert found("é', 1", data) == [(2, 9, "name = 'é', 1")]


def test_undecodable_byte_is_one_character_that_only_wildcards_match() -> None:
    data = b"a\xffb = 1\n"
    assert found("a.b", data) == [(1, 1, "a\udcffb = 1")]
    assert found("= 1", data) == [(1, 5, "a\udcffb = 1")]
    assert found(r"\?", data) == []


def test_fixed_text_stands_for_itself() -> None:
    assert found("f(x)[0].*", b"f(x)[0].*\nfx0.a\n", fixed=True) == [(1, 1, "f(x)[0].*")]


def test_case_is_ignored_on_demand() -> None:
    assert found("eagle", b"EAGLEWorker\n") == []
    assert found("eagle", b"EAGLEWorker\n", ignore_case=True) == [(1, 1, "EAGLEWorker")]


def test_whole_words_touch_no_letter_digit_or_underscore() -> None:
    data = b"head lm_head head2 (head)\nlm_head\nhead"
    assert found("head", data, word=True) == [(1, 1, "head lm_head head2 (head)"), (3, 1, "head")]
    assert found("a|ab", b"ab\n", word=True) == [(1, 1, "ab")]


@given(
    st.text(alphabet="ab_é .\n", max_size=20),
    st.text(alphabet="ab_é .", min_size=1, max_size=3),
    st.sampled_from(["", "^", r"\b"]),
    st.sampled_from(["", "$", r"\b"]),
    st.booleans(),
)
def test_text_with_its_edges_is_found_where_re2_finds_it(
    text: str, wanted: str, before: str, after: str, word: bool
) -> None:
    pattern = compile_pattern(before + re.escape(wanted) + after, word=word)
    with_re2 = replace(pattern, plain=None, literals=())
    assert list(hits_in(pattern, text.encode())) == list(hits_in(with_re2, text.encode()))


@pytest.mark.parametrize("between", [1, 1_000])
def test_text_is_found_where_it_stands_in_many_lines_and_where_in_few(between: int) -> None:
    data = ("self.a = self.b\n" + "x\n" * between) * 3 + "\tself."
    assert found(r"self\.", data.encode()) == [
        *((1 + number * (1 + between), 1, "self.a = self.b") for number in range(3)),
        (4 + 3 * between, 2, "\tself."),
    ]


def test_line_that_holds_the_text_twice_is_found_where_the_pattern_first_matches() -> None:
    assert found(r"def forward\b", b"# def forwards\n  def forwards; def forward\n") == [
        (2, 17, "  def forwards; def forward")
    ]


def test_hostile_pattern_takes_no_longer_than_any_other() -> None:
    assert found("(a+)+$", b"a" * 30_000 + b"!\n") == []


@given(
    st.lists(st.text(alphabet="aé\t\r日 b", max_size=6), max_size=6),
    st.sampled_from(["a", "b$", "^a", "a.b", r"\bb", "a?", "[^a]b", r"\Aa", "é"]),
)
def test_hits_are_the_lines_that_source_text_has(lines: list[str], pattern: str) -> None:
    data = "\n".join(lines).encode()
    own = SourceText(data).lines
    hits = found(pattern, data)
    assert [hit[0] for hit in hits] == [n for n, line in enumerate(own, 1) if found(pattern, f"{line}\r\n".encode())]
    for number, column, text in hits:
        assert text == own[number - 1]
        assert 1 <= column <= len(text) + 1


def test_alternatives_of_which_one_has_no_literal_are_all_found() -> None:
    assert found(r"\w+_and_head|\bx", b"get_and_head\nx\n") == [(1, 1, "get_and_head"), (2, 1, "x")]


def test_hit_is_the_same_looked_at_alone_and_in_turn() -> None:
    hits = hits_in(compile_pattern("é|x$"), "aé\r\n\nx\nb\néé x".encode())
    assert list(hits) == [hits[0], hits[1], hits[2]] == [(1, 2, "aé"), (3, 1, "x"), (5, 1, "éé x")]
    assert hits[1:] == [hits[1], hits[-1]]
    assert list(hits.numbers) == [1, 3, 5]
    assert hits.last_number == 5


def test_first_hits_are_those_at_the_top() -> None:
    hits = hits_in(compile_pattern("x"), b"x\n\nx\nx")
    assert hits.first(3) is hits
    assert list(hits.first(2)) == [hits[0], hits[1]]
    assert not hits.first(0)
