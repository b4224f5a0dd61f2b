"""The way in: what a bare argument means, what slips are refused, what the first help says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sondage import __version__
from sondage.cli.main import COMMANDS, FOUND

from .conftest import Sondage
from .fakes import FakeDig


def test_version_is_that_of_the_installed_package(sondage: Sondage) -> None:
    from importlib.metadata import version

    assert sondage("--version").text == f"sondage {version('sondage')}\n"
    assert version("sondage") == __version__


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command_and_begins_with_what_a_newcomer_needs(flag: str, sondage: Sondage) -> None:
    outcome = sondage(flag)
    assert outcome.code == 0
    assert all(f"  {name} " in outcome.text for name in FOUND)
    assert outcome.text.index("sondage demo") < outcome.text.index("Options:") < outcome.text.index("  search ")


@pytest.mark.parametrize("name", [*FOUND, *(f"contract {name}" for name in ("derive", "check", "matrix", "drift"))])
def test_every_command_explains_itself_with_an_example(name: str, sondage: Sondage) -> None:
    outcome = sondage(*name.split(), "--help")
    assert outcome.code == 0
    assert outcome.text.startswith(f"Usage: sondage {name}")
    assert f"sondage {name} " in outcome.text.split("\n\n", 1)[1]


def test_the_table_says_in_short_what_the_command_itself_says(sondage: Sondage) -> None:
    for family in COMMANDS.values():
        for name, entry in family.items():
            assert entry.help.endswith(".")
            assert len(f"  subclasses  {entry.help}") <= 80, name


def test_without_a_terminal_a_target_is_an_error_with_a_hint(tmp_path: Path, sondage: Sondage) -> None:
    outcome = sondage(str(tmp_path))
    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err == (
        f"sondage: error: the app needs a terminal: {tmp_path} (without one: sondage search TARGET PATTERN)\n"
    )


def test_without_a_terminal_no_argument_is_an_error_too(sondage: Sondage) -> None:
    outcome = sondage()
    assert outcome.code == 2
    assert "the app needs a terminal" in outcome.err


def test_a_mistyped_command_is_not_taken_for_a_target(sondage: Sondage) -> None:
    assert sondage("serach", "box:/srv", "x").err == (
        "sondage: error: no such command or folder: serach (did you mean search?)\n"
    )


def test_a_folder_of_a_command_s_name_is_reached_with_a_dot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sondage: Sondage
) -> None:
    (tmp_path / "index").mkdir()
    monkeypatch.chdir(tmp_path)
    assert "missing argument 'TARGET'" in sondage("index").err
    assert "the app needs a terminal: ./index" in sondage("./index").err


def test_options_ahead_of_the_command_are_refused_with_the_right_order(sondage: Sondage) -> None:
    outcome = sondage("--json", "search", "box:/srv", "x")
    assert outcome.code == 2
    assert "options stand behind the command: sondage search … --json" in outcome.err


def test_help_of_the_app_calls_it_sondage(sondage: Sondage) -> None:
    assert sondage("./anything", "--help").text.startswith("Usage: sondage [OPTIONS] [TARGET]\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "box:/srv"), "missing argument 'PATTERN': sondage search (try sondage search --help)"),
        (("search", "box:/srv", "x", "--jsom"), "no such option '--jsom'"),
        (("search", "box:/srv", "x", "--json", "--jsonl"), "--json and --jsonl exclude each other"),
        (
            ("contract", "check", "box:/srv", "A"),
            "say in one way what is asked: --contract, --require, --from with --on",
        ),
        (("contract", "check", "box:/srv", "A", "--require", "a", "--base", "B"), "say in one way what is asked"),
        (("contract", "check", "box:/srv", "A", "--from", "a.py"), "--from says who uses it, --on what: give both"),
        (("contract", "derive", "box:/srv", "--on", "self.x"), "--from says who uses it, --on what: give both"),
        (("contract", "derive", "box:/srv"), "say in one way what is asked: --from with --on, --base, or --siblings"),
        (("contract", "drift", "box:/srv", "--class", "A", "--require", "a"), "missing argument 'TARGET...'"),
        (("contract", "drift", "a:/srv", "b:/srv", "--require", "a"), "missing option '--class'"),
        (("lint", "box:/srv", "A", "--classes", "all"), "name the classes or select them, not both"),
        (("overrides", "box:/srv", "pay"), "'pay' is not of the form CLASS.METHOD"),
        (("gc", "--older", "-1"), "-1.0 is not in the range"),
        (("contract", "check", "box:/srv", "A", "--require", "a,,b"), "'' is not a Python name"),
        (("jump", "box:/srv", "a.py:3"), "'a.py:3' is not of the form PATH:LINE:COL"),
        (("jump", "box:/srv"), "give either PATH:LINE:COL or --batch"),
        (("contract", "drive"), "no such command 'drive'"),
        (("index", "box:/srv", "--engine", "gpu"), "'gpu' is none of processes, threads, dask=ADDRESS"),
        (("index", "box:/srv", "--max-file-size", "big"), "'big' is not a size such as 500K, 16M or 20000"),
        (("index", "box:/srv", "-p", "0"), "0 is not in the range"),
    ],
)
def test_bad_usage_is_one_line_and_ends_with_2(arguments: tuple[str, ...], message: str, sondage: Sondage) -> None:
    outcome = sondage(*arguments)
    assert (outcome.code, outcome.out) == (2, b"")
    assert message.lower() in outcome.err.lower()
    assert outcome.err.startswith("sondage: error: ")
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [("paths", "--json"), ("search", "--help"), ("--help",), ("--version",)])
def test_a_reader_that_leaves_early_is_no_failure(arguments: tuple[str, ...]) -> None:
    """As in `sondage … | head -0`: nothing on stderr, and no traceback at the end of the interpreter."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "sondage", *arguments], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_module_can_be_run(dig: FakeDig) -> None:
    done = subprocess.run([sys.executable, "-m", "sondage", "--version"], capture_output=True, check=True)
    assert done.stdout == f"sondage {__version__}\n".encode()
