"""Decoding, lines and columns."""

from __future__ import annotations

import hashlib
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.source.text import SourceText


def test_line_ends_at_newline_only_and_a_return_before_it_is_no_part_of_it() -> None:
    text = SourceText(b"a = 1\r\nb = '\x0c'\nc = 3")
    assert text.lines == ["a = 1", "b = '\x0c'", "c = 3"]
    assert text.line_count == 3


def test_unicode_line_separators_end_no_line() -> None:
    assert SourceText("a = '\u2028'\nb = '\x85'\n".encode()).lines == ["a = '\u2028'", "b = '\x85'"]


def test_file_with_lone_returns_parses_line_by_line_but_is_one_line() -> None:
    text = SourceText(b"class A:\r    x = 1\r")
    assert text.utf8 == b"class A:\n    x = 1\n"
    assert text.line_count == 1
    assert text.position(text.utf8.index(b"x")) == (1, 14)


def test_empty_file_has_no_line() -> None:
    assert SourceText(b"").lines == []
    assert SourceText(b"").line_count == 0


def test_mark_is_dropped_and_columns_do_not_count_it() -> None:
    text = SourceText(b"\xef\xbb\xbfclass A: pass\n")
    assert text.utf8.startswith(b"class")
    assert text.position(6) == (1, 7)


@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "iso8859-1", "x = '\xe9'"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "cp1252", "x = '\u20ac'"),
        ("# coding: shift_jis\nx = '\u8868'\n".encode("shift_jis"), "shift_jis", "x = '\u8868'"),
        ("x = '\u00e9'\n".encode(), "utf-8", "x = '\u00e9'"),
    ],
)
def test_declared_encoding_is_used(data: bytes, encoding: str, line: str) -> None:
    text = SourceText(data)
    assert (text.encoding, text.lines[-1], text.problem) == (encoding, line, "")


def test_declaration_below_code_is_none() -> None:
    text = SourceText(b"x = 1\n# coding: latin-1\ny = '\xe9'\n")
    assert text.problem == "not all bytes are UTF-8"
    assert text.lines[2] == "y = '\udce9'"


@pytest.mark.parametrize("name", ["no-such-codec", "rot13", "hex", "idna", "utf-16", "zlib"])
def test_encoding_that_python_takes_no_source_in_is_a_problem_and_the_text_is_still_there(name: str) -> None:
    text = SourceText(b"# coding: " + name.encode() + b"\nclass A: pass\n")
    assert text.problem
    assert text.lines[1] == "class A: pass"


def test_undecodable_bytes_stay_visible_and_keep_their_place() -> None:
    text = SourceText(b"a = '\xff\xfe'; b = 2\n")
    assert text.line(1) == "a = '\udcff\udcfe'; b = 2"
    assert text.position(text.utf8.index(b"b")) == (1, 11)


def test_nul_is_a_blank_for_the_parser() -> None:
    assert SourceText(b"a = 1\0\nb = 2\n").utf8 == b"a = 1 \nb = 2\n"


def test_columns_count_code_points() -> None:
    text = SourceText("x = '\U0001f600\u00e9'; name = 1\n".encode())
    at = text.utf8.index(b"name")
    assert text.position(at) == (1, 11)
    assert text.offset(1, 11) == at


def test_positions_outside_are_drawn_to_the_nearest() -> None:
    text = SourceText(b"ab\ncd\n")
    assert text.offset(0, 5) == 0
    assert text.offset(1, 99) == 2
    assert text.offset(9, 1) == 6
    assert text.line(9) == ""


def test_line_bytes_are_the_exact_bytes_of_the_file() -> None:
    data = b"\xef\xbb\xbfone\r\ntwo\rstill two\nthree"
    text = SourceText(data)
    assert text.line_bytes(1, 1) == b"\xef\xbb\xbfone\r\n"
    assert text.line_bytes(2, 3) == b"two\rstill two\nthree"
    assert text.line_bytes(4, 9) == b""
    assert text.line_bytes(1, 3) == data


def test_line_bytes_do_not_split_at_what_other_tools_call_a_line() -> None:
    assert SourceText(b"a\x0cb\x1cc\nd\n").line_bytes(1, 1) == b"a\x0cb\x1cc\n"


def test_digest_is_the_one_given_or_worked_out() -> None:
    assert SourceText(b"x", "abc").digest == "abc"
    assert SourceText(b"x").digest == hashlib.sha256(b"x").hexdigest()


@given(st.binary(max_size=200))
def test_any_bytes_are_read_and_their_lines_are_those_of_sed(data: bytes) -> None:
    text = SourceText(data)
    assert len(text.lines) == text.line_count
    whole = text.line_bytes(1, max(text.line_count, 1))
    assert whole == data or not text.line_count
    for line in range(1, text.line_count + 1):
        start = text.offset(line, 1)
        assert text.position(start) == (line, 1)


@pytest.mark.parametrize("lines", [[b"some\n"] * 3000, [b"some\r\n"] * 3000, [b"\n"] * 9000, [b"x" * 5000 + b"\n"] * 9])
def test_lines_of_a_long_text_are_told_as_those_of_a_short_one(lines: list[bytes]) -> None:
    text = SourceText(b"".join(lines))
    starts = list(accumulate(map(len, lines), initial=0))
    for line, start in list(enumerate(starts, start=1))[::7]:
        assert text.position(start) == (line, 1)
        assert text.offset(line, 1) == start
    assert text.starts(2, 4) == starts[1:5]
