"""The machine interface, copied here as data: forms, fields (more may come, none may go) and exit codes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from sondage.core.answers.calls import CallersAnswer
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MroAnswer, SubclassesAnswer
from sondage.core.answers.contracts import LintAnswer, LocateAnswer
from sondage.core.answers.text import SearchAnswer
from sondage.errors import ConnectError, HostKeyChanged, LoginRefused, StoreError, TransferError, UsageError

from .conftest import Sondage
from .fakes import (
    ANSWERS,
    ASSUMPTION,
    DERIVED,
    DRIFT,
    HELD,
    LINT,
    MATRIX,
    MEMBERS,
    MRO,
    NOTHING_THERE,
    OVERRIDES,
    OWN,
    SUMMARY,
    UNKNOWN,
    FakeDig,
)

VERDICT = "member required verdict certainty owner kind path line signature call_fits via target why evidence guards"

COMMANDS: dict[str, tuple[str, ...]] = {
    "index": ("index", "box:/srv"),
    "search": ("search", "box:/srv", "pay"),
    "symbols": ("symbols", "box:/srv", "till"),
    "show": ("show", "box:/srv", "shop/till.py:7-8"),
    "mro": ("mro", "box:/srv", "Till"),
    "mro --members": ("mro", "box:/srv", "Till", "--members"),
    "classes": ("classes", "box:/srv"),
    "subclasses": ("subclasses", "box:/srv", "Desk"),
    "locate": ("locate", "box:/srv", "Till", "pay"),
    "jump": ("jump", "box:/srv", "shop/till.py:9:14"),
    "callers": ("callers", "box:/srv", "Till.pay"),
    "overrides": ("overrides", "box:/srv", "Till.pay"),
    "contract derive": ("contract", "derive", "box:/srv", "--from", "shop/desk.py:Desk", "--on", "self.till"),
    "contract check": ("contract", "check", "box:/srv", "Till", "--require", "pay,refund"),
    "contract matrix": ("contract", "matrix", "box:/srv", "--classes", "all", "--require", "pay,refund"),
    "contract drift": ("contract", "drift", "old:/srv", "new:/srv", "--class", "Till", "--require", "pay,refund"),
    "lint": ("lint", "box:/srv", "Till"),
    "assume": ("assume", "box:/srv", "Till", "inherits", "Drawer"),
    "paths": ("paths",),
    "gc": ("gc",),
}

FIELDS: dict[str, str] = {
    "index": "root files bytes lines classes functions parsed reused unreadable problems seconds remote",
    "search": "path line column text symbol",
    "symbols": "name qualname kind path line score",
    "show": "path first_line last_line lines symbol digest",
    "mro": "class path line bases mro order complete why_incomplete error",
    "mro --members": "class path line bases mro order complete why_incomplete error members",
    "classes": "class path line bases mro order complete why_incomplete error",
    "subclasses": "class path line depth",
    "locate": VERDICT,
    "jump": "call receiver_types answers unresolved",
    "callers": "path line column text symbol certainty why",
    "overrides": "class path line direction signature same_signature",
    "contract derive": "name items",
    "contract check": "contract results",
    "contract matrix": "contract results",
    "contract drift": "results",
    "lint": "path line what why",
    "assume": "claim state evidence",
    "paths": "config cache state transcripts themes log sizes",
    "gc": "roots sources bytes",
}

ROWS = ("search", "symbols", "classes", "subclasses", "locate", "callers", "overrides", "lint")


@pytest.fixture(autouse=True)
def members(dig: FakeDig) -> None:
    dig.answers["mro"] = lambda name, members: replace(MRO, members=MEMBERS if members else None)


@pytest.mark.parametrize("command", COMMANDS)
def test_json_has_the_promised_fields(command: str, dig: FakeDig, sondage: Sondage) -> None:
    document = sondage(*COMMANDS[command], "--json").document
    row = document[0] if command in ROWS else document
    assert set(FIELDS[command].split()) <= set(row)


@pytest.mark.parametrize(
    ("command", "way", "fields"),
    [
        ("index", ("seconds",), {"connect", "list", "pull", "parse", "store", "total"}),
        ("index", ("remote",), {"commands", "bytes_sent", "bytes_received"}),
        ("mro", ("order", 0), {"class", "path", "line", "open", "note"}),
        ("mro --members", ("members", "pay"), {"owner", "kind", "path", "line"}),
        ("jump", ("call",), {"path", "line", "column", "receiver", "name"}),
        ("jump", ("receiver_types", 0), {"class", "how"}),
        ("jump", ("answers", 0), {"owner", "name", "path", "line", "certainty", "why", "through"}),
        ("contract derive", ("items", 0), {"member", "required", "certainty", "uses", "signature", "soft", "group"}),
        ("contract derive", ("items", 0, "uses", 0), {"how", "path", "line", "call", "guards", "optional"}),
        ("contract drift", ("results", 0), {"class", "items"}),
        ("contract drift", ("results", 0, "items", 1), {"member", "verdicts", "changed", "first_change"}),
        ("contract drift", ("results", 0, "items", 1, "verdicts", 0), set(VERDICT.split())),
        ("contract matrix", ("results", 0), {"class", "met", "items"}),
        ("contract matrix", ("results", 0, "items", 0), set(VERDICT.split())),
        ("assume", ("evidence", 0), {"path", "line", "quote"}),
        ("contract check", ("contract",), {"name", "items"}),
        ("contract check", ("results", 0), {"class", "met", "items"}),
        ("contract check", ("results", 0, "items", 0), set(VERDICT.split())),
        ("contract check", ("results", 0, "items", 1, "target"), {"owner", "path", "line"}),
        ("contract check", ("results", 0, "items", 1, "evidence", 0), {"path", "line", "quote", "digest"}),
    ],
)
def test_nested_json_has_the_promised_fields(
    command: str, way: tuple[Any, ...], fields: set[str], dig: FakeDig, sondage: Sondage
) -> None:
    value = sondage(*COMMANDS[command], "--json").document
    for step in way:
        value = value[step]
    assert fields <= set(value)


@pytest.mark.parametrize("command", ROWS)
def test_answers_that_are_rows_come_as_one_list_or_one_object_a_line(
    command: str, dig: FakeDig, sondage: Sondage
) -> None:
    assert sondage(*COMMANDS[command], "--json").document == sondage(*COMMANDS[command], "--jsonl").rows


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in (*ROWS, "jump")])
def test_answers_that_are_no_rows_have_no_jsonl(command: str, dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage(*COMMANDS[command], "--jsonl")
    assert (outcome.code, outcome.out) == (2, b"")


CANDIDATES = Candidates("Till", "class", "ambiguous", ("shop.till.Till", "old.till.Till"))
UNCHANGED = replace(DRIFT, results=(replace(DRIFT.results[0], items=DRIFT.results[0].items[:1]),))
INCONSISTENT = replace(MRO, error="Cannot create a consistent method resolution order (MRO) for bases A, B")


@pytest.mark.parametrize(
    ("command", "answer", "code"),
    [
        ("search", ANSWERS["search"], 0),
        ("search", SearchAnswer("pay", (), 0, 0, 3), 1),
        ("symbols", ANSWERS["symbols"], 0),
        ("symbols", (), 1),
        ("show", ANSWERS["show"], 0),
        ("show", replace(ANSWERS["show"], lines=(), data=b""), 1),
        ("mro", MRO, 0),
        ("mro", INCONSISTENT, 1),
        ("mro", CANDIDATES, 1),
        ("subclasses", ANSWERS["subclasses"], 0),
        ("subclasses", SubclassesAnswer("shop.base.Desk", ()), 1),
        ("locate", LocateAnswer("shop.till.Till", (OWN,)), 0),
        ("locate", LocateAnswer("shop.till.Till", (OWN, HELD)), 1),
        ("locate", LocateAnswer("shop.till.Till", (UNKNOWN,)), 1),
        ("jump", ANSWERS["jump"], 0),
        ("jump", NOTHING_THERE, 1),
        ("callers", ANSWERS["callers"], 0),
        ("callers", CallersAnswer("shop.till.Till.pay", (), 0), 1),
        ("overrides", OVERRIDES, 0),
        ("overrides", replace(OVERRIDES, rows=()), 1),
        ("contract derive", DERIVED, 0),
        ("contract derive", replace(DERIVED, items=()), 1),
        ("contract check", CANDIDATES, 1),
        ("contract matrix", MATRIX, 1),
        ("contract matrix", replace(MATRIX, results=MATRIX.results[:1]), 0),
        ("contract matrix", replace(MATRIX, results=MATRIX.results[2:]), 1),
        ("contract matrix", replace(MATRIX, results=()), 1),
        ("contract matrix", CANDIDATES, 1),
        ("contract drift", DRIFT, 1),
        ("contract drift", UNCHANGED, 0),
        ("contract drift", CANDIDATES, 1),
        ("lint", LINT, 1),
        ("lint", LintAnswer(3, ()), 0),
        ("lint", LintAnswer(0, ()), 1),
        ("assume", ASSUMPTION, 1),
        ("assume", replace(ASSUMPTION, state="open"), 1),
        ("assume", replace(ASSUMPTION, state="holds"), 0),
    ],
)
def test_exit_code_says_whether_the_answer_holds(
    command: str, answer: object, code: int, dig: FakeDig, sondage: Sondage
) -> None:
    dig.answers[command.removeprefix("contract ")] = answer
    assert sondage(*COMMANDS[command]).code == code


@pytest.mark.parametrize(("verdicts", "code"), [((OWN,), 0), ((OWN, HELD), 1), ((OWN, UNKNOWN), 1)])
def test_only_a_contract_that_is_met_ends_with_0(
    verdicts: tuple[Any, ...], code: int, dig: FakeDig, sondage: Sondage
) -> None:
    dig.verdicts = verdicts
    assert sondage(*COMMANDS["contract check"]).code == code


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (UsageError("no such host form", "x"), 2),
        (ConnectError("nothing listens", "box:22"), 3),
        (HostKeyChanged("the host key has changed", "box"), 3),
        (LoginRefused("no credential was taken", "box"), 3),
        (TransferError("the pull broke off", "box"), 3),
        (StoreError("the cache cannot be written", "/full"), 4),
        (RuntimeError("a fault of ours"), 4),
        (BrokenPipeError(), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_failure_has_its_exit_code_and_leaves_stdout_empty(
    failure: BaseException, code: int, dig: FakeDig, sondage: Sondage
) -> None:
    dig.failure = failure
    outcome = sondage(*COMMANDS["search"], "--json")
    assert (outcome.code, outcome.out) == (code, b"")
    assert dig.closed
    assert len(outcome.err.split("\n")[:-1]) == (
        2 if code == 130 else 1
    )  # after ^C the line of the terminal is ended first


def test_index_of_a_tree_without_python_ends_with_1(dig: FakeDig, sondage: Sondage) -> None:
    dig.summary = replace(SUMMARY, files=0)
    assert sondage("index", "box:/srv").code == 1


def test_candidates_come_as_json_on_stdout_and_as_names_on_stderr(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["mro"] = lambda name, members: CANDIDATES
    plain, machine = sondage(*COMMANDS["mro"]), sondage(*COMMANDS["mro"], "--json")
    assert plain.out == b""
    assert plain.err.splitlines() == [
        "sondage: error: more than one class of this name: Till (say which)",
        "  shop.till.Till",
        "  old.till.Till",
    ]
    assert machine.document == {
        "asked": "Till",
        "reason": "ambiguous",
        "candidates": ["shop.till.Till", "old.till.Till"],
    }


def test_a_class_that_has_no_mro_says_so_in_json(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["mro"] = lambda name, members: INCONSISTENT
    document = sondage(*COMMANDS["mro"], "--json").document
    assert document["mro"] == []
    assert document["error"].startswith("Cannot create")


def test_paths_come_with_their_sizes(dig: FakeDig, sondage: Sondage) -> None:
    document = sondage("paths", "--json").document
    assert set(document["sizes"]) == {"config", "cache", "state", "transcripts", "sessions", "themes", "log"}
    assert all(isinstance(size, int) for size in document["sizes"].values())


def test_members_are_left_out_of_the_rows_unless_asked_for(dig: FakeDig, sondage: Sondage) -> None:
    def rows(members: bool) -> tuple[MroAnswer, ...]:
        return (replace(MRO, members=MEMBERS if members else None),)

    dig.answers["classes"] = rows
    assert "members" not in sondage("classes", "box:/srv", "--jsonl").rows[0]
    assert sondage("classes", "box:/srv", "--jsonl", "--members").rows[0]["members"]["pay"]["line"] == 7
