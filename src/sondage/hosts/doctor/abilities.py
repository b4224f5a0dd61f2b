"""Owns what a host can do for us: the heads of two answers of the one command, of a list and of a pull."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TypeVar

import msgspec

from sondage.hosts.base import ListRequest, Traffic
from sondage.hosts.commands import NONCE_LENGTH, SERVE, request_line
from sondage.hosts.feed import Feed, NoAnswerError, Reply, Steps, begin
from sondage.hosts.line import Exchange, Line
from sondage.hosts.listing import SEPARATORS, list_request

T = TypeVar("T")

HEAD_LIMIT = 1 << 16
NOTHING = ListRequest(b"/", (b"",), (b"??*",))
"""A listing in which nothing is: the root folder, nothing below it, and no file of it."""

LISTERS = {"gnu": "GNU find", "stat": "find and stat -c (BusyBox)", "bsd": "find and stat -f (BSD, macOS)"}
ARCHIVERS = {"gnu": "GNU tar", "bsd": "bsdtar", "other": "another tar"}


class Abilities(msgspec.Struct, frozen=True):
    """In words for the user, but `system`, which is the host's own (`uname -s`). `noise` in bytes."""

    system: str
    lister: str
    archiver: str
    packer: str
    noise: int
    """What start-up files printed ahead of the answer."""


async def find_abilities(line: Line, traffic: Traffic) -> Abilities:
    """Raises NoAnswerError, CommandRefusedError where the host does not run the command, and other HostErrors."""
    command = await line.start(SERVE, traffic)
    try:
        nonce = secrets.token_hex(NONCE_LENGTH // 2).encode()
        lister, system, noise = await _head(command, list_request(NOTHING, nonce), lambda feed: _list_head(feed, nonce))
        nonce = secrets.token_hex(NONCE_LENGTH // 2).encode()
        sent = request_line("pull", nonce, 0, 1, "far")
        archiver, packer = await _head(command, sent, lambda feed: _pull_head(feed, nonce))
    finally:
        await command.aclose()
    return Abilities(system, LISTERS.get(lister, lister), ARCHIVERS.get(archiver, archiver), packer, noise)


async def _head(command: Exchange, sent: bytes, parser: Callable[[Feed], Steps[T]]) -> T:
    reply = Reply(parser)
    command.send(sent)
    while not reply.complete and (data := await command.receive()):
        for found in reply.feed(data):
            return found
    if not reply.complete and await command.finish() is None:
        raise command.broken()
    return reply.end()[0]


def _list_head(feed: Feed, nonce: bytes) -> Steps[tuple[str, str, int]]:
    """Flavour, system, noise. The clock, the root and the end follow, so that the next answer can begin."""
    noise = yield from begin(feed, nonce)
    flavour = yield from feed.until(b"\0", HEAD_LIMIT)
    system = yield from feed.until(b"\0", HEAD_LIMIT)
    yield from feed.until(nonce, HEAD_LIMIT)
    if flavour not in SEPARATORS:
        raise NoAnswerError("the host has neither find nor stat", hint=system.decode("utf-8", "backslashreplace")[:40])
    yield flavour.decode(), system.decode("utf-8", "backslashreplace")[:40], len(noise)


def _pull_head(feed: Feed, nonce: bytes) -> Steps[tuple[str, str]]:
    yield from begin(feed, nonce)
    yield from feed.until(b"\0", HEAD_LIMIT)
    archiver = yield from feed.until(b"\0", HEAD_LIMIT)
    packer = yield from feed.until(b"\0", HEAD_LIMIT)
    yield archiver.decode("utf-8", "backslashreplace")[:40], packer.decode("utf-8", "backslashreplace")[:40]
