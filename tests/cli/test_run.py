"""The flow of a question: what is opened, in which order, and what an index with gaps means for the answer."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sondage.core.answers.certainty import Coverage
from sondage.core.answers.index import Progress
from sondage.errors import TransferError
from sondage.hosts.base import Address, Target

from .conftest import Sondage
from .fakes import DERIVED, SUMMARY, FakeDig

QUESTION = ("search", "box:/srv", "pay")


def test_the_target_is_opened_asked_and_closed(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage(*QUESTION).code == 0
    assert dig.opened[0] == Target("/srv", Address("box"))
    assert [question[0] for question in dig.asked] == ["search"]
    assert dig.closed


def test_an_unknown_target_is_an_error_before_anything_is_opened(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage("search", "", "pay").code == 2
    assert dig.opened == ()


def test_nothing_is_asked_when_the_pull_broke_off(dig: FakeDig, sondage: Sondage) -> None:
    dig.failure = TransferError("the pull broke off", "box", "ask again: what arrived is kept")
    outcome = sondage(*QUESTION)
    assert (outcome.code, outcome.out) == (3, b"")
    assert outcome.err == "sondage: error: the pull broke off: box (ask again: what arrived is kept)\n"
    assert dig.asked == []


@pytest.mark.parametrize("option", [("--offline",), ("--refresh", "never")])
def test_a_partial_cache_answers_where_it_was_asked_for_and_says_so(
    option: tuple[str, ...], dig: FakeDig, sondage: Sondage
) -> None:
    dig.summary, dig.coverage = replace(SUMMARY, complete=False), Coverage(2, 3)
    outcome = sondage(*QUESTION, *option)
    assert outcome.code == 0
    assert outcome.err == "sondage: note: only 2 of 3 files are in the cache; the answer rests on them\n"


def test_offline_without_a_cache_is_an_error_and_no_empty_answer(dig: FakeDig, sondage: Sondage) -> None:
    dig.summary, dig.indexed_at = replace(SUMMARY, files=0), None
    outcome = sondage(*QUESTION, "--offline")
    assert (outcome.code, outcome.out) == (3, b"")
    assert "nothing of this target is in the cache: box:/srv (read it once: sondage index TARGET)" in outcome.err


def test_files_that_could_not_be_read_are_told_beside_every_answer(dig: FakeDig, sondage: Sondage) -> None:
    dig.summary = replace(SUMMARY, unreadable=("a.py: permission denied", "b.py: gone"))
    assert (
        sondage(*QUESTION).err
        == "sondage: note: 2 files not read, so not part of the answer; `sondage index` says why\n"
    )
    assert sondage("index", "box:/srv").err == ""


def test_progress_is_silent_without_a_terminal(dig: FakeDig, sondage: Sondage) -> None:
    dig.steps = (Progress("connect"), Progress("pull", 1, 3))
    assert sondage(*QUESTION).err == ""


def test_progress_is_one_line_that_is_gone_before_the_answer(
    dig: FakeDig, sondage: Sondage, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sondage.cli import run
    from sondage.cli.progress import ProgressLine

    dig.steps = (Progress("pull", 312, 1404, 4_100_000, 19_800_000),)
    monkeypatch.setattr(run.ProgressLine, "for_stderr", lambda: ProgressLine(wanted=True))
    assert sondage(*QUESTION).err == (
        "\r\x1b[Kpulling 312 of 1,404 files, 4.1 of 19.8 MB\r\x1b[K\r\x1b[Kanswering\r\x1b[K"
    )


def test_questions_reach_the_service_as_they_were_asked(dig: FakeDig, sondage: Sondage) -> None:
    asked: dict[tuple[str, ...], tuple[Any, ...]] = {
        ("symbols", "T:/x", "till", "--max", "3"): ("symbols", "till", {"limit": 3}),
        ("show", "T:/x", "a:b.py:3-4"): ("show", "a:b.py:3-4"),
        ("mro", "T:/x", "Till", "--members"): ("mro", "Till", {"members": True}),
        ("classes", "T:/x", "--jsonl", "--members"): ("classes", {"members": True}),
        ("classes", "T:/x", "--members"): ("classes", {"members": False}),
        ("subclasses", "T:/x", "Desk"): ("subclasses", "Desk"),
        ("locate", "T:/x", "Till", "a", "b"): ("locate", "Till", ("a", "b")),
        ("jump", "T:/x", "a:b.py:3:9"): ("jump", "a:b.py", 3, 9),
        ("callers", "T:/x", "Till.pay"): ("callers", "Till.pay"),
        ("overrides", "T:/x", "Till.pay"): ("overrides", "Till.pay"),
        ("lint", "T:/x", "Till"): ("lint", ("Till",), {"selector": None}),
        ("lint", "T:/x", "--classes", "all"): ("lint", (), {"selector": "all"}),
        ("assume", "T:/x", "Till", "is  odd"): ("assume", "Till is odd", {}),
    }
    for arguments, question in asked.items():
        sondage(*arguments)
        assert dig.asked.pop() == question


def test_a_contract_has_its_members_once_and_in_the_order_given(dig: FakeDig, sondage: Sondage) -> None:
    sondage("contract", "check", "T:/x", "A", "B", "--require", "pay, refund", "--require", "pay,audit")
    _, classes, contract = dig.asked.pop()
    assert classes == ("A", "B")
    assert [item.member for item in contract.items] == ["pay", "refund", "audit"]


@pytest.mark.parametrize(
    ("options", "question"),
    [
        (
            ("--from", "a.py:A", "--from", "b", "--on", "self.x"),
            ("derive", ("a.py:A", "b"), "self.x", {"name": "", "commit": True}),
        ),
        (("--base", "Desk", "--name", "desk"), ("derive_base", "Desk", {"name": "desk", "commit": True})),
        (
            ("--siblings", "all", "--least", "0.8"),
            ("derive_siblings", "all", {"least": 0.8, "name": "", "commit": True}),
        ),
    ],
)
def test_a_contract_is_derived_in_the_way_that_was_asked_for(
    options: tuple[str, ...], question: tuple[Any, ...], dig: FakeDig, sondage: Sondage
) -> None:
    assert sondage("contract", "derive", "T:/x", *options).code == 0
    assert dig.asked == [question]


def test_a_contract_derived_on_the_way_is_no_entry_of_its_own(dig: FakeDig, sondage: Sondage) -> None:
    sondage("contract", "check", "T:/x", "Till", "--base", "Desk")
    assert dig.asked == [("derive_base", "Desk", {"name": "", "commit": False}), ("check", ("Till",), DERIVED)]


@pytest.mark.parametrize(
    ("options", "selector"),
    [
        (("--require", "pay"), "all"),
        (("--base", "Desk"), "subclasses:Desk"),
        (("--base", "Desk", "--classes", "glob:*Till"), "glob:*Till"),
    ],
)
def test_a_matrix_without_a_selector_takes_those_that_a_contract_is_meant_for(
    options: tuple[str, ...], selector: str, dig: FakeDig, sondage: Sondage
) -> None:
    sondage("contract", "matrix", "T:/x", *options)
    assert dig.asked[-1][:2] == ("matrix", selector)


def test_every_target_of_a_drift_is_opened_alike_and_only_the_first_records(dig: FakeDig, sondage: Sondage) -> None:
    options = ("--class", "Till", "--class", "Desk", "--require", "pay", "--session", "monday", "--offline")
    sondage("contract", "drift", "a:/x", "b:/x", "./c", *options)
    assert [str(one.opened[0]) for one in (dig, *dig.others)] == ["a:/x", "b:/x", "./c"]
    assert [one.opened[1].session for one in (dig, *dig.others)] == ["monday", None, None]
    assert all(one.opened[1].offline and one.closed for one in (dig, *dig.others))
    question, others, classes, contract = dig.asked.pop()
    assert (question, others, classes) == ("drift", tuple(dig.others), ("Till", "Desk"))
    assert [item.member for item in contract.items] == ["pay"]


def test_a_claim_about_another_target_opens_it(dig: FakeDig, sondage: Sondage) -> None:
    sondage("assume", "box:/new", "Till.pay unchanged since box:/the old one")
    assert dig.asked == [
        ("assume", "Till.pay unchanged since box:/the old one", {"box:/the old one": dig.others[0]}),
    ]
    assert str(dig.others[0].opened[0]) == "box:/the old one"


def test_a_claim_that_is_kept_nowhere_is_said_to_be(dig: FakeDig, sondage: Sondage) -> None:
    claim = ("assume", "box:/srv", "Till inherits Drawer")
    assert sondage(*claim).err == "sondage: note: not kept; --session NAME keeps it for later commands\n"
    assert sondage(*claim, "--session", "monday").err == ""


def test_gaps_of_one_target_among_several_are_told_with_its_name(dig: FakeDig, sondage: Sondage) -> None:
    dig.summary = replace(SUMMARY, unreadable=("a.py: permission denied",))
    outcome = sondage("contract", "drift", "a:/x", "b:/x", "--class", "Till", "--require", "pay")
    assert outcome.err == (
        "sondage: note: a:/x: 1 file not read, so not part of the answer; `sondage index` says why\n"
    )


def test_what_the_service_has_to_tell_is_told_once_and_harmlessly(dig: FakeDig, sondage: Sondage) -> None:
    dig.notes = ["the host said \x1b[2J", "another host answers than last time"]
    assert sondage(*QUESTION).err.splitlines() == [
        "sondage: note: the host said ␛[2J",
        "sondage: note: another host answers than last time",
    ]
