"""Owns what is told of the configuration of one server on the way."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from sondage.hosts.base import SshOptions
from sondage.hosts.doctor.diagnosis import Step
from sondage.hosts.hop import Hop, home
from sondage.hosts.known_hosts import damaged_lines


def configured(hop: Hop, options: SshOptions, through: str, reason: str | None) -> Step:
    """`through` is the server before it, empty for the first; `reason` as in `ssh.why_system_ssh`. Blocks."""
    damaged = damaged_lines((*hop.user_known_hosts, *hop.global_known_hosts))
    missing = [file for file in (*hop.identity_files, *hop.certificate_files) if not Path(file).exists()]
    there = [file for file in hop.identity_files if file not in missing]
    nothing_to_show = "publickey" in hop.methods and not there and not hop.agent and not hop.keys
    return Step(
        "configuration",
        "doubt" if damaged or nothing_to_show else "ok",
        hop.label,
        resolved=tuple(_resolved(hop, options, through, reason)),
        offered=(),
        refused=(
            *(f"no such file: {file}" for file in missing if options.identity_files or hop.identities_only),
            *(f"cannot be read: {place}" for place in damaged),
        ),
        remedy="there is no key and no agent: ssh-keygen makes a key, ssh-copy-id gives it to the host"
        if nothing_to_show
        else "",
    )


def _resolved(hop: Hop, options: SshOptions, through: str, reason: str | None) -> Iterator[str]:
    yield f"by {'ssh -G' if shutil.which('ssh') else 'our own reading, because no ssh is installed'}"
    yield from (f"configuration {file}" for file in _config_files(options))
    yield f"server {hop.host}, port {hop.port}, user {hop.user}"
    if through:
        yield f"through {through}"
    if hop.proxy_command:  # its arguments may hold a secret
        yield f"through the ProxyCommand {Path(hop.proxy_command.split()[0]).name} …"
    yield from (f"key {file}" for file in hop.identity_files if Path(file).exists())
    yield from (f"certificate {file}" for file in hop.certificate_files if Path(file).exists())
    yield f"agent {hop.agent}{'' if Path(hop.agent).exists() else ', which is not there'}" if hop.agent else "no agent"
    if hop.identities_only:
        yield "only the named keys (IdentitiesOnly)"
    yield f"logs in by {', '.join(hop.methods) or 'nothing'}"
    known = [file for file in (*hop.user_known_hosts, *hop.global_known_hosts) if Path(file).exists()]
    yield f"host keys known from {', '.join(known) or 'no file'}"
    yield f"an unknown host key: {hop.strictness} (StrictHostKeyChecking)"
    if hop.key_alias:
        yield f"its key is looked up as {hop.key_alias} (HostKeyAlias)"
    if reason is not None:
        yield f"over the program ssh: {reason or '--transport ssh'}"


def _config_files(options: SshOptions) -> Sequence[str]:
    named = options.config_file
    usual = (f"{home()}/.ssh/config", "/etc/ssh/ssh_config")
    return [named] if named else [file for file in usual if Path(file).exists()]
