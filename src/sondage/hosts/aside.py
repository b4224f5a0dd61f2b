"""Owns work that blocks: in a thread beside an event loop, or at once where nobody would be kept waiting.

A single question about a folder of this machine waits for nothing but its own work. It goes `straight` to its end: an event
loop and threads take longer to make than such a question to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor
    from types import TracebackType

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")

_STRAIGHT: ContextVar[bool] = ContextVar("straight", default=False)


def straight(work: Coroutine[Any, Any, A]) -> A:
    """What `work` returns or raises. It may wait for what goes `aside`, and for turns; RuntimeError for anything else."""
    before = _STRAIGHT.set(True)
    try:
        work.send(None)
    except StopIteration as end:
        answer: A = end.value
        return answer
    finally:
        _STRAIGHT.reset(before)
    raise RuntimeError("this has to wait, and there is no event loop")


def goes_straight() -> bool:
    """Whether there is no event loop that what blocks could stop."""
    return _STRAIGHT.get()


async def aside(work: Callable[P, A], *arguments: P.args, **named: P.kwargs) -> A:
    """What `work` returns or raises, which blocks."""
    if goes_straight():
        return work(*arguments, **named)
    import asyncio  # noqa: PLC0415  large, and there already where there is an event loop

    return await asyncio.to_thread(work, *arguments, **named)


async def each_aside(executor: Executor | None, work: Callable[[T], A], items: Iterable[T]) -> list[A]:
    """What `work` returns for each item, in their order; several at a time where the executor has room for it.

    None for the executor means threads of the loop's own.
    """
    if goes_straight():
        return list((executor.map if executor else map)(work, items))
    import asyncio  # noqa: PLC0415  as above

    loop = asyncio.get_running_loop()
    return await asyncio.gather(*(loop.run_in_executor(executor, work, item) for item in items))


class Turn:
    """One at a time, as with `asyncio.Lock`; who goes straight is alone."""

    def __init__(self) -> None:
        self._lock: asyncio.Lock | None = None

    def locked(self) -> bool:
        """Whether somebody has the turn."""
        return self._lock is not None and self._lock.locked()

    async def __aenter__(self) -> None:
        if not goes_straight():
            import asyncio  # noqa: PLC0415  as above

            self._lock = self._lock or asyncio.Lock()
            await self._lock.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            self._lock.release()
