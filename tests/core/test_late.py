"""Patterns that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from sondage.core.late import late_pattern


def test_a_late_pattern_matches_as_a_compiled_one_does() -> None:
    late = late_pattern(r"a(\w)", re.IGNORECASE)
    found = late.search("xxAb")
    assert found is not None
    assert found[1] == "b"
    assert late.sub("-", "ab ac") == "- -"
    assert late.flags & re.IGNORECASE


def test_a_late_pattern_of_bytes_matches_bytes() -> None:
    assert late_pattern(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_a_late_pattern_is_compiled_when_it_is_first_used() -> None:
    late = late_pattern("(")
    with pytest.raises(re.error):
        late.match("x")


def test_nothing_stands_between_after_the_first_use() -> None:
    late = late_pattern("x")
    assert late.match is late.match
