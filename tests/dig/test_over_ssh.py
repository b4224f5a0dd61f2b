"""Dig over a real OpenSSH server: what a cut in the middle of a pull leaves behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from sondage.core.answers import MroAnswer
from sondage.dig import Settings, open_dig
from sondage.errors import HostError
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
        filling = "filled up\n" * (BYTES_EACH // 10)
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
