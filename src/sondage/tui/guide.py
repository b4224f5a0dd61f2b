"""Owns the guide: steps of an investigation that the app takes one after the other, each at the press of a key."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sondage.core.safe import one_line
from sondage.tui.commands import BY_ID
from sondage.tui.models.rows import Part
from sondage.tui.panes.base import TextLine


class GuideStep(msgspec.Struct, frozen=True):
    """`says` why the step is taken; `typed` is what the user would type behind `:` for it."""

    says: str
    typed: str


class GuideLine(TextLine):
    """The question that comes next, and the key that asks it. Not there without steps."""

    def __init__(self, steps: Sequence[GuideStep] = (), ending: str = "") -> None:
        super().__init__(widget_id="guide")
        self.steps = tuple(steps)
        self.ending = ending
        self.taken = 0
        self.display = bool(self.steps)

    @property
    def next_step(self) -> GuideStep | None:
        return self.steps[self.taken] if self.taken < len(self.steps) else None

    def on_mount(self) -> None:
        self.draw()

    def advance(self) -> GuideStep | None:
        """The step to take now; None when all are taken."""
        step = self.next_step
        if step is not None:
            self.taken += 1
            self.draw()
        return step

    def draw(self) -> None:
        step = self.next_step
        if step is None:
            self.show([Part(" demo ", "accent"), Part(one_line(self.ending), "text")])
            return
        key = BY_ID["guide.next"].shown_key
        number = f" demo {self.taken + 1}/{len(self.steps)} "
        self.show(
            [Part(number, "accent"), Part(one_line(step.says), "text")], [Part(key, "key"), Part(" asks it ", "muted")]
        )
