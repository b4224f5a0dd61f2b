"""The user's ProxyCommand: what it says reaches the message, and it ends with the connection."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sondage.errors import ConnectError
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.proxy import Proxy
from sondage.hosts.ssh import open_ssh


async def test_what_a_failing_command_says_is_in_the_message(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("Host box\n ProxyCommand echo no way to box >&2; exit 1\n")
    with pytest.raises(ConnectError, match="no way to box"):
        await open_ssh(Address("box"), SshOptions(config_file=str(tmp_path / "config"), no_input=True), None)


async def test_everything_it_started_ends_with_it() -> None:
    proxy = await Proxy.start("sh -c 'cat & echo $!; wait'", "box")
    with proxy.socket as near:
        near.setblocking(True)
        started = int(near.recv(100))
    await proxy.aclose()
    with pytest.raises(ProcessLookupError):
        while True:  # until the kernel has taken it away
            os.kill(started, 0)
            if Path(f"/proc/{started}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                raise ProcessLookupError


async def test_a_shell_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/nowhere/sh")
    with pytest.raises(ConnectError, match="cannot be run"):
        await Proxy.start("true", "box")
