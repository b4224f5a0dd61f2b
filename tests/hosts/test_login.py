"""Logging in: who is trusted, what is offered, who is asked, and what a failure says."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import ConnectError, HostError, HostKeyChanged, HostKeyUnknown, LoginRefused
from sondage.hosts import deadline
from sondage.hosts.base import Address, Question, SshOptions
from sondage.hosts.interview import Interview
from sondage.hosts.known_hosts import KnownHosts
from sondage.hosts.login import _Attempt, _Client
from sondage.hosts.resolve import Hop
from sondage.hosts.ssh import SshHost, open_ssh
from support.sshd import Sshd, running_sshd

from .conftest import request


@dataclass
class Answers:
    """An asker that gives these answers in order, and remembers what it was asked."""

    answers: list[str | None] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    async def __call__(self, question: Question) -> str | None:
        self.asked.append(question)
        return self.answers.pop(0) if self.answers else None

    @property
    def kinds(self) -> list[str]:
        return [question.kind for question in self.asked]


def options(server: Sshd, **fields: object) -> SshOptions:
    return SshOptions(config_file=str(server.config), **fields)  # type: ignore[arg-type]


async def log_in(server: Sshd, asker: Answers | None = None, **fields: object) -> SshHost:
    return await open_ssh(Address("box"), options(server, **fields), asker)


async def works(server: Sshd, asker: Answers | None = None, **fields: object) -> bool:
    host = await log_in(server, asker, **fields)
    found = await host.list(request(server.folder, patterns=(b"client_config",)))
    await host.aclose()
    return len(found.files) == 1


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    with running_sshd(tmp_path / "sshd", trusted=False) as running:
        yield running


@pytest.fixture
def trusted(tmp_path: Path) -> Iterator[Sshd]:
    with running_sshd(tmp_path / "sshd") as running:
        yield running


def make_key(path: Path, passphrase: str = "", *form: str) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", path, *form], check=True)
    return path


# ------------------------------------------------------------------ host keys


async def test_an_unknown_host_key_stops_before_any_credential_is_sent(server: Sshd) -> None:
    with pytest.raises(HostKeyUnknown) as unknown:
        await log_in(server)
    assert unknown.value.key_type == "ssh-ed25519"
    assert unknown.value.fingerprint == server.host_key.get_fingerprint()
    assert "userauth-request" not in server.log
    assert server.known_hosts.read_text() == ""


@pytest.mark.parametrize("answer", [None, "no", "", "YES", "y"])
async def test_anything_but_yes_means_no(server: Sshd, answer: str | None) -> None:
    with pytest.raises(HostKeyUnknown):
        await log_in(server, Answers([answer]))
    assert "userauth-request" not in server.log
    assert server.known_hosts.read_text() == ""


async def test_yes_records_the_key_and_goes_on_and_nobody_is_asked_again(server: Sshd) -> None:
    asker = Answers(["yes"])
    assert await works(server, asker)
    (question,) = asker.asked
    assert (question.kind, question.host) == ("host_key", "box")
    assert question.details == {
        "type": "ssh-ed25519",
        "fingerprint": server.host_key.get_fingerprint(),
        "known_hosts": str(server.known_hosts),
    }
    line = server.known_hosts.read_text().split()
    assert line[:2] == [f"[127.0.0.1]:{server.port}", "ssh-ed25519"]
    assert await works(server)
    # What was recorded is what ssh itself understands.
    plain = ["ssh", "-F", str(server.config), "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "box", "true"]
    done = await asyncio.to_thread(subprocess.run, plain, check=False, capture_output=True)
    assert done.returncode == 0


async def test_a_hashed_entry_is_written_where_the_configuration_wants_it(server: Sshd) -> None:
    server.configure_client("HashKnownHosts yes")
    assert await works(server, Answers(["yes"]))
    assert server.known_hosts.read_text().startswith("|1|")
    assert await works(server)


async def test_without_a_file_a_yes_counts_for_this_connection(server: Sshd) -> None:
    server.configure_client("UserKnownHostsFile none")
    assert await works(server, Answers(["yes"]))
    with pytest.raises(HostKeyUnknown):
        await log_in(server)


async def test_strict_checking_refuses_without_asking(server: Sshd) -> None:
    server.configure_client("StrictHostKeyChecking yes")
    asker = Answers(["yes"])
    with pytest.raises(HostKeyUnknown):
        await log_in(server, asker)
    assert asker.asked == []


async def test_switched_off_checking_is_not_switched_off_here(server: Sshd) -> None:
    server.configure_client("StrictHostKeyChecking no", "UserKnownHostsFile /dev/null")
    with pytest.raises(HostKeyUnknown):
        await log_in(server)


async def test_a_changed_host_key_is_a_hard_stop_that_names_both_and_the_line(server: Sshd) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519")
    server.trust(other)
    asker = Answers(["yes"])
    with pytest.raises(HostKeyChanged) as changed:
        await log_in(server, asker)
    for part in (server.host_key.get_fingerprint(), other.get_fingerprint(), f"{server.known_hosts}:1"):
        assert part in str(changed.value)
    assert asker.asked == []
    assert "userauth-request" not in server.log


async def test_a_revoked_host_key_is_a_hard_stop(server: Sshd) -> None:
    server.trust()
    recorded = server.known_hosts.read_text()
    server.known_hosts.write_text(recorded + "@revoked * " + recorded.split(" ", 1)[1])
    with pytest.raises(HostKeyChanged, match="revoked"):
        await log_in(server)


async def test_another_type_of_key_than_the_recorded_one_is_asked_for_first(tmp_path: Path) -> None:
    rsa = make_key(tmp_path / "rsa_host", "", "-t", "rsa")
    with running_sshd(tmp_path / "sshd", f"HostKey {rsa}") as server:
        server.trust(asyncssh.read_public_key(f"{rsa}.pub"))
        assert await works(server)


async def test_a_host_certificate_of_a_trusted_authority_is_believed(tmp_path: Path) -> None:
    authority = make_key(tmp_path / "ca")
    folder = tmp_path / "sshd"
    with running_sshd(folder, f"HostCertificate {folder / 'host_key-cert.pub'}", trusted=False) as server:
        sign = ["ssh-keygen", "-q", "-s", authority, "-I", "host", "-h", "-n", "127.0.0.1", folder / "host_key.pub"]
        await asyncio.to_thread(subprocess.run, sign, check=True)
        server.known_hosts.write_text(f"@cert-authority * {(tmp_path / 'ca.pub').read_text()}")
        with running_sshd(
            folder / "again", f"HostKey {folder / 'host_key'}", f"HostCertificate {folder / 'host_key-cert.pub'}"
        ) as certified:
            certified.known_hosts.write_text(server.known_hosts.read_text())
            assert await works(certified)


async def test_the_verifiers_are_plain_functions_that_return_a_bool() -> None:
    key = asyncssh.generate_private_key("ssh-ed25519").convert_to_public()
    attempt = _Attempt(Hop("box", "box", 22, "me"), KnownHosts((), "box"), Interview(None, "box"))
    for verifier in (_Client.validate_host_public_key, _Client.validate_host_ca_key):
        assert not inspect.iscoroutinefunction(verifier)
        assert verifier(attempt.client, "box", "", 22, key) is False
    attempt.known = attempt.known.with_key(key.get_algorithm(), key.public_data)
    assert attempt.client.validate_host_public_key("box", "", 22, key) is True


# ------------------------------------------------------------------ keys


async def test_a_key_the_server_does_not_know_is_refused_and_the_message_says_what_was_tried(
    trusted: Sshd, tmp_path: Path
) -> None:
    trusted.configure_client(key=make_key(tmp_path / "stranger"))
    with pytest.raises(LoginRefused) as refused:
        await log_in(trusted)
    assert "stranger" in refused.value.hint
    assert "publickey" in refused.value.hint


async def test_no_key_at_all_is_said(trusted: Sshd, tmp_path: Path) -> None:
    trusted.configure_client(key=tmp_path / "nowhere")
    with pytest.raises(LoginRefused, match="no key to try"):
        await log_in(trusted)


async def test_a_key_named_on_the_command_line_is_used(trusted: Sshd, tmp_path: Path) -> None:
    trusted.configure_client(key=tmp_path / "nowhere")
    assert await works(trusted, identity_files=(str(trusted.client_key),))


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Adds a key to a running agent, whose socket is `agent` in the test's folder."""
    socket = tmp_path / "agent"
    process = subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()

    def add(key: Path) -> None:
        environment = {**os.environ, "SSH_AUTH_SOCK": str(socket)}
        subprocess.run(["ssh-add", "-q", key], check=True, env=environment, stdin=subprocess.DEVNULL)

    yield add
    process.terminate()
    process.wait(10)
    process.stdout.close()


async def test_the_agent_signs(trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None]) -> None:
    agent(trusted.client_key)
    trusted.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'agent'}", key=tmp_path / "nowhere")
    assert await works(trusted)


async def test_the_public_half_of_a_key_of_the_agent_is_enough_to_name_it(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None]
) -> None:
    agent(trusted.client_key)
    trusted.configure_client(f"IdentityAgent {tmp_path / 'agent'}", key=Path(f"{trusted.client_key}.pub"))
    assert await works(trusted)


async def test_the_named_key_is_tried_before_the_many_of_the_agent(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None]
) -> None:
    for number in range(8):
        agent(make_key(tmp_path / f"other{number}"))
    trusted.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'agent'}")
    assert await works(trusted)


async def test_an_agent_with_many_keys_does_not_use_up_all_tries(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None]
) -> None:
    for number in range(8):
        agent(make_key(tmp_path / f"other{number}"))
    trusted.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'agent'}", key=tmp_path / "nowhere")
    with pytest.raises(LoginRefused, match="only 5 keys were tried"):
        await log_in(trusted)


async def test_an_agent_that_never_answers_is_given_up(
    trusted: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "AGENT", 0.1)
    silent = await asyncio.start_unix_server(lambda reader, writer: None, tmp_path / "agent")
    trusted.configure_client(f"IdentityAgent {tmp_path / 'agent'}")
    assert await works(trusted)
    silent.close()


async def test_a_missing_agent_is_no_trouble(trusted: Sshd, tmp_path: Path) -> None:
    trusted.configure_client(f"IdentityAgent {tmp_path / 'nowhere'}")
    assert await works(trusted)


@pytest.fixture(params=["openssh", "pem", "without its public file"])
def locked(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sshd]:
    """A server that lets in an encrypted key only; its passphrase is `open sesame`."""
    key = make_key(tmp_path / "locked", "open sesame", *(("-t", "rsa", "-m", "PEM") if request.param == "pem" else ()))
    with running_sshd(tmp_path / "sshd", f"AuthorizedKeysFile {tmp_path / 'authorized'}") as server:
        (tmp_path / "locked.pub").rename(tmp_path / "authorized")
        if request.param == "openssh":
            (tmp_path / "locked.pub").write_bytes((tmp_path / "authorized").read_bytes())
        server.configure_client(key=key)
        yield server


async def test_the_passphrase_may_be_mistyped_twice(locked: Sshd, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    asker = Answers(["wrong", "", "open sesame"])
    assert await works(locked, asker)
    assert asker.kinds == ["passphrase"] * 3
    assert "open sesame" not in caplog.text


async def test_three_wrong_passphrases_are_enough(locked: Sshd) -> None:
    asker = Answers(["wrong"] * 9)
    with pytest.raises(LoginRefused):
        await log_in(locked, asker)
    assert len(asker.asked) == 3


async def test_giving_up_ends_the_login(locked: Sshd) -> None:
    with pytest.raises(LoginRefused, match="given up"):
        await log_in(locked, Answers([None]))


async def test_when_nobody_can_be_asked_the_message_says_what_was_needed(locked: Sshd) -> None:
    asker = Answers(["open sesame"])
    with pytest.raises(LoginRefused, match="needs a passphrase"):
        await log_in(locked, asker, no_input=True)
    assert asker.asked == []


async def test_no_passphrase_is_asked_for_a_key_the_server_does_not_want(trusted: Sshd, tmp_path: Path) -> None:
    asker = Answers()
    trusted.configure_client(key=make_key(tmp_path / "stranger", "secret"))
    with pytest.raises(LoginRefused):
        await log_in(trusted, asker)
    assert asker.asked == []


# ------------------------------------------------------------------ passwords


class Doorman(asyncssh.SSHServer):
    """Lets in whoever knows the words."""

    words: tuple[str, ...] = ()
    prompts: tuple[tuple[str, bool], ...] = ()

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return not self.prompts

    def validate_password(self, username: str, password: str) -> bool:
        return (password,) == self.words

    def kbdint_auth_supported(self) -> bool:
        return bool(self.prompts)

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> object:
        return "name\x1b[31m", "instructions\u202e", "", list(self.prompts)

    def validate_kbdint_response(self, username: str, responses: list[str]) -> bool:
        return tuple(responses) == self.words


@asynccontextmanager
async def doorman(
    tmp_path: Path, *words: str, prompts: tuple[tuple[str, bool], ...] = (), **fields: object
) -> AsyncIterator[SshOptions]:
    """The options of a client for a server that asks for these words."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    kind = type("Words", (Doorman,), {"words": words, "prompts": prompts})
    server = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=kind, server_host_keys=[key], config=[], gss_host=None, **fields
    )
    port = server.get_port()
    (tmp_path / "known_hosts").write_text(f"[127.0.0.1]:{port} {key.export_public_key().decode()}")
    lines = [
        "Host box",
        "HostName 127.0.0.1",
        f"Port {port}",
        "User me",
        f"UserKnownHostsFile {tmp_path / 'known_hosts'}",
    ]
    lines += ["GlobalKnownHostsFile /dev/null", "IdentityFile none", "IdentitiesOnly yes", "IdentityAgent none"]
    (tmp_path / "config").write_text("\n".join(lines) + "\n")
    try:
        yield SshOptions(config_file=str(tmp_path / "config"))
    finally:
        server.close()
        await server.wait_closed()


async def test_a_password_may_be_mistyped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    asker = Answers(["wrong", "hunter2"])
    async with doorman(tmp_path, "hunter2") as given:
        await (await open_ssh(Address("box"), given, asker)).aclose()
    assert asker.kinds == ["password", "password"]
    assert asker.asked[0].host == "box"
    assert not asker.asked[0].echo
    assert "hunter2" not in caplog.text


async def test_a_password_is_asked_for_three_times_at_most(tmp_path: Path) -> None:
    asker = Answers(["wrong"] * 9)
    async with doorman(tmp_path, "hunter2") as given:
        with pytest.raises(LoginRefused):
            await open_ssh(Address("box"), given, asker)
    assert len(asker.asked) == 3


async def test_keyboard_interactive_asks_what_the_server_asks(tmp_path: Path) -> None:
    asker = Answers(["hunter2", "123456"])
    async with doorman(tmp_path, "hunter2", "123456", prompts=(("Password: ", False), ("Code: ", True))) as given:
        await (await open_ssh(Address("box"), given, asker)).aclose()
    assert [(one.text, one.echo) for one in asker.asked] == [("Password: ", False), ("Code: ", True)]
    assert {one.instructions for one in asker.asked} == {"name\x1b[31m\ninstructions\u202e"}


@pytest.mark.parametrize("prompts", [(), (("Code: ", False),)], ids=["password", "keyboard-interactive"])
async def test_without_input_a_login_that_needs_words_is_refused(
    tmp_path: Path, prompts: tuple[tuple[str, bool], ...]
) -> None:
    asker = Answers(["hunter2"])
    async with doorman(tmp_path, "hunter2", prompts=prompts) as given:
        silent = SshOptions(config_file=given.config_file, no_input=True)
        with pytest.raises(LoginRefused, match="nobody could be asked"):
            await open_ssh(Address("box"), silent, asker)
    assert asker.asked == []


async def test_time_stands_still_while_the_user_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sondage.hosts.login.deadline.HANDSHAKE", 2.0)
    monkeypatch.setattr("sondage.hosts.interview.LOGIN", 5.0)

    async def slow(question: Question) -> str:
        await asyncio.sleep(2.5)
        return "hunter2"

    async with doorman(tmp_path, "hunter2") as given:
        await (await open_ssh(Address("box"), given, slow)).aclose()


async def test_a_server_that_lets_anybody_in_is_not_believed(tmp_path: Path) -> None:
    async with doorman(tmp_path, "x", prompts=()) as given:
        assert given
    key = asyncssh.generate_private_key("ssh-ed25519")
    open_door = type("Open", (asyncssh.SSHServer,), {"begin_auth": lambda self, username: False})
    server = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=open_door, server_host_keys=[key], config=[], gss_host=None
    )
    text = (tmp_path / "config").read_text()
    (tmp_path / "config").write_text(re.sub(r"Port \d+", f"Port {server.get_port()}", text))
    (tmp_path / "known_hosts").write_text(f"[127.0.0.1]:{server.get_port()} {key.export_public_key().decode()}")
    with pytest.raises(HostError):
        await open_ssh(Address("box"), SshOptions(config_file=str(tmp_path / "config")), None)
    server.close()
    await server.wait_closed()


async def test_a_server_that_insists_on_compression_is_refused(tmp_path: Path) -> None:
    async with doorman(tmp_path, "x", compression_algs=["zlib@openssh.com"]) as given:
        with pytest.raises(ConnectError, match="algorithm"):
            await open_ssh(Address("box"), given, Answers(["x"]))


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
        ("LocalForward 1 localhost:1",),
    ],
    ids=lambda lines: lines[0],
)
async def test_a_configuration_meant_for_interactive_use_does_no_harm(trusted: Sshd, lines: tuple[str, ...]) -> None:
    trusted.configure_client(*lines)
    assert await works(trusted)
    for unwanted in ("pty-req", "auth-agent-req", "x11-req", "Setting env"):
        assert unwanted not in trusted.log


async def test_a_banner_in_another_encoding_is_not_fatal(tmp_path: Path) -> None:
    (tmp_path / "banner").write_bytes(b"caf\xe9 \x1b[2J" + b"x" * 5000)
    with running_sshd(tmp_path / "sshd", f"Banner {tmp_path / 'banner'}") as server:
        assert await works(server)


async def test_a_proxy_command_is_run_as_ssh_runs_it(trusted: Sshd, tmp_path: Path) -> None:
    relay = (
        "import socket,sys,threading as t;s=socket.create_connection((sys.argv[1],sys.argv[2]));"
        "t.Thread(target=lambda:[s.sendall(d) for d in iter(lambda:sys.stdin.buffer.raw.read(65536),b'')],daemon=True).start();"
        "[(sys.stdout.buffer.write(d),sys.stdout.flush()) for d in iter(lambda:s.recv(65536),b'')]"
    )
    (tmp_path / "relay.py").write_text(relay)
    trusted.configure_client(f"ProxyCommand python3 {tmp_path / 'relay.py'} %h %p 2>/dev/null")
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
