"""Owns what becomes of a host key: what is known of it, who is asked about it, what is recorded, what a refusal says."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncssh

from sondage.errors import ConfigError, HostError, HostKeyChanged, HostKeyUnknown
from sondage.hosts.base import Question
from sondage.hosts.hop import Hop
from sondage.hosts.interview import Interview
from sondage.hosts.known_hosts import (
    Entry,
    KnownHosts,
    Trust,
    Verdict,
    append_line,
    damaged_lines,
    fingerprint,
    format_line,
    parse_key,
    read_entries,
)

_LIST_MAGIC = b"SSHKRL"
"""How a binary list of revoked keys begins (OpenSSH's PROTOCOL.krl)."""


def read_known_hosts(hop: Hop) -> KnownHosts:
    """What the files of a hop say. Raises ConfigError for a list of revoked keys that cannot be read: none is believed."""
    files = (*hop.user_known_hosts, *hop.global_known_hosts)
    return KnownHosts([*hop.vouched, *_revoked(hop.revoked_keys), *read_entries(files)], *hop.known_name)


def _revoked(file: str) -> list[Entry]:
    if not file:
        return []
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise ConfigError("the revoked host keys cannot be read", file, error.strerror or "") from None
    if data.startswith(_LIST_MAGIC):
        raise ConfigError("the revoked host keys are a binary list, which only ssh reads", file, "--transport ssh")
    lines = data.decode("utf-8", "replace").split("\n")
    keys = (parse_key("@revoked", "*", line.split(), f"{file}:{number}") for number, line in enumerate(lines, 1))
    return [entry for entry in keys if entry]


def accepts(hop: Hop, verdict: Verdict) -> bool:
    """Whether to go on with a key. A revoked one never, whatever the configuration says."""
    if verdict.trust is Trust.KNOWN:
        return True
    return hop.strictness == "no" and verdict.trust is not Trust.REVOKED


def override_note(hop: Hop, verdict: Verdict, key: asyncssh.SSHKey) -> str:
    """What is said of a key that was accepted only because checking is switched off; empty for a known one."""
    said = f"{key.get_algorithm()} {fingerprint(key.public_data)}"
    if verdict.trust is Trust.CHANGED and verdict.entry:
        recorded = f"{verdict.entry.place} has {fingerprint(verdict.entry.key)}"
        return (
            f"the host key of {hop.where} HAS CHANGED and was accepted all the same, because of StrictHostKeyChecking no:"
            f" {recorded}, the server showed {said}; no password is sent to it"
        )
    if verdict.trust is Trust.UNKNOWN:
        return f"the host key of {hop.where} was not checked, because of StrictHostKeyChecking no: {said}"
    return ""


async def admit(hop: Hop, unknown: HostKeyUnknown, interview: Interview) -> str:
    """Returns a note once the key may be used from now on; raises `unknown` where it may not."""
    file = next((name for name in hop.user_known_hosts[:1] if name != "/dev/null"), "")
    if hop.strictness == "yes":
        unknown.hint += "; StrictHostKeyChecking yes"
        raise unknown
    if hop.strictness == "accept-new":
        await _record(file, unknown.line)
        place = f"recorded in {file}" if file else "recorded nowhere"
        said = f"{unknown.key_type} {unknown.fingerprint}"
        return (
            f"the host key of {hop.where} was new and is {place}, because of StrictHostKeyChecking accept-new: {said}"
        )
    details = {"type": unknown.key_type, "fingerprint": unknown.fingerprint, "known_hosts": file}
    text = f"The host key of {unknown.where} is not known"
    if await interview.ask(Question("host_key", hop.label, text, details=details)) != "yes":
        raise unknown
    await _record(file, unknown.line)
    return ""


async def _record(file: str, line: str) -> None:
    if not file:
        return
    try:
        await asyncio.to_thread(append_line, Path(file), line)
    except OSError as error:
        raise HostError("the host key could not be recorded", file, error.strerror or "") from None


def refusal(hop: Hop, known: KnownHosts, verdict: Verdict, key: asyncssh.SSHKey, *, can_ask: bool) -> HostError:
    """Why a connection ends at its host key."""
    offered = fingerprint(key.public_data)
    if verdict.entry and verdict.trust is Trust.REVOKED:
        return HostKeyChanged("the host key is revoked", hop.where, f"{offered}, in {verdict.entry.place}")
    if verdict.entry:
        hint = f"{verdict.entry.place} has {fingerprint(verdict.entry.key)}, the server showed {offered}"
        return HostKeyChanged("the host key has changed; somebody may be listening", hop.where, hint)
    kind = key.get_algorithm()
    line = format_line(known.name, kind, key.public_data, hashed=hop.hash_known_hosts)
    hints = [f"{kind} {offered}"]
    if not can_ask and hop.strictness == "ask":
        hints.append("nobody could be asked: connect once without --no-input, or with ssh")
    if damaged := damaged_lines((*hop.user_known_hosts, *hop.global_known_hosts)):
        hints.append(f"lines that cannot be read: {', '.join(damaged)}")
    return HostKeyUnknown(
        "unknown host key", hop.where, "; ".join(hints), key_type=kind, fingerprint=offered, line=line
    )
