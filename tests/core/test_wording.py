"""Questions and findings in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from sondage.core.answers.calls import CallSite, Definition, Resolution
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MroAnswer, MroStep, SubclassesAnswer
from sondage.core.answers.contracts import ClassReport, Contract, ContractItem, ContractReport, LocateAnswer, Verdict
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, SearchAnswer
from sondage.core.transcripts.story import Claim
from sondage.core.transcripts.transcript import Entry, Verb
from sondage.core.transcripts.wording import claim_parts, details, finding, foot_parts, plain, question, question_parts

HELD = Verdict(
    "get_embed_and_head",
    "required",
    "held",
    "possible",
    "DeepseekV2ForCausalLM",
    "method",
    "deepseek_v2.py",
    2944,
    via="self.language_model",
)
OWN = Verdict("forward", "required", "own", "proved", "KimiK25", "method", "kimi_k25.py", 719)
OPEN = Verdict("maybe", "required", "unknown", "possible", why=("torch was not read",))
ASKED = {"class": "KimiK25", "members": ["forward", "get_embed_and_head"]}


def entry(verb: Verb, arguments: dict[str, Any], answer: Any) -> Entry:
    return Entry(id="1", time="2026-11-29T15:31:00+00:00", verb=verb, arguments=arguments, answer=to_json(answer))


SAID = [
    (
        entry("search", {"pattern": "a|b", "globs": ["**/x.py"]}, SearchAnswer("a|b", (), 0, 0, 1)),
        "Which lines match a|b in files like **/x.py?",
        "No line (1 file looked at).",
    ),
    (
        entry(
            "search", {"pattern": "a", "globs": [], "fixed": True, "word": True}, SearchAnswer("a", (), 3, 2, 9, ("z",))
        ),
        "Which lines hold the text a, as a whole word?",
        "3 lines in 2 files (9 files looked at, 1 more could not be).",
    ),
    (
        entry("search", {"pattern": "a", "globs": ["q"]}, SearchAnswer("a", (), 0, 0, 0)),
        "Which lines match a in files like q?",
        "No file was looked at.",
    ),
    (
        entry("show", {"spec": "x.py:5-9"}, Excerpt("x.py", 5, 9, (), "C.m", "d", 40)),
        "What stands at x.py:5-9?",
        "Lines 5 to 9 of 40 of x.py, in C.m.",
    ),
    (
        entry(
            "mro",
            {"class": "K"},
            MroAnswer("K", "k.py", 1, ("N",), (MroStep("K", "k.py", 1), MroStep("N", "", 0, "outside")), False, ("N",)),
        ),
        "In which order is K looked up?",
        "K → N (not read). The order is not complete: N.",
    ),
    (
        entry(
            "jump",
            {"path": "k.py", "line": 773, "column": 33},
            Resolution(
                CallSite("k.py", 773, 33, "self.x", "m"), (), (Definition("D", "m", "d.py", 9, "proved", ()),), None
            ),
        ),
        "What does the name at k.py:773:33 reach?",
        "D.m at d.py:9, proved.",
    ),
    (
        entry("locate", ASKED, LocateAnswer("KimiK25", (OWN, HELD, OPEN))),
        "Which class provides forward, get_embed_and_head for KimiK25?",
        "Not provided: get_embed_and_head. Undecided: maybe. Provided: forward.",
    ),
    (
        entry("locate", {"class": "K", "members": ["forward"]}, LocateAnswer("K", (OWN,))),
        "Which class provides forward for K?",
        "✓ forward: own, proved, by KimiK25 at kimi_k25.py:719.",
    ),
    (
        entry(
            "check",
            {"classes": ["KimiK25"], "contract": {"name": "", "items": [{"member": "forward"}]}},
            ContractReport(Contract("", (ContractItem("forward"),)), (ClassReport("KimiK25", False, (OWN, HELD)),)),
        ),
        "Is the contract forward kept by KimiK25?",
        "Not kept by KimiK25. Not provided: get_embed_and_head. Provided: forward.",
    ),
    (
        entry("mro", {"class": "X"}, Candidates("X", "class", "absent", ("Y",))),
        "In which order is X looked up?",
        "Nothing known is called X. Near to it: Y.",
    ),
    (
        entry("mro", {"class": "X"}, Candidates("X", "class", "ambiguous", ("a.X", "b.X"))),
        "In which order is X looked up?",
        "X stands for several: a.X, b.X.",
    ),
]


@pytest.mark.parametrize(("asked", "words", "found"), SAID)
def test_question_and_finding_are_said_in_words(asked: Entry, words: str, found: str) -> None:
    assert question(asked) == words
    assert finding(asked) == found


def test_answer_of_several_parts_is_told_part_by_part() -> None:
    told = details(entry("locate", ASKED, LocateAnswer("KimiK25", (OWN, HELD))))
    assert told[1] == (
        "✗ get_embed_and_head: held, possible, by DeepseekV2ForCausalLM at deepseek_v2.py:2944, via self.language_model."
    )


def test_answer_that_was_cut_says_its_full_length() -> None:
    rows = [{"class": f"C{number}", "path": "x.py", "line": 1, "depth": 1} for number in range(20)]
    cut = entry("subclasses", {"class": "B"}, {"class": "B", "rows": rows, "rows_total": 57})
    assert finding(cut) == "57 classes: C0, C1, C2, C3, C4, C5, and 51 more."


def test_subclasses_of_what_was_not_read_can_be_more() -> None:
    answer = SubclassesAnswer("x.B", (), why_incomplete=("x.B was not read",))
    assert finding(entry("subclasses", {"class": "x.B"}, answer)) == "No class. There can be more: x.B was not read."


def test_names_are_safe_and_kept_apart_from_the_words_around_them() -> None:
    asked = entry("show", {"spec": "<b>`x`\x1b\x00\n.py"}, None)
    assert question(asked) == "What stands at <b>`x`␛␀␊.py?"
    assert question_parts(asked) == (("What stands at ", False), ("<b>`x`␛␀␊.py", True), ("?", False))


def test_words_that_somebody_else_put_into_an_answer_are_safe_as_well() -> None:
    odd = entry("assume", {"claim": "x"}, {"claim": "x", "state": "\x1b]52;c;x\x07", "why": []})
    assert finding(odd) == "␛]52;c;x␇. "


def test_what_was_taken_for_given_and_the_commit_are_said_at_the_foot() -> None:
    asked = Entry(
        id="1", time="now", verb="mro", target="box:/srv", assumptions=("A.b is C", "D.e is F"), commit="abc123"
    )
    said = "Asked now on box:/srv, at the commit abc123, given that A.b is C and D.e is F."
    assert plain(foot_parts(asked)) == said


def test_words_of_the_user_are_told_as_what_they_are() -> None:
    claim = entry("hypothesis", {"claim": "Kimi inherits it"}, None)
    judged = entry("verdict", {"of": "1", "claim": "Kimi inherits it", "state": "refuted"}, None)
    assert (question(claim), finding(claim)) == ("A hypothesis", "Kimi inherits it.")
    assert (question(judged), finding(judged)) == ("A verdict on Kimi inherits it", "Refuted.")
    assert plain(claim_parts(Claim("it", "open", ("w", "v"), 3, judged=True))) == "it: w; v (judged in step 3)"


@pytest.mark.parametrize("verb", ["search", "show", "mro", "jump", "locate", "check", "callers", "symbols", "assume"])
@pytest.mark.parametrize("answer", [None, {}, [], "text", {"rows": 3}, [1], 5])
def test_entry_of_an_unexpected_shape_is_said_as_far_as_it_goes(verb: Verb, answer: Any) -> None:
    odd = Entry(id="1", time="", verb=verb, arguments={"odd": 1}, answer=answer)
    assert "odd" in question(odd)
    assert isinstance(finding(odd), str)
    assert details(odd) == []
