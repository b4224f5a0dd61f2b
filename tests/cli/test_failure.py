"""The border: every failure is one harmless line on stderr; the traceback stands in the log file, without locals."""

from __future__ import annotations

import logging
import os
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from sondage.cli.log import LogFile
from sondage.config.paths import find_paths
from sondage.errors import ConnectError, HostError, StoreError

from .conftest import Sondage
from .fakes import FakeDig

QUESTION = ("search", "box:/srv", "pay")


@pytest.fixture(autouse=True)
def fresh_log() -> Iterator[None]:
    """Each test logs into its own folder."""
    root = logging.getLogger()
    ours = [handler for handler in root.handlers if isinstance(handler, LogFile)]
    for handler in ours:
        root.removeHandler(handler)
    yield
    for handler in [handler for handler in root.handlers if isinstance(handler, LogFile)]:
        root.removeHandler(handler)
        handler.close()


def test_an_error_says_what_where_and_what_to_do(dig: FakeDig, sondage: Sondage) -> None:
    dig.failure = ConnectError("nothing listens", "box:22", "is the SSH server running?")
    assert sondage(*QUESTION).err == "sondage: error: nothing listens: box:22 (is the SSH server running?)\n"


def test_a_host_cannot_write_to_the_terminal_through_an_error(dig: FakeDig, sondage: Sondage) -> None:
    dig.failure = HostError("the host said \x1b]0;owned\x07", "box\nsondage: all is well", "\u202e")
    err = sondage(*QUESTION).err
    assert err.count("\n") == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(err)


def test_a_fault_of_ours_goes_to_the_log_and_the_line_names_it(dig: FakeDig, sondage: Sondage) -> None:
    secret = "hunter2"
    dig.answers["search"] = lambda query: {}[query.pattern] if secret else None
    outcome = sondage(*QUESTION)
    log = find_paths().log
    assert outcome.code == 4
    assert outcome.err == f"sondage: error: internal error: KeyError: 'pay' (the traceback is in {log})\n"
    written = log.read_text()
    assert "Traceback" in written
    assert "KeyError" in written
    assert secret not in written.replace('= "hunter2"', "")


def test_an_expected_failure_leaves_no_log(dig: FakeDig, sondage: Sondage) -> None:
    dig.failure = ConnectError("nothing listens", "box:22")
    sondage(*QUESTION)
    assert not find_paths().log.exists()


def test_a_store_that_fails_is_logged_too(dig: FakeDig, sondage: Sondage) -> None:
    dig.failure = StoreError("the cache cannot be written", "/full")
    assert sondage(*QUESTION).code == 4
    assert "StoreError" in find_paths().log.read_text()


def test_the_log_is_the_user_s_alone(dig: FakeDig, sondage: Sondage) -> None:
    dig.failure = RuntimeError("x")
    sondage(*QUESTION)
    assert stat.S_IMODE(find_paths().log.parent.stat().st_mode) == 0o700


def test_a_log_that_cannot_be_written_does_not_hide_the_failure(
    own_places: Path, dig: FakeDig, sondage: Sondage
) -> None:
    (own_places / "state").write_text("a file where a folder is needed")
    dig.failure = RuntimeError("x")
    assert sondage(*QUESTION).err.startswith("sondage: error: internal error: RuntimeError: x")


def test_what_a_library_warns_of_goes_to_the_log_and_not_to_the_terminal(dig: FakeDig, sondage: Sondage) -> None:
    def warn(query: object) -> None:
        logging.getLogger("asyncio").error("Task exception was never retrieved \x1b[2J")

    dig.answers["search"] = warn
    assert "Task exception" not in sondage(*QUESTION).err
    written = find_paths().log.read_text()
    assert "Task exception was never retrieved" in written
    assert "\x1b" not in written


def test_what_python_warns_of_in_a_local_question_goes_to_the_log_too(
    own_places: Path, dig: FakeDig, sondage: Sondage
) -> None:
    def warn(query: object) -> None:
        warnings.warn("an odd thing \x1b[2J", RuntimeWarning, stacklevel=1)
        warnings.warn("another", RuntimeWarning, stacklevel=1)

    dig.answers["search"] = warn
    logging.captureWarnings(False)  # as a fresh process has it
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert "odd" not in sondage("search", str(own_places), "x").err
    written = find_paths().log.read_text()
    assert "RuntimeWarning: an odd thing" in written
    assert "RuntimeWarning: another" in written
    assert "\x1b" not in written


def test_the_traceback_holds_no_value_of_a_variable(dig: FakeDig, sondage: Sondage, tmp_path: Path) -> None:
    password = os.urandom(8).hex()

    def fail(query: object) -> str:
        held = password
        raise RuntimeError(str(len(held)))

    dig.answers["search"] = fail
    sondage(*QUESTION)
    assert password not in find_paths().log.read_text()
