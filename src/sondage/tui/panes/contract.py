"""Owns the contract pane: a class, the names it must have, each ticked as it is located, and the proof of one of them."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from sondage.core.safe import one_line
from sondage.tui import commands
from sondage.tui.models import contract as model
from sondage.tui.models.classes import short
from sondage.tui.models.rows import Part, row
from sondage.tui.panes.base import Pane, Prompt, TextLine
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import ClassAsked, ContractAsked, PlaceAsked, PreviewAsked


class ContractPane(Pane):
    number = 4
    place = "contract"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("contract")

    def __init__(self) -> None:
        super().__init__()
        self.class_name = Prompt("class name", widget_id="contract-class")
        self.names = Prompt("name, name, …", widget_id="contract-names")
        self.list = Lines(self.place, widget_id="contract-list")
        self.proof_title = TextLine(widget_id="proof-title")
        self.proof = Lines(self.place, widget_id="contract-proof")
        self.view: model.ContractView | None = None
        self.read: frozenset[str] = frozenset()
        self.only_open = False

    def compose(self) -> ComposeResult:
        yield self.title
        with Horizontal(classes="field"):
            yield TextLine(row(Part(" class      ", "muted")), classes="field-label")
            yield self.class_name
        with Horizontal(classes="field"):
            yield TextLine(row(Part(" must have  ", "muted")), classes="field-label")
            yield self.names
        yield self.list
        yield self.proof_title
        yield self.proof

    def on_mount(self) -> None:
        self.entitle([Part("no contract yet", "muted")])
        self.list.show(model.rows_to_begin())
        self.proof.can_focus = False
        self.proof.cursor_shown = "never"

    @property
    def main(self) -> LineView:
        return self.list

    # ------------------------------------------------------------ asking

    def edit(self, class_name: str) -> None:
        """A class was chosen: ask for the names, or put the same names to it."""
        self.class_name.value = class_name
        if self.names.value and self.view is not None:
            self.ask()
            self.list.focus()
        else:
            self.names.focus()

    def other_field(self) -> None:
        (self.class_name if self.names.has_focus else self.names).focus()

    def ask(self) -> None:
        names = model.parse_names(self.names.value)
        if self.class_name.value.strip() and names:
            self.post_message(ContractAsked(self.class_name.value.strip(), names))

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if event.input is self.class_name and not self.names.value:
            self.names.focus()
        elif not self.class_name.value.strip():
            self.class_name.focus()
        else:
            self.ask()
            self.list.focus()

    # ------------------------------------------------------------ showing

    def show(self, view: model.ContractView) -> None:
        """Verdicts, all or none yet; marks of what was read stay as long as the class does."""
        if self.view is None or self.view.class_name != view.class_name:
            self.read = frozenset()
        last = self.view
        same = last is not None and (last.class_name, last.names) == (view.class_name, view.names)
        at_first = last is None or last.waiting  # what is missing comes first, and the cursor with it
        self.view = view
        self.class_name.value = one_line(view.class_name)
        self.names.value = ", ".join(map(one_line, view.names))
        self._draw(keep=same and not at_first)

    def _draw(self, *, keep: bool = True) -> None:
        view = self.view
        if view is None:
            return
        said, tone = view.summary
        read = f" · {len(self.read)} read" if self.read else ""
        subject = [Part(short(view.class_name), "accent"), Part("  " + said.split(":")[0], tone)]
        self.entitle(subject, [Part(view.counted + read, "muted")])
        self.list.show(view.rows(self.read, only_open=self.only_open), keep=keep)
        self._draw_proof()

    def _draw_proof(self) -> None:
        verdict = self.view.verdict(self.list.value) if self.view is not None else None
        if verdict is None:
            self.proof_title.show([])
            self.proof.show([])
            return
        self.proof_title.show([Part("─ why ", "muted"), Part(one_line(verdict.member) + " ", "name")])
        self.proof.show(model.proof(verdict, self.proof_width), keep=False)

    @property
    def proof_width(self) -> int:
        """Cells of a line of the proof; a guess while the pane has not been on the screen yet."""
        return max(10, (self.proof.size.width or self.app.size.width) - 4)

    def on_resize(self) -> None:
        self._draw_proof()

    @on(LineView.Moved, "#contract-list")
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._draw_proof()
        verdict = self.view.verdict(self.list.value) if self.view is not None else None
        places = model.places_of(verdict) if verdict is not None else []
        if places:
            self.post_message(PreviewAsked(places[0][0], places[0][1]))

    @on(LineView.Moved, "#contract-proof")
    def _proof_moved(self, event: LineView.Moved) -> None:
        event.stop()

    @on(LineView.Clicked, "#contract-proof")
    def _proof_clicked(self, event: LineView.Clicked) -> None:
        event.stop()
        value = self.proof.value
        if isinstance(value, tuple):
            self.post_message(PlaceAsked(*value))

    # ------------------------------------------------------------ actions

    @on(LineView.Clicked, "#contract-list")
    def action_choose(self) -> None:
        verdict = self.view.verdict(self.list.value) if self.view is not None else None
        places = model.places_of(verdict) if verdict is not None else []
        if places:
            self.post_message(PlaceAsked(places[0][0], places[0][1]))

    def action_read(self) -> None:
        member = self.list.value
        if isinstance(member, str) and self.view is not None:
            self.read = self.read ^ {member}
            self._draw()

    def action_edit(self) -> None:
        (self.names if self.class_name.value else self.class_name).focus()

    def action_only_open(self) -> None:
        self.only_open = not self.only_open
        self._draw()

    def action_show_class(self) -> None:
        verdict = self.view.verdict(self.list.value) if self.view is not None else None
        if self.view is not None:
            self.post_message(ClassAsked(verdict.owner if verdict and verdict.owner else self.view.class_name))

    def copy_text(self) -> str | None:
        verdict = self.view.verdict(self.list.value) if self.view is not None else None
        places = model.places_of(verdict) if verdict is not None else []
        return f"{places[0][0]}:{places[0][1]}" if places else None

    def copy_forms(self) -> list[tuple[str, str]]:
        if self.view is None:
            return []
        names = ",".join(self.view.names)
        command = f"sondage contract check TARGET {self.view.class_name} --require {names}"
        return [("command", command), ("verdicts", self._as_text())]

    def _as_text(self) -> str:
        assert self.view is not None
        lines = [f"{v.mark} {v.member}  {v.verdict}  {v.owner}  {v.path}:{v.line}" for v in self.view.verdicts]
        return "\n".join(lines)
