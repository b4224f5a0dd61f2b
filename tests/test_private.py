"""Files for the user alone."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sondage.errors import StoreError
from sondage.private import make_private_folder, open_private, write_new


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folder_and_the_ones_above_are_made_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_private_folder(tmp_path / "state" / "transcripts")
    finally:
        os.umask(before)
    assert mode(tmp_path / "state") == mode(tmp_path / "state" / "transcripts") == 0o700


def test_open_folder_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(0o755)
    make_private_folder(folder)
    assert mode(folder) == 0o700


def test_link_to_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(StoreError, match="link"):
        make_private_folder(tmp_path / "link")


def test_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(StoreError):
        make_private_folder(tmp_path / "link")


def test_file_in_the_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="not a folder"):
        make_private_folder(tmp_path / "file")


def test_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(StoreError, match="another user"):
        make_private_folder(tmp_path)


def test_relative_folder_means_that_there_is_no_home() -> None:
    with pytest.raises(StoreError, match="HOME"):
        make_private_folder(Path("~/.cache/sondage"))


def test_file_is_made_for_the_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        os.close(open_private(tmp_path / "file", os.O_RDWR | os.O_CREAT))
    finally:
        os.umask(before)
    assert mode(tmp_path / "file") == 0o600


def test_link_to_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"keep")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(StoreError):
        open_private(tmp_path / "link", os.O_RDWR)


def test_pipe_in_the_place_of_a_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="not a regular file"):
        open_private(tmp_path / "pipe")


def test_new_file_is_written_once_and_never_over_another(tmp_path: Path) -> None:
    write_new(tmp_path / "new", b"first")
    with pytest.raises(StoreError):
        write_new(tmp_path / "new", b"second")
    assert (tmp_path / "new").read_bytes() == b"first"


def test_new_file_is_never_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("elsewhere")
    with pytest.raises(StoreError):
        write_new(tmp_path / "link", b"data")
    assert not (tmp_path / "elsewhere").exists()
