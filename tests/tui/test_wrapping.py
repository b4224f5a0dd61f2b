"""Owns the tests of long lines broken over several rows."""

from __future__ import annotations

from tests.tui.driving import running, screen_text, settle, typed
from tests.tui.fake import FakeDig

from sondage.tui.models.wrapping import Wrapping, cuts
from sondage.tui.panes.messages import PlaceAsked

LONG = "x = " + " + ".join(f"name_{number}" for number in range(30))


def test_rows_begin_where_the_one_before_is_full_and_no_character_is_cut() -> None:
    assert cuts("", 10) == [0]
    assert cuts("abcdefgh", 3) == [0, 3, 6]
    assert cuts("a日本語b", 4) == [0, 3, 7]
    assert cuts("日本", 1) == [0, 2]


def test_rows_and_lines_are_found_from_each_other() -> None:
    wrapping = Wrapping(["a", "b" * 25, "c"], 10)
    assert wrapping.rows == 5
    assert [wrapping.row_of(index) for index in range(3)] == [0, 1, 4]
    assert [wrapping.at(row) for row in range(5)] == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)]


async def test_all_of_a_long_line_is_shown_and_the_cursor_still_goes_by_lines() -> None:
    dig = FakeDig({"a.py": f"first = 1\n{LONG}\nlast = 2\n"})
    async with running(dig) as (app, pilot):
        app.put(PlaceAsked("a.py", 1))
        await settle(pilot)
        assert "name_29" not in screen_text(app)
        await typed(pilot, "w")
        rows = screen_text(app).split("\n")[3:9]
        assert "".join(row[6:79] for row in rows).replace(" ", "").startswith("first=1x=name_0+")
        assert "name_29" in screen_text(app)
        await typed(pilot, "j", "j")
        assert app.panes.source.view.line == 3
        await pilot.click("#source-view", offset=(10, 2))
        await settle(pilot)
        assert app.panes.source.view.line == 2
        await typed(pilot, "w")
        assert "name_29" not in screen_text(app)


async def test_text_dragged_over_two_rows_of_a_line_is_copied_whole() -> None:
    dig = FakeDig({"a.py": LONG})
    async with running(dig) as (app, pilot):
        app.put(PlaceAsked("a.py", 1))
        await settle(pilot)
        await typed(pilot, "w")
        view = app.panes.source.view
        await pilot.mouse_down(view, offset=(6, 0))
        await pilot.hover(view, offset=(8, 1))
        await pilot.mouse_up(view, offset=(8, 1))
        await typed(pilot, "ctrl+c")
        assert LONG.startswith(app.clipboard) and len(app.clipboard) > 70
