"""The way from an address to a connection: jump hosts, proxies, a configuration of any kind, and no server at all."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncssh
import pytest
from msgspec.structs import replace

from sondage.errors import ConnectError, HostKeyChanged, HostKeyUnknown, LoginRefused
from sondage.hosts import deadline, transport
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.client import Client
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.known_hosts import KnownHosts
from sondage.hosts.ssh import open_ssh
from support.sshd import Sshd, running_sshd

from .logins import RELAY, Answers, log_in, make_key, works
from .test_client import doorman

# ------------------------------------------------------------------ what the configuration cannot spoil


@pytest.mark.parametrize(
    "lines",
    [
        ("RequestTTY force",),
        ("RemoteCommand echo hello",),
        ("SetEnv LC_ALL=xx",),
        ("ForwardAgent yes", "ForwardX11 yes"),
        ("Compression yes",),
        ("ConnectTimeout 1m",),
        ("ControlMaster auto", "ControlPath /nowhere/%C"),
        ("LocalForward 1 localhost:1", "RemoteForward 1 localhost:1", "DynamicForward 1", "Tunnel yes"),
    ],
    ids=lambda lines: lines[0],
)
async def test_a_configuration_meant_for_interactive_use_does_no_harm(trusted: Sshd, lines: tuple[str, ...]) -> None:
    trusted.configure_client(*lines)
    assert await works(trusted)
    for unwanted in ("pty-req", "auth-agent-req", "x11-req", "Setting env", "tcpip-forward", "tun@"):
        assert unwanted not in trusted.log


async def test_a_banner_in_another_encoding_is_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "banner").write_bytes(b"caf\xe9 \x1b[2J" + b"x" * 5000)
    with running_sshd(tmp_path / "sshd", f"Banner {tmp_path / 'banner'}") as server:
        assert await works(server)


async def test_a_proxy_command_is_run_as_ssh_runs_it(trusted: Sshd) -> None:
    trusted.configure_client(f"ProxyCommand {RELAY} %h %p 2>/dev/null")
    assert await works(trusted)


# ------------------------------------------------------------------ jump hosts


@pytest.fixture
def jump(tmp_path: Path, trusted: Sshd) -> Iterator[Sshd]:
    """A second server, `gate`, whose key nobody knows; `trusted` is reached through it."""
    with running_sshd(tmp_path / "gate", trusted=False) as gate:
        lines = gate.config.read_text().replace("Host box", "Host gate")
        trusted.configure_client()
        trusted.config.write_text(trusted.config.read_text() + lines)
        yield gate


async def test_a_jump_host_is_asked_for_by_its_name_and_gets_the_same_checks(trusted: Sshd, jump: Sshd) -> None:
    with pytest.raises(HostKeyUnknown):
        await log_in(trusted, jump="gate")
    asker = Answers(["yes"])
    assert await works(trusted, asker, jump="gate")
    assert [(one.host, one.details["fingerprint"]) for one in asker.asked] == [
        ("gate", jump.host_key.get_fingerprint())
    ]
    assert "direct-tcpip" in jump.log


async def test_a_jump_host_of_the_configuration_is_used(trusted: Sshd, jump: Sshd) -> None:
    jump.trust()
    trusted.config.write_text("Host box\nProxyJump gate\n" + trusted.config.read_text())
    assert await works(trusted)
    assert "direct-tcpip" in jump.log


async def test_the_target_behind_a_known_jump_host_is_asked_for_by_its_own_name(trusted: Sshd, jump: Sshd) -> None:
    jump.trust()
    trusted.known_hosts.write_text("")
    asker = Answers(["yes"])
    assert await works(trusted, asker, jump="gate")
    assert [(one.host, one.details["fingerprint"]) for one in asker.asked] == [
        ("box", trusted.host_key.get_fingerprint())
    ]


async def test_both_unknown_are_asked_for_in_their_order_and_a_no_stops_before_the_next(
    trusted: Sshd, jump: Sshd
) -> None:
    trusted.known_hosts.write_text("")
    asker = Answers(["no"])
    with pytest.raises(HostKeyUnknown, match="gate"):
        await log_in(trusted, asker, jump="gate")
    assert "userauth-request" not in jump.log
    asker = Answers(["yes", "yes"])
    assert await works(trusted, asker, jump="gate")
    assert [one.host for one in asker.asked] == ["gate", "box"]


async def test_a_jump_host_with_a_changed_key_is_named(trusted: Sshd, jump: Sshd) -> None:
    jump.trust(asyncssh.generate_private_key("ssh-ed25519"))
    with pytest.raises(HostKeyChanged, match="gate") as changed:
        await log_in(trusted, jump="gate")
    assert f"{jump.known_hosts}:1" in str(changed.value)


async def test_a_jump_host_that_refuses_the_login_is_named(trusted: Sshd, jump: Sshd, tmp_path: Path) -> None:
    jump.trust()
    text = trusted.config.read_text().replace(str(jump.client_key), str(make_key(tmp_path / "stranger")))
    trusted.config.write_text(text)
    # As with ssh, a key named on the command line is for the target.
    with pytest.raises(LoginRefused, match=r"@gate .*tried .*stranger; "):
        await log_in(trusted, jump="gate", identity_files=(str(jump.client_key),))


async def test_a_jump_host_that_wants_a_password_is_named_in_the_question(trusted: Sshd, tmp_path: Path) -> None:
    asker = Answers(["hunter2"])
    async with doorman(tmp_path, "hunter2") as given:
        gate = Path(given.config_file or "").read_text().replace("Host box", "Host gate")
        trusted.config.write_text(trusted.config.read_text() + gate)
        assert await works(trusted, asker, jump="gate")
    assert [(one.kind, one.host) for one in asker.asked] == [("password", "gate")]
    assert "me on gate" in asker.asked[0].text


async def test_a_target_that_the_jump_host_cannot_reach_is_told(trusted: Sshd, jump: Sshd) -> None:
    jump.trust()
    trusted.process.terminate()
    await asyncio.to_thread(trusted.process.wait)
    with pytest.raises(ConnectError, match="the jump host cannot reach it: box"):
        await log_in(trusted, jump="gate")


# ------------------------------------------------------------------ how it is connected


async def test_a_proxy_command_ends_with_the_connection(trusted: Sshd, tmp_path: Path) -> None:
    trusted.configure_client(f"ProxyCommand sh -c 'echo $$ > {tmp_path / 'pid'}; exec {RELAY} %h %p'")
    host = await log_in(trusted)
    pid = int((tmp_path / "pid").read_text())
    assert Path(f"/proc/{pid}").exists()
    await host.aclose()
    assert not Path(f"/proc/{pid}").exists()


async def test_another_try_is_made_where_the_configuration_allows_it(
    trusted: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "RETRY_PAUSE", 0)
    connect, tries = transport._connect_socket, []

    async def failing_once(*given: object) -> socket.socket:
        tries.append(given)
        if len(tries) == 1:
            raise ConnectionRefusedError
        return await connect(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(transport, "_connect_socket", failing_once)
    with pytest.raises(ConnectError):
        await log_in(trusted)
    tries.clear()
    trusted.configure_client("ConnectionAttempts 2")
    assert await works(trusted)
    assert len(tries) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="needs more than one address on the loopback interface")
async def test_the_address_to_connect_from_is_that_of_the_configuration(trusted: Sshd) -> None:
    trusted.configure_client("BindAddress 127.0.0.5")
    assert await works(trusted)
    assert "Connection from 127.0.0.5" in trusted.log


async def test_signs_of_life_are_asked_for_as_the_configuration_says() -> None:
    hop, interview = Hop("box", "box", 22, "me"), Interview(None, "box")
    known = KnownHosts((), "box")
    usual = transport.connection_options(hop, known, Client(hop, known, interview))
    # A connection that is gone is noticed within 20 seconds.
    assert usual.keepalive_interval * (usual.keepalive_count_max + 1) <= 20
    hop = replace(hop, alive_seconds=40, alive_count=2)
    own = transport.connection_options(hop, known, Client(hop, known, interview))
    assert (own.keepalive_interval, own.keepalive_count_max) == (40, 2)


# ------------------------------------------------------------------ no server


@asynccontextmanager
async def listener(answer: bytes | None) -> AsyncIterator[Address]:
    """Something that listens and is no SSH server; None says nothing at all."""
    closed: list[asyncio.StreamWriter] = []

    def accept(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        closed.append(writer)
        if answer is not None:
            writer.write(answer)
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    yield Address("127.0.0.1", "me", server.sockets[0].getsockname()[1])
    server.close()
    for writer in closed:
        writer.close()


PLAIN = SshOptions(config_file="/dev/null", no_input=True)


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 100_000], ids=["closes", "http", "binary"]
)
async def test_something_else_than_ssh_is_told(answer: bytes) -> None:
    async with listener(answer) as address:
        with pytest.raises(ConnectError, match="no SSH connection"):
            await open_ssh(address, PLAIN, None)


async def test_a_silent_port_is_told_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "HANDSHAKE", 0.2)
    async with listener(None) as address:
        with pytest.raises(ConnectError, match="no SSH server answers"):
            await open_ssh(address, PLAIN, None)


async def test_a_closed_port_is_told() -> None:
    async with listener(b"") as address:
        pass
    with pytest.raises(ConnectError, match="refused"):
        await open_ssh(address, PLAIN, None)


async def test_an_unknown_name_is_told() -> None:
    with pytest.raises(ConnectError, match="not known"):
        await open_ssh(Address("no-such-host.invalid", "me"), PLAIN, None)


async def test_the_time_to_connect_is_that_of_the_configuration(tmp_path: Path) -> None:
    async with listener(None) as address:
        (tmp_path / "config").write_text("Host *\nConnectTimeout 1\n")
        with pytest.raises(ConnectError, match="no SSH server answers"):
            await open_ssh(address, SshOptions(config_file=str(tmp_path / "config")), None)


async def test_a_server_that_hangs_up_on_our_algorithms_is_told_apart() -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-deaf\r\n")
        await reader.readuntil(b"\r\n")
        await reader.read(1)  # of the list of algorithms
        writer.close()

    async with await asyncio.start_server(deaf, "127.0.0.1", 0) as server:
        address = Address("127.0.0.1", "me", server.sockets[0].getsockname()[1])
        with pytest.raises(ConnectError, match=r"perhaps no common algorithm.*--transport ssh"):
            await open_ssh(address, replace(PLAIN, transport="asyncssh"), None)


async def test_a_server_that_takes_no_more_logins_is_told_apart(tmp_path: Path) -> None:
    with (
        running_sshd(tmp_path / "sshd", "MaxStartups 1:100:1") as server,
        socket.create_connection(("127.0.0.1", server.port)) as half_open,
    ):
        assert half_open.recv(4) == b"SSH-"
        with pytest.raises(ConnectError, match=r"hung up at once.*MaxStartups"):
            await log_in(server)
