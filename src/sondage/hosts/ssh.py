"""Owns a host that is reached over SSH: one command where it runs it, SFTP where it does not."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import Literal

from msgspec.structs import replace

from sondage.errors import ConnectError, LoginRefused, TransferError
from sondage.hosts.base import (
    Address,
    Asker,
    Batch,
    HostIdentity,
    Listing,
    ListRequest,
    RemoteFile,
    SshOptions,
    Traffic,
)
from sondage.hosts.by_command import ATTEMPTS, CommandReader
from sondage.hosts.channel import CommandRefusedError
from sondage.hosts.deadline import within
from sondage.hosts.feed import GarbledError, NoAnswerError
from sondage.hosts.found import Found, judge
from sondage.hosts.handover import DEVICE, SshWanted
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.line import Line
from sondage.hosts.login import connect
from sondage.hosts.names import join
from sondage.hosts.resolve import resolve
from sondage.hosts.sftp import SftpReader
from sondage.hosts.system_ssh import SystemLine, has_open_connection
from sondage.hosts.turn import Turn

SLOWER = (
    "slower mode: the host does not run what lists and packs its files, they are read over SFTP, whose times are whole"
    " seconds: what changed in the two seconds before the newest change is read again each time"
)


NEXT_QUESTION = 0.2
"""Seconds in which somebody who asked something while a tree is pulled asks the next thing: that long the pull gives way."""


async def open_ssh(address: Address, options: SshOptions, asker: Asker | None) -> SshHost:
    """Connects and logs in. Raises UsageError, ConfigError, and the children of HostError."""
    hops = await resolve(address, options)
    asker = None if options.no_input else asker
    reason = await why_system_ssh(address, options, hops)
    if reason is None:
        may_hand_over = options.transport == "auto" and shutil.which("ssh") is not None
        hops = hops if may_hand_over else tuple(replace(hop, tickets=False) for hop in hops)
        try:
            return SshHost(await connect(hops, asker), str(address))
        except SshWanted as wanted:
            if not may_hand_over or (options.background and wanted.reason == DEVICE):
                raise wanted.error from None
            reason = wanted.reason
    if options.background and any(hop.may_want_touch for hop in hops):
        raise LoginRefused("the login may wait for somebody to touch or type", str(address))
    host = SshHost(await SystemLine.open(address, options, hops, asker, reason), str(address))
    try:
        text = "Waiting for ssh to log in: touch the security key if there is one"
        await Interview(asker, hops[-1].label).waiting(host.ping(), text)
        await host.ping()  # the first one took the time of the login
    except BaseException:
        await host.aclose()
        raise
    return host


async def why_system_ssh(address: Address, options: SshOptions, hops: Sequence[Hop]) -> str | None:
    """Why the connection is left to the program `ssh`, empty where it was asked for; None where it is our own.

    A Kerberos ticket is no reason in itself, because many systems allow them for all hosts: it becomes one when the
    server takes tickets, the user holds one, and no key without a passphrase was let in.
    """
    if options.transport == "ssh":
        return ""
    needed = next((hop.only_ssh for hop in hops if hop.only_ssh), "")
    if options.transport == "asyncssh" or not shutil.which("ssh"):
        return None
    if needed:
        return f"{needed} in the SSH configuration"
    if await has_open_connection(address, options, hops[-1]):
        return "it holds a connection open (ControlPath in the SSH configuration)"
    return None


class _Wanted:
    """Files with the absolute paths they are read from, taken in their order; what was taken and has not come is known."""

    def __init__(self, files: Iterable[tuple[RemoteFile, bytes]]) -> None:
        self._files = iter(files)
        self._left: dict[bytes, tuple[RemoteFile, bytes]] = {}
        self.more = True
        self.failures = 0

    def until(self, turn: Turn) -> Iterator[tuple[RemoteFile, bytes]]:
        """What has not come yet, and what follows, until somebody else waits for their turn."""
        yield from list(self._left.values())
        for file, path in self._files:
            self._left[file.path] = file, path
            yield file, path
            if turn.is_wanted:
                return
        self.more = False

    def settle(self, batch: Batch) -> None:
        for fetched in batch:
            del self._left[fetched.file.path]


class SshHost:
    """See `hosts.base.Host`. One channel at a time: some servers allow no more (MaxSessions 1)."""

    def __init__(self, link: Line, label: str, kind: Literal["ssh", "loopback"] = "ssh") -> None:
        self._link = link
        self._label = label
        self._kind = kind
        self._traffic = Traffic()
        self._commands = CommandReader(link, label, self._traffic)
        self._sftp: SftpReader | None = None
        self._browsing: SftpReader | None = None
        """While a folder is being chosen; listing and reading go on by commands."""
        self._notes = list(link.notes)
        """What is still to be said about the connection."""
        self._round_trip = 0.0
        """Seconds, as measured last: nothing can be asked beside an answer that comes over the program `ssh`."""
        self._turn = Turn()
        self._sources: dict[bytes, dict[bytes, bytes]] = {}
        """By listed root: the files that are read from another path than their own, because a link named them."""

    @property
    def identity(self) -> HostIdentity:
        transport = "sftp" if self._sftp else f"tar over {self._link.name}"
        return HostIdentity(self._kind, self._label, self._link.user, self._link.host_key, transport)

    @property
    def traffic(self) -> Traffic:
        return self._traffic

    async def list(self, request: ListRequest) -> Listing:
        async with self._turn:
            self._end_browsing()
            where = f"{self._label}:{request.root.decode('utf-8', 'backslashreplace')}"
            late = TransferError(
                f"listing takes more than {request.max_seconds:g} s", where, "choose a folder further down"
            )
            found = await within(request.max_seconds, self._find(request), late)
            found.notes[:0], self._notes = self._notes, []
        judged = await asyncio.to_thread(judge, found, request)
        self._sources[judged.listing.root] = judged.sources
        return judged.listing

    async def _find(self, request: ListRequest) -> Found:
        found = None if self._sftp else await self._commands.find(request)
        if found is None:
            found = await (await self._use_sftp()).find(request)
            found.notes.insert(0, SLOWER)
        return found

    async def fetch(self, root: bytes, files: Iterable[RemoteFile]) -> AsyncGenerator[Batch, None]:
        sources = self._sources.get(root, {})
        wanted = _Wanted((file, sources.get(file.path) or join(root, file.path)) for file in files)
        while wanted.more:
            async with self._turn, aclosing(self._fetch(wanted)) as batches:
                async for batch in batches:
                    wanted.settle(batch)
                    yield batch
            if wanted.more:
                await self._turn.give_way(NEXT_QUESTION)

    async def _fetch(self, wanted: _Wanted) -> AsyncGenerator[Batch, None]:
        """By commands where they work. Ends early where somebody else waits for the host."""
        while wanted.failures < ATTEMPTS and not self._sftp:
            try:
                async with aclosing(self._commands.fetch(wanted.until(self._turn))) as batches:
                    async for batch in batches:
                        yield batch
            except GarbledError:
                wanted.failures += 1
                continue
            except (NoAnswerError, CommandRefusedError):
                break
            return
        reader = await self._use_sftp()
        async with aclosing(reader.fetch(wanted.until(self._turn))) as batches:
            async for batch in batches:
                yield batch

    async def folders(self, path: bytes) -> Sequence[bytes]:
        """See `hosts.folders.HasFolders`. The session for it ends before commands run again."""
        async with self._turn:
            if self._browsing is None:
                await self._commands.aclose()
                self._browsing = self._sftp or await self._browse()
            return await self._browsing.folders(path)

    async def _browse(self) -> SftpReader:
        try:
            return await SftpReader.open(self._link, self._label, self._traffic)
        except TransferError as error:
            if self._link.is_closed():
                raise
            raise TransferError("it offers no SFTP to look around with", self._label, "type the path") from error

    def _end_browsing(self) -> None:
        if self._browsing is not None and self._browsing is not self._sftp:
            self._browsing.close()
        self._browsing = None

    async def ping(self) -> float:
        start = time.perf_counter()
        if await self._link.ping():
            self._round_trip = time.perf_counter() - start
        elif not self._turn.is_taken:
            async with self._turn:
                await self._knock()
            self._round_trip = time.perf_counter() - start
        elif self._link.is_closed():
            raise ConnectError("the connection is lost", self._label)
        return self._round_trip

    async def _knock(self) -> None:
        if self._sftp is None:
            try:
                return await self._commands.knock()
            except (NoAnswerError, CommandRefusedError) as refused:
                self._commands.refusal = refused.hint
                await self._use_sftp()
        assert self._sftp is not None
        return await self._sftp.knock()

    async def ended(self) -> str:
        return await self._link.ended()

    async def aclose(self) -> None:
        self._end_browsing()
        if self._sftp:
            self._sftp.close()
        await self._commands.aclose()
        await self._link.aclose()

    async def _use_sftp(self) -> SftpReader:
        if self._sftp is None:
            await self._commands.aclose()
            try:
                self._sftp = await SftpReader.open(self._link, self._label, self._traffic)
            except TransferError as error:
                if self._commands.refusal:
                    error.hint = f"it said: {self._commands.refusal}"
                raise
        return self._sftp
