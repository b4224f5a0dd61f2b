"""Owns which keys are offered to a server, and in which order: few, the named ones first, and no passphrase in vain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import asyncssh
import msgspec

from sondage.hosts import deadline
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.keyfiles import Identity, read_identities, unlock
from sondage.hosts.known_hosts import fingerprint

MOST_OFFERS = 5
"""A server hangs up after MaxAuthTries (6 by default, sshd_config(5)); one try is left for a password."""


class Offer(msgspec.Struct, frozen=True):
    """A key that can be tried. `name` is for the message of a refused login."""

    name: str
    pair: asyncssh.SSHKeyPair


class KeyRing:
    """The keys for one hop. `close` it when the login is over: the agent is asked to sign until then."""

    def __init__(self, hop: Hop, interview: Interview) -> None:
        self._hop = hop
        self._interview = interview
        self._agent: asyncssh.SSHAgentClient | None = None
        self.offered: list[str] = []
        """What was offered, for the message of a refused login."""
        self.fingerprints: list[str] = []
        """`SHA256:…` of each."""
        self.notes: list[str] = []
        self.needs_device = False
        """Whether a key could not be offered because it lies on a security key."""
        self.before_asking: Callable[[], Awaitable[None]] | None = None
        """Awaited before the user is asked for anything that may turn out to be needless."""

    async def offers(self) -> AsyncIterator[asyncssh.SSHKeyPair]:
        """Certificates first, then the keys of the identity files in their order, then what else the agent holds.

        OpenSSH tries all keys of the agent before a file that the agent does not hold (sshconnect2.c, pubkey_prepare),
        and so may never come to the one key that was named.
        """
        async for offer in self._candidates():
            if len(self.offered) == MOST_OFFERS:
                self.notes.append(f"only {MOST_OFFERS} keys were tried; name the right one with -i")
                return
            self.offered.append(offer.name)
            self.fingerprints.append(fingerprint(offer.pair.key_public_data))
            yield offer.pair

    async def _candidates(self) -> AsyncIterator[Offer]:
        for key in self._hop.keys:
            for pair in asyncssh.load_keypairs([key]):
                yield Offer("the key of this session", pair)
        held = {pair.public_data: pair for pair in await self._ask_agent()}
        identities = await asyncio.to_thread(read_identities, self._hop.identity_files, self._hop.certificate_files)
        for identity in identities:
            for offer in self._certified(identity, held):
                yield offer
        for identity in identities:
            for offer in self._plain(identity, held):
                yield offer
            if identity.public:
                held.pop(identity.public.public_data, None)
        if not self._hop.identities_only:
            for pair in held.values():
                yield Offer(f"{pair.get_comment(errors='backslashreplace') or 'a key'} (agent)", pair)
        # Last, because it takes a passphrase to know what would be offered.
        if self.before_asking:
            await self.before_asking()
        for identity in identities:
            if identity.locked and not identity.public:
                opened = await unlock(identity.path, self._interview)
                if opened:
                    yield Offer(str(identity.path), _pair_of(opened))

    def _certified(self, identity: Identity, held: dict[bytes, _AgentPair]) -> Iterator[Offer]:
        for file, certificate in identity.certificates:
            for offer in self._plain(identity, held, certificate):
                yield Offer(f"{offer.name} with {file}", offer.pair)

    def _plain(
        self,
        identity: Identity,
        held: dict[bytes, _AgentPair],
        certificate: asyncssh.SSHCertificate | None = None,
    ) -> Iterator[Offer]:
        """The agent signs where it holds the key."""
        name = str(identity.path)
        pair: asyncssh.SSHKeyPair
        in_agent = held.get(identity.public.public_data) if identity.public else None
        if in_agent:
            pair, name = in_agent.copy(), f"{name} (agent)"
        elif identity.private:
            pair = _pair_of(identity.private)
        elif identity.locked and identity.public:
            pair = _LockedPair(identity.path, identity.public, self._interview)
        else:
            if identity.needs_device:
                self.needs_device = True
                self.notes.append(f"{name} is on a security key, which the agent or --transport ssh can use")
            return
        if certificate:
            pair.set_certificate(certificate)
        yield Offer(name, pair)

    async def _ask_agent(self) -> list[_AgentPair]:
        if not self._hop.agent:
            return []
        self._agent = asyncssh.SSHAgentClient(self._hop.agent)
        try:
            async with asyncio.timeout(deadline.AGENT):
                pairs = list(await self._agent.get_keys())
        except (TimeoutError, ValueError, OSError):
            self.notes.append("the SSH agent does not answer")
            self.close()
            return []
        if not pairs:
            self.notes.append("the SSH agent holds no key, or is locked")
        if self._hop.background and any(_is_touched(pair) for pair in pairs):
            self.notes.append("the security keys of the agent are left alone, because nobody has asked for it just now")
            pairs = [pair for pair in pairs if not _is_touched(pair)]
        return [_AgentPair(self._agent, pair, self._interview) for pair in pairs]

    def close(self) -> None:
        if self._agent:
            self._agent.close()


def _is_touched(pair: asyncssh.SSHKeyPair) -> bool:
    """A key on a device, which has to be touched for each signature (OpenSSH's PROTOCOL.u2f)."""
    return pair.get_algorithm().startswith("sk-")


def _pair_of(key: asyncssh.SSHKey) -> asyncssh.SSHKeyPair:
    return asyncssh.load_keypairs([key])[0]


class _AgentPair(asyncssh.SSHAgentKeyPair):
    """A key of the agent. Where signing takes long, the user is told what it may be waiting for."""

    def __init__(self, agent: asyncssh.SSHAgentClient, pair: asyncssh.SSHKeyPair, interview: Interview) -> None:
        super().__init__(agent, pair.key_algorithm, pair.key_public_data, pair.get_comment_bytes() or b"")
        self._interview = interview

    def copy(self) -> _AgentPair:
        """Another one of the same key, because a certificate is put on a pair."""
        return _AgentPair(self._agent, self, self._interview)

    async def sign_async(self, data: bytes) -> bytes:
        key = self.get_comment(errors="backslashreplace") or self.get_algorithm()
        text = f"Waiting for the agent to sign with {key}: touch the security key, or confirm where it asks"
        return await self._interview.waiting(super().sign_async(data), text)


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
