"""Owns the tests of the jump list."""

from __future__ import annotations

from sondage.tui.models.jumps import MOST, JumpList
from sondage.tui.models.source import Place


def test_back_and_forward_lead_along_the_places() -> None:
    jumps = JumpList()
    for line in (1, 2, 3):
        jumps.push(Place("a.py", line))
    assert [jumps.back(), jumps.back(), jumps.back()] == [Place("a.py", 2), Place("a.py", 1), None]
    assert jumps.forward() == Place("a.py", 2)


def test_going_on_from_the_middle_forgets_what_lay_ahead() -> None:
    jumps = JumpList()
    for line in (1, 2, 3):
        jumps.push(Place("a.py", line))
    jumps.back()
    jumps.push(Place("b.py", 9))
    assert [place.line for place in jumps.places] == [1, 2, 9]
    assert jumps.forward() is None


def test_same_line_twice_counts_once() -> None:
    jumps = JumpList()
    jumps.push(Place("a.py", 1))
    jumps.push(Place("a.py", 1, last=5))
    assert jumps.places == [Place("a.py", 1, last=5)]


def test_leaving_another_line_than_one_came_to_is_remembered() -> None:
    jumps = JumpList()
    jumps.push(Place("a.py", 1))
    jumps.leave(Place("a.py", 40))
    jumps.push(Place("b.py", 7))
    assert jumps.back() == Place("a.py", 40)


def test_list_does_not_grow_without_end() -> None:
    jumps = JumpList()
    for line in range(MOST + 50):
        jumps.push(Place("a.py", line))
    assert len(jumps.places) == MOST
    assert jumps.back() == Place("a.py", MOST + 48)
