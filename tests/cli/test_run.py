"""The flow of a question: what is opened, in which order, and what an index with gaps means for the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sondage.core.answers import Coverage, Progress
from sondage.errors import TransferError
from sondage.hosts.base import Address, Target

from .conftest import Sondage
from .fakes import SUMMARY, FakeDig

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
    assert sondage(*QUESTION).err == "\r\x1b[Kpulling 312 of 1,404 files, 4.1 of 19.8 MB\r\x1b[K"


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
    }
    for arguments, question in asked.items():
        sondage(*arguments)
        assert dig.asked.pop() == question


def test_a_contract_has_its_members_once_and_in_the_order_given(dig: FakeDig, sondage: Sondage) -> None:
    sondage("contract", "check", "T:/x", "A", "B", "--require", "pay, refund", "--require", "pay,audit")
    _, classes, contract = dig.asked.pop()
    assert classes == ("A", "B")
    assert [item.member for item in contract.items] == ["pay", "refund", "audit"]


def test_what_the_service_has_to_tell_is_told_once_and_harmlessly(dig: FakeDig, sondage: Sondage) -> None:
    dig.notes = ["the host said \x1b[2J", "another host answers than last time"]
    assert sondage(*QUESTION).err.splitlines() == [
        "sondage: note: the host said ␛[2J",
        "sondage: note: another host answers than last time",
    ]
