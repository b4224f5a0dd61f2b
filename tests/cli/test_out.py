"""Bytes on their way out: what a terminal gets, what a pipe gets, and what neither may get."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from sondage.cli.out import deliver
from sondage.cli.report import Report
from sondage.core.answers.certainty import Evidence
from sondage.core.answers.text import Hit, SearchAnswer

from .conftest import Sondage
from .fakes import ANSWERS, HELD, FakeDig

HOSTILE = "x = 1  # \x1b]52;c;Zm9v\x07\x9b2J \u202e\tend"


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(report: Report, monkeypatch: pytest.MonkeyPatch) -> str:
    out = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", SimpleNamespace(buffer=out))
        deliver(report, "plain")
    return out.getvalue().decode()


def test_a_terminal_gets_no_control_character_of_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = on_a_terminal(Report(None, (HOSTILE,), holds=True), monkeypatch)
    assert shown.endswith("end\n")
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\t"} & set(shown)


def test_show_gives_a_pipe_the_exact_bytes_and_a_terminal_harmless_lines(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = HOSTILE.encode() + b"\xff\r\n"
    report = Report(None, (HOSTILE + "\udcff",), holds=True, data=data)
    assert "\x1b" not in on_a_terminal(report, monkeypatch)
    deliver(report, "plain")
    assert capfdbinary.readouterr().out == data


def test_show_in_a_pipe_ends_without_a_line_end_where_the_file_does(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["show"] = replace(ANSWERS["show"], data=b"last line")
    assert sondage("show", "box:/srv", "shop/till.py:40").out == b"last line"


def test_a_search_in_a_pipe_gives_the_text_as_it_is(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["search"] = SearchAnswer("x", (Hit("a.py", 1, 1, HOSTILE + "\udcff", ""),), 1, 1, 1)
    assert sondage("search", "box:/srv", "x").out == b"a.py:1:1:" + HOSTILE.encode() + b"\xff\n"


def test_a_path_can_break_no_line_of_the_output(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["search"] = SearchAnswer("x", (Hit("a\nb\x1b[1m.py", 1, 1, "x", ""),), 1, 1, 1)
    out = sondage("search", "box:/srv", "x").out
    assert out.count(b"\n") == 1
    assert b"\x1b" not in out


def test_a_path_that_is_not_utf8_is_escaped_and_flagged_in_json(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["search"] = SearchAnswer("x", (Hit("caf\udce9.py", 1, 1, "x = '\udcff'", ""),), 1, 1, 1)
    (row,) = sondage("search", "box:/srv", "x", "--json").document
    assert (row["path"], row["raw"], row["text"]) == (r"caf\xe9.py", True, r"x = '\xff'")


def test_a_path_that_is_not_utf8_is_flagged_where_it_stands_inside_an_answer(dig: FakeDig, sondage: Sondage) -> None:
    dig.verdicts = (replace(HELD, evidence=(Evidence("caf\udce9.py", 1, "x"), Evidence("a.py", 1, "x"))),)
    item = sondage("contract", "check", "box:/srv", "A", "--require", "x", "--json").document["results"][0]["items"][0]
    assert [seen.get("raw") for seen in item["evidence"]] == [True, None]
    assert "raw" not in item


def test_json_holds_no_byte_that_acts_on_a_terminal_and_reads_back_the_same(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["search"] = SearchAnswer("x", (Hit("a.py", 1, 1, HOSTILE + " 模型 é", ""),), 1, 1, 1)
    outcome = sondage("search", "box:/srv", "x", "--json")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(outcome.text)
    assert "模型 é" in outcome.text
    assert json.loads(outcome.out)[0]["text"] == HOSTILE + " 模型 é"


def test_notes_follow_the_answer_on_stderr_and_leave_stdout_alone(dig: FakeDig, sondage: Sondage) -> None:
    dig.answers["search"] = replace(ANSWERS["search"], total=9, unsearched=("big.py",))
    outcome = sondage("search", "box:/srv", "pay", "--max", "1")
    assert outcome.text == "shop/till.py:7:9:    def pay(self):\n"
    assert outcome.err.splitlines() == [
        "sondage: note: 1 of 9 matches shown (--max)",
        "sondage: note: 1 file not searched, for want of the text; `sondage index` says why",
    ]


def test_calls_whose_receiver_is_not_known_are_counted_on_stderr(dig: FakeDig, sondage: Sondage) -> None:
    assert "2 more calls bear this name" in sondage("callers", "box:/srv", "Till.pay").err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_line_and_no_traceback() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "sondage", "paths"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 4
    assert done.stderr == b"sondage: error: the answer could not be written: No space left on device\n"
