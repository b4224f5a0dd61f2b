"""Which keys are offered, in which order, and what becomes of agents and passphrases."""

from __future__ import annotations

import asyncio
import getpass
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import LoginRefused
from sondage.hosts import deadline
from sondage.hosts.base import Address, Question
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.keys import KeyRing
from sondage.hosts.ssh import open_ssh
from support.sshd import Sshd, running_sshd

from .logins import Answers, log_in, make_key, options, works, write_token


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
    key = make_key(
        tmp_path / "locked", "open sesame", *(("-t", "ecdsa", "-m", "PEM") if request.param == "pem" else ())
    )
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


# ------------------------------------------------------------------ tries that a server counts


@pytest.mark.parametrize("tries", [3, 6])
@pytest.mark.parametrize("named_by", ["its file", "its public half"])
async def test_many_keys_of_an_agent_are_no_trouble_where_the_right_one_is_named(
    tmp_path: Path, agent: Callable[[Path], None], tries: int, named_by: str
) -> None:
    with running_sshd(tmp_path / "sshd", f"MaxAuthTries {tries}") as server:
        for number in range(8):
            agent(make_key(tmp_path / f"other{number}"))
        key = server.client_key
        if named_by == "its public half":
            agent(key)
            key = Path(f"{key}.pub")
        server.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'agent'}", key=key)
        assert await works(server)
        assert "Too many authentication failures" not in server.log


async def test_a_server_that_counts_strictly_is_understood(tmp_path: Path, agent: Callable[[Path], None]) -> None:
    with running_sshd(tmp_path / "sshd", "MaxAuthTries 2") as server:
        for number in range(4):
            agent(make_key(tmp_path / f"other{number}"))
        server.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'agent'}", key=tmp_path / "nowhere")
        with pytest.raises(LoginRefused, match=r"tried .*agent"):
            await log_in(server)


# ------------------------------------------------------------------ agents of all kinds


@pytest.mark.parametrize("setting", ["$MY_AGENT", "${{MY_AGENT}}", "SSH_AUTH_SOCK", "{}"])
async def test_the_agent_is_found_where_the_configuration_says(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    agent(trusted.client_key)
    monkeypatch.setenv("SSH_AUTH_SOCK" if setting == "SSH_AUTH_SOCK" else "MY_AGENT", str(tmp_path / "agent"))
    trusted.configure_client(
        "IdentitiesOnly no", f"IdentityAgent {setting.format(tmp_path / 'agent')}", key=tmp_path / "nowhere"
    )
    assert await works(trusted)


async def test_an_agent_that_is_switched_off_is_not_asked(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent(trusted.client_key)
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    trusted.configure_client("IdentitiesOnly no", "IdentityAgent none", key=tmp_path / "nowhere")
    with pytest.raises(LoginRefused, match="no key to try"):
        await log_in(trusted)


async def test_a_locked_agent_is_named_as_the_reason(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None]
) -> None:
    agent(trusted.client_key)
    (tmp_path / "ask").write_text("#!/bin/sh\necho lock\n")
    (tmp_path / "ask").chmod(0o755)
    asking = {"SSH_ASKPASS": str(tmp_path / "ask"), "SSH_ASKPASS_REQUIRE": "force"}
    environment = {**os.environ, **asking, "SSH_AUTH_SOCK": str(tmp_path / "agent")}
    subprocess.run(["ssh-add", "-x"], check=True, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    trusted.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'agent'}", key=tmp_path / "nowhere")
    with pytest.raises(LoginRefused, match="holds no key, or is locked"):
        await log_in(trusted)


SIGN_REQUEST = 13
"""draft-miller-ssh-agent, 3.6."""


async def test_signing_that_waits_for_a_touch_says_so(
    trusted: Sshd, tmp_path: Path, agent: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A relay before the real agent that holds a wish to sign back until the user has been told.
    monkeypatch.setattr("sondage.hosts.interview.TOUCH", 0.05)
    agent(trusted.client_key)
    told = asyncio.Event()
    hints: list[Question] = []

    async def asker(question: Question) -> None:
        hints.append(question)
        told.set()

    async def relay(near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, onward = await asyncio.open_unix_connection(tmp_path / "agent")
        try:
            while True:
                size = await near.readexactly(4)
                message = await near.readexactly(int.from_bytes(size))
                if message[0] == SIGN_REQUEST:
                    await told.wait()
                onward.write(size + message)
                size = await far.readexactly(4)
                back.write(size + await far.readexactly(int.from_bytes(size)))
        except asyncio.IncompleteReadError:
            onward.close()
            back.close()

    async with await asyncio.start_unix_server(relay, tmp_path / "slow"):
        trusted.configure_client("IdentitiesOnly no", f"IdentityAgent {tmp_path / 'slow'}", key=tmp_path / "nowhere")
        host = await open_ssh(Address("box"), options(trusted), asker)
        await host.aclose()
    assert [(hint.kind, hint.host) for hint in hints] == [("touch", "box")]
    assert "touch the security key" in hints[0].text


async def test_a_key_on_a_device_that_only_openssh_reaches_is_spoken_of(trusted: Sshd, tmp_path: Path) -> None:
    write_token(tmp_path / "token.pub")
    trusted.configure_client(key=tmp_path / "token")
    with pytest.raises(LoginRefused, match=r"token is on a security key.*--transport ssh"):
        await log_in(trusted, transport="asyncssh")


@pytest.mark.parametrize("background", [True, False])
async def test_a_security_key_of_the_agent_is_left_alone_where_nobody_has_asked(
    tmp_path: Path, background: bool
) -> None:
    kind = b"sk-ssh-ed25519@openssh.com"
    blob = b"".join(len(part).to_bytes(4) + part for part in (kind, bytes(32), b"ssh:"))
    # SSH_AGENT_IDENTITIES_ANSWER with one key (draft-miller-ssh-agent, 3.5).
    held = b"\x0c" + (1).to_bytes(4) + b"".join(len(part).to_bytes(4) + part for part in (blob, b"token"))

    async def answer(near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        await near.readexactly(5)
        back.write(len(held).to_bytes(4) + held)
        await near.read()
        back.close()

    async with await asyncio.start_unix_server(answer, tmp_path / "agent"):
        hop = Hop("box", "box", 22, "me", agent=str(tmp_path / "agent"), background=background)
        ring = KeyRing(hop, Interview(None, "box"))
        offered = [pair async for pair in ring.offers()]
        ring.close()
    assert len(offered) == (0 if background else 1)
    assert any("left alone" in note for note in ring.notes) is background


# ------------------------------------------------------------------ certificates


@pytest.fixture(params=["its file", "the agent", "an encrypted file"])
def signed(request: pytest.FixtureRequest, tmp_path: Path, agent: Callable[[Path], None]) -> Iterator[Sshd]:
    """A server that only lets in who has a certificate, and a key `me` with one, which lies in three ways."""
    authority = make_key(tmp_path / "ca")
    key = make_key(tmp_path / "me", "open sesame" if request.param == "an encrypted file" else "")
    name = getpass.getuser()
    subprocess.run(["ssh-keygen", "-q", "-s", authority, "-I", "me", "-n", name, f"{key}.pub"], check=True)
    if request.param == "the agent":
        (tmp_path / "me-cert.pub").rename(tmp_path / "aside")
        agent(key)
        (tmp_path / "aside").rename(tmp_path / "me-cert.pub")
        key.unlink()
    lines = ("AuthorizedKeysFile none", f"TrustedUserCAKeys {authority}.pub")
    with running_sshd(tmp_path / "sshd", *lines) as server:
        yield server


@pytest.mark.parametrize("named", [True, False], ids=["named", "beside the key"])
async def test_a_certificate_lets_in(signed: Sshd, tmp_path: Path, named: bool) -> None:
    own = [f"IdentityAgent {tmp_path / 'agent'}"]
    if named:
        (tmp_path / "me-cert.pub").rename(tmp_path / "badge")
        own.append(f"CertificateFile {tmp_path / 'badge'}")
    signed.configure_client(*own, key=tmp_path / "me")
    assert await works(signed, Answers(["open sesame"]))


# ------------------------------------------------------------------ passphrases


async def test_without_the_package_that_decrypts_nobody_is_asked_again_and_again(
    trusted: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asyncssh.public_key, "_bcrypt_available", False)
    subprocess.run(["ssh-keygen", "-q", "-p", "-N", "open sesame", "-f", trusted.client_key], check=True)
    asker = Answers(["open sesame"] * 3)
    with pytest.raises(LoginRefused, match="install bcrypt"):
        await log_in(trusted, asker)
    assert len(asker.asked) == 1


async def test_as_many_passphrases_are_asked_for_as_the_configuration_says(locked: Sshd, tmp_path: Path) -> None:
    locked.configure_client("NumberOfPasswordPrompts 1", key=tmp_path / "locked")
    asker = Answers(["wrong"] * 3)
    with pytest.raises(LoginRefused):
        await log_in(locked, asker)
    assert len(asker.asked) == 1
