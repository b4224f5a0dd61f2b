"""An entry beside the answer to the same question, later or elsewhere."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sondage.core.answers.calls import CallSite, Definition, Resolution
from sondage.core.answers.certainty import Candidates, Evidence
from sondage.core.answers.classes import MroAnswer, MroStep
from sondage.core.answers.contracts import ClassReport, Contract, ContractReport, Verdict
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, Hit, SearchAnswer, SymbolRow
from sondage.core.transcripts.relocate import place_asked, relocated
from sondage.core.transcripts.replay import Move, compare
from sondage.core.transcripts.transcript import Entry, Verb


def entry(verb: Verb, answer: Any, *evidence: Evidence, **fields: Any) -> Entry:
    return Entry(
        id="1", time="", verb=verb, answer=to_json(answer), evidence=evidence, evidence_total=len(evidence), **fields
    )


def found(*lines: tuple[str, int, str], total: int = 0) -> SearchAnswer:
    hits = tuple(Hit(path, line, 1, text, "") for path, line, text in lines)
    return SearchAnswer("x", hits, total or len(hits), 1, 1)


def judged(member: str, verdict: Any, line: int, **fields: Any) -> Verdict:
    return Verdict(member, "required", verdict, "proved", "m.Base", "method", "b.py", line, **fields)


def report(*verdicts: Verdict) -> ContractReport:
    met = all(verdict.mark == "✓" for verdict in verdicts)
    return ContractReport(Contract("", ()), (ClassReport("m.K", met, verdicts, "k.py", 1),))


def test_equal_answers_are_the_same() -> None:
    old = entry("search", found(("a.py", 1, "x = 1"), ("b.py", 2, "x")))
    assert compare(old, old).state == "same"


def test_number_of_files_looked_at_is_no_difference() -> None:
    old = found(("a.py", 1, "x"))
    assert compare(entry("search", old), entry("search", SearchAnswer("x", old.hits, 1, 1, 99))).state == "same"


def test_lines_that_stand_elsewhere_have_moved() -> None:
    one = compare(entry("search", found(("a.py", 1, "x"))), entry("search", found(("a.py", 4, "x"))))
    assert (one.state, one.differences, one.moves) == ("moved", (), (Move("a.py", 1, "a.py", 4),))


def test_hit_that_is_gone_and_one_that_is_new_are_named() -> None:
    one = compare(entry("search", found(("a.py", 1, "x"))), entry("search", found(("a.py", 1, "y"))))
    assert one.state == "changed"
    assert one.differences == ("hits: no longer a.py:1 x", "hits: new a.py:1 y")


def test_search_that_finds_nothing_any_more_is_gone() -> None:
    assert compare(entry("search", found(("a.py", 1, "x"))), entry("search", found())).state == "gone"


def test_rows_that_were_not_kept_are_not_called_new() -> None:
    old = entry("search", found(("a.py", 1, "x"), total=3))
    new = entry("search", found(("a.py", 1, "x"), ("a.py", 2, "x y"), ("a.py", 3, "x z")))
    assert compare(old, new).state == "same"
    more = entry("search", found(*(("a.py", line, f"x{line}") for line in range(5)), ("a.py", 1, "x")))
    assert compare(old, more).differences == ("total: 3 → 6",)


def test_search_with_more_hits_than_any_answer_holds_is_the_same() -> None:
    old, new = found(("a.py", 1, "x"), total=90_000), found(("a.py", 1, "x"), ("a.py", 2, "y"), total=90_000)
    assert compare(entry("search", old), entry("search", new)).state == "same"


def test_list_that_was_cut_and_has_another_length_now_says_so() -> None:
    rows = [{"class": f"C{number}", "path": "", "line": 0, "depth": 1} for number in range(30)]
    old = entry("subclasses", {"class": "B", "rows": rows[:20], "rows_total": 25})
    assert compare(old, entry("subclasses", {"class": "B", "rows": rows[:25]})).state == "same"
    assert compare(old, entry("subclasses", {"class": "B", "rows": rows})).differences == ("rows: 25 rows → 30",)


def test_rows_of_a_bare_list_that_were_cut_are_not_called_new() -> None:
    rows = [SymbolRow(f"n{number}", f"m.n{number}", "class", "a.py", number + 1, 1.0) for number in range(25)]
    lines = [Evidence("a.py", number + 1, f"class n{number}") for number in range(25)]
    old = entry("symbols", rows[:20], *lines[:20])
    assert compare(msgspec.structs.replace(old, evidence_total=25), entry("symbols", rows, *lines)).state == "same"


def test_verdict_that_changed_is_said_with_its_member() -> None:
    old = entry("check", report(judged("load", "held", 3), judged("save", "own", 9)))
    new = entry("check", report(judged("load", "own", 5), judged("save", "own", 12)))
    one = compare(old, new)
    assert one.state == "changed"
    assert one.differences == (
        "K, met: False → True",
        "K, load: held, proved, by m.Base → own, proved, by m.Base",
    )
    assert one.moves == (Move("b.py", 9, "b.py", 12),)


def test_definition_of_another_owner_has_not_moved_there() -> None:
    old = entry("jump", Resolution(None, (), (Definition("m.A", "f", "a.py", 1, "proved", ()),), None))
    new = entry("jump", Resolution(None, (), (Definition("m.B", "f", "b.py", 1, "proved", ()),), None))
    assert (compare(old, new).state, compare(old, new).moves) == ("changed", ())


def test_verdicts_whose_lines_only_moved_have_moved() -> None:
    why = ("load is defined by m.Base at b.py:3",)
    old, new = judged("load", "own", 3, why=why), judged("load", "own", 5, why=("load is defined by m.Base at b.py:5",))
    assert compare(entry("check", report(old)), entry("check", report(new))).state == "moved"


def test_line_of_evidence_that_reads_otherwise_is_a_change() -> None:
    old = entry("check", report(judged("load", "own", 3)), Evidence("b.py", 3, "def load(self):"))
    new = entry("check", report(judged("load", "own", 3)), Evidence("b.py", 3, "def load(self, *, fast=False):"))
    one = compare(old, new)
    assert one.state == "changed"
    assert one.differences == ("b.py: no longer def load(self):", "b.py: now def load(self, *, fast=False):")


def test_class_that_is_not_there_any_more_is_gone() -> None:
    order = MroAnswer("m.K", "k.py", 1, (), (MroStep("m.K", "k.py", 1),), True)
    one = compare(entry("mro", order), entry("mro", Candidates("K", "class", "absent", ("m.L",))))
    assert (one.state, one.differences) == ("gone", ("K is not there: m.L",))


def test_class_that_is_there_now_is_a_change() -> None:
    order = MroAnswer("m.K", "k.py", 1, (), (MroStep("m.K", "k.py", 1),), True)
    assert compare(entry("mro", Candidates("K", "class", "absent")), entry("mro", order)).state == "changed"


def test_what_is_still_not_there_is_the_same_whatever_is_near_to_it() -> None:
    old, new = Candidates("K", "class", "absent", ("m.L",)), Candidates("K", "class", "absent", ("m.M",))
    assert compare(entry("mro", old), entry("mro", new)).state == "same"


def test_order_that_changed_is_shown_whole() -> None:
    def order(*names: str) -> Entry:
        return entry("mro", MroAnswer("K", "k.py", 1, (), tuple(MroStep(name, "k.py", 1) for name in names), True))

    assert "order: K → A → B became K → B" in compare(order("K", "A", "B"), order("K", "B")).differences


def test_target_that_a_comparison_began_with_may_be_another_one() -> None:
    def drift(first: str) -> Entry:
        items = [{"member": "m", "first_change": first}]
        return entry("drift", {"targets": [first, "box:/new"], "results": [{"class": "K", "items": items}]})

    assert compare(drift("box:/old"), drift("far:/x")).state == "same"


def test_assumption_that_cannot_be_taken_for_given_any_more_is_a_difference() -> None:
    old = entry("search", found(), assumptions=("A.b is C",))
    assert compare(old, entry("search", found())).differences == ("no longer taken for given: A.b is C",)


# ------------------------------------------------------------------ excerpts


def shown(lines: list[str], first: int = 1, digest: str | None = None) -> Entry:
    answer: dict[str, Any] = to_json(Excerpt("a.py", first, first + len(lines) - 1, tuple(lines), "", "d", 99))
    answer["lines"] = lines[:20]
    return Entry(id="1", time="", verb="show", answer=answer | ({"lines_digest": digest} if digest else {}))


def test_excerpt_that_reads_the_same_elsewhere_has_moved() -> None:
    one = compare(shown(["a", "b"], 3), shown(["a", "b"], 7))
    assert (one.state, one.moves) == ("moved", (Move("a.py", 3, "a.py", 7),))


def test_excerpt_that_reads_otherwise_is_shown_line_by_line() -> None:
    assert compare(shown(["a", "b", "c"]), shown(["a", "x", "c"])).differences == (" a", "-b", "+x", " c")


def test_change_behind_the_lines_that_were_kept_is_seen_by_the_digest_of_all() -> None:
    lines = [f"line {number}" for number in range(30)]
    one = compare(shown(lines, digest="1"), shown([*lines[:-1], "other"], digest="2"))
    assert one.differences == ("behind the first 20 lines, which were kept, a line reads otherwise",)
    assert compare(shown(lines, digest="1"), shown(lines, digest="1")).state == "same"


# ------------------------------------------------------------------ asking at the right place


CALL = entry(
    "jump",
    Resolution(CallSite("a.py", 3, 5, "x", "f"), (), (Definition("m", "f", "b.py", 1, "proved", ()),), None),
    Evidence("a.py", 3, "    x.f()"),
    arguments={"path": "a.py", "line": 3, "column": 7},
)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (["", "", "    x.f()"], (3, 7)),
        (["", "", "", "", "    x.f()"], (5, 7)),
        (["    x.f()", "", "", "    x.f()"], (4, 7)),
        (["", "", "", "  x.f()"], (4, 5)),
    ],
)
def test_jump_is_asked_where_its_line_stands_now(lines: list[str], place: tuple[int, int]) -> None:
    arguments = relocated(CALL, lines)
    assert arguments is not None
    assert (arguments["line"], arguments["column"]) == place


def test_jump_from_a_line_that_is_gone_is_asked_nowhere() -> None:
    assert relocated(CALL, ["x.g()"]) is None


BLOCK = msgspec.structs.replace(shown(["def f():", "    a", "", "    b"], 2), arguments={"spec": "a.py:2,5"})


@pytest.mark.parametrize(
    ("lines", "spec"),
    [
        (["", "def f():", "    a", "", "    b"], "a.py:2,5"),
        (["", "", "", "def f():", "    a", "", "    b"], "a.py:4-7"),
        (["", "", "", "def f():", "    changed", "", "    b"], "a.py:4-7"),
        (["", "other", "things", "    b"], "a.py:2,5"),
        ([], "a.py:2,5"),
    ],
)
def test_block_is_asked_where_most_of_its_lines_stand_now(lines: list[str], spec: str) -> None:
    arguments = relocated(BLOCK, lines)
    assert arguments is not None
    assert arguments["spec"] == spec


def test_only_questions_by_line_are_asked_elsewhere() -> None:
    assert place_asked(CALL) == "a.py"
    assert place_asked(BLOCK) == "a.py"
    assert place_asked(msgspec.structs.replace(BLOCK, arguments={"spec": "m.K.f"})) is None
    assert place_asked(msgspec.structs.replace(BLOCK, answer=None)) is None
    assert place_asked(entry("mro", None)) is None
