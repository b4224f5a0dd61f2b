"""Passwords and what else a server asks for while somebody logs in."""

from __future__ import annotations

import re
import subprocess
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncssh
import pytest

from sondage.cli.log import log_failure
from sondage.dig import Settings, open_dig
from sondage.errors import ConnectError, HostError, LoginRefused
from sondage.hosts.base import Address, Question, SshOptions
from sondage.hosts.deadline import Patience
from sondage.hosts.ssh import open_ssh
from sondage.hosts.target import parse_target
from support.sshd import running_sshd

from .logins import Answers, log_in, make_key, options, works


class Doorman(asyncssh.SSHServer):
    """Lets in whoever knows the words, and shows the key first where one is wanted."""

    words: tuple[str, ...] = ()
    prompts: tuple[tuple[str, bool], ...] = ()
    key: asyncssh.SSHKey | None = None
    banner = ""

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.succeed = conn.send_userauth_success

    def connection_requested(self, *_: object) -> bool:
        return True

    def begin_auth(self, username: str) -> bool:
        if self.banner:
            self.connection.send_auth_banner(self.banner)
        return True

    def public_key_auth_supported(self) -> bool:
        return self.key is not None

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        """The right key is half of the login (RFC 4252, 5.1): the next success is answered as a partial one."""
        if self.key is None or key.public_data != self.key.public_data:
            return False

        async def halfway() -> None:
            self.key = None
            self.connection.send_userauth_success = self.succeed  # type: ignore[method-assign]
            self.connection.send_userauth_failure(True)

        self.connection.send_userauth_success = halfway  # type: ignore[method-assign]
        return True

    def password_auth_supported(self) -> bool:
        return not self.prompts and self.key is None

    def validate_password(self, username: str, password: str) -> bool:
        return (password,) == self.words

    def kbdint_auth_supported(self) -> bool:
        return bool(self.prompts) and self.key is None

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> object:
        return "name\x1b[31m", "instructions\u202e", "", list(self.prompts)

    def validate_kbdint_response(self, username: str, responses: list[str]) -> bool:
        return tuple(responses) == self.words


@asynccontextmanager
async def doorman(
    tmp_path: Path,
    *words: str,
    prompts: tuple[tuple[str, bool], ...] = (),
    first: Path | None = None,
    banner: str = "",
    **fields: object,
) -> AsyncIterator[SshOptions]:
    """The options of a client for a server that asks for these words, and for the key in the file `first` before."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    shown = asyncssh.read_public_key(f"{first}.pub") if first else None
    kind = type("Words", (Doorman,), {"words": words, "prompts": prompts, "key": shown, "banner": banner})
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
    lines += ["GlobalKnownHostsFile /dev/null", f"IdentityFile {first or 'none'}", "IdentitiesOnly yes"]
    lines += ["IdentityAgent none"]
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
    limits: list[Patience] = []

    def watched(seconds: float) -> Patience:
        limits.append(Patience(seconds))
        return limits[-1]

    async def asker(question: Question) -> str:
        assert limits[-1]._timer.when() is None
        return "hunter2"

    monkeypatch.setattr("sondage.hosts.login.Patience", watched)
    async with doorman(tmp_path, "hunter2") as given:
        (tmp_path / "config").write_text((tmp_path / "config").read_text() + "ConnectTimeout 30\n")
        await (await open_ssh(Address("box"), given, asker)).aclose()
    assert len(limits) == 1
    assert limits[0]._timer.when() is not None


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


# ------------------------------------------------------------------ two steps


@pytest.mark.parametrize("prompts", [(), (("Code: ", False),)], ids=["password", "keyboard-interactive"])
async def test_a_key_and_then_words(tmp_path: Path, prompts: tuple[tuple[str, bool], ...]) -> None:
    asker = Answers(["wrong", "123456"])
    async with doorman(tmp_path, "123456", prompts=prompts, first=make_key(tmp_path / "me")) as given:
        await (await open_ssh(Address("box"), given, asker)).aclose()
    assert len(asker.asked) == 2


async def test_a_locked_key_and_then_a_password(tmp_path: Path) -> None:
    asker = Answers(["open sesame", "hunter2"])
    async with doorman(tmp_path, "hunter2", first=make_key(tmp_path / "me", "open sesame")) as given:
        await (await open_ssh(Address("box"), given, asker)).aclose()
    assert asker.kinds == ["passphrase", "password"]


async def test_a_server_that_wants_two_keys_gets_two(tmp_path: Path) -> None:
    second = make_key(tmp_path / "second")
    lines = ("AuthenticationMethods publickey,publickey", f"AuthorizedKeysFile {tmp_path / 'authorized'}")
    with running_sshd(tmp_path / "sshd", *lines) as server:
        keys = [Path(f"{key}.pub").read_text() for key in (server.client_key, second)]
        (tmp_path / "authorized").write_text("".join(keys))
        server.configure_client(f"IdentityFile {second}")
        assert await works(server)
        assert "Partial publickey" in server.log


# ------------------------------------------------------------------ what a server says


async def test_what_a_server_says_ahead_is_shown_once_and_not_without_end(tmp_path: Path) -> None:
    asker = Answers(["wrong", "hunter2"])
    async with doorman(tmp_path, "hunter2", banner="For staff only\x1b[2J\n" + "x" * 9999) as given:
        await (await open_ssh(Address("box"), given, asker)).aclose()
    first, second = asker.asked
    assert first.instructions.startswith("For staff only\x1b[2J\nxxx")
    assert len(first.instructions) <= 2000
    assert second.instructions == ""


async def test_a_host_that_changed_its_key_gets_no_password_even_unchecked(tmp_path: Path) -> None:
    asker = Answers(["hunter2"])
    async with doorman(tmp_path, "hunter2") as given:
        other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode()
        known = (tmp_path / "known_hosts").read_text().split()[0]
        (tmp_path / "known_hosts").write_text(f"{known} {other}")
        (tmp_path / "config").write_text((tmp_path / "config").read_text() + "StrictHostKeyChecking no\n")
        with pytest.raises(LoginRefused):
            await open_ssh(Address("box"), given, asker)
    assert asker.asked == []


# ------------------------------------------------------------------ secrets


async def test_no_secret_is_in_a_log_a_transcript_a_cache_or_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "own" / name.lower()))
    caplog.set_level("DEBUG")
    asyncssh.set_debug_level(3)
    secrets = ("open sesame", "hunter2")
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "x.py").write_text("class X: ...\n")
    traces: list[str] = []
    with running_sshd(tmp_path / "sshd") as server:
        subprocess.run(["ssh-keygen", "-q", "-p", "-N", secrets[0], "-f", server.client_key], check=True)
        settings = Settings(ssh=options(server), session="secret", engine="threads", deps="never")
        dig = await open_dig(parse_target(server.target(folder)), settings, asker=Answers([secrets[0]]))
        assert (await dig.refresh(lambda _: None)).files == 1
        await dig.mro("X")
        await dig.aclose()
        with pytest.raises(LoginRefused) as refused:
            await log_in(server, Answers([secrets[1]] * 3))
        traces += traceback.format_exception(refused.value)
        log_failure(refused.value)
    async with doorman(tmp_path, "other") as given:
        with pytest.raises(LoginRefused) as refused:
            await open_ssh(Address("box"), given, Answers([secrets[1]] * 3))
        traces += traceback.format_exception(refused.value)
    written = [path.read_bytes() for path in (tmp_path / "own").rglob("*") if path.is_file()]
    assert any(b'"mro"' in data for data in written)
    for secret in secrets:
        assert secret not in caplog.text
        assert secret not in "".join(traces)
        assert not any(secret.encode() in data for data in written)
