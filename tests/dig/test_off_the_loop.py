"""Owns the tests of where work is done: what may take long never on the thread of the event loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from sondage.core.answers.text import SearchAnswer
from sondage.core.contracts.contract import required
from sondage.core.search.corpus import Corpus
from sondage.dig import SearchQuery, questions, state
from sondage.dig.recorder import Recorder
from sondage.journal import Journal

from .conftest import Opening


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[int]]:
    """The threads in which some functions were called, by name."""
    found: dict[str, set[int]] = {}

    def watch(owner: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            found.setdefault(name, set()).add(threading.get_ident())
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, watched)

    watch(Journal, "append")
    watch(Recorder, "entry")
    watch(state, "summary_of")
    watch(questions, "jump")
    watch(Corpus, "_hits")
    watch(questions, "_selected")
    return found


async def test_no_answer_is_worked_out_or_written_on_the_loop(opening: Opening, seen: dict[str, set[int]]) -> None:
    dig = await opening(session="threads")
    await dig.refresh()
    await dig.search(SearchQuery("load"))
    await dig.jump("pkg/model.py", 6, 21)
    await dig.matrix("subclasses:Base", required(["load", "save"]))
    assert set(seen) == {"append", "entry", "summary_of", "jump", "_hits", "_selected"}
    assert threading.get_ident() not in set().union(*seen.values())


async def test_first_hits_are_given_while_the_search_goes_on(opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "FIRST_HITS", 2)
    dig = await opening()
    await dig.refresh()
    first: list[SearchAnswer] = []
    whole = await dig.search(SearchQuery("def"), first=first.append)
    (part,) = first
    assert 2 <= len(part.hits) < len(whole.hits)
    assert whole.hits[: len(part.hits)] == part.hits


async def test_matrix_says_how_many_classes_are_done(opening: Opening) -> None:
    dig = await opening()
    await dig.refresh()
    told: list[tuple[int, int]] = []
    await dig.matrix("all", required(["load"]), told=told.append)
    assert told == [(1, 3), (2, 3), (3, 3)]
