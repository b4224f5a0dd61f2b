"""`jump --batch`: JSON lines in, JSON lines out, in order, each with its id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sondage.core.answers.certainty import Candidates

from .conftest import Sondage
from .fakes import NOTHING_THERE, RESOLUTION, FakeDig

BATCH = ("jump", "box:/srv", "--batch", "-")


def asked(*questions: dict[str, Any]) -> bytes:
    return "".join(json.dumps(question) + "\n" for question in questions).encode()


def test_answers_keep_the_order_and_the_ids(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["jump"] = lambda path, line, column: RESOLUTION if line == 9 else NOTHING_THERE
    questions = [
        {"id": number, "path": "shop/till.py", "line": line, "column": 2} for number, line in ((7, 9), (3, 1), ("x", 9))
    ]
    outcome = sondage(*BATCH, "--jsonl", stdin=asked(*questions))
    assert [row["id"] for row in outcome.rows] == [7, 3, "x"]
    assert [bool(row["answers"]) for row in outcome.rows] == [True, False, True]
    assert set(outcome.rows[0]) == {"id", "call", "receiver_types", "answers", "unresolved"}


def test_a_batch_ends_with_0_whatever_its_rows_say(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["jump"] = NOTHING_THERE
    assert sondage(*BATCH, stdin=asked({"id": 1, "path": "a.py", "line": 1, "column": 1})).code == 0


def test_a_file_that_is_not_there_is_said_in_its_row(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["jump"] = lambda path, *_: Candidates(path, "file", "absent", ("a.py",))
    (row,) = sondage(*BATCH, stdin=asked({"id": 1, "path": "b.py", "line": 1, "column": 1})).rows
    assert row["answers"] == []
    assert row["unresolved"] == "no such file in the index: b.py"


def test_one_document_is_a_list_of_the_same_rows(dig: FakeDig, sondage: Sondage) -> None:
    questions = asked(*({"id": number, "path": "a.py", "line": 1, "column": 1} for number in range(3)))
    assert sondage(*BATCH, "--json", stdin=questions).document == sondage(*BATCH, stdin=questions).rows


def test_a_batch_can_come_from_a_file(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    (tmp_path / "questions").write_bytes(asked({"id": 1, "path": "a.py", "line": 4, "column": 5}))
    sondage("jump", "box:/srv", "--batch", str(tmp_path / "questions"))
    assert dig.asked == [("jump", "a.py", 4, 5)]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"[1]",
        b'{"id": 1, "path": "a.py", "line": 3}',
        b'{"id": 1, "path": "a.py", "line": "3", "column": 1}',
        b'{"id": 1, "path": "a.py", "line": 0, "column": 1}',
        b'{"id": 1, "path": "\xff.py", "line": 1, "column": 1}',
    ],
)
def test_a_line_that_is_no_question_is_named_and_nothing_is_asked(line: bytes, dig: FakeDig, sondage: Sondage) -> None:
    good = asked({"id": 1, "path": "a.py", "line": 1, "column": 1})
    outcome = sondage(*BATCH, stdin=good + b"\n" + line + b"\n")
    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith("sondage: error: line 3 of the batch is no question: ")
    assert dig.opened == ()


def test_no_question_gives_no_row(dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage(*BATCH, stdin=b"")
    assert (outcome.code, outcome.out) == (0, b"")
