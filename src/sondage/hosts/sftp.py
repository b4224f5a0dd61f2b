"""Owns listing and reading over SFTP, for hosts that run no commands: more round trips, and times in whole seconds.

Nothing the server says is believed without a look: names are judged one by one, sizes are only a limit for reading.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Iterable
from contextlib import aclosing
from typing import TypeVar, cast

import asyncssh

from sondage.errors import HostError, TransferError
from sondage.hosts import deadline
from sondage.hosts.base import ENVIRONMENT_MARKS, Batch, Fetched, ListRequest, RemoteFile, Traffic
from sondage.hosts.channel import open_channel
from sondage.hosts.deadline import within
from sondage.hosts.found import Found, Link, check_count, inside_environment, link_kind, matches
from sondage.hosts.line import Line
from sondage.hosts.names import LONGEST_PATH, is_component, join
from sondage.hosts.window import in_window

IN_FLIGHT = 96
"""Files or folders worked on at once. 64 took 7.9 s for 1,404 files at a round trip of 100 ms, 128 took 5.0 s."""
CHUNK = 128 << 10
FOLDER_SLACK = 100_000
"""Entries of one folder that are none of the files that were asked for, beyond as many as were."""
BATCH = 1 << 20
ATTEMPTS = 3
_LOST = (asyncssh.SFTPNoConnection, asyncssh.SFTPConnectionLost)

T = TypeVar("T")


class SftpReader:
    """One SFTP session. It only asks for what reads: realpath, stat, lstat, readdir, open for reading, read."""

    def __init__(self, client: asyncssh.SFTPClient, where: str, traffic: Traffic) -> None:
        self._client = client
        self._where = where
        self._traffic = traffic

    @classmethod
    async def open(cls, line: Line, where: str, traffic: Traffic) -> SftpReader:
        """Raises TransferError when the host offers no SFTP either."""
        try:
            client = await open_channel(line.start_sftp, where)
        except (asyncssh.Error, OSError) as error:
            what = "the connection is lost" if line.is_closed() else "the host runs no commands and offers no SFTP"
            raise TransferError(what, where, str(error)) from None
        return cls(client, where, traffic)

    def close(self) -> None:
        self._client.exit()

    # ---- listing

    async def find(self, request: ListRequest) -> Found:
        found = Found(await self._find_root(request.root))
        folders = await self._read_folder(found, b"", request)
        asked = inside_environment(request) if found.is_environment else request
        seen_folders = len(folders)
        while folders:
            level, folders = folders, []
            walking = in_window(IN_FLIGHT, lambda folder: self._read_folder(found, folder, asked), level)
            async with aclosing(walking):
                async for below in walking:
                    folders += below
                    seen_folders += len(below)
                    check_count(max(len(found.files), seen_folders), request)
        looking = in_window(IN_FLIGHT, lambda link: self._look_behind(found, link), found.links)
        async with aclosing(looking):
            found.links = [link async for link in looking]
        return found

    async def knock(self) -> None:
        """Returns once the host has answered."""
        await self._find_root(b"~")

    async def _find_root(self, root: bytes) -> bytes:
        path = b"." if root == b"~" else root.removeprefix(b"~/")
        shown = root.decode("utf-8", "backslashreplace")
        try:
            real = await self._ask(self._client.realpath(path))
            attributes = await self._ask(self._client.stat(real))
        except asyncssh.SFTPError as error:
            raise HostError("no such folder", f"{self._where}:{shown}", error.reason) from None
        if link_kind(attributes.permissions or 0) != "folder" or not real.startswith(b"/"):
            raise HostError("not a folder", f"{self._where}:{shown}")
        return real

    async def _read_folder(self, found: Found, folder: bytes, request: ListRequest) -> list[bytes]:
        """Puts files and links into `found`; the folders below are returned."""
        try:
            entries = await self._read_entries(join(found.root, folder) if folder else found.root, request)
        except asyncssh.SFTPError:
            found.unreadable += 1
            return []
        folders: list[bytes] = []
        names: set[bytes] = set()
        for entry in entries:
            name = _bytes(entry.filename)
            if name in (b".", b".."):
                continue
            path = join(folder, name) if folder else name
            if name in names or not is_component(name) or len(path) > LONGEST_PATH:
                found.suspicious += 1
                continue
            names.add(name)
            found.is_environment |= not folder and name in ENVIRONMENT_MARKS
            kind = (entry.attrs.permissions or 0) & 0o170000
            if kind == 0o040000 and not matches(name, request.prune):
                folders.append(path)
            elif kind == 0o120000:
                found.links.append(Link(path))
            elif kind == 0o100000 and matches(name, request.patterns):
                found.files.append(_remote_file(path, entry.attrs))
        return folders

    async def _read_entries(self, path: bytes, request: ListRequest) -> list[asyncssh.SFTPName]:
        """One folder. Raises TransferError for one that does not end."""
        entries: list[asyncssh.SFTPName] = []
        reading = cast(AsyncGenerator[asyncssh.SFTPName, None], self._client.scandir(path))
        async with aclosing(reading):
            while (entry := await self._ask(anext(reading, None))) is not None:
                entries.append(entry)
                check_count(len(entries) - FOLDER_SLACK, request)
        return entries

    async def _look_behind(self, found: Found, link: Link) -> Link:
        path = join(found.root, link.path)
        try:
            real = await self._ask(self._client.realpath(path))
            attributes = await self._ask(self._client.stat(path))
        except asyncssh.SFTPError:
            return link
        return Link(link.path, real, link_kind(attributes.permissions or 0), _remote_file(link.path, attributes).stamp)

    async def folders(self, path: bytes) -> list[bytes]:
        """The names of the folders in one folder, of links to folders too. Raises HostError."""
        root = await self._find_root(path)
        found = Found(root)
        names = await self._read_folder(found, b"", ListRequest(root, (), ()))
        if found.unreadable:
            raise HostError(
                "not a folder that can be read", f"{self._where}:{path.decode('utf-8', 'backslashreplace')}"
            )
        looking = in_window(IN_FLIGHT, lambda link: self._look_behind(found, link), found.links)
        async with aclosing(looking):
            return [*names, *[link.path async for link in looking if link.kind == "folder"]]

    # ---- reading

    async def fetch(self, files: Iterable[tuple[RemoteFile, bytes]]) -> AsyncGenerator[Batch, None]:
        """The files, each with the absolute path it is read from."""
        batch: Batch = []
        size = 0
        reading = in_window(IN_FLIGHT, lambda pair: self._fetch_one(*pair), files)
        async with aclosing(reading):
            async for fetched in reading:
                batch.append(fetched)
                size += len(fetched.data or b"")
                if size >= BATCH:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch

    async def _fetch_one(self, file: RemoteFile, path: bytes) -> Fetched:
        """A file is settled when its size and time are, after it was read, what they were before."""
        expected = file.stamp[:2]
        for _ in range(ATTEMPTS):
            try:
                data, after = await self._read(path, expected[0])
            except asyncssh.SFTPError as error:
                return Fetched(file, None, f"cannot be read: {error.reason}")
            if data is None:
                return Fetched(file, None, "no longer a regular file")
            if after == expected and len(data) == after[0]:
                return Fetched(file, data)
            expected = after
        return Fetched(file, None, "kept changing while it was read", settled=False)

    async def _read(self, path: bytes, size: int) -> tuple[bytes | None, tuple[int, int]]:
        """The bytes (None when it is not a regular file), and size and mtime afterwards."""
        file = await self._ask(self._client.open(path, "rb", encoding=None, block_size=0))
        try:
            data = b""
            # One byte more than expected is asked for, so that growing is noticed. Never more than that is taken.
            while len(data) <= size:
                chunk = await self._ask(file.read(min(CHUNK, size + 1 - len(data)), len(data)))
                self._traffic.bytes_received += len(chunk)
                data += _bytes(chunk)
                if not chunk or len(data) == size:
                    break
            attributes = await self._ask(file.stat())
        finally:
            await self._ask(file.close())
        if link_kind(attributes.permissions or 0) != "file":
            return None, (0, 0)
        return data, _remote_file(path, attributes).stamp[:2]

    async def _ask(self, request: Awaitable[T]) -> T:
        """One request under a deadline. Raises asyncssh.SFTPError for what the server refuses."""
        late = TransferError("the host stopped answering", self._where, f"nothing for {deadline.SILENCE:g} s")
        try:
            return await within(deadline.SILENCE, request, late)
        except asyncssh.Error as error:
            if isinstance(error, asyncssh.SFTPError) and not isinstance(error, _LOST):
                raise
            raise TransferError("the connection is lost", self._where, error.reason) from None
        except OSError as error:
            raise TransferError("the connection is lost", self._where, str(error)) from None


def _remote_file(path: bytes, attributes: asyncssh.SFTPAttrs) -> RemoteFile:
    """Version 3 of the protocol has times in whole seconds, and neither ctime nor inode."""
    return RemoteFile(path, max(0, attributes.size or 0), int(attributes.mtime or 0) * 10**9)


def _bytes(data: bytes | str) -> bytes:
    """asyncssh's types allow for text, which without an encoding it never gives."""
    return data if isinstance(data, bytes) else data.encode()
