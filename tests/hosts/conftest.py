"""Owns what the tests of the hosts share: a server for the ordinary cases, hostile names, and helpers to read a tree."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from sondage.hosts.base import Fetched, Host, Listing, ListRequest, SshOptions
from sondage.hosts.open import open_host
from sondage.hosts.ssh import SshHost
from sondage.hosts.target import parse_target
from support import wheels
from support.sshd import Sshd, running_sshd

# Everything that a shell, a terminal, a tar, a find or a sloppy parser could take for something else.
HOSTILE_NAMES = (
    b"plain.py",
    b"a space.py",
    b"trailing .py",
    b"quote'.py",
    b'double".py',
    b"line\nfeed.py",
    b"tab\t.py",
    b"$(touch canary).py",
    b"`touch canary`.py",
    b"; touch canary;.py",
    b"-rf.py",
    b"--checkpoint-action=exec=sh.py",
    b"@archive.py",
    b"*?[a].py",
    b"back\\nslash.py",
    b"[red]markup[b].py",
    b"\x1b]0;title\x07.py",
    "bidi\u202e.py".encode(),
    b"latin-\xff\xfe.py",
    "e\u0301.py".encode(),
    "\u00e9.py".encode(),
    b"n" * 252 + b".py",
)


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with running_sshd(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture
def options(sshd: Sshd) -> SshOptions:
    return SshOptions(config_file=str(sshd.config), no_input=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with hostile names, each file holding its own name."""
    folder = tmp_path / "tr ee'$(x)"
    (folder / "pkg").mkdir(parents=True)
    for name in HOSTILE_NAMES:
        Path(os.fsdecode(os.fsencode(folder / "pkg") + b"/" + name)).write_bytes(name)
    (folder / "pkg" / "notes.txt").write_text("not asked for")
    (folder / ".git").mkdir()
    (folder / ".git" / "hook.py").write_text("pruned")
    return folder


def request(folder: Path, **fields: object) -> ListRequest:
    return ListRequest(os.fsencode(folder), **fields)  # type: ignore[arg-type]


async def connect(server: Sshd) -> SshHost:
    options = SshOptions(config_file=str(server.config), no_input=True)
    host = await open_host(parse_target(server.target("/")), options)
    assert isinstance(host, SshHost)
    return host


async def fetch_all(host: Host, listing: Listing, each: Callable[[], None] | None = None) -> dict[bytes, Fetched]:
    """Everything listed, by path; no path may come twice."""
    got: dict[bytes, Fetched] = {}
    async with aclosing(host.fetch(listing.root, listing.files)) as batches:
        async for batch in batches:
            for fetched in batch:
                assert fetched.file.path not in got
                got[fetched.file.path] = fetched
            if each:
                each()
    assert set(got) == {file.path for file in listing.files}
    return got


@pytest.fixture(scope="session")
def sglang() -> Path:
    """The package folder of the SGLang wheel."""
    try:
        return wheels.unpacked(wheels.SGLANG) / "sglang"
    except LookupError as trouble:
        if os.environ.get("CI"):
            pytest.fail(str(trouble))
        pytest.skip(str(trouble))


@pytest.fixture(scope="session")
def old_objects_aside() -> None:
    """What the imports have made is not searched for garbage again after each test: that took most of its time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
async def nothing_is_left_to_the_event_loop(old_objects_aside: None) -> AsyncIterator[None]:
    """No test may end with an error that nobody saw: in the terminal app it would be printed across the screen."""
    unseen: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unseen.append(context))
    yield
    gc.collect()
    await asyncio.sleep(0)
    assert not unseen


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    """Its host key is known to nobody."""
    with running_sshd(tmp_path / "sshd", trusted=False) as running:
        yield running


@pytest.fixture
def trusted(tmp_path: Path) -> Iterator[Sshd]:
    """Its host key is recorded."""
    with running_sshd(tmp_path / "sshd") as running:
        yield running
