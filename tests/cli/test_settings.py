"""The configuration file and the command line together."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.config import paths

from .conftest import Sondage
from .fakes import FakeDig


@pytest.fixture
def config(own_places: Path) -> Path:
    file = own_places / "config" / "sondage" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(
        'exclude = ["old/**"]\njobs = 2\nengine = "threads"\ntransport = "ssh"\ndeps = "never"\nmax_file_size = "1M"\n'
    )
    return file


def test_the_configuration_counts_where_the_command_line_is_silent(
    config: Path, dig: FakeDig, sondage: Sondage
) -> None:
    sondage("index", "box:/srv")
    settings = dig.opened[1]
    assert (settings.exclude, settings.jobs, settings.engine) == (("old/**",), 2, "threads")
    assert (settings.deps, settings.max_file_size) == ("never", 2**20)
    assert settings.ssh.transport == "ssh"


def test_the_command_line_goes_first_and_excludes_more(config: Path, dig: FakeDig, sondage: Sondage) -> None:
    options = [
        *("--jobs", "3", "--engine", "processes", "--deps", "auto", "--transport", "auto"),
        *("--max-file-size", "0", "--exclude", "new/**"),
    ]
    sondage("index", "box:/srv", *options)
    settings = dig.opened[1]
    assert (settings.exclude, settings.jobs, settings.engine) == (("old/**", "new/**"), 3, "processes")
    assert (settings.deps, settings.max_file_size) == ("auto", 0)
    assert settings.ssh.transport == "auto"


def test_a_bad_configuration_is_an_error_with_its_line(config: Path, dig: FakeDig, sondage: Sondage) -> None:
    config.write_text("mouse = true\njops = 2\n")
    outcome = sondage("index", "box:/srv")
    assert (outcome.code, outcome.out) == (2, b"")
    assert f"{config}:2" in outcome.err
    assert "jobs" in outcome.err
    assert dig.opened == ()


def test_without_a_home_a_question_is_answered_all_the_same(
    tmp_path: Path, sondage: Sondage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(paths, "_listed_home", lambda: None)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("class A: ...\n")

    outcome = sondage("mro", str(tmp_path / "tree"), "A")

    assert outcome.code == 0
    assert "not kept" in outcome.err
