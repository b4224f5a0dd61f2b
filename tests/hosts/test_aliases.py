"""Owns the tests of the names that an SSH configuration gives to hosts: read as text, nothing resolved or run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.hosts.aliases import aliases


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The `.ssh` folder of a home of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".ssh"
    folder.mkdir()
    return folder


def test_names_without_wildcards_are_given_once_and_in_order(ssh: Path) -> None:
    (ssh / "config").write_text(
        'Host box gpu-07\n  HostName 10.0.0.1\n\tHost\t"quoted" box\nHost=equals # a comment\nhost *.internal !not ?x *\n'
    )
    assert aliases() == ("box", "gpu-07", "quoted", "equals")


def test_included_files_are_followed_relative_to_the_folder_and_in_the_order_of_names(
    ssh: Path, tmp_path: Path
) -> None:
    (ssh / "conf.d").mkdir()
    (ssh / "conf.d" / "b").write_text("Host second\n")
    (ssh / "conf.d" / "a").write_text("Host first\nInclude ~/.ssh/deeper\n")
    (ssh / "deeper").write_text("Host deep\n")
    (ssh / "config").write_text(f"Include conf.d/* no-such-file\nHost own\nInclude {tmp_path}/elsewhere\n")
    (tmp_path / "elsewhere").write_text("Host far\n")
    assert aliases() == ("first", "deep", "second", "own", "far")


def test_files_that_include_each_other_come_to_an_end(ssh: Path) -> None:
    (ssh / "config").write_text("Host box\nInclude config\n")
    assert aliases() == ("box",)


def test_no_configuration_names_no_host(ssh: Path) -> None:
    assert aliases() == aliases("none") == aliases(str(ssh / "nowhere")) == ()


def test_another_file_can_be_named(ssh: Path) -> None:
    (ssh / "config").write_text("Host box\n")
    (ssh / "other").write_text("Host spare\n")
    assert aliases(str(ssh / "other")) == aliases("~/.ssh/other") == ("spare",)


@pytest.mark.parametrize(
    "line", ['Host "open', "Host -oProxyCommand=x", "Host a;b", "Host \x1b[2J", "Host a/b", "Match host box"]
)
def test_what_could_not_be_a_target_is_left_out(ssh: Path, line: str) -> None:
    (ssh / "config").write_bytes(line.encode() + b"\nHost box\xff\nHost fine\n")
    assert aliases() == ("fine",)
