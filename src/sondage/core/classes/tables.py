"""Owns tables over many files that fill as far as questions need: a key is looked up in the files that mention its names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from sondage.core.classes.world import Mention, World

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Table(Generic[K, V]):
    """Rows by key, in the order of files and then as `rows_of(path)` gives them: what one file brings, each with its key."""

    def __init__(self, world: World, rows_of: Callable[[str], Iterable[tuple[K, V]]]) -> None:
        self._world = world
        self._rows_of = rows_of
        self._by_path: dict[str, list[tuple[K, V]]] = {}
        self._by_key: dict[K, list[V]] = {}
        self._whole = False

    def get(self, key: K, mentions: Iterable[Mention]) -> Sequence[V]:
        """The rows of a key from the files that hold one of the mentions, and maybe from others."""
        if not self._whole:
            self._read(self._world.mentioning(mentions))
            self._whole = self._world.mentions is None
        return self._by_key.get(key, ())

    def all(self) -> dict[K, list[V]]:
        """The rows of every file, which all have to be read for it."""
        if not self._whole:
            self._read(self._world.every_path())
            self._whole = True
        return self._by_key

    def _read(self, paths: Sequence[str]) -> None:
        fresh = [path for path in paths if path not in self._by_path]
        for path in fresh:
            self._by_path[path] = list(self._rows_of(path))
        if fresh:
            self._by_key = {}
            for path in self._world.in_order(self._by_path):
                for key, row in self._by_path[path]:
                    self._by_key.setdefault(key, []).append(row)
