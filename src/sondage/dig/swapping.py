"""Owns the index that answers come from: swapped in whole, counted, and told of; and the assumptions it rests on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sondage.dig.index import Index

if TYPE_CHECKING:
    from sondage.core.classes.codebase import Pin


class Swapping:
    """`revision` counts the swaps; `listeners` are called after each of them."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.revision = 0
        self.listeners: list[Callable[[], None]] = []

    def pin(self, pin: Pin) -> None:
        """From now on every answer takes the assumption for given, and says so; a refresh keeps it."""
        self._put_in(self.index.with_pin(pin))

    def take_pins(self, pins: tuple[Pin, ...]) -> None:
        """These assumptions, and no others."""
        if pins != self.index.pins:
            self._put_in(self.index.with_pins(pins))

    def _put_in(self, index: Index) -> None:
        self.index = index
        self.revision += 1
        for listener in self.listeners:
            listener()
