"""Owns the way of the questions about contracts: derived, put to a class, looked at while the index grows, and linted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import Contract, LintAnswer, Verdict
from sondage.core.contracts.contract import required
from sondage.dig import Dig
from sondage.errors import UsageError
from sondage.tui import siblings
from sondage.tui.comparing import Comparing
from sondage.tui.models.classes import short
from sondage.tui.models.contract import ContractView
from sondage.tui.models.contract_table import as_markdown
from sondage.tui.models.demand import Demand
from sondage.tui.models.findings import claim_said, spots_of_claim, spots_of_lint
from sondage.tui.panes import messages as m

if TYPE_CHECKING:
    from sondage.tui.desk import Desk

Question = (
    m.ContractEdited
    | m.DemandEdited
    | m.DemandChosen
    | m.SubjectEdited
    | m.ExportAsked
    | m.ContractAsked
    | m.OthersAsked
    | m.MatrixAsked
    | m.DriftAsked
    | m.LintAsked
    | m.AssumeAsked
)


class Contracts:
    """The contract at hand of one opened target, and what is asked about it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.app = desk.app
        self.pane = desk.panes.contract
        self.asked: m.ContractAsked | None = None
        self.contract: Contract | None = None
        """None while it could not be derived."""
        self.comparing = Comparing(self)

    @property
    def dig(self) -> Dig:
        return self.desk.dig

    async def answer(self, asked: Question) -> None:
        match asked:
            case m.ContractEdited():
                self.app.go("contract")
                self.pane.edit(asked.class_name)
            case m.DemandEdited():
                await self._choose_demand(asked.way)
            case m.DemandChosen():
                self.app.go("contract")
                self.pane.demand(asked.demand)
            case m.SubjectEdited():
                await self._choose_subject()
            case m.ExportAsked():
                self._export()
            case m.ContractAsked():
                await self.put(asked)
            case m.OthersAsked():
                await self._others(asked.class_name, asked.verdict)
            case m.MatrixAsked():
                await self.comparing.matrix(asked)
            case m.DriftAsked():
                await self.comparing.drift(asked.target)
            case m.LintAsked():
                await self.lint(asked.classes)
            case m.AssumeAsked():
                await self.assume(asked.claim)

    # ------------------------------------------------------------ one class

    async def put(self, asked: m.ContractAsked) -> None:
        """Find the class, derive what is asked of it, and judge it; the pane shows each step."""
        self.asked, self.contract = asked, None
        self.pane.show(self._view(asked))
        self.app.go("contract")
        if asked.class_name:
            named = await self.desk.hierarchies.named(asked.class_name, "")
            if named is None:
                self.pane.show(self._view(asked, problem=f"no class {asked.class_name}"))
                return
            asked = m.ContractAsked(named.class_, asked.demand, recorded=asked.recorded)
            self.asked = asked
            self.pane.show(self._view(asked))
        await self._judge(asked, commit=asked.recorded, fresh=True)

    async def _judge(self, asked: m.ContractAsked, *, commit: bool, fresh: bool) -> None:
        """Derive (where `fresh`), then check: what arrives is shown at once."""
        growing = not self.dig.coverage.whole
        if fresh:
            try:
                contract = await self.derived(asked.demand, commit=commit and asked.demand.derived)
            except UsageError as error:
                wait = "; asked again as the index grows" if growing else ""
                self.pane.show(self._view(asked, problem=f"{error}{wait}"))
                return
            if contract is None:
                self.pane.show(self._view(asked, problem="nothing to derive it from"))
                return
            self.contract = contract
        await self._check(asked, commit=commit, growing=growing)
        if commit:
            self.desk.recorded()

    async def _check(self, asked: m.ContractAsked, *, commit: bool, growing: bool) -> None:
        contract = self.contract
        if contract is None or not contract.items or not asked.class_name:
            self.pane.show(self._view(asked))
        else:
            if self.pane.view is None or not self.pane.view.verdicts:
                self.pane.show(self._view(asked))
            report = await self.dig.check([asked.class_name], contract, commit=commit)
            if isinstance(report, Candidates):
                return
            result = report.results[0]
            names = tuple(item.member for item in contract.items)
            self.pane.show(
                ContractView(result.class_, names, result.items, result.met, growing, contract, asked.demand)
            )
        self.app.draw_tabs()

    def _view(self, asked: m.ContractAsked, problem: str = "") -> ContractView:
        """Without verdicts yet."""
        contract = self.contract
        names = asked.demand.names if contract is None else tuple(item.member for item in contract.items)
        growing = not self.dig.coverage.whole
        return ContractView(asked.class_name, names, (), None, growing, contract, asked.demand, problem)

    async def derived(self, demand: Demand, *, commit: bool) -> Contract | None:
        """The contract of a demand; a base that stands for several is chosen. Raises `UsageError` where it means nothing."""
        if demand.names:
            return required(demand.names)
        if demand.consumers:
            return await self.dig.derive(demand.consumers, demand.receiver, commit=commit)
        if demand.siblings:
            found = await self.dig.derive_siblings(demand.siblings, commit=commit)
            return None if isinstance(found, Candidates) else found
        base = await self.desk.hierarchies.named(demand.base, "")
        answer = await self.dig.derive_base(base.class_, commit=commit) if base is not None else None
        return answer if isinstance(answer, Contract) else None

    async def grow(self) -> None:
        """The index was swapped: judge again without recording. The verdict of the whole is recorded."""
        asked, view = self.asked, self.pane.view
        if asked is None:
            return
        whole = self.dig.coverage.whole
        commit = whole and view is not None and view.growing
        await self._judge(asked, commit=commit, fresh=whole or self.contract is None)

    # ------------------------------------------------------------ choosing what is asked

    async def _choose_demand(self, way: str) -> None:
        demand = await (siblings.choose_consumer(self.desk) if way == "from" else siblings.choose_base(self.desk))
        if demand is not None:
            self.app.go("contract")
            self.pane.demand(demand)

    async def _choose_subject(self) -> None:
        chosen = await siblings.choose_class(self.desk)
        if chosen:
            self.app.go("contract")
            self.pane.edit(chosen)

    def _export(self) -> None:
        """Beside where sondage was started; nothing is overwritten."""
        view = self.pane.view
        if view is None or not view.verdicts:
            self.app.say("no verdicts yet: a class and what it must have come first", "doubt")
            return
        self.desk.write(as_markdown(view, str(self.dig.target)), f"contract-{short(view.class_name)}")

    async def _others(self, class_name: str, verdict: Verdict) -> None:
        self.pane.take_others(class_name, verdict.member, await siblings.others(self.desk, class_name, verdict))

    # ------------------------------------------------------------ lint and claims

    def class_at_hand(self) -> str:
        """The class of the Contract pane, else that of the Classes pane."""
        view, shown = self.pane.view, self.desk.panes.classes.view
        if view is not None and view.class_name:
            return view.class_name
        return shown.answer.class_ if shown is not None else ""

    async def lint(self, classes: str) -> None:
        """`Class`, a selector such as `subclasses:C` or `all`, or nothing for the class at hand."""
        wanted = classes or self.class_at_hand()
        if not wanted:
            self.app.say("no class at hand: :lint Class, or :lint all", "doubt")
            return
        if wanted == "all" or ":" in wanted:
            answer = await self.dig.lint((), selector=wanted)
        else:
            named = await self.desk.hierarchies.named(wanted, "")
            if named is None:
                return
            wanted = named.class_
            answer = await self.dig.lint([wanted])
        if isinstance(answer, LintAnswer):
            self.desk.list_spots(spots_of_lint(answer, wanted))
            self.desk.recorded()
            none = "nothing asked for that is not there" if not answer.rows else ""
            self.app.say(none, "good")

    async def assume(self, claim: str) -> None:
        """The claim with how it stands in the status line, its evidence as a list to go through."""
        answer = await self.dig.assume(claim, await self.comparing.others_of(claim))
        if answer.evidence:
            self.desk.list_spots(spots_of_claim(answer))
        self.desk.recorded()
        self.app.say(*claim_said(answer))
        if answer.kind == "is" and self.asked is not None:
            await self._judge(self.asked, commit=False, fresh=True)
