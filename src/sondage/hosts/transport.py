"""Owns what a connection is made of: TCP, and every option of asyncssh, so that none is left to chance."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress

import asyncssh

from sondage.errors import ConnectError
from sondage.hosts import deadline
from sondage.hosts.hop import Hop
from sondage.hosts.known_hosts import KnownHosts

WINDOW = 8 << 20
"""Bytes that may be under way on a channel: 17 MB/s at a round trip of 200 ms, where asyncssh's 2 MiB give 4.8."""
KEEPALIVE_SECONDS = 6
KEEPALIVE_COUNT = 2
"""A host that says nothing for three times as long, 18 seconds, is lost; anything it sends is a sign of life."""
RETRY_PAUSE = 1.0
"""Seconds between two tries to connect (ssh_config(5), ConnectionAttempts)."""
# As OpenSSH prefers them (ssh_config(5), HostKeyAlgorithms), so that the fingerprint shown is the one `ssh` shows.
_HOST_KEYS = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
_RSA_HOST_KEYS = ("rsa-sha2-512", "rsa-sha2-256")
# The fastest first: 220 to 310 MB/s with AES-GCM against 130 to 160 with ChaCha20.
_CIPHERS = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com")
_OLDER_CIPHERS = ("aes128-ctr", "aes192-ctr", "aes256-ctr")


def connection_options(hop: Hop, known: KnownHosts, client: asyncssh.SSHClient) -> asyncssh.SSHClientConnectionOptions:
    return asyncssh.SSHClientConnectionOptions(
        config=[],
        client_factory=lambda: client,
        username=hop.user,
        known_hosts=lambda host, addr, port: ([], [], _revoked_keys(known)),
        server_host_key_algs=_host_key_algorithms(hop, known),
        host_key_alias=hop.key_alias or hop.host,
        x509_trusted_certs=None,
        client_keys=None,
        preferred_auth=list(hop.methods) or ["none"],  # an empty list would mean all of them
        gss_host=None,
        host_based_auth=False,
        disable_trivial_auth=True,
        agent_forwarding=False,
        x11_forwarding=False,
        compression_algs=["none"],
        encryption_algs=[*_CIPHERS, *_OLDER_CIPHERS],
        keepalive_interval=hop.alive_seconds or KEEPALIVE_SECONDS,
        keepalive_count_max=hop.alive_count if hop.alive_seconds else KEEPALIVE_COUNT,
        connect_timeout=None,
        login_timeout=0,
        utf8_decode_errors="backslashreplace",
        encoding=None,
        request_pty=False,
        command=None,
        env=None,
        send_env=None,
        window=WINDOW,
    )


def _revoked_keys(known: KnownHosts) -> list[asyncssh.SSHKey]:
    """For certificates only: of a certificate, asyncssh asks us about the authority, and looks up the key itself here."""
    keys: list[asyncssh.SSHKey] = []
    for entry in known.revoked if known.has_authorities else ():
        with suppress(asyncssh.KeyImportError):
            keys.append(asyncssh.public_key.decode_ssh_public_key(entry.key))
    return keys


def _host_key_algorithms(hop: Hop, known: KnownHosts) -> list[str]:
    """The recorded types first: otherwise a known server could show another of its keys and look like a changed one."""
    supported = {name.decode() for name in asyncssh.public_key.get_public_key_algs()}
    plain = [name for name in (hop.host_key_algorithms or (*_HOST_KEYS, *_RSA_HOST_KEYS)) if name in supported]
    recorded = {name for kind in known.key_types for name in (_RSA_HOST_KEYS if kind == "ssh-rsa" else (kind,))}
    first = [name for name in plain if name in recorded]
    ordered = list(dict.fromkeys((*first, *plain)))
    if not known.has_authorities:
        return ordered
    certificates = {name.decode() for name in asyncssh.public_key.get_certificate_algs()}
    return [name for name in map(_certificate_name, ordered) if name in certificates] + ordered


def _certificate_name(algorithm: str) -> str:
    return algorithm.partition("@")[0] + "-cert-v01@openssh.com"


async def connect_tcp(hop: Hop) -> socket.socket:
    """The first of the host's addresses that answers, within ConnectTimeout if there is one. Raises ConnectError."""
    seconds = hop.connect_timeout or deadline.TCP
    try:
        async with asyncio.timeout(seconds if hop.connect_timeout else None):
            for _ in range(hop.connect_tries - 1):
                try:
                    return await _try_addresses(hop, seconds)
                except OSError:  # TimeoutError is one
                    await asyncio.sleep(RETRY_PAUSE)
            return await _try_addresses(hop, seconds)
    except TimeoutError:
        raise ConnectError("no answer", hop.where, f"within {seconds:g} s; is the host up and reachable?") from None
    except (socket.gaierror, UnicodeError) as error:
        said = error.strerror if isinstance(error, socket.gaierror) else str(error)
        raise ConnectError("the host name is not known", hop.where, said or "") from None
    except OSError as error:
        said = os.strerror(error.errno) if error.errno else str(error)
        raise ConnectError("no connection", hop.where, said) from None


async def _try_addresses(hop: Hop, seconds: float) -> socket.socket:
    async with asyncio.timeout(seconds):
        loop = asyncio.get_running_loop()
        addresses = await loop.getaddrinfo(hop.host, hop.port, family=hop.family, type=socket.SOCK_STREAM)
        for address in addresses[:-1]:
            try:
                async with asyncio.timeout(seconds / len(addresses)):
                    return await _connect_socket(hop, *address)
            except OSError:
                continue
        return await _connect_socket(hop, *addresses[-1])


async def _connect_socket(
    hop: Hop, family: int, kind: int, protocol: int, _: str, address: tuple[object, ...]
) -> socket.socket:
    endpoint = socket.socket(family, kind, protocol)
    try:
        endpoint.setblocking(False)
        if hop.bind_address:
            endpoint.bind((hop.bind_address, 0))
        await asyncio.get_running_loop().sock_connect(endpoint, address)
    except BaseException:
        endpoint.close()
        raise
    return endpoint
