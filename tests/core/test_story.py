"""The story in a transcript: what is told, and how its claims stand."""

from __future__ import annotations

from typing import Any

from sondage.core.answers.contracts import Assumption, ClaimState
from sondage.core.answers.plain import to_json
from sondage.core.transcripts.story import taken_for_given, tell
from sondage.core.transcripts.transcript import Entry, Verb


def entry(number: int, verb: Verb, note: str = "", **arguments: Any) -> Entry:
    return Entry(id=f"{number}", time="", verb=verb, arguments=arguments, note=note, target="box:/srv")


def assumed(number: int, claim: str, state: ClaimState, why: str = "", kind: Any = "inherits") -> Entry:
    answer = to_json(Assumption(claim, kind, state, (why,) if why else ()))
    return Entry(id=f"{number}", time="", verb="assume", arguments={"claim": claim}, answer=answer, target="box:/srv")


def told(*entries: Entry) -> list[str]:
    return [step.entry.id for step in tell(entries).steps]


def ledger(*entries: Entry) -> list[tuple[str, str, int]]:
    return [(claim.claim, claim.state, claim.step) for claim in tell(entries).ledger]


NOTE, OTHER = entry(1, "note", "one"), entry(2, "note", "two")


def test_dropped_entry_is_not_told_and_counted() -> None:
    story = tell([NOTE, OTHER, entry(3, "drop", of="1")])
    assert [(step.number, step.entry.id) for step in story.steps] == [(1, "2")]
    assert story.left_out == 1


def test_dropping_a_drop_takes_the_entry_in_again() -> None:
    assert told(NOTE, entry(2, "drop", of="1"), entry(3, "drop", of="2")) == ["1"]
    assert told(NOTE, entry(2, "drop", of="1"), entry(3, "drop", of="2"), entry(4, "drop", of="3")) == []


def test_drop_of_nothing_that_is_there_leaves_nothing_out() -> None:
    story = tell([NOTE, entry(3, "drop", of="x"), entry(4, "drop")])
    assert (len(story.steps), story.left_out) == (1, 0)


def test_verdict_goes_with_the_claim_it_is_on() -> None:
    claim, verdict = entry(1, "hypothesis", claim="a"), entry(2, "verdict", of="1", claim="a", state="holds")
    assert told(claim, verdict) == ["1", "2"]
    assert told(claim, verdict, entry(3, "drop", of="1")) == []


def test_hypothesis_is_open_until_it_is_judged() -> None:
    claim = entry(1, "hypothesis", claim="it  holds")
    assert ledger(claim) == [("it holds", "open", 1)]
    assert ledger(claim, entry(2, "verdict", of="1", claim="it holds", state="refuted")) == [("it holds", "refuted", 2)]


def test_claim_that_is_checked_again_stands_as_it_was_found_last() -> None:
    first, again = assumed(1, "K inherits D", "open", "not read"), assumed(2, "K inherits D", "refuted", "it holds one")
    assert ledger(first, assumed(3, "x", "holds"), again) == [("K inherits D", "refuted", 3), ("x", "holds", 2)]


def test_verdict_of_the_reader_does_not_hide_what_the_sources_say() -> None:
    verdict = entry(2, "verdict", "I read it", of="1", claim="K inherits D", state="holds")
    (claim,) = tell([assumed(1, "K inherits D", "refuted", "it holds one"), verdict]).ledger
    assert (claim.state, claim.judged) == ("holds", True)
    assert claim.why == ("I read it", "the sources say refuted", "it holds one")


def test_what_was_taken_for_given_is_of_its_target_and_not_refuted_or_dropped() -> None:
    pins = [assumed(number, f"A.b{number} is C", "holds", kind="is") for number in range(4)]
    refuted = entry(7, "verdict", of="2", claim="A.b2 is C", state="refuted")
    later = [assumed(4, "A.b1 is C", "refuted", kind="is"), refuted, entry(8, "drop", of="3"), assumed(9, "K", "holds")]
    assert taken_for_given([*pins, *later], "box:/srv") == ("A.b0 is C",)
    assert taken_for_given(pins, "other:/srv") == ()


def test_entries_of_another_shape_are_told_as_far_as_they_go() -> None:
    odd = [
        Entry(id="1", time="", verb="assume", answer=[1]),
        Entry(id="2", time="", verb="assume", answer={"why": 3, "state": ["x"]}),
        Entry(id="3", time="", verb="verdict", arguments={"state": 4, "of": None}),
    ]
    assert [claim.state for claim in tell(odd).ledger] == ["open"]
