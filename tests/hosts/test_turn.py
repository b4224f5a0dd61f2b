"""Taking turns on a connection."""

from __future__ import annotations

import asyncio

from sondage.hosts.turn import Turn


async def test_who_has_the_turn_sees_that_somebody_waits_and_gets_it_back_after_them() -> None:
    turn, order = Turn(), []

    async def other() -> None:
        async with turn:
            order.append("other")

    async with turn:
        assert (turn.is_taken, turn.is_wanted) == (True, False)
        waiting = asyncio.ensure_future(other())
        await asyncio.sleep(0)
        assert turn.is_wanted
        order.append("first")
    async with turn:
        order.append("first again")
    await waiting

    assert order == ["first", "other", "first again"]
    assert (turn.is_taken, turn.is_wanted) == (False, False)


async def test_who_gives_up_waiting_is_waited_for_no_more() -> None:
    turn = Turn()
    async with turn:
        waiting = asyncio.ensure_future(turn.__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert not turn.is_wanted


async def test_who_gives_way_lets_somebody_have_one_turn_after_another() -> None:
    turn, order = Turn(), []

    async def asking() -> None:
        for _ in range(3):
            async with turn:
                order.append("asked")

    waiting = asyncio.ensure_future(asking())
    await asyncio.sleep(0)
    await turn.give_way(0.01)
    order.append("went on")
    await waiting

    assert order == ["asked", "asked", "asked", "went on"]
