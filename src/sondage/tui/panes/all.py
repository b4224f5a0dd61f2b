"""Owns the five panes together: each is imported and built when it is first asked for, as the first frame shows but some."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from sondage.tui.models.layout import PANES
from sondage.tui.panes.base import Pane

if TYPE_CHECKING:
    from sondage.tui.panes.classes import ClassesPane
    from sondage.tui.panes.contract import ContractPane
    from sondage.tui.panes.log import LogPane
    from sondage.tui.panes.search import SearchPane
    from sondage.tui.panes.source import SourcePane


class Panes:
    """The five, by name."""

    search: SearchPane
    classes: ClassesPane
    source: SourcePane
    contract: ContractPane
    log: LogPane

    def __getattr__(self, name: str) -> Pane:
        """A pane that was not asked for before: `search` is `SearchPane` of the module of its name, and so the others."""
        if name not in PANES:
            raise AttributeError(name)
        pane: Pane = getattr(import_module(f"sondage.tui.panes.{name}"), f"{name.title()}Pane")()
        setattr(self, name, pane)
        return pane

    def named(self, name: str) -> Pane:
        pane = getattr(self, name)
        assert isinstance(pane, Pane)
        return pane

    def __contains__(self, name: str) -> bool:
        return name in vars(self)

    def __iter__(self) -> Iterator[Pane]:
        """Those that there are already."""
        return (self.named(name) for name in PANES if name in self)
