"""The table of cases names tests that are there, and has a row for each case."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
ROWS = re.findall(r"^\| (\d+) \|.*\| (.*) \|$", (HERE / "README.md").read_text(), re.MULTILINE)


def test_each_of_the_64_cases_has_a_row() -> None:
    assert [int(number) for number, _ in ROWS] == list(range(1, 65))


def test_the_tests_of_each_case_are_there() -> None:
    for number, tests in ROWS:
        named = re.findall(r"`([./\w]+)::(test_\w+)`", tests)
        assert named or tests.startswith("not tested: "), number
        for file, name in named:
            text = (HERE / f"{file}.py").read_text()
            assert re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), f"{number}: {file}::{name}"
