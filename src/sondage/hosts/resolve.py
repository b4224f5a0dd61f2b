"""Owns the question what an address means: the user's SSH configuration, as `ssh` itself reads it.

Where `ssh` is installed it answers (`ssh -G`), so that Include, Match, tokens and defaults mean what they mean to it.
Otherwise `hosts.standin` does, which knows less.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from pathlib import Path

from msgspec.structs import replace

from sondage.errors import ConfigError, ConnectError, UsageError
from sondage.hosts import deadline
from sondage.hosts.base import Address, SshOptions
from sondage.hosts.deadline import within
from sondage.hosts.hop import Hop, Values, first, make_hop
from sondage.hosts.names import shown
from sondage.hosts.standin import read_configuration
from sondage.hosts.target import parse_address

_JUMP_LIMIT = 8


async def resolve(address: Address, options: SshOptions) -> tuple[Hop, ...]:
    """The servers to go through, the target last. Raises UsageError, ConfigError, ConnectError."""
    _check_identity_files(options)
    return tuple(replace(hop, background=options.background) for hop in await _resolve(address, options, 0))


def _check_identity_files(options: SshOptions) -> None:
    """A key that was named on purpose must be there; ssh itself would only warn."""
    for file in options.identity_files:
        if not Path(file).expanduser().exists():
            raise UsageError("no such key file", file)


async def _resolve(address: Address, options: SshOptions, depth: int) -> tuple[Hop, ...]:
    if depth > _JUMP_LIMIT:
        raise ConfigError("jump hosts lead in a circle", str(address))
    values = await _ask_ssh(address, options) if shutil.which("ssh") else read_configuration(address, options)
    jump = first(values, "proxyjump")
    hops: tuple[Hop, ...] = ()
    if jump and jump.lower() != "none":
        for text in jump.split(","):
            # As with ssh, -p and -i are meant for the target. The first jump host may have a jump host of its own; the
            # others are reached through the one before.
            inner = replace(options, port=None, identity_files=(), jump=None if not hops else "none")
            hops = (*hops, *(await _resolve(parse_address(text.removeprefix("ssh://")), inner, depth + 1)))
    return (*hops, make_hop(address, values))


async def _ask_ssh(address: Address, options: SshOptions) -> Values:
    process = await asyncio.create_subprocess_exec(
        *["ssh", "-T", "-G", *ssh_flags(address, options), "--", address.host],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # so that what a Match exec has started ends with it
    )
    try:
        late = ConnectError("ssh -G does not answer", address.host, "a Match exec in the configuration may hang")
        output, errors = await within(deadline.RESOLVE, process.communicate(), late)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode:
        raise ConfigError("ssh refuses its configuration", address.host, shown(errors))
    values: dict[str, list[str]] = {}
    for line in output.decode("utf-8", "surrogateescape").splitlines():
        key, _, value = line.partition(" ")
        values.setdefault(key.lower(), []).append(value)
    return values


def ssh_flags(address: Address, options: SshOptions) -> list[str]:
    """The options of the command line as arguments of `ssh`, without the host. Raises UsageError for a jump host."""
    flags = ["-F", options.config_file] if options.config_file else []
    port = address.port or options.port
    flags += ["-p", str(port)] if port else []
    flags += ["-l", address.user] if address.user else []
    for file in options.identity_files:
        flags += ["-i", file]
    if options.jump:
        if options.jump != "none":
            for hop in options.jump.split(","):
                parse_address(hop)
        flags += ["-J", options.jump]
    return flags
