"""The demo's server, talked to by the same client as a real one, and by a less friendly one."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import HostError
from sondage.hosts import loopback
from sondage.hosts.archive import Wanted, pull_request
from sondage.hosts.commands import SERVE
from sondage.hosts.local import LocalHost
from sondage.hosts.loopback import Loopback
from sondage.hosts.open import open_host
from sondage.hosts.ssh import SshHost

from .conftest import HOSTILE_NAMES, fetch_all, request


@pytest.fixture
async def served(tree: Path) -> AsyncIterator[Loopback]:
    (tree / "out.py").symlink_to("/etc/passwd")
    (tree / "by_link.py").symlink_to("pkg/notes.txt")
    async with loopback.serve(tree) as served:
        yield served


@pytest.fixture
async def host(served: Loopback) -> AsyncIterator[SshHost]:
    host = await open_host(served.target)
    assert isinstance(host, SshHost)
    yield host
    await host.aclose()


async def test_the_ordinary_client_lists_and_pulls_with_one_command(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    got = await fetch_all(host, listing)
    assert {path: one.data for path, one in got.items()} == {
        **{b"pkg/" + name: name for name in HOSTILE_NAMES},
        b"by_link.py": b"not asked for",
    }
    assert listing.links == (b"out.py",)
    assert host.traffic.commands == 1
    assert (host.identity.kind, host.identity.transport) == ("loopback", "tar over exec")
    assert await host.ping() > 0


async def test_it_lists_what_the_local_host_lists(host: SshHost, tree: Path) -> None:
    there, here = await host.list(request(tree)), await LocalHost("here").list(request(tree))
    assert (there.files, there.links, there.unreadable) == (here.files, here.links, here.unreadable)


async def test_what_vanished_or_changed_is_told(host: SshHost, tree: Path) -> None:
    listing = await host.list(request(tree))
    (tree / "pkg/plain.py").unlink()
    (tree / "pkg/a space.py").write_bytes(b"new")
    got = await fetch_all(host, listing)
    assert got[b"pkg/plain.py"].data is None
    assert got[b"pkg/a space.py"].data == b"new"


async def test_nothing_outside_of_the_folder_is_shown(host: SshHost, tree: Path) -> None:
    with pytest.raises(HostError):
        await host.list(request(tree.parent))
    with pytest.raises(HostError):
        await host.list(request(Path("/etc")))


async def connect(served: Loopback, key: asyncssh.SSHKey) -> asyncssh.SSHClientConnection:
    return await asyncssh.connect(
        "127.0.0.1",
        served.address.port,
        username="demo",
        client_keys=[key],
        known_hosts=None,
        agent_path=None,
        config=[],
    )


async def test_another_key_is_not_let_in(served: Loopback) -> None:
    with pytest.raises(asyncssh.PermissionDenied):
        await connect(served, asyncssh.generate_private_key("ssh-ed25519"))


@pytest.mark.parametrize("command", ["id", SERVE + " ", SERVE.replace("sondage", "x"), "sh -c id"])
async def test_no_other_command_is_answered(served: Loopback, command: str) -> None:
    async with await connect(served, served.client_key) as connection:
        done = await connection.run(command, input=b"", encoding=None)
        assert (done.exit_status, done.stdout) == (127, b"")


async def test_a_pull_of_something_outside_gives_no_bytes(served: Loopback) -> None:
    async with await connect(served, served.client_key) as connection:
        names = (b"/etc/passwd", os.fsencode(served.folder / "out.py"))
        given = pull_request(b"n" * 32, 1, "plain", [Wanted(name, 1) for name in names])
        done = await connection.run(SERVE, input=given, encoding=None)
        assert b"root:" not in bytes(done.stdout or b"")


async def test_sftp_reads_the_folder_and_changes_nothing(served: Loopback, tree: Path) -> None:
    async with await connect(served, served.client_key) as connection, connection.start_sftp_client() as sftp:
        async with sftp.open(str(tree / "pkg/plain.py"), "rb") as file:
            assert await file.read() == b"plain.py"
        for path in ("/etc/passwd", str(tree / "out.py"), str(tree / ".." / "x")):
            with pytest.raises(asyncssh.SFTPError):
                await sftp.open(path, "rb")
        before = sorted(path.lstat().st_ctime_ns for path in tree.rglob("*"))
        inside = str(tree / "pkg/plain.py")
        for change in (
            lambda: sftp.remove(inside),
            lambda: sftp.mkdir(str(tree / "new")),
            lambda: sftp.rmdir(str(tree / "pkg")),
            lambda: sftp.rename(inside, str(tree / "y")),
            lambda: sftp.posix_rename(inside, str(tree / "y")),
            lambda: sftp.symlink("x", str(tree / "z")),
            lambda: sftp.link(inside, str(tree / "z")),
            lambda: sftp.chmod(inside, 0),
            lambda: sftp.utime(inside, (0, 0)),
            lambda: sftp.truncate(inside, 0),
            lambda: sftp.open(str(tree / "new.py"), "wb"),
            lambda: sftp.open(inside, "r+b"),
            lambda: sftp.open(inside, "ab"),
        ):
            with pytest.raises(asyncssh.SFTPError):
                await change()
        assert sorted(path.lstat().st_ctime_ns for path in tree.rglob("*")) == before


async def test_the_server_is_gone_afterwards(tree: Path) -> None:
    async with loopback.serve(tree) as served:
        assert loopback.running(served.address) is served
    assert loopback.running(served.address) is None
    with pytest.raises(OSError, match=r"."):
        await connect(served, served.client_key)


async def test_a_file_cannot_be_served(tree: Path) -> None:
    with pytest.raises(HostError):
        async with loopback.serve(tree / "pkg/plain.py"):
            pass
