"""Work that blocks is done beside an event loop, and at once where there is none."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sondage.hosts.aside import Turn, aside, each_aside, goes_straight, straight


async def _thread() -> int:
    return await aside(threading.get_ident)


def test_what_goes_straight_is_done_in_its_own_thread() -> None:
    assert straight(_thread()) == threading.get_ident()


async def test_what_blocks_does_not_stop_an_event_loop() -> None:
    assert await _thread() != threading.get_ident()


def test_only_what_goes_straight_knows_it_does() -> None:
    async def asked() -> bool:
        return goes_straight()

    assert straight(asked())
    assert not goes_straight()
    assert not asyncio.run(asked())


def test_what_was_raised_on_a_straight_way_is_raised_and_the_way_ends() -> None:
    async def broken() -> None:
        await aside(int, "x")

    with pytest.raises(ValueError, match="invalid literal"):
        straight(broken())
    assert not goes_straight()


def test_what_has_to_wait_is_refused_instead_of_being_dropped() -> None:
    async def waiting() -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="no event loop"):
        straight(waiting())


@pytest.mark.parametrize("several", [False, True])
def test_every_item_gets_its_result_in_order_either_way(several: bool) -> None:
    executor = ThreadPoolExecutor(3) if several else None

    async def doubled() -> list[str]:
        return await each_aside(executor, lambda item: item * 2, ["a", "b", "c", "d"])

    try:
        assert straight(doubled()) == asyncio.run(doubled()) == ["aa", "bb", "cc", "dd"]
    finally:
        if executor is not None:
            executor.shutdown()


async def test_turns_are_taken_one_at_a_time() -> None:
    turn, done = Turn(), list[str]()

    async def work(name: str) -> None:
        async with turn:
            done.append(f"{name} begins")
            await asyncio.sleep(0)
            done.append(f"{name} ends")

    assert not turn.locked()
    one, other = asyncio.ensure_future(work("a")), asyncio.ensure_future(work("b"))
    await asyncio.sleep(0)
    assert turn.locked()
    await asyncio.gather(one, other)
    assert done == ["a begins", "a ends", "b begins", "b ends"]
    assert not turn.locked()


def test_who_goes_straight_has_every_turn() -> None:
    turn = Turn()

    async def work() -> bool:
        async with turn:
            return turn.locked()

    assert not straight(work())
