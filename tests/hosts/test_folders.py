"""Owns the tests of looking around on a host: its folders over SFTP, and roots worth offering; nothing is run there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sshd import running_sshd

from sondage.errors import HostError
from sondage.hosts.base import Host, ListRequest, SshOptions
from sondage.hosts.folders import HostFolders
from sondage.hosts.local import LocalHost
from sondage.hosts.open import open_host
from sondage.hosts.target import parse_target

LIBRARY = ".local/lib/python3.11/site-packages"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with libraries, a link to a folder, a file, and a name that is no text."""
    folder = tmp_path / "home"
    (folder / LIBRARY).mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "link").symlink_to("src")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "file.py").touch()
    (folder / "b\udcff").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


async def look(host: Host, home: Path) -> None:
    folders = HostFolders(host)
    assert list(await folders.folders(f"{home}/")) == [".local", "b\udcff", "link", "src"]
    assert list(await folders.folders(f"{home}/src")) == []
    for wrong in ("nowhere", "file.py"):
        with pytest.raises(HostError):
            await folders.folders(f"{home}/{wrong}")


async def test_folders_of_this_machine_are_seen_and_links_to_folders_too(home: Path) -> None:
    await look(LocalHost(""), home)


async def test_libraries_are_found_by_their_folders(home: Path) -> None:
    assert f"~/{LIBRARY}" in await HostFolders(LocalHost("")).libraries()


@pytest.mark.sshd
async def test_folders_of_a_host_are_seen_and_it_can_be_read_over_the_same_connection(
    home: Path, tmp_path: Path
) -> None:
    """One session a connection is all this server allows: looking around ends before the listing begins."""
    with running_sshd(tmp_path / "sshd", "MaxSessions 1") as server:
        target = parse_target(server.target(home))
        host = await open_host(target, SshOptions(str(server.config)))
        try:
            await look(host, home)
            listing = await host.list(ListRequest(str(home).encode()))
            assert [file.path for file in listing.files] == [b"file.py"]
            assert listing.notes == ()
        finally:
            await host.aclose()


@pytest.mark.sshd
async def test_host_without_sftp_says_so_and_can_be_read_all_the_same(home: Path, tmp_path: Path) -> None:
    only_commands = tmp_path / "only-commands"
    only_commands.write_text(
        '#!/bin/sh\ncase $SSH_ORIGINAL_COMMAND in *sftp*) exit 1;; *) exec /bin/sh -c "$SSH_ORIGINAL_COMMAND";; esac\n'
    )
    only_commands.chmod(0o755)
    with running_sshd(tmp_path / "sshd", f"ForceCommand {only_commands}") as server:
        host = await open_host(parse_target(server.target(home)), SshOptions(str(server.config)))
        try:
            with pytest.raises(HostError, match="no SFTP to look around with"):
                await HostFolders(host).folders("/")
            listing = await host.list(ListRequest(str(home).encode()))
            assert [file.path for file in listing.files] == [b"file.py"]
        finally:
            await host.aclose()


async def test_host_whose_folders_cannot_be_looked_at_says_what_to_do() -> None:
    class Blind:
        identity = LocalHost("blind").identity

    with pytest.raises(HostError, match="type the path"):
        await HostFolders(Blind()).folders("/")  # type: ignore[arg-type]
