"""Owns the tests of which panes a window shows."""

from __future__ import annotations

import pytest

from sondage.tui.models.layout import PANES, Arrangement, shape_of


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((80, 24), "one"),
        ((99, 60), "one"),
        ((100, 24), "two"),
        ((139, 40), "two"),
        ((140, 40), "three"),
        ((200, 23), "one"),
        ((30, 8), "one"),
        ((29, 8), "small"),
        ((30, 7), "small"),
        ((1, 1), "small"),
    ],
)
def test_shape_goes_by_columns_and_rows(size: tuple[int, int], shape: str) -> None:
    assert shape_of(*size) == shape


def test_one_pane_is_the_active_one() -> None:
    assert Arrangement("contract").shown("one") == ("contract",)


def test_two_columns_keep_what_was_last_at_the_left_and_below() -> None:
    arrangement = Arrangement().entered("classes").entered("log").entered("source")
    assert arrangement.shown("two") == ("classes", "source", "log")


def test_three_columns_show_all_and_zoom_only_one() -> None:
    arrangement = Arrangement().entered("source")
    assert arrangement.shown("three") == PANES
    assert arrangement.zoomed_or_not().shown("three") == ("source",)
    assert arrangement.zoomed_or_not().zoomed_or_not() == arrangement
