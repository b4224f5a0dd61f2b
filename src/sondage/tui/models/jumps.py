"""Owns the jump list, places left behind to go back to and forward again, and the marks, places the user set."""

from __future__ import annotations

from string import ascii_lowercase

from sondage.tui.models.source import Place

MOST = 100
"""Places remembered; older ones fall off."""


class JumpList:
    """`at` is the index of the place one stands on; behind it lie the places that `forward` leads to."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.at = -1

    def push(self, place: Place) -> None:
        """Go on to a new place: what lay ahead is forgotten. The same line twice in a row counts once."""
        if self.at >= 0 and self._same(self.places[self.at], place):
            self.places[self.at] = place
            return
        del self.places[self.at + 1 :]
        self.places.append(place)
        del self.places[:-MOST]
        self.at = len(self.places) - 1

    def leave(self, place: Place) -> None:
        """Remember where exactly one stood when leaving, so that `back` leads to that line and not to where one came in."""
        if self.at < 0 or not self._same(self.places[self.at], place):
            self.push(place)

    def back(self) -> Place | None:
        return self._go(-1)

    def forward(self) -> Place | None:
        return self._go(1)

    def _go(self, by: int) -> Place | None:
        if not 0 <= self.at + by < len(self.places):
            return None
        self.at += by
        return self.places[self.at]

    @staticmethod
    def _same(one: Place, other: Place) -> bool:
        return (one.path, one.line) == (other.path, other.line)

    def recent(self) -> list[Place]:
        """The places with a symbol, newest first, each symbol of a file once."""
        found: dict[tuple[str, str], Place] = {}
        for place in reversed(self.places):
            if place.symbol:
                found.setdefault((place.path, place.symbol), place)
        return list(found.values())


class Marks:
    """Places that the user marked, each by a letter."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}

    def toggle(self, place: Place) -> tuple[str, bool]:
        """Mark a place with the first letter that is free, or take its mark away: the letter, and whether it stands now.

        The letter is empty where none is free.
        """
        for letter, marked in self.places.items():
            if (marked.path, marked.line) == (place.path, place.line):
                del self.places[letter]
                return letter, False
        letter = next((one for one in ascii_lowercase if one not in self.places), "")
        if letter:
            self.places[letter] = place
        return letter, bool(letter)
