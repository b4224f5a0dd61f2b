"""Owns the asking while a connection is made: nobody's time runs while a question is open, and "no" ends the login."""

from __future__ import annotations

from sondage.errors import LoginRefused
from sondage.hosts.base import Asker, Question
from sondage.hosts.deadline import LOGIN, Patience


class Interview:
    """Questions about one hop. Without an asker nothing can be answered, and `unasked` remembers what was needed."""

    def __init__(self, asker: Asker | None, hop: str) -> None:
        self._asker = asker
        self.hop = hop
        self.patience: Patience | None = None
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
        answer = await self.ask(question)
        if answer is None and self.possible:
            raise LoginRefused("the login was given up", self.hop)
        return answer
