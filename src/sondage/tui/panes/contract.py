"""Owns the contract pane: a class, what is asked of it, each item ticked as it is located, and the proof of one of them."""

from __future__ import annotations

import shlex
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from sondage.core.answers.contracts import Verdict
from sondage.core.safe import one_line
from sondage.tui import commands
from sondage.tui.models import contract as model
from sondage.tui.models.classes import short
from sondage.tui.models.demand import WAYS, Demand, parse_demand
from sondage.tui.models.items import first_place, use_rows
from sondage.tui.models.next_step import Others, Step, next_step
from sondage.tui.models.rows import Part, row, wrap
from sondage.tui.models.source import Place
from sondage.tui.panes.base import Pane, Prompt, TextLine
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import (
    ClassAsked,
    ContractAsked,
    DemandEdited,
    ExportAsked,
    MatrixAsked,
    OthersAsked,
    PlaceAsked,
    PreviewAsked,
    Said,
    SubjectEdited,
)


class ContractPane(Pane):
    number = 4
    place = "contract"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("contract")

    def __init__(self) -> None:
        super().__init__()
        self.class_name = Prompt("class name", widget_id="contract-class")
        self.names = Prompt(WAYS, widget_id="contract-names")
        self.list = Lines(self.place, widget_id="contract-list")
        self.proof_title = TextLine(widget_id="proof-title")
        self.proof = Lines(self.place, widget_id="contract-proof")
        self.next = Lines(self.place, widget_id="contract-next")
        self.view: model.ContractView | None = None
        self.read: frozenset[str] = frozenset()
        self.only_open = False
        self._others: dict[str, Others] = {}

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
        yield self.next

    def on_mount(self) -> None:
        self.entitle([Part("no contract yet", "muted")])
        self.list.show(model.rows_to_begin())
        self.next.display = False
        self.next.can_focus = False
        self.next.cursor_shown = "never"
        self._mark_proof()

    def _mark_proof(self) -> None:
        """The proof bears a cursor only while it has the focus: it is read far more often than walked."""
        self.proof.cursor_shown = "by focus" if self.proof.has_focus else "never"
        self.proof.changed()

    def on_descendant_focus(self) -> None:
        self._mark_proof()

    def on_descendant_blur(self) -> None:
        self._mark_proof()

    @property
    def main(self) -> LineView:
        return self.list

    # ------------------------------------------------------------ asking

    def edit(self, class_name: str) -> None:
        """A class was chosen: ask for the names, or put the same demand to it."""
        self.class_name.value = class_name
        if self.names.value and self.view is not None:
            self.ask()
            self.screen.set_focus(self.list)
        else:
            self.screen.set_focus(self.names)

    def demand(self, demand: Demand) -> None:
        """What is asked was chosen: put it to the class that stands here, or to none yet."""
        self.names.value = one_line(demand.text)
        self.post_message(ContractAsked(self.class_name.value.strip(), demand))
        self.screen.set_focus(self.list)

    def other_field(self) -> None:
        self.screen.set_focus(self.class_name if self.names.has_focus else self.names)

    def ask(self) -> None:
        demand = parse_demand(self.names.value)
        if isinstance(demand, str):
            self.post_message(Said(demand, "bad"))
        elif demand.derived or (demand and self.class_name.value.strip()):
            self.post_message(ContractAsked(self.class_name.value.strip(), demand))

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        event.stop()
        if event.input is self.class_name and not self.names.value:
            self.screen.set_focus(self.names)
        elif not self.class_name.value.strip() and event.input is self.names and not self.names.value.startswith("-"):
            self.screen.set_focus(self.class_name)
        else:
            self.ask()
            self.screen.set_focus(self.list)

    # ------------------------------------------------------------ showing

    def show(self, view: model.ContractView) -> None:
        """Verdicts, all or none yet; marks of what was read stay as long as the class does."""
        last = self.view
        if last is None or last.class_name != view.class_name:
            self.read = frozenset()
        same = last is not None and (last.class_name, last.demand) == (view.class_name, view.demand)
        if not same or view.growing or (last is not None and last.growing):
            self._others = {}
        at_first = last is None or last.waiting  # what is missing comes first, and the cursor with it
        self.view = view
        self.class_name.value = one_line(view.class_name)
        self.names.value = one_line(view.demand.text) or ", ".join(map(one_line, view.names))
        self._draw(keep=same and not at_first)
        self._ask_others()

    def _draw(self, *, keep: bool = True) -> None:
        view = self.view
        if view is None:
            return
        said, tone = view.summary
        read = f" · {len(self.read)} read" if self.read else ""
        subject = [Part(short(view.class_name) or "a contract", "accent"), Part("  " + said.split(":")[0], tone)]
        self.entitle(subject, [Part(view.counted + read, "muted")])
        self.list.show(view.rows(self.read, only_open=self.only_open, width=self._width(self.list)), keep=keep)
        if not keep:
            self._to_first_open(view)
        self._draw_proof()

    def _to_first_open(self, view: model.ContractView) -> None:
        """The cursor onto what is missing, in whatever group it stands."""
        missing = sorted(view.verdicts, key=model.rank)
        if missing:
            self.list.find(missing[0].member)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict under the cursor."""
        return self.view.verdict(self.list.value) if self.view is not None else None

    def _draw_proof(self) -> None:
        view, value = self.view, self.list.value
        verdict = self.verdict
        item = view.item(value) if view is not None else None
        rows = []
        if verdict is not None:
            rows = model.proof(verdict, self._width(self.proof), item)
        elif item is not None:
            rows = use_rows(item, self._width(self.proof))
        named = [Part("─ why ", "muted"), Part(f"{one_line(str(value))} ", "name")] if rows else []
        self.proof_title.show(named)
        self.proof.show(rows, keep=False)
        self._draw_next()

    @property
    def step(self) -> Step:
        """What is proposed for the item under the cursor."""
        view, verdict = self.view, self.verdict
        if view is None or verdict is None:
            return Step("")
        if view.met and {v.member for v in view.verdicts} <= self.read:
            return Step("met and read: m judges its siblings as well, :drift TARGET another version")
        member = verdict.member
        if self._is_asked(verdict) and member not in self._others:
            return Step("looking how other classes do it…")
        others = self._others.get(member, Others())
        return next_step(verdict, view.item(member), others, growing=view.growing, read=member in self.read)

    def _draw_next(self) -> None:
        step = self.step
        leads = step.place is not None or bool(step.selector)
        lines = wrap(f"next  {step.text}", self._width(self.next), "      ")
        rows = [row(Part(line[:6], "accent"), Part(line[6:])) for line in lines]
        rows[0] = replace(rows[0], right=(Part("t", "key"),)) if leads else rows[0]
        self.next.display = bool(step.text)
        self.next.show(rows, keep=False)

    def _ask_others(self) -> None:
        """What is missing: how do others do it? Asked once a member, and only of what stands under the cursor."""
        verdict, view = self.verdict, self.view
        if verdict is not None and view is not None and self._is_asked(verdict) and verdict.member not in self._others:
            self.post_message(OthersAsked(view.class_name, verdict))

    def _is_asked(self, verdict: Verdict) -> bool:
        """Whether the index is asked how others do it: for what is missing, once all of it is there."""
        return verdict.mark == "✗" and self.view is not None and not self.view.growing

    def take_others(self, class_name: str, member: str, others: Others) -> None:
        """The answer to that; of a class that is not shown any more it is let go."""
        if self.view is not None and self.view.class_name == class_name:
            self._others[member] = others
            self._draw_next()

    def _width(self, lines: Lines) -> int:
        """Cells of a line; a guess while the pane has not been on the screen yet."""
        return max(10, (lines.size.width or self.app.size.width) - 4)

    def on_resize(self) -> None:
        self._draw()

    @on(LineView.Moved, "#contract-list")
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._draw_proof()
        self._ask_others()
        place = self._place()
        if place is not None:
            self.post_message(PreviewAsked(*place))

    @on(LineView.Moved, "#contract-proof")
    def _proof_moved(self, event: LineView.Moved) -> None:
        event.stop()
        if self.proof.has_focus and isinstance(self.proof.value, tuple):
            self.post_message(PreviewAsked(*self.proof.value))

    # ------------------------------------------------------------ actions

    def _place(self) -> tuple[str, int] | None:
        """Where the cursor's line leads: to evidence, to a place that needs it, or to one that was not followed."""
        value = self.proof.value if self.proof.has_focus else self.list.value
        if isinstance(value, tuple):
            return value
        places = model.places_of(self.verdict) if self.verdict is not None else []
        if places:
            return places[0][:2]
        item = self.view.item(value) if self.view is not None else None
        return first_place(item) if item is not None else None

    @on(LineView.Clicked)
    def action_choose(self) -> None:
        place = self._place()
        if place is not None:
            self.post_message(PlaceAsked(*place))

    def action_proof(self) -> None:
        """Into the proof, where every line with a place can be gone to, and back."""
        self.screen.set_focus(self.list if self.proof.has_focus or not self.proof.stops else self.proof)

    def action_next(self) -> None:
        step = self.step
        if step.selector:
            self.post_message(MatrixAsked(step.selector))
        elif step.place is not None:
            self.post_message(PlaceAsked(*step.place))

    def action_read(self) -> None:
        member = self.list.value
        if isinstance(member, str) and self.view is not None:
            self.mark_read(self.read ^ {member})

    def mark_read(self, members: frozenset[str]) -> None:
        """These members, and no others, have been read."""
        self.read = members
        self._draw()

    def action_edit(self) -> None:
        self.screen.set_focus(self.names if self.class_name.value else self.class_name)

    def action_from(self) -> None:
        self.post_message(DemandEdited("from"))

    def action_base(self) -> None:
        self.post_message(DemandEdited("base"))

    def action_subject(self) -> None:
        self.post_message(SubjectEdited())

    def action_export(self) -> None:
        self.post_message(ExportAsked())

    def action_matrix(self) -> None:
        self.post_message(MatrixAsked())

    def action_only_open(self) -> None:
        self.only_open = not self.only_open
        self._draw()

    def action_show_class(self) -> None:
        verdict = self.verdict
        if self.view is not None and self.view.class_name:
            self.post_message(ClassAsked(verdict.owner if verdict and verdict.owner else self.view.class_name))

    @property
    def here(self) -> Place | None:
        place = self._place()
        return Place(*place, symbol=one_line(str(self.list.value))) if place is not None else None

    def copy_forms(self) -> list[tuple[str, str]]:
        if self.view is None:
            return []
        demand = self.view.demand
        asked = demand.text if demand.derived else "--require " + ",".join(self.view.names)
        command = f"sondage contract check TARGET {shlex.quote(self.view.class_name)} {asked}"
        return [("command", command), ("verdicts", self._as_text(self.view))]

    @staticmethod
    def _as_text(view: model.ContractView) -> str:
        return "\n".join(f"{v.mark} {v.member}  {v.verdict}  {v.owner}  {v.path}:{v.line}" for v in view.verdicts)
