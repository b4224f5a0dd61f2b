"""Owns the tests of the long list of places: rows are made as they are looked at, and say what a short list says."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sondage.core.answers.text import Hit, Hits, SearchAnswer
from sondage.core.search.hits import HitsOfFile
from sondage.core.search.lines import hits_in
from sondage.core.search.pattern import compile_pattern
from sondage.core.source.extract import extract
from sondage.tui.models.asking import SHOW_HIDDEN
from sondage.tui.models.search import Grouped, Spot, spots_of_search

HITS = tuple(
    Hit(f"pkg/{path}.py", line, 1, f"self.{path} = {line}", symbol)
    for path, symbol in (("a", "One.run"), ("b", "Two"), ("c", "One.stop"))
    for line in (3, 12, 140)
)
ANSWER = SearchAnswer("self", HITS, 9, 3, 5)


@pytest.mark.parametrize("grouped", [Grouped(), Grouped(by_class=True), Grouped(hidden=frozenset({"pkg/b.py"}))])
def test_cursor_stands_on_places_only_and_finds_each_again(grouped: Grouped) -> None:
    rows = grouped.rows(spots_of_search(ANSWER))
    stops = list(rows.stops)
    assert stops == [index for index in range(len(rows)) if rows[index].value is not None]
    assert all(before < after for before, after in pairwise(stops))
    for index in stops:
        assert index in rows.stops
        assert rows.index_of(rows[index].value) == index
    assert 0 not in rows.stops
    assert len(rows) not in rows.stops


def test_groups_have_a_heading_with_their_number() -> None:
    rows = Grouped().rows(spots_of_search(ANSWER))
    assert [rows[index].text for index in (0, 4, 8)] == ["a.py  pkg  3", "b.py  pkg  3", "c.py  pkg  3"]
    by_class = Grouped(by_class=True).rows(spots_of_search(ANSWER))
    assert [by_class[index].text for index in range(len(by_class)) if by_class[index].value is None] == [
        "One  6",
        "Two  3",
    ]


def test_hidden_files_are_offered_below() -> None:
    rows = Grouped(hidden=frozenset({"pkg/b.py"})).rows(spots_of_search(ANSWER))
    assert rows[len(rows) - 1].value == SHOW_HIDDEN
    assert rows.index_of(SHOW_HIDDEN) == len(rows) - 1 == rows.stops[-1]


def test_hit_is_shown_as_a_place() -> None:
    rows = Grouped().rows(spots_of_search(ANSWER))
    assert rows[1].value == Spot("pkg/a.py", 3, 1, "self.a = 3", "One.run")
    assert rows[1].text.startswith("    3  self.a = 3")


def test_place_that_is_not_in_the_list_is_nowhere() -> None:
    assert Grouped().rows(spots_of_search(ANSWER)).index_of(Spot("pkg/z.py", 1, 1, "", "")) is None


def test_list_without_places_is_empty() -> None:
    rows = Grouped().rows(spots_of_search(SearchAnswer("x", (), 0, 0, 5)))
    assert (len(rows), list(rows.stops)) == (0, [])


def test_many_hits_become_rows_only_where_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr(
        Spot, "of", classmethod(lambda cls, hit: made.append(hit) or cls(hit.path, hit.line, 1, "", ""))
    )
    hits = tuple(Hit(f"{number // 100:03}.py", number % 100 + 1, 1, "x", "") for number in range(50_000))
    rows = Grouped().rows(spots_of_search(SearchAnswer("x", hits, 50_000, 500, 500)))
    assert (len(rows), len(rows.stops), rows.stops[-1]) == (50_500, 50_000, 50_499)
    assert not made
    assert rows[50_499].value
    assert len(made) == 1


@pytest.mark.parametrize("grouped", [Grouped(), Grouped(by_class=True), Grouped(hidden=frozenset({"b.py"}))])
def test_hits_made_as_they_are_shown_are_those_made_beforehand(grouped: Grouped) -> None:
    texts = {
        "a.py": b"class Two:\n    def run(self):\n        self.x = 1\n\nself = 1\n",
        "b.py": b"\n" * 120 + b"class One:\n    def run(self): ...\n",
        "c.py": b"class Two:\n    def stop(self): ...\n",
    }
    pattern = compile_pattern("self")
    hits = Hits(HitsOfFile(path, hits_in(pattern, data), extract(data)) for path, data in texts.items())
    late, early = (spots_of_search(SearchAnswer("self", some, 5, 3, 3)) for some in (hits, tuple(hits)))
    rows, beforehand = grouped.rows(late), grouped.rows(early)
    assert [rows[index] for index in range(len(rows))] == [beforehand[index] for index in range(len(beforehand))]
    assert list(rows.stops) == list(beforehand.stops)
    assert [rows.index_of(rows[stop].value) for stop in rows.stops] == list(rows.stops)
    assert late.paths == early.paths == texts.keys()


def test_search_that_goes_on_says_so() -> None:
    assert spots_of_search(ANSWER, goes_on=True).counted == "9 hits in 3 files so far"
    assert spots_of_search(ANSWER).counted == "9 hits in 3 files"
