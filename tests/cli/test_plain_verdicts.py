"""Verdicts, drift, lint and assumptions as people read them, line by line as printed."""

from __future__ import annotations

from msgspec.structs import replace

from sondage.cli.plain_verdicts import WIDTH
from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import (
    ClassDrift,
    ClassReport,
    Contract,
    ContractItem,
    ContractReport,
    DriftItem,
    LocateAnswer,
    Target,
)

from .conftest import Sondage
from .fakes import DRIFT, HELD, OWN, UNKNOWN, FakeDig

CHECK = ("contract", "check", "box:/srv", "Till", "--require", "pay")


def test_a_contract_is_a_line_for_each_member_with_its_place_and_reasons_below(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (OWN, HELD, UNKNOWN)
    assert sondage(*CHECK).text.splitlines() == [
        "✓  pay     own      proved",
        "    shop/till.py:7",
        "✗  refund  held     possible",
        "    via self.drawer → Drawer",
        "    shop/drawer.py:21",
        "    not on Till",
        "    self.drawer is a Drawer since shop/till.py:9",
        "    guard: if self.drawer",
        "    shop/till.py:9: self.drawer = Drawer()",
        "?  audit   unknown  possible",
        "    torch.nn.Module was not read",
        "not met: shop.till.Till fails on refund",
    ]


def test_the_line_of_a_definition_stands_beside_its_place_and_only_there(dig: FakeDig, sondage: Sondage) -> None:
    quote = Evidence("shop/till.py", 7, "    def pay(self, amount):")
    dig.verdicts = (replace(OWN, evidence=(quote,)),)
    assert sondage(*CHECK).text.splitlines()[1:-1] == ["    shop/till.py:7: def pay(self, amount):"]


def test_an_inherited_member_names_the_class_that_defines_it(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (replace(OWN, verdict="inherited", owner="shop.base.Desk", path="shop/base.py"),)
    assert sondage(*CHECK).text.splitlines()[1] == "    Desk at shop/base.py:7"


def test_a_member_without_source_names_its_class_in_full(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (replace(OWN, verdict="inherited", owner="builtins.dict", path="", line=0),)
    assert sondage(*CHECK).text.splitlines()[1] == "    builtins.dict"


def test_no_line_is_wider_than_a_window_and_code_stays_on_one_line(dig: FakeDig, sondage: Sondage) -> None:
    code = "self.drawer = Drawer(" + ", ".join(f"argument_{number}" for number in range(4)) + ")"
    long = Evidence("shop/a/rather/deep/folder/of/a/shop/till.py", 9, f"        {code}")
    reason = "a reason that is told in many words " * 5
    dig.verdicts = (replace(HELD, member="refund_" * 8, evidence=(long,), why=(reason,)),)
    lines = sondage(*CHECK).text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[lines.index("    shop/a/rather/deep/folder/of/a/shop/till.py:9") + 1] == f"      {code}"


def test_a_contract_ends_in_a_line_for_each_class(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (OWN,)
    two = (*CHECK[:4], "Drawer", *CHECK[4:])
    assert sondage(*two).text.splitlines()[2:4] == ["met: shop.till.Till has every required member (1)", ""]
    dig.verdicts = (OWN, UNKNOWN)
    assert sondage(*two).text.splitlines()[-1] == "undecided: shop.till.Drawer hangs on audit"


def test_a_call_that_does_not_fit_bears_a_sign(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (replace(OWN, call_fits=False),)
    lines = sondage(*CHECK).text.splitlines()
    assert lines[0].startswith("✓!  pay")
    assert lines[-1] == "not met: shop.till.Till fails on pay"


def test_what_is_optional_or_doubtful_says_so_behind(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (replace(OWN, required="optional", doubtful=True),)
    assert sondage(*CHECK).text.splitlines()[0] == "✓  pay  own  proved  optional, doubtful"


def test_a_contract_that_is_met_by_a_body_that_cannot_work_says_so(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (replace(OWN, doubtful=True),)
    outcome = sondage(*CHECK)
    assert outcome.text.splitlines()[-1] == (
        "met: shop.till.Till has every required member (1), but pay may not work: see why"
    )


def test_members_of_an_inherited_protocol_stand_under_its_name(dig: FakeDig, sondage: Sondage) -> None:
    items = (ContractItem("pay", "optional", soft=True), ContractItem("refund", group="Trait"))
    verdicts = (replace(OWN, required="optional"), replace(OWN, member="refund"))
    report = ClassReport("shop.till.Till", True, verdicts)
    dig.answers["check"] = ContractReport(Contract("desk", items), (report,))
    assert sondage(*CHECK).text.splitlines() == [
        "✓  pay     own  proved  optional, soft",
        "    shop/till.py:7",
        "of Trait:",
        "✓  refund  own  proved",
        "    shop/till.py:7",
        "met: shop.till.Till has every required member (1)",
    ]


def test_a_forwarded_member_says_where_it_is_handed_on_to(dig: FakeDig, sondage: Sondage) -> None:
    handed_to = Target("shop.drawer.Drawer", "shop/drawer.py", 21)
    verdict = replace(OWN, verdict="forwarded", via="self.drawer", target=handed_to)
    dig.answers["locate"] = LocateAnswer("shop.till.Till", (verdict,))
    assert sondage("locate", "box:/srv", "Till", "pay").text.splitlines()[:3] == [
        "✓  pay  forwarded  proved",
        "    Till at shop/till.py:7",
        "    via self.drawer → Drawer at shop/drawer.py:21",
    ]


def test_locate_counts_what_was_found(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("locate", "box:/srv", "Till", "pay").text.splitlines() == [
        "✓  pay  own  proved",
        "    shop/till.py:7",
        "1 of 1 found on shop.till.Till",
    ]


def test_overrides_stand_below_what_they_override(dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage("overrides", "box:/srv", "Till.pay")
    assert outcome.text.splitlines() == [
        "shop.till.Till.pay(self, amount)",
        "     Till at shop/till.py:7",
        "up    =  Desk   shop/base.py:9",
        "down  ≠  Kiosk  shop/kiosk.py:4",
        "     (self)",
    ]
    assert outcome.err == "sondage: note: not all classes above were read: torch.nn.Module: outside the root\n"


def test_drift_shows_what_changed_and_where_it_stands_in_each_target(dig: FakeDig, sondage: Sondage) -> None:
    drift = ("contract", "drift", "old:/srv", "new:/srv", "--class", "Till", "--require", "pay")
    assert sondage(*drift).text.splitlines() == [
        "1  old:/srv",
        "2  new:/srv",
        "",
        "shop.till.Till",
        "=  pay     ✓ own → ✓ own",
        "≠  refund  ✗ held → ✓ own",
        "    owner: shop.drawer.Drawer → shop.till.Till",
        "    1  shop/drawer.py:21",
        "    2  shop/till.py:7",
        "",
        "1 of 2 members changed",
    ]
    assert "first at" not in sondage(*drift).text
    three = ("old:/srv", "new:/srv", "next:/srv")
    item = replace(DRIFT.results[0].items[1], verdicts=(HELD, OWN, OWN))
    dig.answers["drift"] = replace(DRIFT, targets=three, results=(ClassDrift("shop.till.Till", (item,)),))
    assert "≠  refund  ✗ held → ✓ own → ✓ own  first at 2" in sondage(*drift).text.splitlines()
    gone = DriftItem("pay", (OWN, None), True, "new:/srv", ("the class is gone",))
    dig.answers["drift"] = replace(DRIFT, results=(ClassDrift("shop.till.Till", (gone,)),))
    assert "≠  pay  ✓ own → no such class" in sondage(*drift).text.splitlines()


def test_lint_is_a_place_for_each_row_and_counts_on_stderr(dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage("lint", "box:/srv", "Till")
    assert outcome.text.splitlines() == [
        "shop/till.py:11:9:proved:self.drawr",
        "    no class of Till's MRO has drawr",
    ]
    assert outcome.err == "sondage: note: 1 place in 3 classes\n"


def test_an_assumption_says_how_it_stands_why_and_on_which_line(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("assume", "box:/srv", "Till inherits Drawer").text.splitlines() == [
        "✗ refuted: Till inherits Drawer",
        "    Till inherits Desk",
        "    shop/till.py:5: class Till(Desk):",
    ]
