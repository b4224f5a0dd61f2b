"""Owns the asking while a connection is made: nobody's time runs while a question is open, and "no" ends the login."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sondage.errors import LoginRefused
from sondage.hosts.base import Asker, Question
from sondage.hosts.deadline import LOGIN, Patience

T = TypeVar("T")

TOUCH = 1.0
"""Seconds after which something that signs is waiting for somebody, as a rule."""


class Interview:
    """Questions about one hop. Without an asker nothing can be answered, and `unasked` remembers what was needed.

    A secret is asked for `tries` times (ssh_config(5), NumberOfPasswordPrompts). `spare` is called before, and may
    raise what makes the asking needless.
    """

    def __init__(self, asker: Asker | None, hop: str, tries: int = 3) -> None:
        self._asker = asker
        self.hop = hop
        self.tries = tries
        self.patience: Patience | None = None
        self.spare: Callable[[], Awaitable[None]] | None = None
        self.unasked: list[str] = []

    @property
    def possible(self) -> bool:
        return self._asker is not None

    async def ask(self, question: Question) -> str | None:
        """The answer, or None when nobody can be asked or the answer is no."""
        if self._asker is None:
            self.unasked.append(question.kind)
            return None
        if self.patience is None:
            return await self._asker(question)
        with self.patience.paused(LOGIN):
            return await self._asker(question)

    async def ask_secret(self, question: Question) -> str | None:
        """None only when nobody can be asked. Raises LoginRefused when the user gives up."""
        if self.spare is not None:
            await self.spare()
        answer = await self.ask(question)
        if answer is None and self.possible:
            raise LoginRefused("the login was given up", self.hop)
        return answer

    async def waiting(self, work: Awaitable[T], text: str) -> T:
        """What `work` gives. Where it takes long, the user is told what it waits for, if there is anybody to tell."""
        running = asyncio.ensure_future(work)
        try:
            done, _ = await asyncio.wait({running}, timeout=TOUCH)
            if not done and self._asker is not None:
                await self._asker(Question("touch", self.hop, text))
            return await running
        finally:
            running.cancel()
