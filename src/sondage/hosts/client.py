"""Owns the answers that asyncssh asks for while it connects to one hop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import asyncssh

from sondage.hosts import deadline
from sondage.hosts.base import Question
from sondage.hosts.deadline import Patience
from sondage.hosts.haste import Haste
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.keys import KeyRing
from sondage.hosts.known_hosts import KnownHosts, Trust, Verdict
from sondage.hosts.trust import accepts

BANNER_LIMIT = 2000
"""Characters of what a server says ahead of the login (RFC 4252, 5.4)."""


def _why_lost(error: Exception | None) -> str:
    """In our words where the library has a few only."""
    said = str(error or "")
    if "keepalive" in said:
        return "the host does not answer"
    return "the host hung up" if said in ("", "Connection lost") else said


class Client(asyncssh.SSHClient):
    """The two `validate_…` must stay plain functions: asyncssh takes a coroutine, which is never awaited, for a yes."""

    def __init__(self, hop: Hop, known: KnownHosts, interview: Interview, hasty: bool = True) -> None:
        self._hasty = hasty
        self.ring = KeyRing(hop, interview)
        self.key: asyncssh.SSHKey | None = None
        """The host key, once it was shown."""
        self.verdict: Verdict | None = None
        self.authenticating = False
        self.accepted: list[str] = []
        """Methods of logging in that the server takes."""
        self.tried: list[str] = []
        """Those that were tried, each try apart; where the login succeeded, the last one did it."""
        self.banner = ""
        self.ending = ""
        """Why the connection ended; empty until then."""
        self._hop = hop
        self._known = known
        self._interview = interview
        self._connection: asyncssh.SSHClientConnection | None = None
        self._haste: Haste | None = None
        self._offers: AsyncIterator[asyncssh.SSHKeyPair] | None = None
        self._tries = {"password": 0, "keyboard-interactive": 0}

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self._connection = conn
        if self._hasty:
            self._haste = Haste(conn, self._hop.methods, self._note_methods)
            self.ring.before_asking = self._haste.methods_known

    @property
    def greeted(self) -> bool:
        """Whether the server has said that it is one (RFC 4253, section 4.2)."""
        return self._connection is not None and bool(self._connection.get_extra_info("server_version"))

    @property
    def in_haste(self) -> bool:
        """Whether the server has more requests than answers given, see `hosts.haste`."""
        return self._haste is not None and self._haste.asking

    def connection_lost(self, exc: Exception | None) -> None:
        self.ending = _why_lost(exc)

    def why_ended(self) -> str:
        return self.ending

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.key = key
        self.verdict = self._known.judge(key.public_data)
        return accepts(self._hop, self.verdict)

    def validate_host_ca_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        return self._known.judge_authority(key.public_data)

    def begin_auth(self, username: str) -> None:
        self.authenticating = True
        self._renew(deadline.LOGIN)

    def auth_banner_received(self, msg: str, lang: str) -> None:
        self.banner = (self.banner + msg)[:BANNER_LIMIT]

    async def public_key_auth_requested(self) -> list[asyncssh.SSHKeyPair] | None:
        self._note_methods()
        if self._haste and self._haste.in_vain:
            self._offers, self._haste.in_vain = None, False
        if self._offers is None:
            self._offers = self.ring.offers()
        pair = await anext(self._offers, None)
        if pair is None and self._haste:
            await self._haste.methods_known()
        self.tried += ["publickey"] if pair else []
        self._renew(deadline.LOGIN)
        return [pair] if pair else None

    async def password_auth_requested(self) -> str | None:
        if not self._may_try("password"):
            return None
        again = "That was not accepted. " if self._tries["password"] > 1 else ""
        text = f"{again}Password of {self._hop.user} on {self._hop.where}"
        return await self._interview.ask_secret(Question("password", self._hop.label, text, self._take_banner()))

    async def kbdint_auth_requested(self) -> str | None:
        return "" if self._may_try("keyboard-interactive") and self._can_ask("keyboard_interactive") else None

    async def kbdint_challenge_received(
        self, name: str, instructions: str, lang: str, prompts: Sequence[tuple[str, bool]]
    ) -> list[str] | None:
        answers: list[str] = []
        shown = "\n".join(text for text in (self._take_banner(), name, instructions) if text)
        for prompt, echo in prompts:
            question = Question("keyboard_interactive", self._hop.label, prompt, shown, echo)
            answer = await self._interview.ask_secret(question)
            if answer is None:
                return None
            answers.append(answer)
        return answers

    def _may_try(self, method: str) -> bool:
        """Words that are secrets are not for a host that shows another key than the known one."""
        self._note_methods()
        if self.verdict and self.verdict.trust is Trust.CHANGED:
            return False
        self._tries[method] += 1
        self.tried.append(method)
        return self._tries[method] <= self._interview.tries

    def _can_ask(self, kind: str) -> bool:
        if not self._interview.possible:
            self._interview.unasked.append(kind)
        return self._interview.possible

    def _note_methods(self) -> None:
        if self._connection and not self.accepted and not self.in_haste:
            self.accepted = list(self._connection.get_server_auth_methods())

    def _take_banner(self) -> str:
        """It is shown with the first question only."""
        banner, self.banner = self.banner, ""
        return banner.strip()

    def _renew(self, seconds: float) -> None:
        patience: Patience | None = self._interview.patience
        if patience is not None:
            patience.renew(seconds)
