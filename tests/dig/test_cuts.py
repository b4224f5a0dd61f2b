"""A connection that breaks off at any byte of a refresh: never a mixed index, never a hang, and the next refresh completes it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from sondage.dig import Dig, Settings, open_dig
from sondage.errors import HostError
from sondage.hosts import transport
from sondage.hosts.base import SshOptions
from sondage.hosts.target import parse_target
from support.long_wire import LongWire
from support.sshd import Sshd, running_sshd

pytestmark = pytest.mark.sshd

FILES = 60
KINDS = ("fin", "reset", "stall", "kill")


def write(root: Path, version: int) -> None:
    """Every file says which version of the tree it belongs to; the filling makes packing take little away."""
    for number in range(FILES):
        filling = random.Random(f"{version} {number}").randbytes(2_000).hex()
        (root / f"part{number:02d}.py").write_text(f"class V{version}:\n    of = '{filling}'\n")


def version_of(dig: Dig) -> int:
    """The one version that all files of the index are of."""
    texts = [dig.source(path) for path in dig.files()]
    versions = {text.lines[0] for text in texts if text is not None}
    assert len(dig.files()) == FILES
    assert len(versions) == 1, versions
    return int(versions.pop().removeprefix("class V").rstrip(":"))


@asynccontextmanager
async def over_a_wire(folder: Path, root: Path) -> AsyncIterator[tuple[Sshd, LongWire, Dig, Settings]]:
    with running_sshd(folder) as server, LongWire(server.port) as wire:
        server.configure_client(f"Port {wire.port}")
        recorded = server.known_hosts.read_text()
        server.known_hosts.write_text(recorded.replace(str(server.port), str(wire.port)))
        settings = Settings(SshOptions(config_file=str(server.config), no_input=True), engine="threads")
        dig = await open_dig(parse_target(server.target(root)), settings)
        try:
            yield server, wire, dig, settings
        finally:
            await dig.aclose()


async def survive(folder: Path, seeds: range) -> dict[str, int]:
    """How many refreshes were cut, by kind."""
    root = folder / "tree"
    root.mkdir()
    write(root, 0)
    cut = dict.fromkeys(KINDS, 0)
    async with over_a_wire(folder / "sshd", root) as (server, wire, dig, settings):
        await dig.refresh()
        before = wire.received
        write(root, 1)
        await dig.refresh()
        size = wire.received - before
        offline = replace(settings, offline=True)
        for version, seed in enumerate(seeds, 2):
            kind = KINDS[seed % len(KINDS)]
            cuts: dict[str, Callable[[], object]] = {
                "fin": wire.finish,
                "reset": wire.reset,
                "stall": wire.stall,
                "kill": server.kill_sessions,
            }
            write(root, version)
            wire.when_received(random.Random(seed).randrange(1, size * 3 // 4), cuts[kind])
            try:
                async with asyncio.timeout(20):
                    await dig.refresh()
            except HostError:
                cut[kind] += 1
                assert version_of(dig) == version - 1
                kept = await open_dig(dig.target, offline)
                assert (await kept.refresh()).complete
                assert version_of(kept) == version - 1
                await kept.aclose()
                wire.when_received(1 << 60, wire.finish)  # where the cut came too late, it does not come now
                assert (await dig.refresh()).complete
            assert version_of(dig) == version
    return cut


@pytest.fixture(autouse=True)
def quickly_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is noticed in 1.5 seconds instead of 18."""
    monkeypatch.setattr(transport, "KEEPALIVE_SECONDS", 0.5)
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def test_silence_is_noticed_within_20_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    assert transport.KEEPALIVE_SECONDS * (transport.KEEPALIVE_COUNT + 1) < 20


async def test_refresh_that_is_cut_in_each_way_leaves_the_older_index_whole(tmp_path: Path) -> None:
    cut = await survive(tmp_path, range(4))

    assert sum(cut.values()) > 0


@pytest.mark.long
async def test_50_cuts_at_random_bytes_of_a_refresh(tmp_path: Path) -> None:
    cut = await survive(tmp_path, range(4, 88))

    assert sum(cut.values()) >= 50, cut
    assert all(cut.values())
