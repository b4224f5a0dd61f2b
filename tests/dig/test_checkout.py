"""The commit a root is at, from the files that git keeps."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sondage.dig.checkout import Checkout, find_checkout
from sondage.hosts.local import LocalHost
from support.memory_host import MemoryHost

ONE, TWO = b"1" * 40, b"2" * 40
ROOT = b"/srv/tree/python"


async def found(files: dict[bytes, bytes], root: bytes = ROOT) -> Checkout | None:
    return await find_checkout(MemoryHost(files), root)


async def test_branch_leads_to_its_commit() -> None:
    files = {b"/srv/tree/.git/HEAD": b"ref: refs/heads/main\n", b"/srv/tree/.git/refs/heads/main": ONE + b"\n"}
    assert await found(files) == Checkout("/srv/tree", ONE.decode())


async def test_head_may_be_a_commit_itself() -> None:
    assert await found({b"/srv/tree/.git/HEAD": ONE + b"\n"}) == Checkout("/srv/tree", ONE.decode())


async def test_commit_of_sha_256_is_a_commit() -> None:
    assert await found({b"/srv/tree/.git/HEAD": b"a" * 64}) == Checkout("/srv/tree", "a" * 64)


async def test_packed_ref_is_found_and_a_loose_one_goes_first() -> None:
    packed = (
        b"# pack-refs with: peeled\n" + TWO + b" refs/heads/feature/x\n^" + ONE + b"\n" + ONE + b" refs/heads/main\n"
    )
    files = {b"/srv/tree/.git/HEAD": b"ref: refs/heads/feature/x\n", b"/srv/tree/.git/packed-refs": packed}
    assert await found(files) == Checkout("/srv/tree", TWO.decode())
    loose = {b"/srv/tree/.git/refs/heads/feature/x": ONE}
    assert await found(files | loose) == Checkout("/srv/tree", ONE.decode())


async def test_nearest_checkout_is_the_one() -> None:
    files = {b"/srv/.git/HEAD": ONE, b"/srv/tree/.git/HEAD": TWO}
    assert await found(files) == Checkout("/srv/tree", TWO.decode())


async def test_worktree_and_submodule_point_to_where_their_files_are() -> None:
    git = b"/srv/main/.git/worktrees/tree"
    files = {
        b"/srv/.git/HEAD": TWO,
        b"/srv/tree/.git": b"gitdir: ../main/.git/worktrees/tree\n",
        git + b"/HEAD": b"ref: refs/heads/x\n",
        git + b"/commondir": b"../..\n",
        b"/srv/main/.git/refs/heads/x": ONE,
    }
    assert await found(files) == Checkout("/srv/tree", ONE.decode())
    submodule = {b"/srv/tree/.git": b"gitdir: ../.git/modules/tree\n", b"/srv/.git/modules/tree/HEAD": ONE}
    assert await found(submodule) == Checkout("/srv/tree", ONE.decode())


@pytest.mark.parametrize(
    "files",
    [
        {},
        {b"/srv/tree/.git/HEAD": b"ref: refs/heads/.invalid\n"},
        {b"/srv/tree/.git/HEAD": b"ref: refs/heads/main\n"},
        {b"/srv/tree/.git/HEAD": b""},
        {b"/srv/tree/.git/HEAD": b"ref: ../../etc/passwd\n", b"/srv/etc/passwd": ONE},
        {b"/srv/tree/.git/HEAD": b"ref: refs/../../x\n", b"/srv/tree/x": ONE},
        {b"/srv/tree/.git/HEAD": b"z" * 40},
        {b"/srv/tree/.git/HEAD": b"ref: refs/heads/main\n", b"/srv/tree/.git/refs/heads/main": b"\x1b[31m"},
        {b"/srv/tree/.git": b"gitdir: /nowhere\n"},
        {b"/srv/tree/.git": b"gitdir:"},
    ],
)
async def test_where_there_is_no_commit_none_is_made_up(files: dict[bytes, bytes]) -> None:
    assert await found(files) is None


async def test_no_checkout_costs_one_look_at_the_names_above_and_one_at_the_pointers() -> None:
    host = MemoryHost({}, batch=99)
    await find_checkout(host, b"/srv/tree")
    assert [path for path in host.asked if not path.endswith((b".git/HEAD", b".git"))] == []


def git(folder: Path, *words: str) -> str:
    line = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org", *words]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
async def test_git_says_the_same(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q", "-b", "trunk")
    (main / "a.py").write_text("x = 1\n")
    git(main, "add", ".")
    git(main, "commit", "-qm", "one")
    git(main, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (main / "a.py").write_text("x = 2\n")
    git(main, "commit", "-qam", "two")
    git(main, "pack-refs", "--all")
    for folder in (main, tmp_path / "side"):
        expected = Checkout(str(folder), git(folder, "rev-parse", "HEAD"))
        assert await find_checkout(LocalHost(""), str(folder).encode()) == expected
