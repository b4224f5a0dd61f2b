"""Owns the demo's own SSH server: one folder, on the loopback interface, read-only, with keys that are never stored.

It answers the requests of `hosts.commands` in Python, so that no shell runs, and SFTP for reading. Whoever talks to
it is the same client that talks to a real server.
"""

from __future__ import annotations

import asyncio
import os
import posixpath
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncssh
import msgspec

from sondage.errors import HostError
from sondage.hosts.base import Address, ListRequest, RemoteFile, Target
from sondage.hosts.commands import SERVE, end_mark
from sondage.hosts.found import Found, Stamp
from sondage.hosts.hop import Hop
from sondage.hosts.known_hosts import Entry, lookup_name
from sondage.hosts.local import read_settled, stamp_of, walk
from sondage.hosts.login import connect
from sondage.hosts.names import below
from sondage.hosts.ssh import SshHost

USER = "demo"
INTERFACE = "127.0.0.1"
_KEY_TYPE = "ssh-ed25519"

_running: dict[Address, Loopback] = {}


class Loopback(msgspec.Struct, frozen=True):
    """A running server, and all that a client needs to trust it and to be let in."""

    folder: Path
    address: Address
    client_key: asyncssh.SSHKey
    host_key: asyncssh.SSHKey

    @property
    def target(self) -> Target:
        return Target(str(self.folder), self.address)

    async def open(self) -> SshHost:
        """A client connected to it. Raises the children of HostError."""
        assert self.address.port
        name = lookup_name(self.address.host, self.address.port)
        known = Entry("", name, _KEY_TYPE, self.host_key.public_data, "made for this session")
        hop = Hop(
            str(self.address), self.address.host, self.address.port, USER, keys=(self.client_key,), vouched=(known,)
        )
        return SshHost(await connect((hop,), None), str(self.address), "loopback")


def running(address: Address) -> Loopback | None:
    """The server of this process that has this address."""
    return _running.get(address)


@asynccontextmanager
async def serve(folder: Path) -> AsyncIterator[Loopback]:
    """The folder is served on a free port until the context ends. Raises HostError for a folder that is not one."""
    real = await asyncio.to_thread(folder.resolve)
    if not await asyncio.to_thread(real.is_dir):
        raise HostError("not a folder", str(folder))
    client_key, host_key = (asyncssh.generate_private_key(_KEY_TYPE) for _ in range(2))
    guests = asyncssh.import_authorized_keys(client_key.export_public_key().decode())
    acceptor = await asyncssh.listen(
        INTERFACE,
        0,
        config=[],
        server_host_keys=[host_key],
        authorized_client_keys=guests,
        password_auth=False,
        kbdint_auth=False,
        gss_host=None,
        allow_pty=False,
        agent_forwarding=False,
        x11_forwarding=False,
        encoding=None,
        process_factory=_Answers(os.fsencode(real)).serve,
        sftp_factory=lambda channel: _ReadOnly(channel, os.fsencode(real)),
    )
    address = Address(INTERFACE, USER, acceptor.get_port())
    _running[address] = loopback = Loopback(real, address, client_key, host_key)
    try:
        yield loopback
    finally:
        del _running[address]
        acceptor.close()
        await acceptor.wait_closed()


class _Answers:
    """What the command would answer on a host with GNU tools."""

    def __init__(self, folder: bytes) -> None:
        self._folder = folder

    async def serve(self, process: asyncssh.SSHServerProcess[bytes]) -> None:
        if process.command != SERVE:
            process.stderr.write(b"this server only lists and reads\n")
            process.exit(127)
            return
        with suppress(asyncio.IncompleteReadError, BrokenPipeError):
            while (line := await process.stdin.readline()).endswith(b"\n"):
                verb, nonce, size, group, _ = line.split()
                given = await process.stdin.readexactly(int(size))
                pieces = self._list(given) if verb == b"list" else self._pull(nonce, int(group), given)
                while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
                    process.stdout.write(piece)
                    await process.stdout.drain()
        process.exit(0)

    def _list(self, given: bytes) -> Iterator[bytes]:
        nonce, root, count, *names = given.removesuffix(b"\0").split(b"\0")
        pruned, patterns = tuple(names[: int(count)]), tuple(names[int(count) :])
        try:
            found = walk(ListRequest(root, patterns, pruned, max_files=1 << 30))
        except HostError:
            found = None
        if found is None or below(self._folder, found.root) is None:
            head = [nonce, b"absent", b"sondage", b"", root]
            yield b"\0" + b"\0".join(head) + b"\0e0 0 " + nonce + b"\0"
            return
        head = [nonce, b"gnu", b"sondage", b"%d" % (found.host_time_ns // 10**9), found.root]
        end = b"e%d %d %s" % (found.unreadable > 0, found.unreadable, nonce)
        yield b"\0" + b"\0".join([*head, *_file_records(found), *_link_records(found), end]) + b"\0"

    def _pull(self, nonce: bytes, group: int, given: bytes) -> Iterator[bytes]:
        names = given.split(b"\0")[:-1]
        yield b"\0%s\0gnu\0gnu\0plain\0" % nonce
        for start in range(0, len(names), group):
            yield self._archive(names[start : start + group])
        yield b"\0e0 %s\0" % nonce + end_mark(nonce)

    def _archive(self, names: list[bytes]) -> bytes:
        members: list[bytes] = []
        stamps: list[bytes] = []
        for name in names:
            stamp = self._stamp(name)
            data = read_settled(RemoteFile(name, *stamp), name).data if stamp else None
            if stamp and data is not None:
                members += [_header(name, len(data)), data, bytes(-len(data) % tarfile.BLOCKSIZE)]
                stamps.append(b"f%s %s\0" % (_stamp(stamp), name))
        status = 0 if len(stamps) == len(names) else 2
        end = bytes(2 * tarfile.BLOCKSIZE)
        return b"".join([*members, end, b"\0t%d %d\0" % (status, len(names)), *stamps, b"g\0"])

    def _stamp(self, name: bytes) -> Stamp | None:
        """None for what is not there, or not in the folder."""
        if below(self._folder, posixpath.realpath(name)) is None:
            return None
        try:
            return stamp_of(os.lstat(name))
        except OSError:
            return None


class _ReadOnly(asyncssh.SFTPServer):
    """SFTP that shows the folder under its own absolute name, nothing outside of it, and changes nothing."""

    def __init__(self, channel: asyncssh.SSHServerChannel[bytes], folder: bytes) -> None:
        super().__init__(channel)
        self._folder = folder

    def map_path(self, path: bytes) -> bytes:
        absolute = posixpath.normpath(posixpath.join(self._folder, path))
        if absolute == posixpath.dirname(self._folder):
            return self._folder  # a listing asks for `..` too
        parent = posixpath.realpath(posixpath.dirname(absolute))
        if absolute != self._folder and below(self._folder, parent) is None:
            raise asyncssh.SFTPPermissionDenied("outside of the folder that is served")
        return absolute

    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
        if pflags != asyncssh.FXF_READ or below(self._folder, posixpath.realpath(self.map_path(path))) is None:
            self._refuse()
        return super().open(path, pflags, attrs)

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise asyncssh.SFTPPermissionDenied("this server is read-only")

    open56 = write = setstat = lsetstat = fsetstat = remove = mkdir = rmdir = _refuse
    rename = posix_rename = symlink = link = lock = unlock = fsync = _refuse


def _file_records(found: Found) -> Iterator[bytes]:
    for file in found.files:
        yield b"f%s ./%s" % (_stamp(file.stamp), file.path)


def _link_records(found: Found) -> Iterator[bytes]:
    modes = {"folder": b"41ed", "file": b"81a4", "other": b"11a4"}
    for link in found.links:
        yield b"l./" + link.path
        yield link.real
        yield b"%s %s" % (_stamp(link.stamp), modes[link.kind]) if link.real else b""


def _stamp(stamp: Stamp) -> bytes:
    size, mtime, ctime, inode = stamp
    return b"%d %s %s %d" % (size, _seconds(mtime), _seconds(ctime), inode)


def _seconds(nanoseconds: int) -> bytes:
    return b"%d.%09d" % divmod(nanoseconds, 10**9)


def _header(name: bytes, size: int) -> bytes:
    member = tarfile.TarInfo(os.fsdecode(name).lstrip("/"))
    member.size = size
    return member.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
