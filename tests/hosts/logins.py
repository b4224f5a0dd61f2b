"""Owns what the tests of logging in share: an asker with answers ready, and the shortest way to a host."""

from __future__ import annotations

import base64
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from sondage.hosts.base import Address, Question, SshOptions
from sondage.hosts.ssh import SshHost, open_ssh
from support.sshd import Sshd

from .conftest import request

RELAY = f"{sys.executable} {Path(__file__).parents[1] / 'support' / 'relay.py'}"
"""A ProxyCommand; HOST and PORT follow."""


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


def make_key(path: Path, passphrase: str = "", *form: str) -> Path:
    # One round of the key derivation: how long it takes to try a passphrase does not matter here.
    subprocess.run(["ssh-keygen", "-q", "-a", "1", "-t", "ed25519", "-N", passphrase, "-f", path, *form], check=True)
    return path


def write_token(path: Path) -> None:
    """The public half of a key on a security key that nobody has (OpenSSH's PROTOCOL.u2f)."""
    kind = b"sk-ssh-ed25519@openssh.com"
    blob = b"".join(len(part).to_bytes(4) + part for part in (kind, bytes(32), b"ssh:"))
    path.write_text(f"{kind.decode()} {base64.b64encode(blob).decode()}\n")
