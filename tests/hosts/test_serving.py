"""Requests that are ahead of their answers: over a real server, with portions so small that there are many."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.hosts import pace
from sondage.hosts.base import RemoteFile, SshOptions, TransportChoice
from sondage.hosts.channel import Command
from sondage.hosts.open import open_host
from sondage.hosts.serving import Request, _Waiting
from sondage.hosts.ssh import SshHost
from sondage.hosts.target import parse_target
from support.sshd import Sshd

from .conftest import connect, fetch_all, request

FILES = 40
SIZE = 4000


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"f{number:02}.py").write_bytes(os.urandom(SIZE))
    return folder


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three or four files, two portions at a time."""
    monkeypatch.setattr(pace, "FIRST_AHEAD", 8 * SIZE)
    monkeypatch.setattr(pace, "LEAST_AHEAD", 8 * SIZE)


@pytest.fixture(params=["asyncssh", "ssh"])
async def host(sshd: Sshd, request: pytest.FixtureRequest) -> AsyncIterator[SshHost]:
    transport: TransportChoice = request.param
    options = SshOptions(config_file=str(sshd.config), no_input=True, transport=transport)
    host = await open_host(parse_target(sshd.target("/")), options)
    assert isinstance(host, SshHost)
    yield host
    await host.aclose()


def are_right(got: dict[bytes, bytes | None], folder: Path) -> bool:
    return got == {path.name.encode(): path.read_bytes() for path in folder.iterdir()}


@pytest.mark.sshd
async def test_files_in_many_portions_are_the_same_and_come_in_their_order(host: SshHost, many: Path) -> None:
    listing = await host.list(request(many))
    got = await fetch_all(host, listing)

    assert list(got) == [file.path for file in listing.files]
    assert are_right({path: one.data for path, one in got.items()}, many)
    assert host.traffic.commands == 1


@pytest.mark.sshd
async def test_a_portion_is_asked_for_before_the_one_ahead_of_it_is_answered(
    sshd: Sshd, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    send, receive = Command.send, Command.receive

    def sending(command: Command, data: bytes) -> None:
        events.append("asked")
        send(command, data)

    async def receiving(command: Command) -> bytes:
        data = await receive(command)
        events.append("came")
        return data

    monkeypatch.setattr(Command, "send", sending)
    monkeypatch.setattr(Command, "receive", receiving)
    host = await connect(sshd)
    listing = await host.list(request(many))
    events.clear()
    await fetch_all(host, listing)
    await host.aclose()

    assert events[:3] == ["asked", "asked", "came"]
    assert events.count("asked") >= 4


@pytest.mark.sshd
async def test_what_comes_next_is_decided_while_the_portions_ahead_of_it_come(host: SshHost, many: Path) -> None:
    listing = await host.list(request(many))
    left = list(listing.files)

    def order() -> Iterator[RemoteFile]:
        while left:
            yield left.pop(0)

    came: list[bytes] = []
    async with aclosing(host.fetch(listing.root, order())) as batches:
        async for batch in batches:
            came += [one.file.path for one in batch]
            if len(came) <= 8:
                left.reverse()

    assert sorted(came) == [file.path for file in listing.files]
    assert came.index(b"f39.py") < FILES / 2


@pytest.mark.sshd
async def test_others_list_and_read_while_many_portions_come(host: SshHost, many: Path, tree: Path) -> None:
    listing = await host.list(request(many))
    got: dict[bytes, bytes | None] = {}
    asked: list[asyncio.Task[Sequence[RemoteFile]]] = []

    async def other() -> Sequence[RemoteFile]:
        found = await host.list(request(tree))
        await fetch_all(host, found)
        return found.files

    async with aclosing(host.fetch(listing.root, listing.files)) as batches:
        async for batch in batches:
            got.update((one.file.path, one.data) for one in batch)
            asked = asked or [asyncio.ensure_future(other())]
            if len(got) == FILES:
                assert asked[0].done(), "nobody waits for the whole"

    assert len(await asked[0]) > 0
    assert are_right(got, many)
    assert host.traffic.commands == 1


@pytest.mark.sshd
async def test_command_that_is_killed_with_portions_ahead_is_started_again_for_what_has_not_come(
    sshd: Sshd, many: Path
) -> None:
    host = await connect(sshd)
    listing = await host.list(request(many))
    got: list[bytes] = []
    async with aclosing(host.fetch(listing.root, listing.files)) as batches:
        async for batch in batches:
            if not got:
                sshd.kill_commands()
            got += [one.file.path for one in batch if one.data is not None]
    await host.aclose()

    assert sorted(got) == [file.path for file in listing.files]
    assert host.identity.transport == "tar over exec"


@pytest.mark.sshd
async def test_pull_that_is_left_with_portions_ahead_ends_on_the_host(host: SshHost, sshd: Sshd, many: Path) -> None:
    listing = await host.list(request(many))
    async with aclosing(host.fetch(listing.root, listing.files)) as batches:
        await anext(batches)
    assert len(await fetch_all(host, listing)) == FILES

    await host.aclose()
    await asyncio.to_thread(sshd.wait_until_idle)


@given(st.binary(max_size=60), st.lists(st.integers(0, 200), max_size=8))
def test_answers_are_told_apart_wherever_the_pieces_are_cut(following: bytes, cuts: list[int]) -> None:
    nonce = b"n" * 32
    own = b"an answer \0x" + nonce[:10] + b" and more\0x" + nonce + b"\0"
    data = own + following
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    waiting: _Waiting[None] = _Waiting(Request(nonce, b"", lambda feed: iter(())))  # type: ignore[arg-type, return-value]
    taken, rest = b"", None
    for start, end in itertools.pairwise(places):
        if rest is None:
            piece, rest = waiting.split(data[start:end])
            taken += piece
        else:
            rest += data[start:end]

    assert (taken, rest) == (own, following)
