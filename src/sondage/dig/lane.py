"""Owns the turns of questions: a thread answers one after another, and a long one lets others in between its steps."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sondage.hosts.aside import goes_straight

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from sondage.core.classes.codebase import Steps

A = TypeVar("A")

TURN = 0.02
"""Seconds that a question goes on before it lets another have its turn."""


class Lane:
    """One thread. Whoever waits for an answer and is cancelled stops a question that is given in steps."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  what goes straight needs no thread

        return ThreadPoolExecutor(1, thread_name_prefix=f"sondage-{self._name}")

    async def ask(self, question: Callable[..., A], *arguments: Any) -> A:
        """Raises what the question raises."""
        if goes_straight():
            return question(*arguments)
        import asyncio  # noqa: PLC0415  as above

        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: question(*arguments))

    async def ask_in_steps(
        self, question: Callable[..., Steps[A]], *arguments: Any, told: Callable[[Any], None] | None = None
    ) -> A:
        """As `ask`; `told` is called on the event loop with what a step says of the answer."""
        answering = _Answering(question, arguments)
        while not answering.is_done:
            said = await self.ask(answering.go_on)
            if said is not None and told is not None:
                told(said)
        return answering.answer

    def put(self, work: Callable[..., Steps[None]], *arguments: Any) -> None:
        """Work that nobody waits for; it ends where the lane is closed."""
        working = _Answering(work, arguments)

        def go_on() -> None:
            working.go_on()
            if not working.is_done:
                with contextlib.suppress(RuntimeError):  # closed
                    self._thread.submit(go_on)

        self._thread.submit(go_on)

    def close(self) -> None:
        """What is under way ends by itself; what waits is dropped."""
        if not goes_straight():
            self._thread.shutdown(wait=False, cancel_futures=True)


class _Answering(Generic[A]):
    """A question with how far it is answered."""

    def __init__(self, question: Callable[..., Steps[A]], arguments: tuple[Any, ...]) -> None:
        self._steps = question(*arguments)
        self.is_done = False
        self.answer: A

    def go_on(self) -> object:
        """For a turn, to the end, or until a step says something: that is returned."""
        until = time.monotonic() + TURN
        said: object = None
        try:
            said = next(self._steps)
            while said is None and time.monotonic() < until:
                said = next(self._steps)
        except StopIteration as end:
            self.answer, self.is_done = end.value, True
        return said
