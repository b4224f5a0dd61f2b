"""Hosts that lack tools, or whose tools say what they should not: read all the same, by the next way there is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import HostError
from sondage.hosts import deadline
from sondage.hosts.base import ListRequest
from sondage.hosts.hop import Hop
from sondage.hosts.known_hosts import Entry
from sondage.hosts.local import LocalHost
from sondage.hosts.login import connect as log_in
from sondage.hosts.ssh import SLOWER, SshHost
from support.sshd import Sshd, running_sshd

from .conftest import HOSTILE_NAMES, connect, fetch_all, request

pytestmark = pytest.mark.sshd

TOOLS = "env sh find xargs stat tar head dd readlink uname date wc gzip zstd".split()


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tools")


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> Iterator[Sshd]:
    """A server on which nothing can be run but what lies in `tools`."""
    with running_sshd(tmp_path_factory.mktemp("poor"), f"SetEnv PATH={tools}") as server:
        yield server


@pytest.fixture
def furnish(tools: Path) -> Callable[[str, str], None]:
    """Leaves one tool out, or takes all of them from one program."""

    def furnish(without: str, program: str) -> None:
        for tool in tools.iterdir():
            tool.unlink()
        for name in TOOLS:
            real = shutil.which(program or name)
            if real and name not in (without, "zstd" if program else ""):
                (tools / name).symlink_to(real)

    return furnish


@pytest.mark.parametrize("without", ["", "zstd", "gzip", "uname", "date", "dd"])
async def test_what_is_not_needed_is_not_missed(
    poor: Sshd, furnish: Callable[[str, str], None], tree: Path, without: str
) -> None:
    furnish(without, "")
    assert await transport_of(poor, tree) == "tar over exec"


@pytest.mark.parametrize("without", ["env", "find", "xargs", "stat", "tar", "head", "wc"])
async def test_a_host_that_lacks_a_tool_is_read_all_the_same(
    poor: Sshd, furnish: Callable[[str, str], None], tree: Path, without: str
) -> None:
    furnish(without, "")
    assert await transport_of(poor, tree) in ("sftp", "tar over exec")


async def test_a_host_of_busybox_alone_is_read_by_its_commands(
    poor: Sshd, furnish: Callable[[str, str], None], tree: Path
) -> None:
    if not shutil.which("busybox"):
        pytest.skip("needs BusyBox (Debian: apt install busybox)")
    furnish("", "busybox")
    assert await transport_of(poor, tree) == "tar over exec"


async def transport_of(server: Sshd, tree: Path) -> str:
    """How the tree was read, which must have been read as it is."""
    host = await connect(server)
    listing = await host.list(request(tree))
    got = await fetch_all(host, listing)
    await host.aclose()
    assert {path: fetched.data for path, fetched in got.items()} == {b"pkg/" + name: name for name in HOSTILE_NAMES}
    assert (host.identity.transport == "sftp") == (SLOWER in listing.notes)
    return host.identity.transport


async def test_a_job_that_writes_into_every_answer_leaves_the_slower_mode(
    poor: Sshd, furnish: Callable[[str, str], None], tools: Path, tree: Path
) -> None:
    furnish("find", "")
    (tools / "find").write_text(f'#!/bin/sh\necho "You have new mail."\nexec {shutil.which("find")} "$@"\n')
    (tools / "find").chmod(0o755)
    assert await transport_of(poor, tree) == "sftp"


async def test_a_packer_that_fails_in_the_middle_is_done_without(
    poor: Sshd, furnish: Callable[[str, str], None], tools: Path, tmp_path: Path
) -> None:
    for number in range(40):
        (tmp_path / f"part{number}.py").write_bytes(os.urandom(5000))
    furnish("zstd", "")
    (tools / "zstd").write_text("#!/bin/sh\nread -r first || exit 0\necho $first\nexit 1\n")
    (tools / "zstd").chmod(0o755)
    host = await connect(poor)
    got = await fetch_all(host, await host.list(request(tmp_path)))
    await host.aclose()
    assert {path: one.data for path, one in got.items()} == {
        path.name.encode(): path.read_bytes() for path in tmp_path.glob("*.py")
    }
    assert host.identity.transport == "tar over exec"


async def test_a_login_shell_that_waits_for_something_else_leaves_the_slower_mode(
    poor: Sshd, furnish: Callable[[str, str], None], tools: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish("env", "")
    (tools / "env").write_text('#!/bin/sh\necho "1) reboot  2) log out"\nwhile read -r choice; do :; done\n')
    (tools / "env").chmod(0o755)
    monkeypatch.setattr(deadline, "CHANNEL", 0.5)
    assert await transport_of(poor, tree) == "sftp"


async def test_a_find_that_finds_nothing_for_long_is_waited_for(
    poor: Sshd, furnish: Callable[[str, str], None], tools: Path, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish("find", "")
    slow = f'#!/bin/sh\ncase $1 in .) {shutil.which("sleep")} 1;; esac\nexec {shutil.which("find")} "$@"\n'
    (tools / "find").write_text(slow)
    (tools / "find").chmod(0o755)
    monkeypatch.setattr(deadline, "SILENCE", 0.3)
    assert await transport_of(poor, tree) == "tar over exec"


async def test_a_command_that_the_host_has_ended_is_started_again(sshd: Sshd, tree: Path) -> None:
    host = await connect(sshd)
    await host.list(request(tree))
    sshd.kill_commands()
    listing = await host.list(request(tree))
    await host.aclose()
    assert len(listing.files) == len(HOSTILE_NAMES)
    assert (host.traffic.commands, host.identity.transport) == (2, "tar over exec")


# ------------------------------------------------------------------ environments


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an environment of a name that nobody could know."""
    installed = tmp_path / "project/my-env/lib/python3.11/site-packages"
    (installed / "torch").mkdir(parents=True)
    (installed / "torch/__init__.py").touch()
    (tmp_path / "project/my-env/pyvenv.cfg").touch()
    (tmp_path / "project/main.py").touch()
    return tmp_path / "project"


@pytest.mark.parametrize("way", ["commands", "sftp", "local"])
async def test_what_is_installed_is_read_where_it_is_asked_for_and_only_there(
    tmp_path: Path, project: Path, way: str
) -> None:
    lines = ("ForceCommand internal-sftp -R",) if way == "sftp" else ()
    with running_sshd(tmp_path / "sshd", *lines) as server:
        host = LocalHost("here") if way == "local" else await connect(server)
        seen = {}
        for folder in (project, project / "my-env", project / "my-env/lib/python3.11/site-packages"):
            seen[folder.name] = [file.path for file in (await host.list(request(folder))).files]
        await host.aclose()
    assert seen == {
        "project": [b"main.py"],
        "my-env": [b"lib/python3.11/site-packages/torch/__init__.py"],
        "site-packages": [b"torch/__init__.py"],
    }


# ------------------------------------------------------------------ limits


@pytest.mark.parametrize("lines", [(), ("ForceCommand internal-sftp -R",)], ids=["commands", "sftp"])
async def test_a_tree_beyond_a_limit_is_an_error_that_says_which(tmp_path: Path, tree: Path, lines: tuple[str]) -> None:
    with running_sshd(tmp_path / "sshd", *lines) as server:
        host = await connect(server)
        for limit, words in (("max_files", "more than 0 files"), ("max_bytes", "MiB"), ("max_seconds", "takes more")):
            with pytest.raises(HostError, match=words) as caught:
                await host.list(request(tree, **{limit: 0}))
            assert "further down" in caught.value.hint
        assert len((await host.list(request(tree))).files) == len(HOSTILE_NAMES)
        await host.aclose()


async def test_an_edit_that_hides_its_time_is_seen(sshd: Sshd, tree: Path) -> None:
    path = tree / "pkg/plain.py"
    host = await connect(sshd)
    before, after = [], []
    for seen in (before, after):
        seen += [file for file in (await host.list(request(tree))).files if file.path == b"pkg/plain.py"]
        status = path.stat()
        path.write_bytes(b"PLAIN.py")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    await host.aclose()
    assert (before[0].size, before[0].mtime_ns) == (after[0].size, after[0].mtime_ns)
    assert before[0].stamp != after[0].stamp


# ------------------------------------------------------------------ a server that breaks its own protocol


@pytest.mark.parametrize("flood", [b"", b"\xff" * 4096, os.urandom(1 << 16)], ids=["nothing", "too long", "noise"])
async def test_bytes_that_are_no_packets_end_the_connection_and_nothing_else(flood: bytes) -> None:
    async def answer(process: asyncssh.SSHServerProcess[bytes]) -> None:
        transport = process.channel.get_connection()._transport
        transport.write(flood)
        transport.close()

    host_key, client_key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    server = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_host_keys=[host_key],
        authorized_client_keys=asyncssh.import_authorized_keys(client_key.export_public_key().decode()),
        config=[],
        gss_host=None,
        process_factory=answer,
        encoding=None,
    )
    port = server.get_port()
    known = Entry("", f"[127.0.0.1]:{port}", "ssh-ed25519", host_key.public_data, "here")
    host = SshHost(
        await log_in((Hop("rude", "127.0.0.1", port, "me", keys=(client_key,), vouched=(known,)),), None), "rude"
    )
    with pytest.raises(HostError):
        await host.list(ListRequest(b"/"))
    await host.aclose()
    server.close()
    await server.wait_closed()
