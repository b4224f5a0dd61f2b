"""Owns the tests of what search, classes, contract and log make of answers, without a terminal."""

from __future__ import annotations

import re

from sondage.core.answers.calls import CallerRow, CallersAnswer
from sondage.core.answers.certainty import Evidence
from sondage.core.answers.classes import MemberRow, MroAnswer, MroStep, SubclassRow
from sondage.core.answers.contracts import Target, Verdict
from sondage.core.answers.text import Hit, SearchAnswer
from sondage.core.transcripts.transcript import Entry
from sondage.tui.models import classes, contract, log, search
from sondage.tui.models.rows import Part, Row


def texts(rows: object) -> list[str]:
    return [rows[index].text for index in range(len(rows))]  # type: ignore[arg-type, index]


# ---------------------------------------------------------------- search

HITS = SearchAnswer(
    "load",
    (
        Hit("a/inner.py", 20, 9, "    def load(self):", "Core.load"),
        Hit("a/inner.py", 47, 9, "        super().load()", "Sparse.load"),
        Hit("b/inner.py", 3, 1, "load = 1", ""),
    ),
    3,
    2,
    9,
)


def test_hits_stand_under_their_files() -> None:
    rows = search.Grouped().rows(search.spots_of_search(HITS))
    assert texts(rows) == [
        "inner.py  a  2",
        "  20  def load(self):  Core",
        "  47  super().load()  Sparse.load",
        "inner.py  b  1",
        "   3  load = 1",
    ]
    assert list(rows.stops) == [1, 2, 4]


def test_hits_can_stand_under_their_classes_and_files_be_hidden() -> None:
    found = search.spots_of_search(HITS)
    by_class = texts(search.Grouped(by_class=True).rows(found))
    assert [line for line in by_class if ":" not in line.split("  ")[0] and "inner.py" not in line] == [
        "module level  1",
        "Core  1",
        "Sparse  1",
    ]
    hidden = texts(search.Grouped(hidden=frozenset({"a/inner.py"})).rows(found))
    assert hidden[-1] == "  1 file hidden: Enter here shows all"
    assert not any("super" in line for line in hidden)


def test_count_says_when_not_all_are_listed() -> None:
    found = search.spots_of_search(SearchAnswer("x", HITS.hits, 900, 40, 100, ("c.py",)))
    assert found.counted == "first 3 of 900 hits in 40 files"
    assert found.notes == ("1 file could not be looked at",)


def test_matches_keep_their_place_though_the_indentation_is_dropped() -> None:
    parts = search.highlighted("\t\tself.load(x)", lambda line: [m.span() for m in re.finditer("load", line)])
    assert parts == [Part("self."), Part("load", "match"), Part("(x)")]


def test_callers_are_places_with_their_doubt() -> None:
    answer = CallersAnswer("Core.load", (CallerRow("w.py", 7, 3, "x.load()", "f", "possible", ("the name alone",)),), 4)
    rows = search.Grouped().rows(search.spots_of_callers(answer))
    assert texts(rows)[1:] == ["? 7  x.load()  f", "  ? 4 more calls of this name: the receiver is not known"]


# ---------------------------------------------------------------- classes

STEPS = (
    MroStep("m.Sparse", "m.py", 45),
    MroStep("m.Core", "m.py", 8),
    MroStep("torch.nn.Module", "", 0, "torch is not in the index"),
)
LOAD, OTHER = MemberRow("m.Core", "method", "m.py", 20), MemberRow("m.Sparse", "method", "m.py", 46)
VIEW = classes.ClassView(
    MroAnswer(
        "m.Sparse", "m.py", 45, ("m.Core",), STEPS, False, ("torch.nn.Module is open", "x is computed"), None, {}
    ),
    {"m.Sparse": {"load": OTHER}, "m.Core": {"load": LOAD, "forward": LOAD}},
    (SubclassRow("m.Less", "n.py", 3, 1), SubclassRow("m.Least", "n.py", 9, 2)),
)


def test_open_end_stands_in_the_mro_with_its_reason() -> None:
    rows = texts(VIEW.rows(0, inherited=False))
    assert rows[0] == "MRO  open"
    assert rows[3].split() == ["?", "torch.nn.Module", "not", "read:", "torch", "is", "not", "in", "the", "index"]
    assert rows[4] == "  ? x is computed"


def test_members_say_at_which_other_levels_they_are_defined() -> None:
    rows = texts(VIEW.rows(0, inherited=False))
    assert any(line.split() == ["load", "m.py:46", "over", "Core", "1"] for line in rows)
    assert VIEW.others("load", "m.Core") == [0]
    assert VIEW.member_at(1, "load") == LOAD
    assert VIEW.member_at(1, "absent") is None


def test_subclasses_are_indented_by_their_depth() -> None:
    rows = texts(VIEW.rows(0, inherited=False))
    assert "  Less     n.py:3" in rows
    assert "    Least  n.py:9" in rows


def test_inconsistent_mro_says_pythons_error() -> None:
    broken = classes.ClassView(
        MroAnswer("m.X", "m.py", 1, (), STEPS[:1], False, (), "Cannot create a consistent MRO"), {}
    )
    assert "  ! Cannot create a consistent MRO" in texts(broken.rows(0, inherited=True))


# ---------------------------------------------------------------- contract

HELD = Verdict(
    "get_embed",
    "required",
    "held",
    "possible",
    "m.Core",
    "method",
    "m.py",
    24,
    via="self.inner → Inner → Core",
    why=("not on Wrapper",),
    evidence=(Evidence("w.py", 15, "  self.inner = Inner()"), Evidence("m.py", 24, "def get_embed(self):")),
)
OWN = Verdict("forward", "required", "own", "proved", "w.Wrapper", "method", "w.py", 17)
DOUBT = Verdict("extra", "required", "unknown", "possible", why=("torch.nn.Module was not read",))
REPORT = contract.ContractView("w.Wrapper", ("forward", "extra", "get_embed"), (OWN, DOUBT, HELD), False)


def marks(rows: list[Row]) -> list[tuple[str, object]]:
    return [(line.text.strip()[:2].strip(), line.value) for line in rows]


def test_what_is_missing_comes_first_and_what_is_there_last() -> None:
    rows = REPORT.rows(frozenset(), only_open=False)
    assert marks(rows) == [("✗?", "get_embed"), ("?", "extra"), ("✓", "forward")]


def test_only_what_is_not_met_can_be_shown() -> None:
    assert [line.value for line in REPORT.rows(frozenset(), only_open=True)] == ["get_embed", "extra"]


def test_read_items_bear_a_dot_and_keep_their_mark() -> None:
    rows = REPORT.rows(frozenset({"forward"}), only_open=False)
    assert [line.text[:5] for line in rows] == [" ✗?  ", " ?   ", " ✓ • "]


def test_summary_is_the_conclusion_of_the_whole() -> None:
    assert REPORT.summary == ("not met: 1 of 3 not provided", "bad")
    assert contract.ContractView("w.W", ("a",), (DOUBT,), None, growing=True).summary[0].startswith("undecided")
    assert contract.ContractView("w.W", ("forward",), (OWN,), True).summary == ("met", "good")
    assert contract.ContractView("w.W", ("forward",)).summary == ("locating…", "muted")
    assert REPORT.counted == "1 of 3 ✓"


def test_call_that_does_not_fit_bears_its_own_mark() -> None:
    odd = Verdict("f", "required", "own", "proved", "W", "method", "w.py", 1, "(self)", call_fits=False)
    assert contract.sign(odd) == "!"
    assert any("does not fit" in line for line in texts(contract.proof(odd, 60)))


def test_proof_holds_way_evidence_and_reasons() -> None:
    said = texts(contract.proof(HELD, 70))
    assert said[0].startswith("held, possible")
    assert "via self.inner → Inner → Core" in said
    assert "w.py:15  self.inner = Inner()" in said
    assert "· not on Wrapper" in said


def test_places_of_a_verdict_come_once_the_definition_first() -> None:
    assert [place[:2] for place in contract.places_of(HELD)] == [("m.py", 24), ("w.py", 15)]
    assert contract.places_of(DOUBT) == []


def test_forwarder_names_what_it_hands_on_to() -> None:
    forwarded = Verdict(
        "f", "required", "forwarded", "proved", "W", "method", "w.py", 1, target=Target("m.Core", "m.py", 9)
    )
    assert "hands on to Core  m.py:9" in texts(contract.proof(forwarded, 60))


def test_names_are_separated_by_commas_or_blanks() -> None:
    assert contract.parse_names(" a, b  c,,a ") == ("a", "b", "c")


# ---------------------------------------------------------------- log


def entry(verb: str, **fields: object) -> Entry:
    return Entry(id="1", time="2026-03-02T14:02:11+01:00", verb=verb, **fields)  # type: ignore[arg-type]


def test_entries_say_their_question_as_it_could_be_typed_again() -> None:
    search_entry = entry("search", arguments={"pattern": "evict", "globs": ["**/x.py"]})
    assert log.question_text(search_entry) == "evict in **/x.py"
    assert log.question_text(entry("mro", arguments={"class": "a.b.C"})) == "C"
    assert log.question_text(entry("jump", arguments={"path": "a.py", "line": 3, "column": 9})) == "a.py:3:9"
    items = {"contract": {"items": [{"member": "f"}, {"member": "g"}]}, "classes": ["a.C"]}
    assert log.question_text(entry("check", arguments=items)) == "C: f, g"
    assert log.question_text(entry("note", note="look here")) == "look here"


def test_entries_lead_to_their_evidence_and_a_jump_to_its_end() -> None:
    evidence = (Evidence("a.py", 1, "x"), Evidence("b.py", 2, "y"))
    assert log.first_place(entry("search", evidence=evidence)) == evidence[0]
    assert log.first_place(entry("jump", evidence=evidence)) == evidence[1]
    assert log.first_place(entry("note")) is None
    rows = log.log_rows([entry("note", note="look here")])
    assert rows[0].text.startswith("14:02:11  note  look here")
