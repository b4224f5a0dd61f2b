"""Owns a Dig that answers from a table, for tests in which the answer itself is not the matter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from sondage.core.answers.calls import CallerRow, CallersAnswer, CallSite, Definition, ReceiverType, Resolution
from sondage.core.answers.certainty import Coverage, Evidence
from sondage.core.answers.classes import (
    MemberRow,
    MroAnswer,
    MroStep,
    OverrideRow,
    OverridesAnswer,
    SubclassesAnswer,
    SubclassRow,
)
from sondage.core.answers.contracts import (
    Assumption,
    CallShape,
    ClassDrift,
    ClassReport,
    Contract,
    ContractItem,
    ContractReport,
    DriftAnswer,
    DriftItem,
    Escape,
    LintAnswer,
    LintRow,
    LocateAnswer,
    Target,
    Use,
    Verdict,
    is_met,
)
from sondage.core.answers.index import IndexSummary, Progress
from sondage.core.answers.text import Excerpt, Hit, SearchAnswer, SymbolRow

SUMMARY = IndexSummary(
    root="/srv/shop",
    files=3,
    bytes=1_250_000,
    lines=4_321,
    classes=12,
    functions=80,
    parsed=2,
    reused=1,
    unreadable=(),
    problems=(),
    seconds={"connect": 0.1, "list": 0.2, "pull": 0.3, "parse": 0.4, "store": 0.05, "total": 1.05},
    remote={"commands": 2, "bytes_sent": 900, "bytes_received": 310_000},
)

OWN = Verdict(
    "pay", "required", "own", "proved", owner="shop.till.Till", kind="function", path="shop/till.py", line=7,
    signature="(self, amount)",
)  # fmt: skip
HELD = Verdict(
    "refund", "required", "held", "possible", owner="shop.drawer.Drawer", kind="function",
    path="shop/drawer.py", line=21,
    via="self.drawer → Drawer", target=Target("shop.drawer.Drawer", "shop/drawer.py", 21),
    why=("not on Till", "self.drawer is a Drawer since shop/till.py:9"),
    evidence=(Evidence("shop/till.py", 9, "        self.drawer = Drawer()", "ab12"),), guards=("if self.drawer",),
)  # fmt: skip
UNKNOWN = Verdict("audit", "required", "unknown", "possible", why=("torch.nn.Module was not read",))

MRO = MroAnswer(
    class_="shop.till.Till",
    path="shop/till.py",
    line=5,
    bases=("shop.base.Desk", "torch.nn.Module"),
    order=(
        MroStep("shop.till.Till", "shop/till.py", 5),
        MroStep("shop.base.Desk", "shop/base.py", 2, note="one of 2 definitions"),
        MroStep("torch.nn.Module", "", 0, open="outside the root"),
    ),
    complete=False,
    why_incomplete=("torch.nn.Module: outside the root",),
)
MEMBERS = {"pay": MemberRow("shop.till.Till", "function", "shop/till.py", 7)}

RESOLUTION = Resolution(
    CallSite("shop/till.py", 9, 14, "self.drawer", "open"),
    (ReceiverType("shop.drawer.Drawer", "constructed at shop/till.py:6"),),
    (
        Definition(
            "shop.base.Box", "open", "shop/base.py", 30, "proved", ("Drawer has no open of its own", "Box defines it"),
            ("shop.drawer.Drawer",),
        ),
    ),
    None,
)  # fmt: skip
NOTHING_THERE = Resolution(None, (), (), "no call stands at this position")

DERIVED = Contract(
    "desk on self.till",
    (
        ContractItem("pay", uses=(Use("call", "shop/desk.py", 12, 9, "Desk.close", call=CallShape(1)),)),
        ContractItem("audit", "optional", uses=(Use("probe", "shop/desk.py", 14, 9, "Desk.close", optional=True),)),
    ),
    ("shop/desk.py:Desk",),
    "self.till",
    escapes=(Escape("shop/desk.py", 20, "report(self.till)", "report was not found"),),
)
MATRIX = ContractReport(
    Contract("required", (ContractItem("pay"), ContractItem("refund", "optional"))),
    (
        ClassReport("shop.till.Till", True, (OWN, replace(HELD, required="optional")), "shop/till.py", 5),
        ClassReport("old.till.Till", False, (HELD, UNKNOWN), "old/till.py", 9),
        ClassReport("shop.kiosk.Kiosk", None, (UNKNOWN, OWN), "shop/kiosk.py", 3),
    ),
)
DRIFT = DriftAnswer(
    Contract("required", (ContractItem("pay"), ContractItem("refund"))),
    ("old:/srv", "new:/srv"),
    (
        ClassDrift(
            "shop.till.Till",
            (
                DriftItem("pay", (OWN, OWN), False, None),
                DriftItem(
                    "refund",
                    (HELD, OWN),
                    True,
                    "new:/srv",
                    ("verdict: held → own", "owner: shop.drawer.Drawer → shop.till.Till"),
                ),
            ),
        ),
    ),
)
OVERRIDES = OverridesAnswer(
    "shop.till.Till.pay", "shop.till.Till", "shop/till.py", 7, "(self, amount)",
    (
        OverrideRow("shop.base.Desk", "shop/base.py", 9, "up", "(self, amount)", True, "method"),
        OverrideRow("shop.kiosk.Kiosk", "shop/kiosk.py", 4, "down", "(self)", False, "method"),
    ),
    ("torch.nn.Module: outside the root",),
)  # fmt: skip
LINT = LintAnswer(3, (LintRow("shop/till.py", 11, "self.drawr", ("no class of Till's MRO has drawr",), 9),))
ASSUMPTION = Assumption(
    "Till inherits Drawer", "inherits", "refuted", ("Till inherits Desk",),
    (Evidence("shop/till.py", 5, "class Till(Desk):", "ab12"),),
)  # fmt: skip

ANSWERS: dict[str, Any] = {
    "search": SearchAnswer("pay", (Hit("shop/till.py", 7, 9, "    def pay(self):", "shop.till.Till.pay"),), 1, 1, 3),
    "symbols": (SymbolRow("Till", "shop.till.Till", "class", "shop/till.py", 5, 98.5),),
    "show": Excerpt(
        "shop/till.py", 7, 8, ("    def pay(self):", "        return 1"), "shop.till.Till.pay", "ab12", 40,
        b"    def pay(self):\r\n        return 1\n",
    ),
    "mro": MRO,
    "classes": (MRO, replace(MRO, class_="shop.base.Desk", path="shop/base.py", line=2, complete=True)),
    "subclasses": SubclassesAnswer("shop.base.Desk", (SubclassRow("shop.till.Till", "shop/till.py", 5, 1),)),
    "locate": LocateAnswer("shop.till.Till", (OWN,)),
    "derive": DERIVED,
    "derive_base": DERIVED,
    "derive_siblings": DERIVED,
    "matrix": MATRIX,
    "drift": DRIFT,
    "overrides": OVERRIDES,
    "lint": LINT,
    "assume": ASSUMPTION,
    "jump": RESOLUTION,
    "callers": CallersAnswer(
        "shop.till.Till.pay",
        (CallerRow("shop/app.py", 3, 5, "    till.pay(1)", "shop.app.run", "proved", ("till is a Till",)),),
        2,
    ),
}  # fmt: skip


WHOLE = Coverage(3, 3)


@dataclass
class FakeDig:
    """Answers each question with its value in `answers`, or what a function there makes of it; keeps what was asked."""

    answers: dict[str, Any] = field(default_factory=lambda: dict(ANSWERS))
    summary: IndexSummary = SUMMARY
    steps: tuple[Progress, ...] = ()
    verdicts: tuple[Verdict, ...] = (OWN, HELD)
    coverage: Coverage = WHOLE
    indexed_at: float | None = 1.0
    failure: BaseException | None = None
    asked: list[tuple[Any, ...]] = field(default_factory=list)
    closed: bool = False
    notes: list[str] = field(default_factory=list)
    opened: tuple[Any, ...] = ()
    others: list[FakeDig] = field(default_factory=list)
    """Those opened after this one in the same command."""

    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary:
        for step in self.steps:
            if report:
                report(step)
        if self.failure:
            raise self.failure
        return self.summary

    async def look(self, report: Callable[[Progress], None] | None = None, *, spec: str = "") -> IndexSummary:
        return await self.refresh(report)

    async def check(self, class_names: tuple[str, ...], contract: Contract) -> Any:
        self.asked.append(("check", class_names, contract))
        if "check" in self.answers:
            return self.answers["check"]
        reports = (ClassReport(f"shop.till.{name}", is_met(self.verdicts), self.verdicts) for name in class_names)
        items = tuple(ContractItem(verdict.member, verdict.required) for verdict in self.verdicts)
        return ContractReport(replace(contract, items=items), tuple(reports))

    def take_notes(self) -> list[str]:
        notes, self.notes = self.notes, []
        return notes

    async def aclose(self) -> None:
        self.closed = True

    def __getattr__(self, question: str) -> Any:
        if question not in self.answers:
            raise AttributeError(question)

        async def ask(*arguments: Any, **options: Any) -> Any:
            self.asked.append((question, *arguments, options) if options else (question, *arguments))
            answer = self.answers[question]
            return answer(*arguments, **options) if callable(answer) else answer

        return ask
