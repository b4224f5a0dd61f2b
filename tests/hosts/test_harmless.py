"""What sondage leaves on a host: nothing. What it runs there: one command, made of tools that read."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sondage.dig import Dig, Settings, open_dig
from sondage.errors import HostError
from sondage.hosts import serving
from sondage.hosts.base import SshOptions
from sondage.hosts.commands import SERVE
from sondage.hosts.ssh import SshHost
from sondage.hosts.target import parse_target
from support.audit import audited, left_behind, snapshot
from support.long_wire import LongWire
from support.sshd import Sshd, running_sshd

from .conftest import connect, request

pytestmark = pytest.mark.sshd

TOOLS = set("bash dash env find gzip head readlink sh stat tar uname date wc xargs zstd busybox".split())
"""All that may run on a host, besides the server itself."""
SERVERS = {"sshd", "sshd-session", "sshd-auth", "sftp-server"}


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home folder that a session sees. Its start-up files are not those of whoever runs the tests."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    return home


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "served"
    (root / "pkg").mkdir(parents=True)
    for number in range(40):
        (root / "pkg" / f"part{number}.py").write_text(f"class Part{number}:\n    pass\n" * 500)
    (root / "link.py").symlink_to("pkg/part1.py")
    return root


async def open_over(server: Sshd, tree: Path) -> Dig:
    options = SshOptions(config_file=str(server.config), no_input=True)
    return await open_dig(parse_target(server.target(tree)), Settings(options, engine="threads"))


async def work_through(server: Sshd, tree: Path) -> int:
    """A session as users have them: read a tree, ask, read it again, leave. Returns the files of the index."""
    dig = await open_over(server, tree)
    await dig.refresh()
    await dig.mro("Part1")
    summary = await dig.refresh()
    await dig.aclose()
    assert summary.complete
    return summary.files


@pytest.mark.parametrize("lines", [(), ("ForceCommand internal-sftp -R",)], ids=["commands", "read-only sftp"])
async def test_nothing_is_written_and_only_tools_that_read_are_run(
    tmp_path: Path, home: Path, tree: Path, lines: tuple[str, ...]
) -> None:
    with running_sshd(tmp_path / "sshd", f"SetEnv HOME={home}", *lines) as server:
        before = snapshot(home, tree)
        with audited(server, tmp_path) as audit:
            assert await work_through(server, tree) == 40
        assert await nobody_is_left(server)

    assert snapshot(home, tree) == before
    assert audit.programs <= TOOLS | SERVERS
    assert audit.programs
    assert audit.writes == []


async def test_the_audit_would_see_it(tmp_path: Path, home: Path, tree: Path) -> None:
    script = tmp_path / "writing.sh"
    script.write_text(f'#!/bin/sh\ntouch {home}/was_here\nexec /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n')
    script.chmod(0o755)
    with running_sshd(tmp_path / "sshd", f"ForceCommand {script}") as server:
        before = snapshot(home)
        with audited(server, tmp_path) as audit:
            await work_through(server, tree)

    assert "touch" in audit.programs
    assert any("was_here" in call for call in audit.writes)
    assert snapshot(home) != before


# ------------------------------------------------------------------ what is left behind


async def until(server: Sshd, right: Callable[[list[str]], bool], seconds: float = 10) -> bool:
    """Whether what runs for clients comes to be right. What takes two seconds at most takes longer on a busy machine."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not right(left_behind(server)):
                await asyncio.sleep(0.02)
    return right(left_behind(server))


async def nobody_is_left(server: Sshd) -> bool:
    return await until(server, lambda running: not running)


@pytest.fixture(params=["sh", "bash", "busybox"])
def shell(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command calls /bin/sh."""
    program = shutil.which(request.param)
    if not program:
        pytest.skip(f"needs {request.param}")
    shell = tmp_path / "sh"
    shell.symlink_to(program)
    monkeypatch.setattr(serving, "SERVE", SERVE.replace("/bin/sh", str(shell)))
    return str(shell)


@pytest.fixture
def silent(tmp_path: Path, home: Path, shell: str) -> Iterator[Sshd]:
    """A server whose find never finds anything, and never ends."""
    tools = tmp_path / "tools"
    tools.mkdir()
    find = tools / "find"
    find.write_text(f'#!/bin/sh\ncase $1 in /) exec {shutil.which("find")} "$@";; esac\nexec sleep 1234\n')
    find.chmod(0o755)
    with running_sshd(tmp_path / "sshd", f"SetEnv HOME={home} PATH={tools}:/usr/bin:/bin") as server:
        yield server


@pytest.fixture
async def searching(silent: Sshd, tree: Path) -> AsyncIterator[tuple[SshHost, asyncio.Task[object]]]:
    """A host whose find is under way, and the listing that waits for it."""
    host = await connect(silent)
    listing = asyncio.ensure_future(host.list(request(tree)))
    assert await until(silent, lambda running: any("1234" in line for line in running))
    yield host, listing
    listing.cancel()
    await asyncio.gather(listing, return_exceptions=True)
    await host.aclose()


async def test_a_find_that_finds_nothing_ends_when_the_listing_is_given_up(
    silent: Sshd, searching: tuple[SshHost, asyncio.Task[object]]
) -> None:
    searching[1].cancel()
    assert await nobody_is_left(silent)


async def test_a_find_that_finds_nothing_ends_with_the_connection(
    silent: Sshd, searching: tuple[SshHost, asyncio.Task[object]]
) -> None:
    host, listing = searching
    await host.aclose()
    assert await nobody_is_left(silent)
    with pytest.raises(HostError):
        await listing


async def test_a_find_that_finds_nothing_ends_when_its_server_is_killed(
    silent: Sshd, searching: tuple[SshHost, asyncio.Task[object]]
) -> None:
    silent.kill_servers()
    assert await nobody_is_left(silent)
    with pytest.raises(HostError):
        await searching[1]


BREAKS: dict[str, Callable[[LongWire], None]] = {"closed": LongWire.finish, "reset": LongWire.reset}


@pytest.mark.parametrize("kind", BREAKS)
async def test_nothing_is_left_of_a_pull_whose_connection_broke(tmp_path: Path, tree: Path, kind: str) -> None:
    for number in range(30):
        (tree / f"large{number}.py").write_bytes(os.urandom(200_000))
    with running_sshd(tmp_path / "sshd") as server, LongWire(server.port, rate=1e6) as wire:
        server.lead_over(wire.port)
        host = await connect(server)
        listing = await host.list(request(tree))
        wire.when_received(10_000, lambda: BREAKS[kind](wire))
        with pytest.raises(HostError):
            async for _ in host.fetch(listing.root, listing.files):
                pass
        await host.aclose()
        assert await nobody_is_left(server)


async def test_a_host_that_is_only_connected_has_one_process_that_waits_and_none_afterwards(
    sshd: Sshd, tree: Path
) -> None:
    host = await connect(sshd)
    await host.list(request(tree))
    assert await until(sshd, lambda running: len(running) == 1)
    await host.aclose()
    assert await nobody_is_left(sshd)
