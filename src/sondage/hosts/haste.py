"""Owns the round trips that a login saves by not waiting for answers that are known.

asyncssh asks for the service that logs in and waits, asks how one may log in and waits, shows a key and waits, signs
and waits. Here all of it goes out together. Where the key exchange has proved who the server is, nobody has to wait for
the service (RFC 4253, 10). A server answers requests in their order and may get more than one (RFC 4252, 5.1). A key
that is at hand can sign at once: a server that does not want it says the same to a signature as to a question
(RFC 4252, 7). Nothing is asked of the user before the server has said how one may log in. A server that hangs up on it
gets a second, patient try (`hosts.login`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import asyncssh
from asyncssh.constants import (
    MSG_EXT_INFO,
    MSG_SERVICE_ACCEPT,
    MSG_USERAUTH_FAILURE,
    MSG_USERAUTH_REQUEST,
    MSG_USERAUTH_SUCCESS,
)
from asyncssh.packet import SSHPacket
from asyncssh.public_key import SSHLocalKeyPair

_USERAUTH = b"ssh-userauth"
_KEYS = b"publickey"

Done: TypeAlias = bool | Awaitable[None] | None
Handler: TypeAlias = Callable[[asyncssh.SSHClientConnection, int, int, SSHPacket], Done]


class Haste:
    """Stands between one connection and its handlers of messages, from when it is made until it is logged in."""

    def __init__(
        self, connection: asyncssh.SSHClientConnection, preferred: tuple[str, ...], on_methods: Callable[[], None]
    ) -> None:
        """`on_methods` is called when the server has said how one may log in."""
        self._connection = connection
        self._on_methods = on_methods
        self._keys_first = preferred[:1] == (_KEYS.decode(),)
        self._began = False
        self._asked_how = self._sent_key = False
        self._known = asyncio.Event()
        self.in_vain = False
        """Whether a key was tried, or was about to be, where the server takes none, or none yet."""
        self._request = connection.send_userauth_request
        self._handlers: dict[int, Handler] = dict(connection._packet_handlers)
        own: dict[int, Handler] = {
            MSG_EXT_INFO: self._on_extensions,
            MSG_SERVICE_ACCEPT: self._on_accept,
            MSG_USERAUTH_FAILURE: self._on_failure,
            MSG_USERAUTH_SUCCESS: self._on_success,
        }
        connection._packet_handlers = self._handlers | own  # type: ignore[assignment]
        connection.send_userauth_request = self._send_request  # type: ignore[method-assign]

    @property
    def asking(self) -> bool:
        """Whether the server has been asked how one may log in, and has not said it yet."""
        return self._asked_how

    async def methods_known(self) -> None:
        if self._asked_how:
            await self._known.wait()

    def _on_extensions(
        self, connection: asyncssh.SSHClientConnection, kind: int, number: int, packet: SSHPacket
    ) -> Done:
        """They say what signatures the server knows, and come with its first encrypted packet (RFC 8308, 2.4)."""
        done = self._handlers[kind](connection, kind, number, packet)
        if connection._next_service == _USERAUTH and not self._began:
            self._began = connection._auth_in_progress = True
            connection._owner.begin_auth(connection._username)
            if self._keys_first:
                self._ask_how()
            connection.try_next_auth()
        return done

    def _ask_how(self) -> None:
        """The request that no server grants, answered with the methods it takes; and at once the first of them."""
        connection = self._connection
        self._asked_how = True
        asking = connection._get_userauth_request_packet(b"none", ())
        connection.send_packet(MSG_USERAUTH_REQUEST, asking[1:])
        connection._auth_methods = [_KEYS]

    def _on_accept(self, connection: asyncssh.SSHClientConnection, kind: int, number: int, packet: SSHPacket) -> Done:
        if not self._began:
            return self._handlers[kind](connection, kind, number, packet)
        connection._next_service = None
        return None

    def _on_failure(self, connection: asyncssh.SSHClientConnection, kind: int, number: int, packet: SSHPacket) -> Done:
        if not self._asked_how:
            return self._handlers[kind](connection, kind, number, packet)
        taken = packet.get_namelist()
        connection._auth_methods = [method for method in connection._preferred_auth or taken if method in taken]
        self._asked_how = False
        self._known.set()
        self._on_methods()
        self.in_vain = _KEYS not in taken
        if self.in_vain and not self._sent_key:
            connection.try_next_auth()
        return None

    def _on_success(self, connection: asyncssh.SSHClientConnection, kind: int, number: int, packet: SSHPacket) -> Done:
        """Who is let in without having proved anything must not take that for a proof, whatever is under way."""
        connection._auth_was_trivial |= self._asked_how
        return self._handlers[kind](connection, kind, number, packet)

    async def _send_request(self, method: bytes, *words: bytes, key: Any = None, trivial: bool = True) -> None:
        auth: Any = self._connection._auth
        self._sent_key |= method == _KEYS
        pair = getattr(auth, "_keypair", None)
        if method == _KEYS and key is None and isinstance(pair, SSHLocalKeyPair) and not pair.use_executor:
            await auth._send_signed_request()
        else:
            await self._request(method, *words, key=key, trivial=trivial)
