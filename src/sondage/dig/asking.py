"""Owns how a question to a Dig goes its way: in a lane of its own, along chains that lead into libraries, into the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from sondage.core.answers.calls import Resolution
from sondage.core.answers.text import SearchAnswer
from sondage.core.transcripts.transcript import Verb
from sondage.dig import questions
from sondage.dig.caution import cautious
from sondage.dig.index import Index
from sondage.dig.keeping import Keeping
from sondage.dig.lane import Lane
from sondage.dig.recorder import Recorder
from sondage.dig.state import State

A = TypeVar("A")

MOST_ROUNDS = 12
"""Times a chain is followed one library file further; real chains end after three or four."""


class Asking(Keeping):
    """What all questions share."""

    def __init__(self, state: State, recorder: Recorder) -> None:
        super().__init__(recorder)
        self._state = state
        # One lane each: answers about classes share caches that one thread at a time may fill, and a search must not wait for them.
        self._thinking = Lane("think")
        self._searching = Lane("search")
        self._writing = Lane("write")
        self._pins_taken_up = False

    async def widen(self) -> None:
        """Works out all facts of a tree that was only looked at."""
        await self._state.widen()

    async def read_again(self) -> None:
        """Brings every source here, since the cache has lost one."""
        await self._state.read_again()

    def want(self, path: str) -> bool:
        """A file that somebody looks at, or would: while the tree is read it comes next, and then what it imports.

        Whether it is going to come.
        """
        return self._state.want(path)

    async def _with_chains(self, names: Sequence[str] | None) -> Index:
        """The index, with the library files read that lie on the chains of these classes (of all classes where None).

        What of them is still to come from the root comes next.
        """
        tried: set[str] = set()
        for name in names or ():
            self._state.order.want_class(name)
        for _ in range(MOST_ROUNDS):
            index = self._state.index
            modules = await self._thinking.ask(questions.wanted, index, names)
            fresh = [one for one in modules if one not in tried and not self._state.order.want_module(one)]
            if not fresh or not await self._state.read_libraries(fresh):
                break
            tried.update(fresh)
        return self._state.index

    async def _recorded(self, verb: Verb, arguments: Mapping[str, Any], answer: A, index: Index, commit: bool) -> A:
        """Quoted and, with `commit`, written down: of a large answer that takes long."""
        if not commit and isinstance(answer, SearchAnswer | tuple):
            return answer  # nothing in it is quoted, or surer than what was read
        if not commit and isinstance(answer, Resolution):
            return cautious(answer, index.coverage)  # nothing in it is quoted
        return await self._writing.ask(lambda: self._recorder.finished(verb, arguments, answer, index, commit=commit))
