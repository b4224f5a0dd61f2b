"""Owns the tests of rows: what is cut, what is dropped, and that widths are cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sondage.tui.models.rows import ALL_LEFT, Part, cut, cut_path, cut_start, fit, moved, nearest, row, wrap

words = st.text(alphabet="ab 名🙂é", max_size=30)


def shown(parts: list[Part]) -> str:
    return "".join(part.text for part in parts)


def test_left_and_right_stand_at_the_borders() -> None:
    assert shown(fit(row("name", right=[Part("12")]), 12)) == "name      12"


def test_right_half_is_dropped_before_the_left_one_is_lost() -> None:
    line = row("a_long_name_of_some_kind", right=[Part("place.py:12")], least=ALL_LEFT)
    assert shown(fit(line, 30)) == "a_long_name_of_some_kind      "


def test_left_half_is_cut_where_it_is_long_enough_to_lose_something() -> None:
    line = row("x" * 60, right=[Part("place.py:12")])
    assert shown(fit(line, 50)) == "x" * 36 + "…  place.py:12"


def test_extra_is_shown_where_it_fits_and_not_in_part() -> None:
    line = row("name", extra=[Part("  extra")], right=[Part("9")])
    assert shown(fit(line, 20)) == "name  extra        9"
    assert shown(fit(line, 10)) == "name     9"


def test_extra_that_may_be_cut_is_cut() -> None:
    line = row("name", extra=[Part("  a long sentence")], right=[Part("9")], cut_extra=True)
    assert shown(fit(line, 20)) == "name  a long sen…  9"


@given(words, words, words, st.integers(0, 60))
def test_fit_has_exactly_the_width_it_is_given(left: str, extra: str, right: str, width: int) -> None:
    line = row(left, extra=[Part(extra)], right=[Part(right)])
    assert cell_len(shown(fit(line, width))) == width


@given(words, st.integers(0, 40))
def test_cut_text_is_never_wider_than_asked(text: str, width: int) -> None:
    assert cell_len(cut(text, width)) <= width
    assert cell_len(cut_start(text, width)) <= width
    assert cell_len(cut_path(text, width)) <= width


def test_path_is_cut_at_a_folder_and_keeps_its_file() -> None:
    assert cut_path("sglang/srt/models/kimi_k25.py", 22) == "…/models/kimi_k25.py"


@pytest.mark.parametrize(("at", "by", "there"), [(0, 1, 4), (1, 1, 4), (4, 5, 9), (9, 1, 9), (3, -1, 1), (1, -9, 1)])
def test_moving_goes_from_stop_to_stop_and_holds_at_the_ends(at: int, by: int, there: int) -> None:
    assert moved([1, 4, 9], at, by) == there


def test_nearest_stop_is_the_last_one_before() -> None:
    assert [nearest([1, 4, 9], at) for at in (0, 1, 3, 4, 100)] == [1, 1, 1, 4, 9]
    assert nearest([], 5) == 0


@given(st.text(alphabet="abc 名", max_size=80), st.integers(4, 30))
def test_wrapped_lines_fit_and_lose_no_letter(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
