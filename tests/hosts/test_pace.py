"""What is packed how, by what was measured on the way."""

from __future__ import annotations

import pytest

from sondage.hosts import pace
from sondage.hosts.pace import FIRST_AHEAD, GZIP_PAYS, LEAST_AHEAD, MEASURABLE, TELLING, WORTH_PACKING, Pace


class Clock:
    """Stands where it is put."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    return clock


def started(clock: Clock, seconds: float) -> Pace:
    pace = Pace()
    with pace.timing_start():
        clock.now += seconds
    return pace


def answered(pace: Pace, clock: Clock, size: int, rate: float) -> Pace:
    pace.begin()
    clock.now += 5  # the host looks for it
    pace.count(size // 2)
    clock.now += size / rate
    pace.count(size - size // 2)
    pace.finish()
    return pace


def test_a_little_is_not_packed(clock: Clock) -> None:
    assert started(clock, 9).packing(WORTH_PACKING - 1) == "plain"


def test_before_anything_has_come_the_way_is_as_far_as_starting_took(clock: Clock) -> None:
    assert started(clock, 0.2).packing(MEASURABLE) == "far"
    assert started(clock, 0.002).packing(MEASURABLE) == "near"


@pytest.mark.parametrize(("rate", "packing"), [(GZIP_PAYS / 2, "far"), (GZIP_PAYS * 2, "near")])
def test_what_came_decides_what_is_asked_for_next(clock: Clock, rate: float, packing: str) -> None:
    for seconds in (0.002, 0.2):
        assert answered(started(clock, seconds), clock, MEASURABLE, rate).packing(MEASURABLE) == packing


def test_a_short_answer_says_nothing(clock: Clock) -> None:
    assert answered(started(clock, 0.002), clock, MEASURABLE - 1, 1000).packing(MEASURABLE) == "near"


def test_two_portions_are_ahead_of_what_has_come(clock: Clock) -> None:
    pace = started(clock, 0.1)
    portion = pace.room(0)

    assert portion == FIRST_AHEAD // 2
    assert pace.room(portion + 1) == portion
    assert pace.room(2 * portion) == 0


@pytest.mark.parametrize("rate", [1e6, 20e6, 200e6])
def test_what_is_ahead_takes_about_a_second(clock: Clock, rate: float) -> None:
    pace = started(clock, 0.1)
    pace.begin()
    clock.now += 4e6 / rate
    pace.count(900_000)
    pace.finish(4_000_000)

    assert 0.5 <= 2 * pace.room(0) / rate <= 1.5


def test_slow_listing_makes_the_first_portions_small_and_a_quick_one_does_not(clock: Clock) -> None:
    rooms = [answered(started(clock, 0.1), clock, TELLING, rate).room(0) for rate in (50_000, 5e6)]

    assert LEAST_AHEAD // 2 <= rooms[0] < rooms[1] == FIRST_AHEAD // 2
