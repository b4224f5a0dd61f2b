"""The matrix as text, Markdown and CSV, and its order."""

from __future__ import annotations

import csv

import pytest
from msgspec.structs import replace

from sondage.core.answers.contracts import ClassReport

from .conftest import Sondage
from .fakes import HELD, MATRIX, OWN, FakeDig

COMMAND = ("contract", "matrix", "box:/srv", "--require", "pay,refund")


def test_each_column_has_its_name_above_it_and_is_counted_below(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage(*COMMAND).text.splitlines() == [
        "met",
        "│  pay",
        "│  │   refund (optional)",
        "✓  ✓o  ✗h  Till   shop/till.py:5",
        "✗  ✗h  ?u  Till   old/till.py:9",
        "?  ?u  ✓o  Kiosk  shop/kiosk.py:3",
        "",
        "        ✓  ?  ✗",
        "met     1  1  1",
        "pay     1  1  1",
        "refund  1  1  1",
        "",
        "o own, u unknown, h held",
        "3 classes: 1 met, 1 undecided, 1 not met",
    ]


def test_a_call_that_does_not_fit_and_a_body_that_cannot_work_have_signs(dig: FakeDig, sondage: Sondage) -> None:
    row = replace(MATRIX.results[0], items=(replace(OWN, call_fits=False), replace(OWN, doubtful=True)))
    dig.answers["matrix"] = replace(MATRIX, results=(row,))
    lines = sondage(*COMMAND).text.splitlines()
    assert lines[3].startswith("✓  !o  ✓o*  Till")
    assert lines[5].split() == ["✓", "!", "?", "✗"]
    assert lines[10] == "o own, ! a call does not fit, * its body reads what was not found"


def test_a_matrix_without_classes_is_one_line_and_does_not_hold(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["matrix"] = replace(MATRIX, results=())
    outcome = sondage(*COMMAND)
    assert (outcome.code, outcome.text) == (1, "0 classes: 0 met, 0 undecided, 0 not met\n")
    assert outcome.err == "sondage: note: no class is selected\n"


@pytest.mark.parametrize(
    ("column", "order"),
    [
        (None, ["shop.till.Till", "old.till.Till", "shop.kiosk.Kiosk"]),
        ("class", ["shop.kiosk.Kiosk", "old.till.Till", "shop.till.Till"]),
        ("path", ["old.till.Till", "shop.kiosk.Kiosk", "shop.till.Till"]),
        ("met", ["old.till.Till", "shop.kiosk.Kiosk", "shop.till.Till"]),
        ("refund", ["shop.till.Till", "old.till.Till", "shop.kiosk.Kiosk"]),
    ],
)
def test_what_fails_comes_first_in_every_form(
    column: str | None, order: list[str], dig: FakeDig, sondage: Sondage
) -> None:
    words = ("--sort", column) if column else ()
    rows = list(csv.reader(sondage(*COMMAND, "--format", "csv", *words).text.splitlines()))
    assert [row[0] for row in rows[1:]] == order
    document = sondage(*COMMAND, "--json", *words).document
    assert [row["class"] for row in document["results"]] == order


def test_a_column_that_is_not_there_is_refused_with_the_nearest(dig: FakeDig, sondage: Sondage) -> None:
    outcome = sondage(*COMMAND, "--sort", "refnd")
    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err == "sondage: error: no such column to sort by: refnd (did you mean refund?)\n"


def test_csv_has_a_column_of_verdicts_for_each_member(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage(*COMMAND, "--format", "csv").text.splitlines() == [
        "class,path,line,met,pay,refund",
        "shop.till.Till,shop/till.py,5,yes,own,held",
        "old.till.Till,old/till.py,9,no,held,unknown",
        "shop.kiosk.Kiosk,shop/kiosk.py,3,undecided,unknown,own",
    ]


def test_no_name_of_a_host_is_a_formula_or_a_second_line_in_a_spreadsheet(dig: FakeDig, sondage: Sondage) -> None:
    row = ClassReport("=cmd.Till", True, (OWN, OWN), "=cmd|'/c calc'!A\n1.py", 5)
    dig.answers["matrix"] = replace(MATRIX, results=(row,))
    lines = sondage(*COMMAND, "--format", "csv").text.splitlines()
    assert lines[1:] == ["'=cmd.Till,'=cmd|'/c calc'!A␊1.py,5,yes,own,own"]


def test_markdown_is_a_table(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage(*COMMAND, "--format", "md").text.splitlines()[:3] == [
        "| class | where | met | `pay` | `refund` |",
        "| --- | --- | --- | --- | --- |",
        "| `Till` | `shop/till.py:5` | ✓ | ✓ own | ✗ held |",
    ]


def test_no_path_of_a_host_ends_a_cell_of_markdown(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["matrix"] = replace(MATRIX, results=(ClassReport("a.Till", False, (HELD, OWN), "a|`b.py", 5),))
    assert sondage(*COMMAND, "--format", "md").text.splitlines()[2] == (
        r"| `Till` | a\|\`b.py:5 | ✗ | ✗ held | ✓ own |"
    )


def test_json_is_a_format_too(dig: FakeDig, sondage: Sondage) -> None:
    assert sondage(*COMMAND, "--format", "json").out == sondage(*COMMAND, "--json").out
