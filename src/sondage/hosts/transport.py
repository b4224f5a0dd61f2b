"""Owns what a connection is made of: TCP, and every option of asyncssh, so that none is left to chance."""

from __future__ import annotations

import asyncio
import os
import socket

import asyncssh

from sondage.errors import ConnectError
from sondage.hosts import deadline
from sondage.hosts.known_hosts import KnownHosts
from sondage.hosts.resolve import Hop

WINDOW = 8 << 20
"""Bytes that may be under way on a channel: 17 MB/s at a round trip of 200 ms, where asyncssh's 2 MiB give 4.8."""
KEEPALIVE_SECONDS = 15
KEEPALIVE_COUNT = 3
# As OpenSSH prefers them (ssh_config(5), HostKeyAlgorithms), so that the fingerprint shown is the one `ssh` shows.
_HOST_KEYS = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
_RSA_HOST_KEYS = ("rsa-sha2-512", "rsa-sha2-256")
_METHODS = ("publickey", "keyboard-interactive", "password")
# The fastest first: 220 to 310 MB/s with AES-GCM against 130 to 160 with ChaCha20.
_CIPHERS = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "chacha20-poly1305@openssh.com")
_OLDER_CIPHERS = ("aes128-ctr", "aes192-ctr", "aes256-ctr")


def connection_options(hop: Hop, known: KnownHosts, client: asyncssh.SSHClient) -> asyncssh.SSHClientConnectionOptions:
    return asyncssh.SSHClientConnectionOptions(
        config=[],
        client_factory=lambda: client,
        username=hop.user,
        known_hosts=lambda host, addr, port: ([], [], []),
        server_host_key_algs=_host_key_algorithms(hop, known),
        host_key_alias=hop.key_alias or hop.host,
        x509_trusted_certs=None,
        client_keys=None,
        preferred_auth=[method for method in _METHODS if method in hop.methods],
        gss_host=None,
        host_based_auth=False,
        disable_trivial_auth=True,
        agent_forwarding=False,
        x11_forwarding=False,
        compression_algs=["none"],
        encryption_algs=[*_CIPHERS, *_OLDER_CIPHERS],
        keepalive_interval=KEEPALIVE_SECONDS,
        keepalive_count_max=KEEPALIVE_COUNT,
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


def _host_key_algorithms(hop: Hop, known: KnownHosts) -> list[str]:
    """The recorded types first: otherwise a known server could show another of its keys and look like a changed one."""
    supported = {name.decode() for name in asyncssh.public_key.get_public_key_algs()}
    plain = [name for name in (hop.host_key_algorithms or (*_HOST_KEYS, *_RSA_HOST_KEYS)) if name in supported]
    recorded = [name for kind in known.key_types for name in (_RSA_HOST_KEYS if kind == "ssh-rsa" else (kind,))]
    first = [name for name in recorded if name in plain]
    ordered = list(dict.fromkeys((*first, *plain)))
    if not known.has_authorities:
        return ordered
    certificates = {name.decode() for name in asyncssh.public_key.get_certificate_algs()}
    return [name for name in map(_certificate_name, ordered) if name in certificates] + ordered


def _certificate_name(algorithm: str) -> str:
    return algorithm.partition("@")[0] + "-cert-v01@openssh.com"


async def connect_tcp(hop: Hop, where: str) -> socket.socket:
    """The first of the host's addresses that answers."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(deadline.TCP):
            addresses = await loop.getaddrinfo(hop.host, hop.port, family=hop.family, type=socket.SOCK_STREAM)
            for family, kind, protocol, _, address in addresses[:-1]:
                try:
                    async with asyncio.timeout(deadline.TCP / len(addresses)):
                        return await _connect_socket(family, kind, protocol, address)
                except OSError:  # TimeoutError is one
                    continue
            family, kind, protocol, _, address = addresses[-1]
            return await _connect_socket(family, kind, protocol, address)
    except TimeoutError:
        raise ConnectError("no answer", where, f"within {deadline.TCP:g} s; is the host up and reachable?") from None
    except socket.gaierror as error:
        raise ConnectError("the host name is not known", where, error.strerror or "") from None
    except UnicodeError as error:
        raise ConnectError("the host name is not known", where, str(error)) from None
    except OSError as error:
        raise ConnectError("no connection", where, os.strerror(error.errno) if error.errno else str(error)) from None


async def _connect_socket(family: int, kind: int, protocol: int, address: tuple[object, ...]) -> socket.socket:
    endpoint = socket.socket(family, kind, protocol)
    try:
        endpoint.setblocking(False)
        await asyncio.get_running_loop().sock_connect(endpoint, address)
    except BaseException:
        endpoint.close()
        raise
    return endpoint
