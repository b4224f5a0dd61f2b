"""Many small waits at once: in order, bounded, and none left behind."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from sondage.hosts.window import in_window


async def test_results_keep_the_order_and_no_more_than_the_width_is_at_work() -> None:
    at_work = most = 0

    async def work(item: int) -> int:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0.001 * (item % 3))
        at_work -= 1
        return item

    assert [item async for item in in_window(4, work, range(20))] == list(range(20))
    assert most == 4


async def test_an_error_cancels_the_others_and_leaves_no_task() -> None:
    async def work(item: int) -> int:
        if item == 2:
            raise ValueError("two")
        await asyncio.sleep(0 if item < 2 else 60)
        return item

    with pytest.raises(ValueError, match="two"):
        async for _ in in_window(4, work, range(9)):
            pass
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_it_cancels_what_is_under_way() -> None:
    async def work(item: int) -> int:
        await asyncio.sleep(60 if item else 0)
        return item

    async with aclosing(in_window(3, work, range(5))) as results:
        assert await anext(results) == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}
