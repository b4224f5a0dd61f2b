"""Owns which keys are offered to a server, and in which order: few, the named ones first, and no passphrase in vain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from sondage.hosts import deadline
from sondage.hosts.base import Question
from sondage.hosts.interview import Interview
from sondage.hosts.resolve import Hop

MOST_OFFERS = 5
"""A server hangs up after MaxAuthTries (6 by default, sshd_config(5)); one try is left for a password."""
PASSPHRASE_TRIES = 3


@dataclass
class KeyFile:
    """An identity file. `private` is None where it is encrypted or only its public half is there."""

    path: Path
    pairs: tuple[asyncssh.SSHKeyPair, ...] = ()
    public: asyncssh.SSHKey | None = None
    encrypted: bool = False


class KeyRing:
    """The keys for one hop. `close` it when the login is over: the agent is asked to sign until then."""

    def __init__(self, hop: Hop, interview: Interview) -> None:
        self._hop = hop
        self._interview = interview
        self._agent: asyncssh.SSHAgentClient | None = None
        self.offered: list[str] = []
        """What was offered, for the message of a refused login."""
        self.notes: list[str] = []

    async def offers(self) -> AsyncIterator[asyncssh.SSHKeyPair]:
        """Keys of the identity files in their order (the agent signs where it holds them), then the agent's others."""
        async for name, pair in self._candidates():
            if len(self.offered) == MOST_OFFERS:
                self.notes.append(f"only {MOST_OFFERS} keys were tried; name the right one with -i")
                return
            self.offered.append(name)
            yield pair

    async def _candidates(self) -> AsyncIterator[tuple[str, asyncssh.SSHKeyPair]]:
        for key in self._hop.keys:
            for pair in asyncssh.load_keypairs([key]):
                yield "the key of this session", pair
        agent_keys = {pair.public_data: pair for pair in await self._ask_agent()}
        files = await asyncio.to_thread(_read_files, self._hop.identity_files)
        for file in files:
            name = str(file.path)
            held = agent_keys.pop(file.public.public_data, None) if file.public else None
            if held:
                yield f"{name} (agent)", held
                continue
            for pair in file.pairs:
                yield name, pair
            if file.encrypted and file.public:
                yield name, _LockedPair(file.path, file.public, self._interview)
        if not self._hop.identities_only:
            for pair in agent_keys.values():
                yield f"{pair.get_comment(errors='backslashreplace') or 'a key'} (agent)", pair
        # Last, because it takes a passphrase to know what would be offered.
        for file in files:
            if file.encrypted and not file.public and (opened := await unlock(file.path, self._interview)):
                for pair in asyncssh.load_keypairs([opened]):
                    yield str(file.path), pair

    async def _ask_agent(self) -> list[asyncssh.SSHKeyPair]:
        if not self._hop.agent:
            return []
        self._agent = asyncssh.SSHAgentClient(self._hop.agent)
        try:
            async with asyncio.timeout(deadline.AGENT):
                return list(await self._agent.get_keys())
        except (TimeoutError, ValueError, OSError):
            self.notes.append("the SSH agent does not answer")
            self.close()
            return []

    def close(self) -> None:
        if self._agent:
            self._agent.close()


class _LockedPair(asyncssh.SSHKeyPair):
    """An encrypted key whose public half is readable: the passphrase is asked for once the server wants the key."""

    def __init__(self, path: Path, public: asyncssh.SSHKey, interview: Interview) -> None:
        algorithms = public.sig_algorithms
        super().__init__(
            public.algorithm, public.algorithm, algorithms, algorithms, public.public_data, public.get_comment_bytes()
        )
        self._path = path
        self._interview = interview

    async def sign_async(self, data: bytes) -> bytes:
        """Raises ValueError, by which asyncssh goes on to the next key, when the passphrase is not found."""
        key = await unlock(self._path, self._interview)
        if key is None:
            raise ValueError("the key stays locked")
        return key.sign(data, self.sig_algorithm)


async def unlock(path: Path, interview: Interview) -> asyncssh.SSHKey | None:
    """Asks for the passphrase up to three times. Raises LoginRefused when the user gives up."""
    text = f"Passphrase for {path}"
    for _ in range(PASSPHRASE_TRIES):
        passphrase = await interview.ask_secret(Question("passphrase", interview.hop, text))
        if passphrase is None:
            return None
        try:
            return await asyncio.to_thread(asyncssh.read_private_key, str(path), passphrase)
        except (asyncssh.KeyEncryptionError, asyncssh.KeyImportError, OSError):
            text = f"That did not open it. Passphrase for {path}"
    return None


def _read_files(paths: tuple[str, ...]) -> list[KeyFile]:
    """What can be read of them; a missing or damaged file is no error, as with ssh."""
    files = [_read_file(Path(path)) for path in paths]
    return [file for file in files if file]


def _read_file(path: Path) -> KeyFile | None:
    public = _read_public(path)
    try:
        pairs = tuple(asyncssh.load_keypairs(str(path)))
    except asyncssh.KeyImportError as error:
        locked = str(error).startswith("Passphrase")
        return KeyFile(path, public=public, encrypted=locked) if locked or public else None
    except (asyncssh.KeyEncryptionError, OSError):
        return KeyFile(path, public=public) if public else None
    return KeyFile(path, pairs, public)


def _read_public(path: Path) -> asyncssh.SSHKey | None:
    """From the file beside it, or from the private file itself, whose public half is not encrypted (PROTOCOL.key)."""
    for file in (path.with_name(path.name + ".pub"), path):
        try:
            return asyncssh.read_public_key(str(file))
        except (asyncssh.KeyImportError, OSError):
            continue
    return None
