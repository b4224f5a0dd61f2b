"""Owns what lies in files of keys and certificates, and the asking for a passphrase."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import asyncssh
import msgspec
from asyncssh.sk import sk_available

from sondage.errors import LoginRefused
from sondage.hosts.base import Question
from sondage.hosts.interview import Interview


class Identity(msgspec.Struct, frozen=True):
    """An identity file. `private` is None where it is `locked` (encrypted), or only its public half can be used."""

    path: Path
    private: asyncssh.SSHKey | None = None
    public: asyncssh.SSHKey | None = None
    locked: bool = False
    certificates: tuple[tuple[str, asyncssh.SSHCertificate], ...] = ()
    """Each with the file it is from."""

    @property
    def needs_device(self) -> bool:
        """Whether the key lies on a security key, which only OpenSSH's own programs can reach."""
        return self.public is not None and self.public.get_algorithm().startswith("sk-")


def read_identities(files: Sequence[str], certificate_files: Sequence[str]) -> list[Identity]:
    """What can be read of them; a missing or damaged file is no error, as with ssh."""
    certificates = [found for file in certificate_files if (found := _read_certificate(Path(file)))]
    return [identity for file in files if (identity := _read_identity(Path(file), certificates))]


def _read_identity(path: Path, certificates: Sequence[tuple[str, asyncssh.SSHCertificate]]) -> Identity | None:
    public = _read_public(path)
    beside = _read_certificate(path.with_name(path.name + "-cert.pub"))
    fitting = [
        found
        for found in (*certificates, *([beside] if beside else []))
        if public and found[1].key.public_data == public.public_data
    ]
    private, locked = _read_private(path)
    if private is None and public is None and not locked:
        return None
    return Identity(path, private, public, locked, tuple(fitting))


def _read_private(path: Path) -> tuple[asyncssh.SSHKey | None, bool]:
    """The key, or None and whether a passphrase would open it."""
    try:
        key = asyncssh.read_private_key(str(path))
    except asyncssh.KeyImportError as error:
        return None, str(error).startswith("Passphrase")
    except (asyncssh.KeyEncryptionError, OSError):
        return None, False
    usable = sk_available or not key.get_algorithm().startswith("sk-")
    return (key if usable else None), False


def _read_public(path: Path) -> asyncssh.SSHKey | None:
    """From the file beside it, or from the private file itself, whose public half is not encrypted (PROTOCOL.key)."""
    for file in (path.with_name(path.name + ".pub"), path):
        with suppress(asyncssh.KeyImportError, OSError):
            return asyncssh.read_public_key(str(file))
    return None


def _read_certificate(path: Path) -> tuple[str, asyncssh.SSHCertificate] | None:
    with suppress(asyncssh.KeyImportError, OSError):
        return str(path), asyncssh.read_certificate(str(path))
    return None


async def unlock(path: Path, interview: Interview) -> asyncssh.SSHKey | None:
    """Asks for the passphrase a few times. Raises LoginRefused when the user gives up, or no passphrase could help."""
    text = f"Passphrase for {path}"
    for _ in range(interview.tries):
        passphrase = await interview.ask_secret(Question("passphrase", interview.hop, text))
        if passphrase is None:
            return None
        try:
            return await asyncio.to_thread(asyncssh.read_private_key, str(path), passphrase)
        except asyncssh.KeyEncryptionError as error:
            if "bcrypt" in str(error):
                hint = "install bcrypt beside sondage, or add the key to the SSH agent"
                raise LoginRefused("a key in OpenSSH's own form cannot be decrypted", str(path), hint) from None
        except (asyncssh.KeyImportError, OSError):
            pass
        text = f"That did not open it. Passphrase for {path}"
    return None
