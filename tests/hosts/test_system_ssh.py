"""The way over the user's own `ssh`: the same listings and bytes, the same host, and nothing left when it ends."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import ConnectError, HostError, HostKeyChanged, HostKeyUnknown, LoginRefused
from sondage.hosts.base import Address, Question, SshOptions, TransportChoice
from sondage.hosts.ssh import SLOWER, SshHost, open_ssh
from sondage.hosts.system_ssh import SystemLine
from support.sshd import Sshd, running_sshd

from .conftest import HOSTILE_NAMES, fetch_all, request
from .logins import RELAY, Answers, make_key, write_token

pytestmark = pytest.mark.skipif(not shutil.which("ssh"), reason="needs OpenSSH's client")


async def reach(
    server: Sshd, asker: Answers | None = None, transport: TransportChoice = "ssh", **more: object
) -> SshHost:
    options = SshOptions(config_file=str(server.config), transport=transport, **more)  # type: ignore[arg-type]
    return await open_ssh(Address("box"), options, asker)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    with running_sshd(tmp_path / "sshd") as running:
        yield running


async def check_tree(host: SshHost, tree: Path) -> None:
    got = await fetch_all(host, await host.list(request(tree)))
    assert {path: fetched.data for path, fetched in got.items()} == {b"pkg/" + name: name for name in HOSTILE_NAMES}


async def closes(host: SshHost) -> bool:
    """Always true: for a test that only wants to know that it was reached."""
    await host.aclose()
    return True


# ------------------------------------------------------------------ the same as over a connection of our own


async def test_the_same_host_is_seen_and_the_same_bytes_are_read(server: Sshd, tree: Path) -> None:
    ours, theirs = await reach(server, transport="asyncssh"), await reach(server)
    theirs_listed, ours_listed = await theirs.list(request(tree)), await ours.list(request(tree))
    assert (theirs_listed.files, theirs_listed.notes) == (ours_listed.files, ())
    await check_tree(theirs, tree)
    assert theirs.identity.transport == "tar over ssh"
    assert (theirs.identity.host_key, theirs.identity.user) == (ours.identity.host_key, ours.identity.user)
    for host in (ours, theirs):
        await host.aclose()


async def test_one_login_serves_the_whole_session(server: Sshd, tree: Path) -> None:
    host = await reach(server)
    for _ in range(3):
        await check_tree(host, tree)
    await host.aclose()
    assert server.log.count("Accepted publickey") == 1


async def test_a_host_that_only_speaks_sftp_is_read_that_way(tmp_path: Path, tree: Path) -> None:
    with running_sshd(tmp_path / "sshd", "ForceCommand internal-sftp") as server:
        host = await reach(server)
        assert SLOWER in (await host.list(request(tree))).notes
        await check_tree(host, tree)
        await host.aclose()
        await asyncio.to_thread(server.wait_until_idle)


@pytest.mark.parametrize(
    "lines",
    [
        ("RequestTTY force",),
        ("RemoteCommand echo hello",),
        ("SessionType none", "StdinNull yes"),
        ("ForwardAgent yes", "ForwardX11 yes", "LocalForward 1 localhost:1"),
        ("ControlMaster auto", "ControlPath {}/%C", "ControlPersist yes"),
        ("PermitLocalCommand yes", "LocalCommand touch {}/canary"),
        ("LogLevel DEBUG3", "VisualHostKey yes"),
        ("IgnoreUnknown UseKeychain", "UseKeychain yes"),
    ],
    ids=lambda lines: lines[0],
)
async def test_a_configuration_meant_for_interactive_use_does_no_harm(
    server: Sshd, tree: Path, tmp_path: Path, lines: tuple[str, ...]
) -> None:
    before = set(tmp_path.iterdir())
    server.configure_client(*(line.format(tmp_path) for line in lines))
    host = await reach(server)
    await check_tree(host, tree)
    await host.aclose()
    for unwanted in ("pty-req", "auth-agent-req", "x11-req"):
        assert unwanted not in server.log
    assert set(tmp_path.iterdir()) == before


# ------------------------------------------------------------------ nothing is left


def programs_of(host: SshHost) -> set[int]:
    assert isinstance(host._link, SystemLine)
    return {pipes._transport.get_pid() for pipes in host._link._running}


async def test_nothing_is_left_here_or_there(server: Sshd) -> None:
    host = await reach(server)
    assert await host.ping() > 0
    programs = programs_of(host)
    assert len(programs) == 1
    await host.aclose()
    assert not any(Path(f"/proc/{pid}").exists() for pid in programs)
    await asyncio.to_thread(server.wait_until_idle)


async def test_leaving_a_pull_early_ends_it_on_the_host_and_the_next_one_works(server: Sshd, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(24):
        (folder / f"f{number}.py").write_bytes(os.urandom(1 << 20))
    host = await reach(server)
    listing = await host.list(request(folder))
    batches = host.fetch(listing.root, listing.files)
    await anext(batches)
    await batches.aclose()
    await asyncio.to_thread(server.wait_until_idle)
    assert (await host.list(request(folder))).files == listing.files
    await host.aclose()


async def test_a_host_that_is_busy_answering_is_not_asked_anything_else(server: Sshd, tree: Path) -> None:
    host = await reach(server)
    before = await host.ping()
    listing = await host.list(request(tree))
    batches = host.fetch(listing.root, listing.files)
    await anext(batches)
    assert await host.ping() > 0
    await batches.aclose()
    assert before > 0
    await host.aclose()


async def test_a_killed_server_is_noticed_and_what_is_asked_then_is_an_error(server: Sshd, tree: Path) -> None:
    host = await reach(server)
    server.kill_sessions()
    async with asyncio.timeout(20):
        assert await host.ended()
    with pytest.raises(HostError):
        server.process.terminate()
        await host.list(request(tree))
    await host.aclose()


SESSION = """
import asyncio, sys
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.ssh import open_ssh

async def main():
    host = await open_ssh(Address("box"), SshOptions(config_file=sys.argv[1], transport="ssh"), None)
    print(*(pipes._transport.get_pid() for pipes in host._link._running), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_a_session_that_is_killed_leaves_nothing_either(server: Sshd) -> None:
    session = await asyncio.create_subprocess_exec(
        *[sys.executable, "-c", SESSION, str(server.config)], stdout=asyncio.subprocess.PIPE
    )
    assert session.stdout
    program = Path(f"/proc/{int(await session.stdout.readline())}/cmdline")
    assert program.read_bytes().startswith(b"ssh")
    session.kill()
    await session.wait()
    await asyncio.to_thread(server.wait_until_idle)
    # Its last act was to hang up; what is left of it is at most what nobody has asked for the exit status of.
    async with asyncio.timeout(20):
        while program.exists() and program.read_bytes():
            await asyncio.sleep(0)


# ------------------------------------------------------------------ who answers, and who is let in


async def test_an_unknown_host_key_is_asked_about_before_ssh_is_let_loose(tmp_path: Path) -> None:
    with running_sshd(tmp_path / "sshd", trusted=False) as server:
        with pytest.raises(HostKeyUnknown):
            await reach(server)
        assert "Accepted" not in server.log
        asker = Answers(["yes"])
        host = await reach(server, asker)
        assert asker.asked[0].details["fingerprint"] == host.identity.host_key == server.host_key.get_fingerprint()
        await host.aclose()


async def test_a_changed_host_key_is_a_hard_stop(server: Sshd) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    server.trust(other)
    with pytest.raises(HostKeyChanged) as changed:
        await reach(server)
    for part in (server.host_key.get_fingerprint(), other.get_fingerprint(), f"{server.known_hosts}:1"):
        assert part in str(changed.value)
    assert "Accepted" not in server.log


async def test_only_the_key_that_is_named_is_accepted(tmp_path: Path) -> None:
    # The other recorded key is good for ssh; but then the cache would be kept under a key that nobody has shown.
    second = make_key(tmp_path / "second", "", "-t", "ecdsa")
    with running_sshd(tmp_path / "sshd", f"HostKey {second}") as server:
        both = server.known_hosts.read_text() + f"[127.0.0.1]:{server.port} {Path(f'{second}.pub').read_text()}"
        server.known_hosts.write_text(both)
        host = await reach(server)
        assert host.identity.host_key == server.host_key.get_fingerprint()
        await host.aclose()
        server.known_hosts.write_text(both.replace(server.host_key.export_public_key().decode().split()[1], "AAAA"))
        with pytest.raises(HostKeyChanged):
            await reach(server)


async def test_two_recorded_keys_of_one_type_are_both_named(server: Sshd) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    line = f"[127.0.0.1]:{server.port} {other.export_public_key().decode()}"
    server.known_hosts.write_text(server.known_hosts.read_text() + line)
    host = await reach(server)
    assert set(host.identity.host_key.split(" or ")) == {server.host_key.get_fingerprint(), other.get_fingerprint()}
    await host.aclose()


async def test_without_a_recorded_key_nobody_pretends_to_know_the_host(server: Sshd) -> None:
    server.configure_client("StrictHostKeyChecking no", "UserKnownHostsFile /dev/null")
    with pytest.raises(HostError, match="host key"):
        await reach(server)
    assert "Accepted" not in server.log


async def test_a_login_that_is_refused_says_what_ssh_says(server: Sshd, tmp_path: Path) -> None:
    server.configure_client(key=make_key(tmp_path / "stranger"))
    with pytest.raises(LoginRefused, match=r"Permission denied \(publickey\)"):
        await reach(server)


async def test_a_host_that_is_not_there_says_so(server: Sshd) -> None:
    server.process.terminate()
    await asyncio.to_thread(server.process.wait)
    with pytest.raises(ConnectError, match="refused"):
        await reach(server)


async def test_without_the_program_it_is_an_error_that_names_the_other_way(
    server: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(ConnectError, match="--transport asyncssh"):
        await reach(server)


async def test_jump_hosts_are_passed_by_ssh_itself(server: Sshd, tree: Path, tmp_path: Path) -> None:
    with running_sshd(tmp_path / "gate", trusted=False) as gate:
        lines = gate.config.read_text().replace("Host box", "Host gate")
        server.config.write_text(server.config.read_text() + lines)
        with pytest.raises(HostKeyUnknown, match="gate"):
            await reach(server, jump="gate")
        asker = Answers(["yes"])
        host = await reach(server, asker, jump="gate")
        assert [one.host for one in asker.asked if one.kind == "host_key"] == ["gate"]
        await check_tree(host, tree)
        await host.aclose()
        assert "direct-tcpip" in gate.log
        await asyncio.to_thread(gate.wait_until_idle)


# ------------------------------------------------------------------ when it is chosen by itself


@contextmanager
def open_connection(server: Sshd, socket: Path) -> Iterator[None]:
    """What the user's own `ssh` holds open (ControlMaster)."""
    command = ["ssh", "-F", str(server.config), "-N", "-o", "ControlMaster=yes", "-o", f"ControlPath={socket}", "box"]
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert program.poll() is None
        yield
    finally:
        program.kill()
        program.wait()


async def test_an_open_connection_of_the_user_is_shared_and_nobody_logs_in_again(
    server: Sshd, tree: Path, tmp_path: Path
) -> None:
    socket = tmp_path / "cm"
    server.configure_client(f"ControlPath {socket}")
    with open_connection(server, socket):
        host = await reach(server, transport="auto")
        assert "over the program ssh: it holds a connection open" in (await host.list(request(tree))).notes[0]
        await check_tree(host, tree)
        assert host.identity.host_key == server.host_key.get_fingerprint()
        await host.aclose()
        assert server.log.count("Accepted publickey") == 1
    again = await reach(server, transport="auto")
    assert again.identity.transport == "tar over exec"
    await again.aclose()


async def test_an_open_connection_that_is_stale_is_no_reason(server: Sshd, tmp_path: Path) -> None:
    server.configure_client(f"ControlPath {tmp_path / 'cm'}")
    (tmp_path / "cm").touch()
    host = await reach(server, transport="auto")
    assert host.identity.transport == "tar over exec"
    await host.aclose()


@pytest.mark.parametrize("keyword", ["PKCS11Provider", "SecurityKeyProvider"])
async def test_a_library_that_signs_is_left_to_ssh(server: Sshd, tree: Path, keyword: str) -> None:
    server.configure_client(f"{keyword} /nowhere/lib.so")
    host = await reach(server, transport="auto")
    assert (await host.list(request(tree))).notes == (f"over the program ssh: {keyword} in the SSH configuration",)
    await host.aclose()
    ours = await reach(server, transport="asyncssh")
    assert ours.identity.transport == "tar over exec"
    await ours.aclose()
    # It may wait for a touch, and nobody has asked for a connection.
    with pytest.raises(LoginRefused, match="somebody to touch"):
        await reach(server, transport="auto", background=True)


@pytest.mark.parametrize("has_ticket", [True, False])
async def test_a_ticket_is_used_where_the_server_takes_it_and_no_key_was_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_ticket: bool
) -> None:
    (tmp_path / "klist").write_text(f"#!/bin/sh\nexit {int(not has_ticket)}\n")
    (tmp_path / "klist").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    # There is no Kerberos here: keys stand in for what the server takes, and ssh's own words tell who tried last.
    monkeypatch.setattr("sondage.hosts.tickets.METHOD", "publickey")
    with running_sshd(tmp_path / "sshd") as server:
        server.configure_client("GSSAPIAuthentication yes")
        host = await reach(server, transport="auto")
        assert host.identity.transport == "tar over exec"
        await host.aclose()
        server.configure_client("GSSAPIAuthentication yes", key=make_key(tmp_path / "stranger"))
        words = "Permission denied" if has_ticket else "tried .*stranger"
        with pytest.raises(LoginRefused, match=words):
            await reach(server, transport="auto")


async def test_revoked_keys_in_a_binary_list_are_left_to_ssh(server: Sshd, tree: Path, tmp_path: Path) -> None:
    other = make_key(tmp_path / "other")
    subprocess.run(["ssh-keygen", "-q", "-k", "-f", tmp_path / "krl", f"{other}.pub"], check=True)
    server.configure_client(f"RevokedHostKeys {tmp_path / 'krl'}")
    host = await reach(server, transport="auto")
    await check_tree(host, tree)
    await host.aclose()
    subprocess.run(["ssh-keygen", "-q", "-k", "-f", tmp_path / "krl", f"{server.folder / 'host_key'}.pub"], check=True)
    with pytest.raises(HostKeyChanged):
        await reach(server, transport="auto")


async def test_a_login_that_waits_for_a_touch_says_so(
    server: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The way there is only open once the user has been told.
    monkeypatch.setattr("sondage.hosts.interview.TOUCH", 0.05)
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def asker(question: Question) -> None:
        assert (question.kind, question.host) == ("touch", "box")
        await asyncio.to_thread(gate.write_text, "open")

    server.configure_client(
        "PKCS11Provider /nowhere/lib.so", f"ProxyCommand sh -c 'cat {gate} >&2; exec {RELAY} %h %p'"
    )
    host = await open_ssh(Address("box"), SshOptions(config_file=str(server.config)), asker)
    await host.aclose()


async def test_a_key_on_a_device_is_left_to_ssh(server: Sshd, tmp_path: Path) -> None:
    # There is no device here; it is ssh's own words that tell who tried last.
    write_token(tmp_path / "token.pub")
    server.configure_client(key=tmp_path / "token")
    with pytest.raises(LoginRefused, match="Permission denied"):
        await reach(server, transport="auto")
    with pytest.raises(LoginRefused, match="is on a security key"):
        await reach(server, transport="asyncssh")


async def test_an_algorithm_of_old_that_the_configuration_allows_is_left_to_ssh(tmp_path: Path, tree: Path) -> None:
    with running_sshd(tmp_path / "sshd", "Ciphers aes256-cbc") as server:
        server.configure_client("Ciphers aes256-cbc")
        host = await reach(server, transport="auto")
        await check_tree(host, tree)
        await host.aclose()
        with pytest.raises(ConnectError, match=r"no common algorithm.*--transport ssh"):
            await reach(server, transport="asyncssh")
