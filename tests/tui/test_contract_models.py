"""Owns the tests of what the Contract pane makes of contracts, demands, lint and claims, without a terminal."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.tui.fake import WRAPPER_, FakeDig, derived_contract

from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import (
    Assumption,
    CallShape,
    Contract,
    ContractItem,
    LintAnswer,
    LintRow,
    Target,
    Use,
    Verdict,
)
from sondage.tui.models import contract, findings, items
from sondage.tui.models.demand import Demand, demand_of, parse_demand
from sondage.tui.models.next_step import Definer, Others, next_step
from sondage.tui.models.rows import Row, fit, width_of
from sondage.tui.siblings import receiver_rows

DERIVED = derived_contract()
NOTHING: frozenset[str] = frozenset()


def texts(rows: list[Row]) -> list[str]:
    return [line.text.strip() for line in rows]


def view(**changes: object) -> contract.ContractView:
    report = FakeDig()._report(WRAPPER_, DERIVED)
    names = tuple(item.member for item in DERIVED.items)
    demand = Demand(consumers=DERIVED.consumers, receiver=DERIVED.receiver)
    whole = contract.ContractView(WRAPPER_, names, report.items, report.met, False, DERIVED, demand)
    return replace(whole, **changes)  # type: ignore[arg-type]


# ------------------------------------------------------------ the list


def test_items_stand_in_groups_with_the_missing_first_in_each() -> None:
    rows = view().rows(NOTHING, only_open=False)
    headings = [line.text for line in rows if line.value is None and line.left[0].role == "heading"]
    assert [text.split(":")[0].split("  ")[0] for text in headings] == [
        "required",
        "conditional",
        "optional",
        "goes on, not followed",
    ]
    names = [line.value for line in rows if isinstance(line.value, str)]
    assert names[:3] == ["get_embed_and_head", "load_weights", "forward"]


def test_group_says_how_many_of_it_are_there() -> None:
    rows = view().rows(NOTHING, only_open=False)
    assert rows[0].text == "required  2 of 3 ✓"


def test_condition_stands_below_its_item() -> None:
    said = texts(view().rows(NOTHING, only_open=False))
    below = said[next(n for n, line in enumerate(said) if "set_layers_to_capture" in line) + 1]
    assert below == "if self.is_eagle3() and self.server_args.speculative_algorithm is not None"


def test_several_ways_to_an_item_are_counted() -> None:
    ways = [Use("call", "w.py", n, guards=(f"a{n}",)) for n in range(3)]
    line = items.condition_row(ContractItem("f", uses=tuple(ways)))
    assert line is not None and line.text.strip() == "if a0  · or in 2 more ways"
    assert items.condition_row(ContractItem("f", uses=(*ways, Use("read", "w.py", 9)))) is None


def test_doubtful_member_says_but_and_bears_its_own_tone() -> None:
    line = next(row for row in view().rows(NOTHING, only_open=False) if row.value == "forward")
    assert "own, but …" in line.text
    assert next(part.role for part in line.left if "but" in part.text) == "warn"


def test_doubtful_member_stays_among_the_open_ones() -> None:
    shown = [row.value for row in view().rows(NOTHING, only_open=True) if isinstance(row.value, str)]
    assert "forward" in shown


def test_optional_members_do_not_count_as_missing() -> None:
    assert view().counted == "2 of 5 ✓"
    assert view().summary[0] == "not met: 4 of 5 not provided"


def test_what_was_not_followed_can_be_gone_to() -> None:
    rows = view().rows(NOTHING, only_open=False)
    assert rows[-1].value == (DERIVED.escapes[0].path, DERIVED.escapes[0].line)
    assert "other was not found" in rows[-1].text


def test_contract_without_a_class_shows_its_items_without_marks() -> None:
    bare = view(class_name="", verdicts=(), met=None)
    assert bare.summary == ("put to no class yet", "muted")
    members = [line for line in bare.rows(NOTHING, only_open=False) if isinstance(line.value, str)]
    assert len(members) == 6 and all(line.text[:4].isspace() for line in members)


def test_contract_that_asks_nothing_says_so() -> None:
    assert view(names=(), verdicts=(), contract=Contract("n", (), ("w.py",), "self.x")).summary[0] == "asks for nothing"


def test_members_of_an_inherited_protocol_stand_apart() -> None:
    base = Contract("B", (ContractItem("f"), ContractItem("page_size", group="Trait")), base="m.B")
    assert [group.title for group in items.grouped(base)] == ["required", "of Trait, which the base inherits"]


def test_problem_takes_the_place_of_the_list() -> None:
    shown = view(verdicts=(), contract=None, problem="no such receiver")
    assert texts(shown.rows(NOTHING, only_open=False)) == ["? no such receiver"]
    assert not shown.waiting


# ------------------------------------------------------------ the proof


def test_proof_ends_with_the_places_that_need_it() -> None:
    item = DERIVED.items[2]
    verdict = view().verdict("load_weights")
    assert verdict is not None
    rows = contract.proof(verdict, 70, item)
    assert "needed at" in texts(rows)
    assert rows[-1].value == (item.uses[0].path, item.uses[0].line)
    assert "calls it(_, _, _)" in rows[-1].text


def test_call_is_written_with_what_it_hands_over() -> None:
    assert items.call_text(CallShape()) == "()"
    assert items.call_text(CallShape(1, ("key",), star=True, double_star=True)) == "(_, *_, key=_, **_)"


def test_stated_signature_is_shown_where_it_differs() -> None:
    verdict = Verdict("f", "required", "own", "proved", "m.C", "method", "m.py", 3, "(self, a)", same_signature=False)
    said = texts(contract.proof(verdict, 70, ContractItem("f", signature="(self)")))
    assert "asked for: f(self)" in said


# ------------------------------------------------------------ the demand


@pytest.mark.parametrize(
    "demand",
    [
        Demand(names=("a", "b")),
        Demand(consumers=("w.py:Worker", "with blank/x.py"), receiver="self.a.b"),
        Demand(base="m.Base"),
        Demand(siblings="registered:EntryClass"),
    ],
)
def test_demand_is_read_back_from_its_text(demand: Demand) -> None:
    assert parse_demand(demand.text) == demand


@pytest.mark.parametrize(
    "typed",
    [
        "--from w.py",
        "--on self.x",
        "--base",
        "--base A --base B",
        "--base A --siblings all",
        "--from 'w.py --on x",
        "--base A b",
    ],
)
def test_half_a_demand_is_refused_with_a_sentence(typed: str) -> None:
    assert isinstance(parse_demand(typed), str)


def test_contract_knows_how_it_can_be_asked_for_again() -> None:
    assert demand_of(DERIVED) == Demand(consumers=DERIVED.consumers, receiver=DERIVED.receiver)
    assert demand_of(Contract("n", (ContractItem("a"),))) == Demand(names=("a",))


def test_receivers_are_proposed_from_the_lines_of_the_consumer() -> None:
    rows = receiver_rows(
        ["x = self.runner.model.embed()", "self.runner.model.head  # self.not.this", "self.runner.go()"]
    )
    assert [row.value for row in rows] == ["self.runner", "self.runner.model"]
    assert rows[1].text.split() == ["self.runner.model", "embed,", "head"]


# ------------------------------------------------------------ the next step

HELD = Verdict("embed", "required", "held", "possible", "m.Core", "method", "m.py", 24, via="self.inner → Inner → Core")
ABSENT = Verdict("embed", "required", "absent", "proved")


def test_held_member_leads_to_a_class_that_hands_it_on() -> None:
    step = next_step(HELD, None, Others(Definer("m.Other", "o.py", 9), "self.inner"))
    assert (step.text, step.place) == ("Other hands it on: see how, o.py:9", ("o.py", 9))
    assert "to self.text" in next_step(HELD, None, Others(Definer("m.Other", "o.py", 9), "self.text")).text


def test_held_member_without_example_leads_to_what_the_attribute_has() -> None:
    step = next_step(HELD, None, Others())
    assert "self.inner" in step.text and step.place == ("m.py", 24)


def test_absent_member_leads_to_its_siblings() -> None:
    others = Others(definers=(Definer("Core", "m.py", 3),), number=61, selector="registered:EntryClass")
    step = next_step(ABSENT, None, others)
    assert step.text.startswith("61 classes define it, such as Core, m.py:3")
    assert step.selector == "registered:EntryClass"


def test_absent_member_that_nobody_has_leads_to_who_needs_it() -> None:
    item = ContractItem("embed", uses=(Use("call", "w.py", 7),))
    assert next_step(ABSENT, item, Others()).place == ("w.py", 7)


def test_unknown_says_what_is_missing() -> None:
    why = ("torch.nn.Module is not indexed: torch.nn is not found among the libraries",)
    step = next_step(Verdict("f", "required", "unknown", "possible", why=why), None, Others())
    assert step.text.startswith(why[0]) and "--deps auto" in step.text


def test_nothing_is_proposed_for_a_doubt_while_the_index_grows() -> None:
    doubt = Verdict("f", "required", "unknown", "possible")
    assert "still growing" in next_step(doubt, None, Others(), growing=True).text


def test_call_that_does_not_fit_leads_to_the_call() -> None:
    odd = Verdict("f", "required", "own", "proved", "m.C", "method", "m.py", 3, call_fits=False)
    item = ContractItem("f", uses=(Use("call", "w.py", 7, call=CallShape(3)),))
    assert next_step(odd, item, Others()).place == ("w.py", 7)


def test_what_is_there_leads_on_until_it_was_read() -> None:
    good = Verdict("f", "required", "forwarded", "proved", "m.C", "method", "m.py", 3, target=Target("m.D", "d.py", 4))
    assert next_step(good, None, Others()).place == ("d.py", 4)
    assert next_step(good, None, Others(), read=True).text == ""
    doubtful = replace(good, doubtful=True, evidence=(Evidence("m.py", 5, "x"),))
    assert next_step(doubtful, None, Others()).place == ("m.py", 5)


# ------------------------------------------------------------ lint and claims


def test_lint_is_a_list_of_places_with_why() -> None:
    answer = LintAnswer(1, (LintRow("m.py", 5, "self.x", ("C has no x",), 9, "C.f", "possible"),))
    found = findings.spots_of_lint(answer, "m.C")
    assert (found.spots[0].text, found.spots[0].sign) == ("self.x   C has no x", "?")
    assert found.title == "lint of C, 1 class"


def test_claim_is_said_with_its_state_and_evidence() -> None:
    claim = Assumption(
        "A inherits B", "inherits", "refuted", ("A inherits Module",), (Evidence("m.py", 5, "class A:"),)
    )
    assert findings.claim_said(claim) == ("refuted: A inherits B: A inherits Module (m.py:5)", "bad")
    assert findings.spots_of_claim(claim).notes == ("A inherits Module",)


def test_verdict_stands_beside_a_long_name_in_a_narrow_pane() -> None:
    long = Verdict("a_name_that_is_longer_than_the_pane_is_wide", "required", "absent", "proved")
    line = contract.ContractView("m.C", (long.member,), (long,), False).rows(NOTHING, only_open=False, width=34)[0]
    assert width_of(fit(line, 34)) == 34
    assert "absent" in "".join(part.text for part in fit(line, 34))
