"""What is loaded when: a fresh interpreter sees what a static graph of imports cannot."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sondage.cli.main import FOUND


def loaded_by(code: str) -> set[str]:
    """Names of all modules a fresh interpreter holds after `code`."""
    asked = f"{code}\nimport sys; print('loaded:', *sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    return set(done.stderr.rpartition("loaded:")[2].split())


def loaded_by_command(*arguments: str) -> set[str]:
    return loaded_by(f"from sondage.cli.main import run; assert run({list(arguments)!r}) == 0")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one file of a tree, which a sondage of its own is asked about."""
    for name in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree" / "a.py"


HEAVY = {
    "textual",
    "rich",
    "asyncssh",
    "tree_sitter",
    "sqlite3",
    "asyncio",
    "re2",
    "rapidfuzz",
    "msgspec",
    "sondage.dig",
}


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version_load_nothing_they_do_not_need(flag: str) -> None:
    assert not loaded_by_command(flag) & (HEAVY | {"sondage.cli.run", "logging", "platformdirs"})


@pytest.mark.parametrize("name", sorted(FOUND))
def test_the_help_of_a_command_does_not_load_the_service(name: str) -> None:
    assert not loaded_by_command(name, "--help") & (HEAVY - {"asyncio", "msgspec"})


def test_a_parse_worker_loads_the_core_and_nothing_that_waits_or_shows() -> None:
    loaded = loaded_by("import sondage.worker")
    assert "sondage.core.source.extract" in loaded
    assert not loaded & {"textual", "rich", "asyncssh", "asyncio", "sqlite3", "click", "re2", "rapidfuzz"}


def test_a_question_loads_no_screen_and_one_about_a_local_folder_no_ssh(source: Path) -> None:
    source.write_text("x = 1\n")
    loaded = loaded_by_command("search", str(source.parent), "x", "--engine", "threads")
    assert "sqlite3" in loaded
    assert not loaded & {"textual", "rich", "asyncssh"}


def test_a_question_about_bases_loads_nothing_that_judges(source: Path) -> None:
    source.write_text("class Base: ...\n")
    loaded = loaded_by_command("mro", str(source.parent), "Base")
    assert "sondage.core.classes.hierarchy" in loaded
    assert not loaded & {"sondage.core.inference.infer", "sondage.core.contracts.judge", "rapidfuzz", "multiprocessing"}
    assert not loaded & {"sondage.dig.saving", "sondage.dig.replaying", "sondage.core.transcripts.markdown"}


def test_a_question_about_a_tree_that_is_known_loads_nothing_that_parses(source: Path) -> None:
    source.write_text("import abc\n\nclass Base(abc.ABC): ...\n")
    question = ("mro", str(source.parent), "Base")
    assert "sondage.core.source.extract" in loaded_by_command(*question)
    loaded = loaded_by_command(*question)
    assert "sondage.core.source.facts" in loaded
    assert not loaded & {
        "tree_sitter",
        "importlib.resources",
        "sondage.core.source.parse",
        "sondage.core.source.extract",
        "sondage.core.classes.codebase",
    }
    assert not loaded & {"re2", "dataclasses", "difflib", "logging", "sysconfig", "tomllib"}
    assert not loaded & {"asyncio", "concurrent.futures", "socketserver", "secrets", "sondage.core.search.lines"}
    assert not loaded & {"sondage.hosts.listing", "sondage.hosts.feed", "sondage.core.transcripts.story"}


def test_the_first_frame_of_the_app_waits_for_nothing_that_opens_targets_or_answers() -> None:
    loaded = loaded_by("import sondage.cli.door, sondage.cli.opening, sondage.cli.failure, sondage.cli.screen")
    assert "sondage.tui.app" in loaded
    assert not loaded & {
        "sondage.dig",
        "sondage.store",
        "sondage.tui.desk",
        "tree_sitter",
        "sqlite3",
        "asyncssh",
        "re2",
        "click",
        "json",
    }
