"""Shared arguments: from the words of the command line to the settings a target is opened with."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.hosts.base import SshOptions

from .conftest import Sondage
from .fakes import FakeDig


def test_without_options_a_target_is_opened_with_the_defaults(dig: FakeDig, sondage: Sondage) -> None:
    from sondage.dig import Settings

    sondage("index", "box:/srv")
    assert dig.opened[1] == Settings()


def test_options_reach_the_settings(dig: FakeDig, sondage: Sondage) -> None:
    sondage(
        *("index", "box:/srv", "-F", "conf", "-p", "2222", "-i", "k1", "-i", "k2", "-J", "gate,inner", "--no-input"),
        *("--refresh", "never", "--offline", "--source-root", "python", "--exclude", "*/old/*", "--deps", "never"),
        *("--max-file-size", "2M", "--jobs", "3", "--engine", "dask=tcp://a:1", "--session", "audit"),
    )
    _, settings, asker = dig.opened
    assert settings.ssh == SshOptions("conf", 2222, ("k1", "k2"), "gate,inner", no_input=True)
    assert (settings.refresh, settings.offline, settings.deps) == ("never", True, "never")
    assert (settings.source_roots, settings.exclude, settings.max_file_size) == (("python",), ("*/old/*",), 2 * 1024**2)
    assert (settings.jobs, settings.engine, settings.session) == (3, "dask=tcp://a:1", "audit")
    assert asker is None


def test_the_session_can_come_from_the_environment(
    dig: FakeDig, sondage: Sondage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SONDAGE_SESSION", "monday")
    sondage("index", "box:/srv")
    assert dig.opened[1].session == "monday"


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("20000", 20000), ("500K", 512_000), ("16MiB", 2**24), ("1g", 2**30)]
)
def test_sizes_are_bytes_or_powers_of_1024(text: str, size: int, dig: FakeDig, sondage: Sondage) -> None:
    sondage("index", "box:/srv", "--max-file-size", text)
    assert dig.opened[1].max_file_size == size


def test_a_search_takes_grep_s_flags(dig: FakeDig, sondage: Sondage) -> None:
    sondage("search", "box:/srv", "a.b", "-i", "-w", "-F", "-g", "*.py", "-g", "**/x/*", "--max", "5")
    from sondage.dig import SearchQuery

    assert dig.asked == [("search", SearchQuery("a.b", ("*.py", "**/x/*"), True, True, True, 5, symbols=False))]


@pytest.mark.parametrize(("arguments", "wanted"), [((), False), (("--json",), True), (("--session", "monday"), True)])
def test_a_search_looks_up_what_lines_stand_in_where_it_is_told_or_kept(
    arguments: tuple[str, ...], wanted: bool, dig: FakeDig, sondage: Sondage
) -> None:
    sondage("search", "box:/srv", "pay", *arguments)
    assert dig.asked[0][1].symbols == wanted


def test_a_search_takes_ssh_s_files_under_the_same_letters(tmp_path: Path, dig: FakeDig, sondage: Sondage) -> None:
    config, key = tmp_path / "config", tmp_path / "key"
    config.touch()
    key.touch()
    sondage("search", "-F", str(config), "-i", str(key), "-i", "box:/srv", "pay")
    assert dig.opened[1].ssh == SshOptions(str(config), None, (str(key),))
    assert dig.asked[0][1].ignore_case
    assert not dig.asked[0][1].fixed


def test_a_pattern_that_is_the_name_of_a_file_stays_the_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dig: FakeDig, sondage: Sondage
) -> None:
    (tmp_path / "pay").touch()
    monkeypatch.chdir(tmp_path)
    assert sondage("search", "box:/srv", "-i", "pay").code == 0
    assert dig.asked[0][1].pattern == "pay"


def test_options_of_the_target_are_listed_apart_in_the_help(sondage: Sondage) -> None:
    own, shared = sondage("search", "--help").text.split("Reaching and reading the target:")
    assert "--glob" in own
    assert "--jump-host" in shared
    assert "--jump-host" not in own
