"""Owns doing many small waits at once, in a row: results in order, none left behind."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def in_window(width: int, work: Callable[[T], Awaitable[R]], items: Iterable[T]) -> AsyncGenerator[R, None]:
    """`work` of each item, in their order, at most `width` of them at a time. Close it to cancel what is under way."""
    running: deque[asyncio.Future[R]] = deque()
    try:
        for item in items:
            running.append(asyncio.ensure_future(work(item)))
            if len(running) == width:
                yield await running.popleft()
        while running:
            yield await running.popleft()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
