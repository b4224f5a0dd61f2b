"""Owns what becomes of a question that needs more of the tree than may be parsed for one: it is put again, to the whole."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, runtime_checkable

from sondage.dig.shelf import TooMuchError
from sondage.dig.sources import LostSourceError

MOST_TIMES = 3
"""A refresh may swap in another index while a question is put again."""

P = ParamSpec("P")
A = TypeVar("A")


@runtime_checkable
class Widening(Protocol):
    """Who answers questions about a tree."""

    def widen(self) -> Awaitable[None]:
        """From now on every fact of the tree is there."""
        ...

    def read_again(self) -> Awaitable[None]:
        """From now on every source of the tree is here."""
        ...


def widened(question: Callable[P, Coroutine[Any, Any, A]]) -> Callable[P, Coroutine[Any, Any, A]]:
    """A method that asks again, once all facts are there of all trees that the question is about."""

    @wraps(question)
    async def asked(*args: P.args, **kwargs: P.kwargs) -> A:
        for _ in range(MOST_TIMES):
            try:
                return await question(*args, **kwargs)
            except TooMuchError:
                for tree in _trees(args):
                    await tree.widen()
            except LostSourceError:
                for tree in _trees(args):
                    await tree.read_again()
        return await question(*args, **kwargs)

    return asked


def _trees(arguments: Sequence[object]) -> Iterator[Widening]:
    for one in arguments:
        several = one.values() if isinstance(one, Mapping) else one if isinstance(one, list | tuple) else (one,)
        yield from (tree for tree in several if isinstance(tree, Widening))
