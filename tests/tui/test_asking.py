"""Owns the tests of how a search is asked: the prompt with its globs and switches, history, offers where nothing is found."""

from __future__ import annotations

import gc

import pytest
from tests.tui.driving import running, screen_text, settle, typed
from tests.tui.fake import FakeDig, line_of

from sondage.core.search.globs import Globs
from sondage.tui.models.asking import (
    Filters,
    Offer,
    as_command,
    glob_of,
    read_prompt,
    rows_for_nothing,
    unfinished,
)
from sondage.tui.panes.messages import SearchAsked

INNER_PY, WORKER_PY = "engine/models/inner.py", "engine/worker.py"


@pytest.mark.parametrize(
    ("line", "pattern", "globs"),
    [
        ("def .*x", "def .*x", ()),
        ("a b -g **/x.py", "a b", ("**/x.py",)),
        ("a -g **/x.py -g y/** ", "a", ("**/x.py", "y/**")),
        ("rm -g", "rm -g", ()),
        ("x -g a b", "x -g a b", ()),
    ],
)
def test_globs_can_be_written_behind_the_pattern(line: str, pattern: str, globs: tuple[str, ...]) -> None:
    assert read_prompt(line) == (pattern, globs)


def test_glob_that_is_being_typed_is_no_part_of_the_pattern_yet() -> None:
    assert unfinished("evict -g ") == unfinished("evict -") == unfinished("evict") == "evict"


def test_path_becomes_a_glob_that_matches_it() -> None:
    assert glob_of("a/b_c.py") == "a/b_c.py"
    assert glob_of("a b/[x]*\udcff.py") == "a?b/?x???.py"
    assert Globs((glob_of("a b/[x]*.py"),)).match("a b/[x]*.py")


def test_search_is_written_as_a_command_for_a_colleague() -> None:
    filters = Filters(ignore_case=True, word=True, globs=("**/x y.py",))
    assert as_command("it's", filters) == "sondage search TARGET -i -w -g '**/x y.py' -- 'it'\"'\"'s'"


def test_nothing_found_offers_each_filter_to_be_taken_away() -> None:
    rows = rows_for_nothing("evict", Filters(fixed=True, word=True, globs=("**/x.py",)), 7)
    text = "\n".join(line.text for line in rows)
    assert "No line matches evict in 7 files" in text and "only files of **/x.py" in text
    assert [line.value for line in rows if line.value] == [Offer("globs"), Offer("word"), Offer("case"), Offer("fixed")]
    assert all(key in text for key in ("Enter", "^Y", "^T", "^R"))


async def test_glob_typed_behind_the_pattern_moves_to_its_field_and_stays_there() -> None:
    dig = FakeDig()
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:get_embed -g **/worker.py", "enter")
        pane = app.panes.search
        assert (pane.pattern.value, pane.globs.value) == ("get_embed", "**/worker.py")
        assert pane.found is not None and {spot.path for spot in pane.found.spots} == {WORKER_PY}
        await typed(pilot, "slash", "text:set_embed", "enter")
        assert dig.log[-1].arguments == {"pattern": "set_embed", "globs": ["**/worker.py"]}


async def test_enter_on_an_offer_searches_again_without_the_filter() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:get_embed -g **/weights.py", "enter")
        assert app.panes.search.spot is None
        await typed(pilot, "enter")
        assert app.panes.search.globs.value == ""
        assert "2 hits in 2 files" in screen_text(app)


async def test_switches_are_visible_and_can_be_clicked() -> None:
    async with running() as (app, pilot):
        assert "[.*][Aa] ab " in screen_text(app)
        await pilot.click("#search-switches", offset=(9, 0))
        await settle(pilot)
        assert app.panes.search.word
        await typed(pilot, "ctrl+t", "ctrl+r")
        assert " .*  Aa [ab]" in screen_text(app)


async def test_pattern_that_was_being_typed_comes_back_below_the_history() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:forward", "enter", "slash", "text:half", "up", "down")
        assert app.panes.search.pattern.value == "half"
        await typed(pilot, "text:forward", "enter", "slash", "text:embed", "enter", "slash", "text:forward", "enter")
        assert app.panes.search.history == ["embed", "forward"]


async def test_hidden_file_comes_back_by_enter_on_the_last_line() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter")
        first = app.panes.search.spot
        assert first is not None
        await typed(pilot, "x")
        assert app.panes.search.spot is not None and app.panes.search.spot.path != first.path
        await typed(pilot, "G", "enter", "home")
        assert app.panes.search.spot == first


async def test_step_along_the_hits_says_where_it_is_and_where_it_ends() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:get_embed_and_head", "enter", "3", "n")
        assert app.status.said == "hit 2 of 2"
        await typed(pilot, "n")
        assert app.status.said == "that was the last hit"


async def test_file_that_is_open_is_searched_by_one_key() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:def load_weights", "enter", "enter", "f", "text:embed", "enter")
        found = app.panes.search.found
        assert found is not None and {spot.path for spot in found.spots} == {INNER_PY}


async def test_range_is_of_the_file_under_the_cursor_of_the_list() -> None:
    async with running() as (app, pilot):
        await typed(pilot, "slash", "text:get_embed_and_head -g **/worker.py", "enter", "colon", "text:4,9", "enter")
        here = app.panes.source.here
        assert here is not None and here.spec == f"{WORKER_PY}:4-9"


async def test_preview_is_scrolled_without_leaving_the_list() -> None:
    async with running(size=(140, 40)) as (app, pilot):
        await typed(pilot, "slash", "text:get_embed_and_head", "enter", "K", "J")
        before = app.panes.source.view.scroll_offset.y
        await typed(pilot, "J")
        assert app.panes.source.view.scroll_offset.y > before
        assert app.arrangement.active == "search"
        assert app.panes.source.view.path == INNER_PY and line_of(INNER_PY, "def get_embed_and_head")


async def test_question_replaced_before_its_first_step_is_given_up_quietly(recwarn: pytest.WarningsRecorder) -> None:
    async with running() as (app, pilot):
        for pattern in ("a", "b", "forward"):
            app.put(SearchAsked(pattern, (), fixed=False, ignore_case=False, committed=False))
        await settle(pilot)
        assert app.panes.search.found is not None and app.panes.search.found.title == "forward"
        gc.collect()
    assert not [warning for warning in recwarn if "never awaited" in str(warning.message)]
