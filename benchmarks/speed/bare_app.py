"""Owns the peer of the first paint: a Textual app that shows one line."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from textual.app import App
from textual.widgets import Static


class Bare(App[None]):
    def compose(self) -> Iterator[Static]:
        yield Static(sys.argv[1], markup=False)


if __name__ == "__main__":
    Bare().run()
