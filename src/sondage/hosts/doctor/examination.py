"""Owns the course of the examination: the way that opening the target goes, with the same checks, until a step fails."""

from __future__ import annotations

import asyncio
import getpass
import os
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import NoReturn

from msgspec.structs import replace

from sondage.errors import SondageError
from sondage.hosts.base import Address, Asker, Host, Listing, ListRequest, SshOptions, Target, Traffic
from sondage.hosts.channel import CommandRefusedError
from sondage.hosts.client import Client
from sondage.hosts.doctor.abilities import find_abilities
from sondage.hosts.doctor.attempts import attempt_steps
from sondage.hosts.doctor.configured import configured
from sondage.hosts.doctor.diagnosis import Diagnosis, Step, remedy_for, shareable
from sondage.hosts.doctor.knocking import knock
from sondage.hosts.feed import NoAnswerError
from sondage.hosts.handover import SshWanted
from sondage.hosts.hop import Hop, home
from sondage.hosts.line import Line
from sondage.hosts.local import LocalHost
from sondage.hosts.login import connect
from sondage.hosts.open import request_root
from sondage.hosts.resolve import resolve
from sondage.hosts.ssh import SshHost, why_system_ssh
from sondage.hosts.system_ssh import SystemLine

Watch = Callable[[Step], None]


async def examine(
    target: Target,
    options: SshOptions,
    asker: Asker | None,
    patterns: Sequence[bytes],
    watch: Watch = lambda step: None,
) -> Diagnosis:
    """`patterns` are those of the files that would be read. `watch` gets each step once it is known, fit to be shared.

    Raises nothing for what the host, the network or the SSH configuration does: that is in the diagnosis.
    """
    examination = _Examination(target, options, None if options.no_input else asker, watch)
    async with AsyncExitStack() as stack:
        try:
            host = await examination.reach(stack)
            await examination.read(host, ListRequest(request_root(target), tuple(patterns)))
        except _Ended:
            pass
    return Diagnosis(examination.shorten(str(target)), tuple(examination.steps))


class _Ended(Exception):
    """A step has failed, and stands in the diagnosis."""


class _Examination:
    def __init__(self, target: Target, options: SshOptions, asker: Asker | None, watch: Watch) -> None:
        self.steps: list[Step] = []
        self._target = target
        self._options = options
        self._asker = asker
        self._watch = watch
        self._label = str(target.address or "")
        self._homes = {home(), os.environ.get("HOME", "")}
        self._users = {getpass.getuser()}

    def shorten(self, text: str) -> str:
        return shareable(Step("", "ok", text), self._homes, self._users).host

    def _add(self, step: Step) -> None:
        """Raises _Ended after a step that failed."""
        step = shareable(step, self._homes, self._users)
        self.steps.append(step)
        self._watch(step)
        if step.state == "failed":
            raise _Ended

    def _fail(self, name: str, error: SondageError, remedy: str = "", tried: tuple[str, ...] = ()) -> NoReturn:
        remedy = remedy_for(error) or remedy
        self._add(Step(name, "failed", self._label, tried=tried, refused=(str(error),), remedy=remedy))
        raise _Ended

    # ---- the way

    async def reach(self, stack: AsyncExitStack) -> Host:
        address = self._target.address
        if address is None:
            return LocalHost(self._target.path)
        hops, reason = await self._resolve(address)
        if not hops[0].proxy_command:
            step = await knock(hops[0])
            # The program ssh may have a way of its own: a connection that is open already.
            self._add(step if reason is None or step.state == "ok" else replace(step, state="doubt"))
        line, host = await self._connect(address, hops, reason)
        stack.push_async_callback(host.aclose)
        await self._find_abilities(line)
        return host

    async def _connect(self, address: Address, hops: tuple[Hop, ...], reason: str | None) -> tuple[Line, SshHost]:
        if reason is None:
            try:
                line = await self._log_in(hops)
            except SshWanted as wanted:
                if self._options.transport != "auto":
                    self._fail("login", wanted.error)
                reason = wanted.reason
            else:
                return line, SshHost(line, self._label)
        return await self._log_in_with_ssh(address, hops, reason)

    async def _resolve(self, address: Address) -> tuple[tuple[Hop, ...], str | None]:
        """The servers on the way, and why the program `ssh` is used where it is: see `why_system_ssh`."""
        try:
            hops = await resolve(address, self._options)
            reason = await why_system_ssh(address, self._options, hops)
        except SondageError as error:
            self._fail("configuration", error)
        self._users |= {hop.user for hop in hops}
        for hop, through in zip(hops, ("", *(hop.label for hop in hops)), strict=False):
            self._add(await asyncio.to_thread(configured, hop, self._options, through, reason))
        return hops, reason

    async def _log_in(self, hops: tuple[Hop, ...]) -> Line:
        """Raises SshWanted where it would be the program `ssh` that gets in."""
        attempts: dict[str, tuple[Hop, Client]] = {}
        try:
            line = await connect(hops, self._asker, lambda hop, client: attempts.update({hop.label: (hop, client)}))
        except SshWanted as wanted:
            self._tell_attempts(list(attempts.values()), wanted, last=self._options.transport != "auto")
            raise
        except SondageError as error:
            self._tell_attempts(list(attempts.values()), error)
            self._fail("login", error)
        self._tell_attempts(list(attempts.values()), None)
        return line

    def _tell_attempts(self, attempts: list[tuple[Hop, Client]], error: SondageError | None, last: bool = True) -> None:
        """The last attempt ended with the error. `last`: there is no other way."""
        for place, (hop, client) in enumerate(attempts, 1):
            for step in attempt_steps(hop, client, error if place == len(attempts) else None):
                self._add(step if last or step.state != "failed" else replace(step, state="doubt"))

    async def _log_in_with_ssh(
        self, address: Address, hops: tuple[Hop, ...], reason: str
    ) -> tuple[SystemLine, SshHost]:
        host: SshHost | None = None
        try:
            line = await SystemLine.open(address, self._options, hops, self._asker, reason)
            host = SshHost(line, self._label)
            await host.ping()
        except SondageError as error:
            if host:
                await host.aclose()
            self._fail("login", error)
        self._add(Step("login", "ok", self._label, (f"host key recorded as {line.host_key}", *line.notes)))
        return line, host

    async def _find_abilities(self, line: Line) -> None:
        try:
            found = await find_abilities(line, Traffic())
        except (NoAnswerError, CommandRefusedError) as error:
            said = f"it runs no commands for us: {error}"
            remedy = "nothing is wrong: its files are read over SFTP, which is slower"
            self._add(Step("abilities", "doubt", self._label, refused=(said,), remedy=remedy))
        except SondageError as error:
            self._fail("abilities", error)
        else:
            tools = (f"system {found.system}", f"lists with {found.lister}", f"reads with {found.archiver}")
            noise = (f"start-up files print {found.noise} bytes first, which are passed over",) if found.noise else ()
            self._add(Step("abilities", "ok", self._label, (*tools, f"packs with {found.packer}", *noise)))

    # ---- what is at its end

    async def read(self, host: Host, request: ListRequest) -> None:
        """The root, its files, and the smallest of them."""
        try:
            listing = await host.list(request)
        except SondageError as error:
            remedy = "check the path, and whether that user may enter it; ~/ stands for the user's home on the host"
            self._fail("root", error, remedy, (self._target.path,))
        root = listing.root.decode("utf-8", "backslashreplace")
        self._add(Step("root", "ok", self._label, (root, *listing.notes), (self._target.path,)))
        self._add(_files(self._label, listing))
        if listing.files:
            await self._read_one(host, listing)

    async def _read_one(self, host: Host, listing: Listing) -> None:
        file = min(listing.files, key=lambda file: (file.size, file.path))
        name = file.path.decode("utf-8", "backslashreplace")
        try:
            async with aclosing(host.fetch(listing.root, [file])) as batches:
                read = [one async for batch in batches for one in batch]
        except SondageError as error:
            self._fail("read", error, "", (name,))
        problem = next((one.problem or "it changed" for one in read if one.data is None), "")
        how = (f"{file.size:,} bytes, {host.identity.transport}",)
        if problem:
            remedy = "that user may not read it, or it is being written; others may do"
            self._add(Step("read", "doubt", self._label, how, (name,), refused=(problem,), remedy=remedy))
        else:
            self._add(Step("read", "ok", self._label, how, (name,)))


def _files(label: str, listing: Listing) -> Step:
    passed = {
        "links not followed": len(listing.links),
        "files too large": len(listing.too_large),
        "entries not shown": listing.unreadable,
        "names no honest host sends": listing.suspicious,
    }
    number = len(listing.files)
    seen = (
        f"{number:,} file{'' if number == 1 else 's'} to read",
        f"{sum(file.size for file in listing.files):,} bytes",
    )
    refused = tuple(f"{count:,} {what}" for what, count in passed.items() if count)
    remedy = "" if listing.files else "there is no Python file below it: choose another folder"
    return Step("files", "ok" if listing.files else "doubt", label, seen, refused=refused, remedy=remedy)
