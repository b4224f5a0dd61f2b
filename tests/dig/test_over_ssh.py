"""Dig over a real OpenSSH server: what a cut leaves behind, and how the connection comes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from sondage.core.answers.classes import MroAnswer
from sondage.dig import Dig, Settings, open_dig
from sondage.errors import HostError, HostKeyChanged
from sondage.hosts import pace, sftp, transport
from sondage.hosts.base import Batch, RemoteFile, SshOptions
from sondage.hosts.ssh import SshHost
from sondage.hosts.target import parse_target
from support.sshd import Sshd, running_sshd

pytestmark = pytest.mark.sshd

FILES = 400
BYTES_EACH = 80_000
"""Together 32 MB: far more than what is on its way when the session is killed after the first batch."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    with running_sshd(tmp_path / "sshd") as server:
        yield server


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(FILES):
        filling = random.Random(number).randbytes(BYTES_EACH // 2).hex()  # packing makes little less of it
        (root / f"part{number:03d}.py").write_text(f'class Part{number}:\n    """{filling}"""\n')
    return root


@pytest.fixture
def killed_after_the_first_batch(server: Sshd, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The server's processes are killed as soon as one batch has been taken from the connection."""
    fetch = SshHost.fetch

    async def fetch_and_kill(host: SshHost, root: bytes, files: Sequence[RemoteFile]) -> AsyncIterator[Batch]:
        async for batch in fetch(host, root, files):
            yield batch
            server.kill_sessions()

    with monkeypatch.context() as patch:
        patch.setattr(SshHost, "fetch", fetch_and_kill)
        yield patch


async def test_killed_in_the_middle_of_the_pull_a_part_answers_and_the_rest_follows(
    server: Sshd, tree: Path, killed_after_the_first_batch: pytest.MonkeyPatch
) -> None:
    settings = Settings(SshOptions(config_file=str(server.config), no_input=True), engine="threads")
    dig = await open_dig(parse_target(server.target(tree)), settings)

    with pytest.raises(HostError) as caught:
        await dig.refresh()

    assert "box" in str(caught.value)
    seen = dig.coverage.files_seen
    assert 0 < seen < FILES
    assert dig.coverage.files_listed == FILES
    assert isinstance(await dig.mro("Part0"), MroAnswer)

    killed_after_the_first_batch.undo()
    summary = await dig.refresh()

    assert (summary.files, summary.complete) == (FILES, True)
    assert summary.reused >= seen
    assert isinstance(await dig.mro(f"Part{FILES - 1}"), MroAnswer)
    await dig.aclose()


# ------------------------------------------------------------------ a connection that comes and goes


@pytest.fixture
def small_tree(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    (root / "base.py").write_text("class Base:\n    def load(self):\n        return 1\n")
    return root


@pytest.fixture
async def dig(server: Sshd, small_tree: Path) -> AsyncIterator[Dig]:
    settings = Settings(SshOptions(config_file=str(server.config), no_input=True), engine="threads")
    dig = await open_dig(parse_target(server.target(small_tree)), settings)
    await dig.refresh()
    dig.take_notes()
    yield dig
    await dig.aclose()


async def until(dig: Dig, *states: str) -> None:
    """Each of the states has come, in this order."""
    changed = asyncio.Event()
    dig.watch(changed.set)
    async with asyncio.timeout(20):
        for state in states:
            while dig.link.state != state:
                changed.clear()
                await changed.wait()


async def test_connection_whose_server_is_killed_comes_back_and_nothing_is_read_again_by_itself(
    server: Sshd, dig: Dig, small_tree: Path
) -> None:
    (small_tree / "more.py").write_text("class More: ...\n")
    waiting = asyncio.ensure_future(until(dig, "lost", "reconnecting", "online"))
    await asyncio.sleep(0)
    server.kill_sessions()
    await waiting

    assert dig.files() == ["base.py"]
    assert "connected again; R refreshes" in dig.take_notes()
    await dig.refresh()
    assert dig.files() == ["base.py", "more.py"]


async def test_server_that_falls_silent_is_lost_and_answers_go_on(
    server: Sshd, small_tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "KEEPALIVE_SECONDS", 0.2)
    settings = Settings(SshOptions(config_file=str(server.config), no_input=True), engine="threads")
    dig = await open_dig(parse_target(server.target(small_tree)), settings)
    await dig.refresh()
    waiting = asyncio.ensure_future(until(dig, "lost"))
    await asyncio.sleep(0)
    server.stop_sessions()
    await waiting

    assert not dig.online
    assert isinstance(await dig.mro("Base"), MroAnswer)
    await until(dig, "online")
    await dig.aclose()


async def test_opened_file_that_changed_on_the_host_is_known_to_be_stale(dig: Dig, small_tree: Path) -> None:
    (small_tree / "base.py").write_text("class Base: ...\n")

    assert await dig.stale("base.py") is True
    await dig.refresh()
    assert await dig.stale("base.py") is not True


async def test_other_machine_behind_the_address_is_told_and_read_apart(server: Sshd, dig: Dig) -> None:
    before = dig.identity
    server.trust(server.change_host_key())
    waiting = asyncio.ensure_future(until(dig, "lost", "online"))
    await asyncio.sleep(0)
    server.kill_sessions()
    await waiting

    assert before is not None and dig.identity is not None
    assert dig.identity.host_key != before.host_key
    assert any("another host answers" in note for note in dig.take_notes())
    summary = await dig.refresh()
    assert summary.complete


async def test_host_key_that_changed_ends_the_reconnecting(server: Sshd, dig: Dig) -> None:
    server.change_host_key()
    waiting = asyncio.ensure_future(until(dig, "lost", "reconnecting", "lost"))
    await asyncio.sleep(0)
    server.kill_sessions()
    await waiting

    assert dig.link.next_try is None
    assert "the host key has changed" in dig.link.reason
    assert any("R asks" in note for note in dig.take_notes())
    with pytest.raises(HostKeyChanged):
        await dig.refresh()
    assert isinstance(await dig.mro("Base"), MroAnswer)


async def test_host_reached_by_two_names_has_one_cache(server: Sshd, dig: Dig, small_tree: Path) -> None:
    server.config.write_text(server.config.read_text().replace("Host box", "Host box other"))
    settings = Settings(SshOptions(config_file=str(server.config), no_input=True), engine="threads")
    other = await open_dig(parse_target(f"other:{small_tree}"), settings)
    summary = await other.refresh()
    assert any(f"known as box:{small_tree}" in note for note in other.take_notes())
    await other.aclose()

    assert (summary.parsed, summary.reused) == (0, 1)
    offline = await open_dig(parse_target(f"other:{small_tree}"), replace(settings, offline=True))
    assert (await offline.refresh()).complete
    await offline.aclose()


@pytest.mark.parametrize("line", ["", "ForceCommand internal-sftp"], ids=["commands", "sftp"])
async def test_file_that_is_waited_for_comes_before_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr(pace, "FIRST_AHEAD", 40_000)
    monkeypatch.setattr(pace, "LEAST_AHEAD", 40_000)
    monkeypatch.setattr(sftp, "IN_FLIGHT", 4)
    monkeypatch.setattr(sftp, "BATCH", 8_000)
    root = tmp_path / "tree"
    root.mkdir()
    for number in range(60):
        (root / f"part{number:02}.py").write_text(
            f"class Part{number}:\n    of = '{random.Random(number).randbytes(1000).hex()}'\n"
        )
    with running_sshd(tmp_path / "sshd", *([line] if line else [])) as server:
        settings = Settings(SshOptions(config_file=str(server.config), no_input=True), engine="threads")
        dig = await open_dig(parse_target(server.target(root)), settings)
        seen: list[int] = []
        dig.listen(lambda: seen.append(dig.coverage.files_seen) if dig.source("part59.py") is not None else None)
        dig.want("part59.py")
        summary = await dig.refresh()
        await dig.aclose()

    assert (summary.files, summary.complete) == (60, True)
    assert seen[0] < 30
