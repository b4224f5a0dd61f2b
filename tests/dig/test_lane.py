"""Owns the tests of turns: a long question lets others in, says how far it is, and ends when nobody waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from sondage.core.classes.codebase import Steps
from sondage.dig import lane as lanes
from sondage.dig.lane import Lane


@pytest.fixture
def lane(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lane]:
    """One whose turns are a step long."""
    monkeypatch.setattr(lanes, "TURN", -1.0)
    made = Lane("test")
    yield made
    made.close()


def counting(to: int, done: list[str], name: str) -> Steps[str]:
    for number in range(to):
        done.append(f"{name}{number}")
        yield number
    return name


async def test_question_is_answered_off_the_loop(lane: Lane) -> None:
    assert await lane.ask(threading.get_ident) != threading.get_ident()


async def test_what_a_question_raises_is_raised_to_whoever_asked(lane: Lane) -> None:
    def refused(name: str) -> Steps[None]:
        yield None
        raise ValueError(name)

    with pytest.raises(ValueError, match="a"):
        await lane.ask_in_steps(refused, "a")
    with pytest.raises(ZeroDivisionError):
        await lane.ask(lambda: 1 // 0)


async def test_long_questions_take_turns(monkeypatch: pytest.MonkeyPatch, lane: Lane) -> None:
    monkeypatch.setattr(lanes, "TURN", 10.0)  # each step says something, which ends a turn
    done: list[str] = []
    first, second = await asyncio.gather(
        lane.ask_in_steps(counting, 5, done, "a"), lane.ask_in_steps(counting, 5, done, "b")
    )
    assert (first, second) == ("a", "b")
    assert done.index("b1") < done.index("a3")


async def test_short_question_does_not_wait_for_a_long_one(lane: Lane) -> None:
    done: list[str] = []
    going = threading.Event()

    def endless() -> Steps[None]:
        while True:
            going.set()
            yield None

    long = asyncio.ensure_future(lane.ask_in_steps(endless))
    await asyncio.to_thread(going.wait)
    assert await lane.ask(lambda: done or "answered") == "answered"
    long.cancel()


async def test_question_ends_when_nobody_waits_for_it(lane: Lane) -> None:
    steps: list[int] = []
    going = threading.Event()

    def endless() -> Steps[None]:
        while True:
            steps.append(1)
            going.set()
            yield None

    asked = asyncio.ensure_future(lane.ask_in_steps(endless))
    await asyncio.to_thread(going.wait)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await lane.ask(lambda: None)  # behind the step that was under way
    before = len(steps)
    await lane.ask(lambda: None)
    assert len(steps) == before


async def test_what_steps_say_is_told_on_the_loop(lane: Lane) -> None:
    told: list[tuple[int, bool]] = []
    loop_thread = threading.get_ident()

    def note(number: int) -> None:
        told.append((number, threading.get_ident() == loop_thread))

    await lane.ask_in_steps(counting, 3, [], "a", told=note)
    assert told == [(0, True), (1, True), (2, True)]


async def test_work_nobody_waits_for_goes_on_between_questions(lane: Lane) -> None:
    done: list[str] = []
    finished = threading.Event()

    put = threading.Event()

    def working() -> Steps[None]:
        yield None
        put.wait()
        yield from counting(20, done, "a")
        finished.set()

    lane.put(working)
    asked = asyncio.ensure_future(lane.ask(lambda: done.append("asked")))
    await asyncio.sleep(0)  # the question stands in line now
    put.set()
    await asked
    await asyncio.to_thread(finished.wait)
    assert done.index("asked") < 20


async def test_work_nobody_waits_for_ends_with_the_lane(lane: Lane) -> None:
    going = threading.Event()

    def endless() -> Steps[None]:
        while True:
            going.set()
            yield None

    lane.put(endless)
    await asyncio.to_thread(going.wait)
    lane.close()
    with pytest.raises(RuntimeError):
        await lane.ask(lambda: None)
