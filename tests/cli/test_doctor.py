"""Owns the tests of `doctor` as a command: its lines, its document, its exit code. What it finds out: tests/hosts."""

from __future__ import annotations

import os
from pathlib import Path

from .conftest import Sondage


def test_target_that_can_be_read_is_told_step_by_step(sondage: Sondage, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("x = 1\n")

    outcome = sondage("doctor", str(tmp_path / "tree"))

    assert outcome.code == 0
    lines = outcome.text.splitlines()
    assert [line for line in lines if line[0] in "✓?✗"] == ["✓ root", "✓ files", "✓ read"]
    assert lines[-1].endswith("tree can be read")


def test_step_that_failed_has_its_remedy_and_exit_code_3(sondage: Sondage, tmp_path: Path) -> None:
    outcome = sondage("doctor", str(tmp_path / "none"))

    assert outcome.code == 3
    assert "✗ root" in outcome.text
    assert "remedy    check the path" in outcome.text
    assert "cannot be read: it ends at the step root" in outcome.text


def test_document_has_every_step_with_the_promised_fields(sondage: Sondage, tmp_path: Path) -> None:
    outcome = sondage("doctor", str(tmp_path / "none"), "--json")

    assert outcome.code == 3
    assert set(outcome.document) == {"target", "steps", "healthy"}
    (step,) = outcome.document["steps"]
    assert set(step) == {"step", "state", "host", "resolved", "tried", "offered", "refused", "remedy"}
    assert (step["step"], step["state"]) == ("root", "failed")


def test_what_is_no_target_is_a_usage_error(sondage: Sondage) -> None:
    assert sondage("doctor", "-oProxyCommand=x:/srv").code == 2
    assert sondage("doctor", "box;x:/srv").code == 2
    assert sondage("doctor", "box:/srv", "--offline").code == 2


def test_names_that_harm_a_terminal_do_not_reach_it(sondage: Sondage, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / os.fsdecode(b"\x1b]0;gotcha\x07\xff.py")).write_text("")

    outcome = sondage("doctor", str(tmp_path / "tree"))

    assert outcome.code == 0
    assert b"\x1b" not in outcome.out
    assert b"\x07" not in outcome.out
    assert "gotcha" in outcome.text
