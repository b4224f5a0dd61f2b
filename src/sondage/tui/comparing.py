"""Owns the way of the questions that compare: many classes by one contract, and one class in another target."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import Contract, ContractReport, DriftAnswer
from sondage.core.answers.index import Progress
from sondage.core.late import late_pattern
from sondage.core.safe import one_line
from sondage.dig import Dig
from sondage.tui import siblings
from sondage.tui.drift import DriftScreen
from sondage.tui.matrix import MatrixScreen
from sondage.tui.models.matrix import CLASS, Grid
from sondage.tui.models.rows import counted
from sondage.tui.options import Wanted
from sondage.tui.panes import messages as m

if TYPE_CHECKING:
    from sondage.tui.contracting import Contracts

NO_CONTRACT = "no contract yet: :contract Class a,b  or  :contract --from CONSUMER --on RECEIVER"
PROGRESS_PAUSE = 0.2
"""Seconds between two sentences on the progress of another target."""
_SINCE = late_pattern(r"\S+\.\w+\s+unchanged\s+since\s+(.+)\Z")


class Comparing:
    """The last matrix, and the other targets that were opened to compare with; they stay open until the app is left."""

    def __init__(self, contracts: Contracts) -> None:
        self.contracts = contracts
        self.app = contracts.app
        self.others: dict[str, Dig] = {}
        self.grid: Grid | None = None
        self.at = (0, CLASS)
        self._said_at = 0.0

    @property
    def dig(self) -> Dig:
        return self.contracts.dig

    # ------------------------------------------------------------ matrix

    async def matrix(self, asked: m.MatrixAsked) -> None:
        """Ask, and show the screen; without a selector the last one again where it is of the same contract."""
        contract = self.contracts.contract
        if asked.demand is not None:
            contract = await self.contracts.derived(asked.demand, commit=False)
        if contract is None or not contract.items:
            self.app.say(NO_CONTRACT, "doubt")
        elif not asked.selector and self.grid is not None and self.grid.report.contract == contract:
            self.app.in_background("screen", self._show_matrix())
        elif not asked.selector:
            self.app.in_background("screen", self._choose_selector())
        else:
            await self._ask_matrix(asked.selector, contract)

    async def _choose_selector(self) -> None:
        selector = await siblings.choose_selector(self.contracts.desk, self.contracts.class_at_hand())
        if selector:
            self.app.put(m.MatrixAsked(selector))

    async def _ask_matrix(self, selector: str, contract: Contract) -> None:
        whole = self.dig.coverage.whole
        self._said_at = time.monotonic()
        report = await self.dig.matrix(selector, contract, told=self._judged)
        if isinstance(report, Candidates):
            chosen = await self.contracts.desk.choose_name(report, "")
            if chosen is None:
                return
            selector = f"{selector.partition(':')[0]}:{chosen}"
            report = await self.dig.matrix(selector, contract, told=self._judged)
        self.app.say("")
        self.contracts.desk.recorded()
        if not isinstance(report, ContractReport):
            return
        if not report.results:
            self.app.say(f"no class is selected by {selector}", "doubt")
            return
        self.grid, self.at = Grid(report, selector, whole=whole), (0, CLASS)
        self.app.in_background("screen", self._show_matrix())

    def _judged(self, done: tuple[int, int]) -> None:
        """Says how far the matrix is, a few times a second."""
        now = time.monotonic()
        if now - self._said_at >= PROGRESS_PAUSE:
            self._said_at = now
            self.app.say(f"judged {done[0]:,} of {counted(done[1], 'class', 'classes')}…  Esc stops")

    async def _show_matrix(self) -> None:
        if self.grid is None:
            return
        screen = MatrixScreen(self.grid, self.at)
        asked = await self.app.result_of(screen)
        self.grid, self.at = screen.grid, screen.at
        if asked is not None:
            self.app.put(asked)

    # ------------------------------------------------------------ other targets

    async def drift(self, target: str) -> None:
        """The class and the contract at hand, here and there."""
        contract, class_name = self.contracts.contract, self.contracts.class_at_hand()
        if contract is None or not contract.items or not class_name:
            self.app.say(NO_CONTRACT, "doubt")
            return
        other = await self.opened(target)
        answer = await self.dig.drift([other], [class_name], contract)
        self.contracts.desk.recorded()
        if isinstance(answer, Candidates):
            self.app.say(f"{one_line(answer.asked)} is {answer.reason} in one of the targets", "doubt")
        else:
            self.app.in_background("screen", self._show_drift(answer, [self.dig, other]))

    async def _show_drift(self, answer: DriftAnswer, digs: list[Dig]) -> None:
        asked = await self.app.result_of(
            DriftScreen(answer, [_unread(dig) for dig in digs], [dig.source for dig in digs])
        )
        if asked is not None:
            self.app.put(asked)

    async def opened(self, target: str) -> Dig:
        """Another target with its index, opened as the first one was: what its host asks is put to the user.

        Raises `SondageError`; a target that could not be read is closed again.
        """
        known = self.others.get(target)
        if known is not None:
            return known
        self.app.say(f"opening {target}…")
        dig = await self.app.opener(Wanted(target), self.app.ask_user)
        try:
            await dig.refresh(self._reporter(target))
        except BaseException:
            await dig.aclose()
            raise
        self.app.say("")
        self.others[target] = dig
        return dig

    def _reporter(self, target: str) -> Callable[[Progress], None]:
        """Says how far the other target is, a few times a second."""
        said_at = 0.0

        def report(progress: Progress) -> None:
            nonlocal said_at
            now = time.monotonic()
            if now - said_at >= PROGRESS_PAUSE and progress.files_total:
                said_at = now
                files = f"{progress.files_done:,} of {counted(progress.files_total, 'file')}"
                self.app.say(f"{target}: {progress.stage} {files}…")

        return report

    async def others_of(self, claim: str) -> Mapping[str, Dig]:
        """The target that a claim compares with, opened."""
        found = _SINCE.match(" ".join(claim.split()))
        return {found[1]: await self.opened(found[1])} if found else {}

    async def aclose(self) -> None:
        for dig in self.others.values():
            await dig.aclose()


def _unread(dig: Dig) -> str:
    coverage = dig.coverage
    return "" if coverage.whole else f"only {coverage.files_seen:,} of {counted(coverage.files_listed, 'file')} read"
