"""A login that does not wait for known answers ends as one that does, with whatever a server wants and whenever."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncssh
import pytest

from sondage.errors import LoginRefused
from sondage.hosts.base import Address, Question, SshOptions
from sondage.hosts.ssh import open_ssh
from support.sshd import running_sshd

from .logins import Answers, log_in, make_key, works


class Porter(asyncssh.SSHServer):
    """Takes a password first, and only then the key of `guest`."""

    guest: asyncssh.SSHKey
    seen: list[str]

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.knows_word = False

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return self.knows_word

    def password_auth_supported(self) -> bool:
        return not self.knows_word

    def kbdint_auth_supported(self) -> bool:
        return False

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return key.public_data == self.guest.public_data

    def validate_password(self, username: str, password: str) -> bool:
        """The right word is half of the login (RFC 4252, 5.1): the success of it is answered as a partial one."""
        succeed = self.connection.send_userauth_success

        async def halfway() -> None:
            self.knows_word = True
            self.connection.send_userauth_success = succeed  # type: ignore[method-assign]
            self.connection.send_userauth_failure(True)

        if password == "word":
            self.connection.send_userauth_success = halfway  # type: ignore[method-assign]
        return password == "word"


@asynccontextmanager
async def porter(tmp_path: Path, key: Path, base: type[Porter] = Porter) -> AsyncIterator[SshOptions]:
    """The options of a client for a server that wants a password and then this key."""
    host_key = asyncssh.generate_private_key("ssh-ed25519")
    kind = type("Own", (base,), {"guest": asyncssh.read_public_key(f"{key}.pub")})
    server = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=kind, server_host_keys=[host_key], config=[], gss_host=None
    )
    port = server.get_port()
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{port} {host_key.export_public_key().decode()}")
    config = tmp_path / "config"
    config.write_text(
        f"Host box\nHostName 127.0.0.1\nPort {port}\nUser me\nUserKnownHostsFile {known}\n"
        f"GlobalKnownHostsFile /dev/null\nIdentityFile {key}\nIdentitiesOnly yes\nIdentityAgent none\n"
    )
    try:
        yield SshOptions(config_file=str(config))
    finally:
        server.close()
        await server.wait_closed()


async def test_a_key_that_came_too_early_is_offered_again_when_it_is_wanted(tmp_path: Path) -> None:
    asker = Answers(["word"])
    async with porter(tmp_path, make_key(tmp_path / "me")) as options:
        await (await open_ssh(Address("box"), options, asker)).aclose()
    assert asker.kinds == ["password"]


async def test_a_passphrase_is_not_asked_for_before_the_server_wants_a_key(tmp_path: Path) -> None:
    key = make_key(tmp_path / "me", "open sesame", "-m", "PEM")
    asker = Answers(["wrong", "wrong", "wrong"])
    async with porter(tmp_path, key) as options:
        Path(f"{key}.pub").unlink()
        with pytest.raises(LoginRefused):
            await open_ssh(Address("box"), options, asker)
    assert asker.kinds == ["password"] * 3


async def test_a_server_that_hangs_up_on_haste_is_asked_one_thing_after_the_other(tmp_path: Path) -> None:
    logins: list[object] = []

    class Pedant(Porter):
        def begin_auth(self, username: str) -> bool:
            logins.append(self)
            if len(logins) == 1:
                self.connection.abort()
            return True

    asker = Answers(["word"])
    async with porter(tmp_path, make_key(tmp_path / "me"), Pedant) as options:
        await (await open_ssh(Address("box"), options, asker)).aclose()
    assert (len(logins), asker.kinds) == (2, ["password"])


@pytest.mark.sshd
async def test_what_the_server_takes_is_known_when_it_refuses(tmp_path: Path) -> None:
    stranger = make_key(tmp_path / "stranger")
    with running_sshd(tmp_path / "sshd") as server:
        server.configure_client(key=stranger)
        with pytest.raises(LoginRefused, match=r"tried .*stranger.*accepts publickey"):
            await log_in(server)


@pytest.mark.sshd
async def test_a_key_without_its_public_file_lets_in(tmp_path: Path) -> None:
    with running_sshd(tmp_path / "sshd") as server:
        alone = tmp_path / "alone"
        alone.write_bytes(server.client_key.read_bytes())
        alone.chmod(0o600)
        server.configure_client(key=alone)
        assert await works(server)


@pytest.mark.sshd
async def test_a_login_without_keys_asks_first(tmp_path: Path) -> None:
    asked: list[Question] = []

    async def ask(question: Question) -> str | None:
        asked.append(question)
        return None

    with running_sshd(tmp_path / "sshd") as server:
        server.configure_client("PubkeyAuthentication no")
        with pytest.raises(LoginRefused):
            await log_in(server, ask)  # type: ignore[arg-type]
    assert asked == []
