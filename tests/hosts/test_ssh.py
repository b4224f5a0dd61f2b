"""Listing and reading a tree through a real OpenSSH server."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from sondage.errors import HostError, TransferError
from sondage.hosts import serving
from sondage.hosts.base import Listing, RemoteFile, SshOptions, TransportChoice
from sondage.hosts.channel import Command
from sondage.hosts.open import open_host
from sondage.hosts.ssh import SLOWER, SshHost
from sondage.hosts.target import parse_target
from support.sshd import Sshd, running_sshd

from .conftest import HOSTILE_NAMES, connect, fetch_all, request

pytestmark = pytest.mark.sshd


@pytest.fixture
async def host(sshd: Sshd) -> AsyncIterator[SshHost]:
    host = await connect(sshd)
    yield host
    await host.aclose()


async def test_every_hostile_name_is_listed_and_read_and_none_is_run(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    got = await fetch_all(host, listing)
    assert {path: fetched.data for path, fetched in got.items()} == {b"pkg/" + name: name for name in HOSTILE_NAMES}
    assert listing.root == os.fsencode(tree)
    assert (listing.suspicious, listing.unreadable, listing.links) == (0, 0, ())
    assert not list(tree.rglob("canary"))


async def test_one_command_answers_every_listing_and_every_pull(host: SshHost, tree: Path) -> None:
    for _ in range(3):
        await fetch_all(host, await host.list(request(tree)))
    assert host.traffic.commands == 1
    assert host.identity.transport == "tar over exec"


async def test_files_come_in_the_order_they_were_asked_for(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    wanted = listing.files[::-1]
    came = [fetched.file async for batch in host.fetch(listing.root, wanted) for fetched in batch]
    assert came == list(wanted)


async def test_sizes_times_and_inodes_are_those_of_the_host(host: SshHost, tree: Path) -> None:
    file = next(file for file in (await host.list(request(tree))).files if file.path == b"pkg/plain.py")
    status = (tree / "pkg/plain.py").stat()
    assert file.stamp == (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


async def test_identity_names_the_host_key_and_the_user(host: SshHost, sshd: Sshd) -> None:
    assert host.identity.host_key == sshd.host_key.get_fingerprint()
    assert (host.identity.kind, host.identity.label) == ("ssh", "box")


async def test_the_nested_pruned_folders_are_left_out(host: SshHost, tmp_path: Path) -> None:
    for folder in (".git", "a/__pycache__", "a/b/node_modules/x", "a/b"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "x.py").touch()
    assert [file.path for file in (await host.list(request(tmp_path))).files] == [b"a/b/x.py"]


async def test_no_patterns_and_no_prunes_are_possible(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree, patterns=(b"*.txt", b"hook.*"), prune=()))
    assert [file.path for file in listing.files] == [b".git/hook.py", b"pkg/notes.txt"]
    assert (await host.list(request(tree, patterns=()))).files == ()


async def test_a_large_file_is_listed_as_not_read(host: SshHost, tmp_path: Path) -> None:
    (tmp_path / "big.py").write_bytes(b"x" * 2000)
    listing = await host.list(request(tmp_path, max_file_size=1999))
    assert ([file.path for file in listing.too_large], listing.files) == ([b"big.py"], ())


async def test_more_files_than_allowed_is_an_error_and_not_a_part(host: SshHost, tree: Path) -> None:
    with pytest.raises(TransferError, match="more than 3 files"):
        await host.list(request(tree, max_files=3))
    assert (await host.list(request(tree))).files


@pytest.mark.parametrize(
    ("make", "reason"),
    [(lambda path: None, "no such folder"), (lambda path: path.write_text(""), "not a folder")],
    ids=["missing", "a file"],
)
async def test_a_root_that_is_no_folder_says_why(host: SshHost, tmp_path: Path, make: object, reason: str) -> None:
    make(tmp_path / "root")  # type: ignore[operator]
    with pytest.raises(HostError, match=reason):
        await host.list(request(tmp_path / "root"))


async def test_an_unreadable_folder_is_counted_and_the_rest_is_listed(
    sshd: Sshd, host: SshHost, tmp_path: Path
) -> None:
    if os.geteuid() == 0:
        pytest.skip("the superuser reads every folder")
    (tmp_path / "shut").mkdir(mode=0)
    (tmp_path / "x.py").touch()
    listing = await host.list(request(tmp_path))
    assert ([file.path for file in listing.files], listing.unreadable) == ([b"x.py"], 1)


# ------------------------------------------------------------------ links


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/real.py").write_text("real")
    (folder / "pkg/data.txt").write_text("data")
    (tmp_path / "outside.py").write_text("secret")
    (tmp_path / "beyond").mkdir()
    (tmp_path / "beyond/far.py").write_text("secret")
    (folder / "again.py").symlink_to("pkg/real.py")
    (folder / "by_link.py").symlink_to("pkg/data.txt")
    (folder / "twice.py").symlink_to("pkg/data.txt")
    (folder / "out.py").symlink_to("../outside.py")
    (folder / "dangling.py").symlink_to("nowhere")
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "inside").symlink_to("pkg")
    (folder / "pkg/up").symlink_to("..")
    (folder / "leaving").symlink_to(tmp_path / "beyond")
    (folder / "notes.txt").symlink_to("pkg/data.txt")
    return folder


def check_links(listing: Listing) -> None:
    assert [file.path for file in listing.files] == [b"by_link.py", b"pkg/real.py"]
    assert listing.links == (b"dangling.py", b"leaving", b"loop.py", b"out.py", b"twice.py")
    assert listing.unreadable == 0


async def test_links_are_followed_once_inside_the_root_and_never_out_of_it(host: SshHost, linked: Path) -> None:
    listing = await host.list(request(linked))
    check_links(listing)
    got = await fetch_all(host, listing)
    assert {path: fetched.data for path, fetched in got.items()} == {b"by_link.py": b"data", b"pkg/real.py": b"real"}


async def test_a_root_that_is_a_link_is_listed_under_its_real_path(host: SshHost, linked: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(linked)
    assert (await host.list(request(tmp_path / "alias"))).root == os.fsencode(linked)


async def test_hard_links_are_both_read(host: SshHost, tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("same")
    os.link(tmp_path / "one.py", tmp_path / "two.py")
    got = await fetch_all(host, await host.list(request(tmp_path)))
    assert [fetched.data for fetched in got.values()] == [b"same", b"same"]


async def test_a_fifo_is_not_opened(host: SshHost, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "x.py").touch()
    listing = await host.list(request(tmp_path))
    assert [file.path for file in listing.files] == [b"x.py"]
    (tmp_path / "x.py").unlink()
    os.mkfifo(tmp_path / "x.py")
    assert (await fetch_all(host, listing))[b"x.py"].problem == "no longer a regular file"


async def test_a_socket_is_no_file_and_a_giant_that_takes_no_room_is_listed_as_not_read(
    host: SshHost, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as listener, (tmp_path / "sparse.py").open("wb") as sparse:
        listener.bind(str(tmp_path / "s.py"))
        sparse.truncate(3 << 30)
        listing = await host.list(request(tmp_path))
    assert ([file.path for file in listing.too_large], listing.files) == ([b"sparse.py"], ())


# ------------------------------------------------------------------ what changes meanwhile


async def test_a_file_that_vanished_has_a_problem_and_the_others_are_read(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    (tree / "pkg/plain.py").unlink()
    got = await fetch_all(host, listing)
    assert got[b"pkg/plain.py"].data is None
    assert got[b"pkg/plain.py"].problem == "no longer there"
    assert sum(fetched.data is None for fetched in got.values()) == 1


@pytest.mark.parametrize("content", [b"", b"short", b"l" * 300_000], ids=["emptied", "shrunk", "grown"])
async def test_a_file_changed_since_the_listing_is_read_again_until_it_is_settled(
    host: SshHost, tree: Path, content: bytes
) -> None:
    (tree / "pkg/plain.py").write_bytes(b"p" * 1000)
    listing = await host.list(request(tree))
    (tree / "pkg/plain.py").write_bytes(content)
    fetched = (await fetch_all(host, listing))[b"pkg/plain.py"]
    assert (fetched.data, fetched.settled) == (content, True)
    assert host.traffic.commands == 1


async def test_a_file_that_never_rests_is_not_shown_as_good(host: SshHost, tmp_path: Path) -> None:
    # Every batch changes the file again, so that no two looks at it agree.
    path = tmp_path / "busy.py"
    path.write_bytes(b"0")
    (tmp_path / "quiet.py").write_bytes(b"q")
    listing = await host.list(request(tmp_path))
    pulled: list[object] = []
    inner = host._commands._pull

    def disturbed(*args: object) -> object:
        pulled.append(args)
        path.write_bytes(b"x" * (10 + len(pulled)))
        return inner(*args)  # type: ignore[arg-type]

    host._commands._pull = disturbed  # type: ignore[method-assign, assignment]
    got = await fetch_all(host, listing)
    assert (got[b"busy.py"].data, got[b"busy.py"].settled) == (None, False)
    assert got[b"quiet.py"].data == b"q"


async def test_a_file_that_was_never_there_does_not_stop_the_others(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    ghost = RemoteFile(b"pkg/ghost.py", 5, 0)
    fetched = [item async for batch in host.fetch(listing.root, [ghost, *listing.files]) for item in batch]
    assert {item.file.path for item in fetched if item.data is None} == {b"pkg/ghost.py"}
    assert len(fetched) == len(listing.files) + 1


# ------------------------------------------------------------------ servers that allow little


async def test_a_connection_cut_during_the_pull_keeps_what_was_good_and_says_so(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"f{number:02}.py").write_bytes(os.urandom(1 << 20))
    with running_sshd(tmp_path / "sshd") as server:
        host = await connect(server)
        listing = await host.list(request(tmp_path))
        got: dict[bytes, bytes | None] = {}
        with pytest.raises(TransferError):
            async for batch in host.fetch(listing.root, listing.files):
                got.update((fetched.file.path, fetched.data) for fetched in batch)
                server.kill_sessions()
        await host.aclose()
        assert 0 < len(got) < 60
        for path, data in got.items():
            assert data == (tmp_path / os.fsdecode(path)).read_bytes()
        again = await connect(server)
        assert len(await fetch_all(again, await again.list(request(tmp_path)))) == 60
        await again.aclose()


async def test_a_listing_of_a_killed_server_is_an_error(tmp_path: Path, tree: Path) -> None:
    with running_sshd(tmp_path / "sshd") as server:
        host = await connect(server)
        await host.list(request(tree))
        server.kill_sessions()
        with pytest.raises(HostError):
            await host.list(request(tree))
        with pytest.raises(HostError):
            await host.ping()
        await host.aclose()


async def test_one_session_at_a_time_is_enough(tmp_path: Path, tree: Path) -> None:
    with running_sshd(tmp_path / "sshd", "MaxSessions 1") as server:
        host = await connect(server)
        for _ in range(3):
            listing = await host.list(request(tree))
            assert len(await fetch_all(host, listing)) == len(HOSTILE_NAMES)
        assert listing.notes == ()
        await host.aclose()


@pytest.mark.parametrize(
    "lines",
    [("ForceCommand internal-sftp",), ("ForceCommand internal-sftp -R", "MaxSessions 1")],
    ids=["sftp only", "read-only, one session"],
)
async def test_a_host_that_only_speaks_sftp_is_read_in_the_slower_mode(
    tmp_path: Path, tree: Path, linked: Path, lines: tuple[str, ...]
) -> None:
    with running_sshd(tmp_path / "sshd", *lines) as server:
        host = await connect(server)
        listing = await host.list(request(tree))
        got = await fetch_all(host, listing)
        assert {path: fetched.data for path, fetched in got.items()} == {b"pkg/" + name: name for name in HOSTILE_NAMES}
        assert SLOWER in listing.notes
        assert host.identity.transport == "sftp"
        check_links(await host.list(request(linked)))
        await host.aclose()


async def test_a_command_that_ends_before_it_was_told_anything_is_judged_by_what_it_said(
    host: SshHost, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "SERVE", "echo This account is not available.; exit 1")
    start = Command.start

    async def late(*given: Any) -> Command:
        command = await start(*given)
        await command.finish()
        await command._channel.wait_closed()
        return command

    monkeypatch.setattr(Command, "start", late)
    assert (await host.list(request(tree))).notes == (SLOWER,)


async def test_noise_of_start_up_files_is_skipped_and_mentioned(tmp_path: Path, tree: Path) -> None:
    noisy = tmp_path / "noisy.sh"
    noisy.write_text(
        "#!/bin/sh\nprintf '\\033]0;title\\007Welcome\\n'; echo trouble >&2; exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"\n"
    )
    noisy.chmod(0o755)
    with running_sshd(tmp_path / "sshd", f"ForceCommand {noisy}") as server:
        host = await connect(server)
        listing = await host.list(request(tree))
        assert len(await fetch_all(host, listing)) == len(HOSTILE_NAMES)
        assert listing.unreadable == 0
        assert any("ignored" in note for note in listing.notes)
        await host.aclose()


async def test_nothing_is_written_on_the_host(host: SshHost, tree: Path) -> None:
    before = {path: path.lstat().st_ctime_ns for path in [tree, *tree.rglob("*")]}
    await fetch_all(host, await host.list(request(tree)))
    assert {path: path.lstat().st_ctime_ns for path in [tree, *tree.rglob("*")]} == before


async def test_leaving_a_pull_early_ends_the_command_and_the_host_can_be_used_again(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"f{number}.py").write_bytes(bytes(1 << 20))
    with running_sshd(tmp_path / "sshd", "MaxSessions 1") as server:
        host = await connect(server)
        listing = await host.list(request(tmp_path))
        batches = host.fetch(listing.root, listing.files)
        await anext(batches)
        await batches.aclose()
        assert (await host.list(request(tmp_path))).files == listing.files
        await host.aclose()


# ------------------------------------------------------------------ a real tree


@pytest.mark.sglang
async def test_sglang_is_listed_and_pulled_byte_for_byte(host: SshHost, sglang: Path) -> None:
    start = time.perf_counter()
    listing = await host.list(request(sglang))
    listed = time.perf_counter()
    got = await fetch_all(host, listing)
    print(f"list {listed - start:.2f} s, pull {time.perf_counter() - listed:.2f} s, {host.traffic}")
    assert len(got) == 1404
    assert host.traffic.commands == 1
    for path, fetched in got.items():
        assert fetched.data == (sglang / os.fsdecode(path)).read_bytes()


# ------------------------------------------------------------------ hosts that run nothing, or something else


@pytest.mark.parametrize("transport", ["asyncssh", "ssh"])
@pytest.mark.parametrize(
    ("script", "error", "words"),
    [
        ("echo This account is not available.; exit 1", TransferError, "offers no SFTP.*This account is not available"),
        ("exit 0", TransferError, "runs no commands and offers no SFTP"),
        ("exit 255", HostError, "box"),
        ("kill -9 $$", HostError, "box"),
        ("printf 'half an \\0answer'; kill -9 $$", HostError, "box"),
    ],
    ids=["nologin", "nothing", "255", "killed", "killed midway"],
)
async def test_what_is_run_instead_of_the_command_is_an_error_that_says_so(
    tmp_path: Path, script: str, error: type[HostError], words: str, transport: TransportChoice
) -> None:
    (tmp_path / "forced").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "forced").chmod(0o755)
    with running_sshd(tmp_path / "sshd", f"ForceCommand {tmp_path / 'forced'}") as server:
        with pytest.raises(error, match=words):
            await list_over(server, transport)
        await asyncio.to_thread(server.wait_until_idle)


async def list_over(server: Sshd, transport: TransportChoice) -> Listing:
    options = SshOptions(config_file=str(server.config), no_input=True, transport=transport)
    host = await open_host(parse_target(server.target("/")), options)
    try:
        return await host.list(request(server.folder))
    finally:
        await host.aclose()
