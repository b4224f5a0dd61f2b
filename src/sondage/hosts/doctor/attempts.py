"""Owns what is told of an attempt at one server: the host key, and the login if it came to that."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.errors import SondageError
from sondage.hosts.client import Client
from sondage.hosts.doctor.diagnosis import Step, remedy_for
from sondage.hosts.hop import Hop
from sondage.hosts.known_hosts import Trust, fingerprint


def attempt_steps(hop: Hop, client: Client, error: SondageError | None) -> Iterator[Step]:
    """`error` is what the attempt ended with; None where it led to a connection."""
    at_key = error is not None and not client.authenticating
    yield _host_key(hop, client, error if at_key else None)
    if not at_key:
        yield _login(hop, client, error)


def _host_key(hop: Hop, client: Client, error: SondageError | None) -> Step:
    key, verdict = client.key, client.verdict
    offered = (f"{key.get_algorithm()} {fingerprint(key.public_data)}",) if key else ()
    found = ""
    if verdict and verdict.entry:
        found = f"{verdict.entry.place}: {verdict.entry.key_type} {fingerprint(verdict.entry.key)}"
    elif not key and error is None:
        found = "a host certificate of a known authority"
    unchecked = error is None and verdict is not None and verdict.trust is not Trust.KNOWN
    return Step(
        "host key" if key or error is None else "connection",
        "failed" if error else "doubt" if unchecked else "ok",
        hop.label,
        resolved=(found,) if found else (),
        offered=offered,
        refused=(str(error),) if error else (),
        remedy=remedy_for(error) if error else "compare the fingerprint with the owner's" if unchecked else "",
    )


def _login(hop: Hop, client: Client, error: SondageError | None) -> Step:
    """The last try is the one that was let in, where one was; a key that was only a first step is not refused either."""
    keys = [f"{name} {said}" for name, said in zip(client.ring.offered, client.ring.fingerprints, strict=True)]
    words = [method for method in client.tried if method != "publickey"]
    by_key = error is None and client.tried[-1:] == ["publickey"]
    refused = [*keys[: len(keys) - by_key], *words[: len(words) - (error is None and not by_key)]]
    let_in = (keys[-1:] if by_key else words[-1:]) if error is None else []
    return Step(
        "login",
        "failed" if error else "ok",
        hop.label,
        resolved=(f"as {hop.user}", *(f"let in by {one}" for one in let_in), *client.ring.notes),
        tried=(*keys, *words),
        offered=tuple(client.accepted),
        refused=(*refused, *([str(error)] if error else [])),
        remedy=remedy_for(error) if error else "",
    )
