"""Owns how a host is reached: what every way to one says of itself, and the way to a folder of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

import msgspec

from sondage.hosts.base import Asker, Host, HostIdentity, SshOptions, Target
from sondage.hosts.open import open_host

LinkState = Literal["offline", "connecting", "online", "lost", "reconnecting"]


class Link(msgspec.Struct, frozen=True):
    """How it stands with the connection. Times in seconds since 1970, by this machine's clock.

    `offline`: nobody has asked for a connection, or the asking failed. `lost`: it was there; `next_try` says when it is
    tried again, None that it is not. `reason` is empty while all is well; it may hold what the host said.
    """

    state: LinkState
    since: float
    next_try: float | None = None
    reason: str = ""


class Reach:
    """The way to the host of one target; this one is to a folder of this machine, which is never lost.

    `host` is None while nothing is connected; `identity` is that of the host that answered last.
    `listeners` are called on the event loop whenever `link` has changed; `notes` are what the user should hear once.
    """

    def __init__(self, target: Target, wall: Callable[[], float] = time.time) -> None:
        self.host: Host | None = None
        self.identity: HostIdentity | None = None
        self.round_trip: float | None = None
        """Seconds, as last measured."""
        self.listeners: list[Callable[[], None]] = []
        self.notes: list[str] = []
        self._target = target
        self._wall = wall
        self.link = Link("offline", wall())

    async def open(self) -> Host:
        """The host, which is opened if it is not."""
        if self.host is None:
            self.take(await open_host(self._target))
        assert self.host is not None
        return self.host

    def take(self, host: Host) -> None:
        """One that was opened before, for choosing the root: it is this one's from now on."""
        self.host, self.identity = host, host.identity
        self._become("online")

    async def check(self) -> None:
        """After trouble with the host: what can be lost is looked after."""

    async def aclose(self) -> None:
        """Ends it."""
        host, self.host = self.host, None
        self._become("offline")
        if host is not None:
            await host.aclose()

    def _become(self, state: LinkState, reason: str = "", next_try: float | None = None) -> None:
        self.link = Link(state, self._wall(), next_try, reason)
        self._tell()

    def _tell(self) -> None:
        for listener in self.listeners:
            listener()


def way_to(target: Target, options: SshOptions, asker: Asker | None) -> Reach:
    """The way to the host of a target; nothing is connected yet."""
    if target.address is None:
        return Reach(target)
    from sondage.dig.connection import Connection  # noqa: PLC0415  a folder of this machine needs no event loop

    return Connection(target, options, asker)


def who(identity: HostIdentity) -> tuple[str, str, str]:
    """What tells hosts apart: not the address, nor the name they were reached by."""
    return identity.kind, identity.host_key, identity.user
