"""Listing and reading over SFTP, from a server that lies."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import ClassVar

import asyncssh
import pytest

from sondage.errors import HostError, TransferError
from sondage.hosts.base import Listing, ListRequest
from sondage.hosts.hop import Hop
from sondage.hosts.known_hosts import Entry
from sondage.hosts.login import connect
from sondage.hosts.sftp import SftpReader
from sondage.hosts.ssh import SLOWER, SshHost

from .conftest import fetch_all

FOLDER, FILE, LINK = stat.S_IFDIR | 0o755, stat.S_IFREG | 0o644, stat.S_IFLNK | 0o777


class Liar(asyncssh.SFTPServer):
    """Shows a tree that is nowhere: `tree` maps a folder to its entries, `data` a file to its bytes."""

    tree: ClassVar[dict[bytes, list[tuple[bytes, int]]]] = {}
    data: ClassVar[dict[bytes, bytes]] = {}
    size: int | None = None
    """What the server says about every file's size, whatever it is."""

    def realpath(self, path: bytes) -> bytes:
        return posixpath.normpath(posixpath.join(b"/", path))

    def stat(self, path: bytes) -> asyncssh.SFTPAttrs:
        if path in self.tree:
            return asyncssh.SFTPAttrs(permissions=FOLDER, size=0, atime=0, mtime=1)
        if path not in self.data:
            raise asyncssh.SFTPNoSuchFile("keine solche Datei: café\x1b[31m")
        return self._attributes(FILE, self.data[path])

    lstat = stat

    def _attributes(self, mode: int, data: bytes) -> asyncssh.SFTPAttrs:
        size = len(data) if self.size is None else self.size
        return asyncssh.SFTPAttrs(permissions=mode, size=size, atime=0, mtime=1)

    async def scandir(self, path: bytes) -> AsyncIterator[asyncssh.SFTPName]:
        if path not in self.tree:
            raise asyncssh.SFTPPermissionDenied("no")
        for name, mode in self.tree[path]:
            yield asyncssh.SFTPName(name, attrs=self._attributes(mode, self.data.get(posixpath.join(path, name), b"")))

    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
        if path not in self.data:
            raise asyncssh.SFTPNoSuchFile("gone")
        return path

    def read(self, file_obj: object, offset: int, size: int) -> bytes:
        assert isinstance(file_obj, bytes)
        return self.data[file_obj][offset : offset + size]

    def fstat(self, file_obj: object) -> asyncssh.SFTPAttrs:
        assert isinstance(file_obj, bytes)
        return self.stat(file_obj)

    def close(self, file_obj: object) -> None:
        """Nothing was opened."""


@asynccontextmanager
async def lying(**told: object) -> AsyncIterator[SshHost]:
    """A host connected to a server that runs no commands and tells these things over SFTP."""
    host_key, client_key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    guests = asyncssh.import_authorized_keys(client_key.export_public_key().decode())
    server = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_host_keys=[host_key],
        authorized_client_keys=guests,
        config=[],
        gss_host=None,
        sftp_factory=type("Told", (Liar,), told),
    )
    port = server.get_port()
    known = Entry("", f"[127.0.0.1]:{port}", "ssh-ed25519", host_key.public_data, "here")
    hop = Hop("liar", "127.0.0.1", port, "me", keys=(client_key,), vouched=(known,))
    host = SshHost(await connect((hop,), None), "liar")
    try:
        yield host
    finally:
        await host.aclose()
        server.close()
        await server.wait_closed()


def paths(listing: Listing) -> list[bytes]:
    return [file.path for file in listing.files]


async def test_names_no_honest_host_sends_are_dropped_and_counted() -> None:
    names = [b"../../x.py", b"/etc/x.py", b"a/b.py", b"", b"nul\0.py", b"good.py", b"good.py", b"..", b"."]
    async with lying(tree={b"/r": [(name, FILE) for name in names]}) as host:
        listing = await host.list(ListRequest(b"/r"))
    assert paths(listing) == [b"good.py"]
    assert listing.suspicious == 6
    assert SLOWER in listing.notes


async def test_names_that_are_not_utf8_are_read() -> None:
    async with lying(tree={b"/r": [(b"\xff.py", FILE)]}, data={b"/r/\xff.py": b"x"}) as host:
        got = await fetch_all(host, await host.list(ListRequest(b"/r")))
    assert got[b"\xff.py"].data == b"x"


async def test_a_folder_that_may_not_be_read_is_counted() -> None:
    async with lying(tree={b"/r": [(b"shut", FOLDER), (b"a.py", FILE)]}) as host:
        listing = await host.list(ListRequest(b"/r"))
    assert (paths(listing), listing.unreadable) == ([b"a.py"], 1)


async def test_folders_in_folders_without_end_are_left() -> None:
    class Endless(dict[bytes, list[tuple[bytes, int]]]):
        def __contains__(self, key: object) -> bool:
            return True

        def __missing__(self, key: bytes) -> list[tuple[bytes, int]]:
            return [(b"deeper", FOLDER), (b"wider", FOLDER)]

    async with lying(tree=Endless()) as host:
        with pytest.raises(TransferError, match="more than 100 files"):
            await host.list(ListRequest(b"/r", max_files=100))


async def test_a_size_that_is_a_lie_does_not_decide_how_much_is_read() -> None:
    tree, data = {b"/r": [(b"a.py", FILE)]}, {b"/r/a.py": b"short"}
    async with lying(tree=tree, data=data, size=1 << 62) as host:
        listing = await host.list(ListRequest(b"/r"))
        assert listing.files == ()
        assert [file.path for file in listing.too_large] == [b"a.py"]
    async with lying(tree=tree, data=data, size=5000) as host:
        fetched = (await fetch_all(host, await host.list(ListRequest(b"/r"))))[b"a.py"]
        assert (fetched.data, fetched.settled) == (None, False)


async def test_a_file_without_end_is_not_read_to_its_end() -> None:
    class Endless(bytes):
        def __getitem__(self, key: object) -> bytes:
            assert isinstance(key, slice)
            return b"x" * (key.stop - key.start)

    tree = {b"/r": [(b"a.py", FILE)]}
    async with lying(tree=tree, data={b"/r/a.py": Endless(b"12345")}) as host:
        await fetch_all(host, await host.list(ListRequest(b"/r")))
        assert host.traffic.bytes_received < 10_000


async def test_a_file_that_vanished_has_a_problem() -> None:
    async with lying(tree={b"/r": [(b"a.py", FILE)]}) as host:
        fetched = (await fetch_all(host, await host.list(ListRequest(b"/r"))))[b"a.py"]
    assert fetched.data is None
    assert "gone" in fetched.problem


async def test_a_link_to_nowhere_is_shown_and_errors_in_any_language_are_harmless() -> None:
    async with lying(tree={b"/r": [(b"l.py", LINK)]}) as host:
        assert (await host.list(ListRequest(b"/r"))).links == (b"l.py",)
        with pytest.raises(HostError):
            await host.list(ListRequest(b"/nowhere"))


async def test_the_home_folder_is_found() -> None:
    async with lying(tree={b"/": [(b"a.py", FILE)], b"/src": [(b"b.py", FILE)]}) as host:
        assert paths(await host.list(ListRequest(b"~"))) == [b"a.py"]
        assert paths(await host.list(ListRequest(b"~/src"))) == [b"b.py"]


async def test_many_files_are_under_way_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_work = most = 0
    read = SftpReader._read

    async def counted(self: SftpReader, path: bytes, size: int) -> object:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        try:
            return await read(self, path, size)
        finally:
            at_work -= 1

    monkeypatch.setattr(SftpReader, "_read", counted)
    names = [b"%d.py" % number for number in range(200)]
    tree, data = {b"/r": [(name, FILE) for name in names]}, {b"/r/" + name: b"x" for name in names}
    async with lying(tree=tree, data=data) as host:
        got = await fetch_all(host, await host.list(ListRequest(b"/r")))
    assert {one.data for one in got.values()} == {b"x"}
    assert most >= 64


async def test_neither_commands_nor_sftp_is_an_error_that_says_so() -> None:
    async with lying() as host:
        host._link.connection.start_sftp_client = refuse  # type: ignore[method-assign]
        with pytest.raises(TransferError, match="no SFTP"):
            await host.list(ListRequest(b"/r"))


async def refuse(**_: object) -> asyncssh.SFTPClient:
    raise asyncssh.ChannelOpenError(asyncssh.OPEN_REQUEST_SESSION_FAILED, os.strerror(1))
