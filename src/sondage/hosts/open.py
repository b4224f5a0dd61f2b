"""Owns the choice of a host for a target: this machine, a server of this process, or one over SSH."""

from __future__ import annotations

from sondage.hosts.base import Asker, Host, SshOptions, Target
from sondage.hosts.local import LocalHost


async def open_host(target: Target, options: SshOptions | None = None, asker: Asker | None = None) -> Host:
    """An open host; close it with `aclose`. Raises UsageError, ConfigError, and the children of HostError."""
    if target.address is None:
        return LocalHost(target.path)
    # Loading SSH takes a tenth of a second, which a local folder need not wait for.
    from sondage.hosts import loopback, ssh  # noqa: PLC0415

    served = loopback.running(target.address)
    if served:
        return await served.open()
    return await ssh.open_ssh(target.address, options or SshOptions(), asker)


def request_root(target: Target) -> bytes:
    """The path of a target as `ListRequest.root` wants it: bytes, undecodable ones restored (PEP 383)."""
    return target.path.encode("utf-8", "surrogateescape")
