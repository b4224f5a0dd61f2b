"""A folder of this machine behaves as a host does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sondage.errors import HostError, TransferError
from sondage.hosts.base import ListRequest, RemoteFile, Target
from sondage.hosts.local import LocalHost, in_batches, read_settled, stamp_of
from sondage.hosts.open import open_host

from .conftest import HOSTILE_NAMES, fetch_all, request


@pytest.fixture
def host() -> LocalHost:
    return LocalHost("here")


async def test_every_hostile_name_is_listed_and_read(host: LocalHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    got = await fetch_all(host, listing)
    assert {path: fetched.data for path, fetched in got.items()} == {b"pkg/" + name: name for name in HOSTILE_NAMES}


async def test_links_are_followed_once_inside_the_root_and_never_out_of_it(host: LocalHost, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/data.txt").write_text("data")
    (tmp_path / "outside.py").write_text("secret")
    (root / "by_link.py").symlink_to("pkg/data.txt")
    (root / "out.py").symlink_to("../outside.py")
    (root / "pkg/up").symlink_to("..")
    (root / "loop.py").symlink_to("loop.py")
    listing = await host.list(request(root))
    assert listing.links == (b"loop.py", b"out.py")
    assert {path: one.data for path, one in (await fetch_all(host, listing)).items()} == {b"by_link.py": b"data"}


async def test_a_target_without_an_address_opens_this_machine(tree: Path) -> None:
    host = await open_host(Target(str(tree)))
    assert (host.identity.kind, host.identity.label) == ("local", str(tree))
    assert await host.ping() == 0
    await host.aclose()


async def test_a_relative_root_and_the_home_folder_are_found(
    host: LocalHost, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree)
    assert (await host.list(ListRequest(b"./pkg"))).root == os.fsencode(tree / "pkg")
    monkeypatch.setenv("HOME", str(tree))
    assert (await host.list(ListRequest(b"~/pkg"))).root == os.fsencode(tree / "pkg")


async def test_a_root_that_is_no_folder_is_an_error(host: LocalHost, tmp_path: Path) -> None:
    with pytest.raises(HostError):
        await host.list(request(tmp_path / "nowhere"))


async def test_more_files_than_allowed_is_an_error(host: LocalHost, tree: Path) -> None:
    with pytest.raises(TransferError):
        await host.list(request(tree, max_files=3))


async def test_a_folder_that_cannot_be_read_is_counted(
    host: LocalHost, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def refuse(path: bytes) -> object:
        if path.endswith(b"pkg"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    listing = await host.list(request(tree))
    assert (listing.files, listing.unreadable) == ((), 1)


def listed(path: Path) -> RemoteFile:
    return RemoteFile(os.fsencode(path.name), *stamp_of(path.lstat()))


@pytest.mark.parametrize("content", [b"", b"more than before"])
def test_a_file_changed_since_the_listing_is_read_as_it_is_now(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"before")
    file = listed(path)
    path.write_bytes(content)
    assert read_settled(file, os.fsencode(path)).data == content


def test_a_file_that_never_rests_is_not_shown_as_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"")
    file = listed(path)
    real = os.open

    def disturb(name: bytes, flags: int) -> int:
        with path.open("ab") as stream:
            stream.write(b"x")
        return real(name, flags)

    monkeypatch.setattr(os, "open", disturb)
    fetched = read_settled(file, os.fsencode(path))
    assert (fetched.data, fetched.settled) == (None, False)


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    fetched = read_settled(RemoteFile(b"a.py", 0, 0), os.fsencode(tmp_path / "a.py"))
    assert "regular" in fetched.problem


def test_a_link_put_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "a.py").symlink_to("secret")
    assert read_settled(RemoteFile(b"a.py", 6, 0), os.fsencode(tmp_path / "a.py")).data is None


def test_batches_hold_about_a_mebibyte_and_keep_the_order() -> None:
    files = [RemoteFile(b"%d" % number, 400_000, 0) for number in range(7)]
    batches = list(in_batches(files))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert [file for batch in batches for file in batch] == files
