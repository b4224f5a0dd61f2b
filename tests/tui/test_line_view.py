"""Owns the tests of the views that draw line by line: what they take of a stylesheet, and what of them leaves."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from tests.tui.driving import running, settle, typed
from tests.tui.fake import FakeDig
from textual.color import Color
from textual.geometry import Region, Spacing
from textual.strip import Strip

from sondage.tui.app import SondageApp
from sondage.tui.models.rows import Part, row
from sondage.tui.models.source import Frame
from sondage.tui.panes.code import CodeView
from sondage.tui.panes.lines import LineView
from sondage.tui.panes.messages import PlaceAsked
from sondage.tui.wall import Wall, in_turn

SOURCE = 'class Reader:\n    """Reads."""\n\n    def read(self, n: int = 3) -> bytes:  # why\n        return b"x" * n\n'


def cells(strips: list[Strip]) -> list[list[tuple[str, Style | None]]]:
    """The characters of some lines, each with its style."""
    return [[(character, style) for text, style, _ in strip for character in text] for strip in strips]


def whole(view: LineView) -> Region:
    return Region(0, 0, view.size.width, view.size.height)


async def coloured(app: SondageApp, pilot: object) -> CodeView:
    app.put(PlaceAsked("a.py", 1))
    await settle(pilot)  # type: ignore[arg-type]
    return app.panes.source.view


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_no_view_of_lines_has_what_it_would_not_draw(size: tuple[int, int]) -> None:
    async with running(size=size) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "question_mark")
        for view in [*app.base.query(LineView), *app.screen.query(LineView)]:
            styles = view.styles
            assert styles.gutter == Spacing(0, 0, 0, 0)
            assert not any(edge for edge, _ in styles.outline)
            assert (styles.tint.a, styles.opacity, styles.text_opacity) == (0, 1, 1)
            assert not styles.has_rule("hatch")


async def test_what_slipped_past_the_first_wall_leaves_no_view_of_lines() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter")
        view = app.panes.search.main
        view.show([row(Part("a\x1b[2Jb")), row(Part("\u202ec"))])  # type: ignore[attr-defined]
        await settle(pilot)
        shown = [strip.text.strip(" ▌") for strip in view.render_lines(whole(view))]
        assert shown[:2] == ["a[2Jb", "c"]


async def test_a_part_of_a_view_is_cut_out_of_its_lines() -> None:
    async with running(FakeDig({"a.py": SOURCE})) as (app, pilot):
        view = await coloured(app, pilot)
        region = Region(7, 1, 20, 3)
        part, all_of_it = view.render_lines(region), view.render_lines(whole(view))
        assert cells(part) == [line[7:27] for line in cells(all_of_it[1:4])]


async def test_a_line_looks_the_same_when_something_of_no_width_lies_over_it() -> None:
    async with running(FakeDig({"a.py": SOURCE})) as (app, pilot):
        view = await coloured(app, pilot)
        plain = cells(view.render_lines(whole(view)))
        view.matches = lambda line: [(0, 0)]
        view.changed()
        assert cells(view.render_lines(whole(view))) == plain
        assert len({style for line in plain for _, style in line}) > 6


def test_filters_in_turn_are_one_filter_and_the_same_for_the_same_ones() -> None:
    first, second = Wall(), Wall()
    assert in_turn(first, second) is in_turn(first, second)
    assert in_turn(first, second) is not in_turn(second, first)
    (cleaned,) = in_turn(first, second).apply([Segment("a\x1b")], Color(0, 0, 0))
    assert cleaned.text == "a"


async def test_a_range_ends_where_the_cursor_stands_also_when_its_keys_come_at_one_go() -> None:
    async with running(FakeDig({"a.py": SOURCE})) as (app, pilot):
        view = await coloured(app, pilot)
        app.panes.source.action_select()
        view.action_move(1)
        view.action_move(1)
        app.panes.source.action_definition()
        await settle(pilot)
        assert view.frame == Frame(1, 3)
