"""Connections that break at any moment: what is known stays whole, nobody waits for long, and the next time completes it.

Where it breaks is chosen by chance, the same each time the tests run. Fifty breaks are for `make check-long`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sondage.core.answers.index import IndexSummary
from sondage.dig import Dig, Settings, open_dig
from sondage.errors import HostError
from sondage.hosts import transport
from sondage.hosts.base import SshOptions
from sondage.hosts.target import parse_target
from support.long_wire import LongWire
from support.sshd import Sshd, running_sshd

pytestmark = pytest.mark.sshd

FILES = 150
PATIENCE = 20
"""Seconds after which a loss must have been noticed."""

Contents = dict[str, bytes]


@dataclass
class Box:
    """A host behind a wire, and a tree on it that can be made another one."""

    server: Sshd
    wire: LongWire
    tree: Path
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    def write(self, share: float) -> Contents:
        """Writes so much of the tree anew, and returns what is there now. Packing makes little less of it."""
        for number in range(FILES):
            path = self.tree / f"part{number:03}.py"
            if self.chance.random() < share or not path.exists():
                path.write_text(f"class Part{number}:\n    '''{self.chance.randbytes(4000).hex()}'''\n")
        return {path.name: path.read_bytes() for path in self.tree.iterdir()}

    def breaks(self) -> dict[str, Callable[[], None]]:
        """The ways in which a connection can end, as far as one end of it can see."""
        return {
            "closed": self.wire.finish,
            "reset": self.wire.reset,
            "silent": self.wire.stall,
            "killed": self.server.kill_sessions,
        }

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Dig]:
        options = SshOptions(config_file=str(self.server.config), no_input=True)
        dig = await open_dig(parse_target(self.server.target(self.tree)), Settings(options, engine="threads"))
        try:
            yield dig
        finally:
            await dig.aclose()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    monkeypatch.setattr(transport, "KEEPALIVE_SECONDS", 0.5)
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (tmp_path / "tree").mkdir()
    with running_sshd(tmp_path / "sshd") as server, LongWire(server.port) as wire:
        server.lead_over(wire.port)
        yield Box(server, wire, tmp_path / "tree")


def indexed(dig: Dig) -> Contents:
    texts = {path: dig.source(path) for path in dig.files()}
    return {path: text.data for path, text in texts.items() if text}


async def attempt(dig: Dig) -> IndexSummary | None:
    """What a refresh came to; None where it broke off, which it must say in time."""
    async with asyncio.timeout(PATIENCE):
        try:
            return await dig.refresh()
        except HostError:
            return None


async def check_break(box: Box, kind: str, *, first: bool) -> bool:
    """One break, of a first pull or of the refresh of a tree that has changed. Returns whether it hit."""
    old = box.write(0)
    async with box.opened() as dig:
        if not first:
            await dig.refresh()
        new = old if first else box.write(0.5)
        box.wire.when_received(box.chance.randrange(5000, 900_000 if first else 500_000), box.breaks()[kind])
        summary = await attempt(dig)

        if summary is not None:  # it came too late, or between the last byte and this line
            assert (summary.complete, indexed(dig)) == (True, new)
            await attempt(dig)
        elif first:
            assert indexed(dig).items() <= new.items()
        else:
            assert indexed(dig) == old

        box.wire.when_received(1 << 40, lambda: None)
        async with asyncio.timeout(PATIENCE):
            again = await dig.refresh()
        assert (again.complete, indexed(dig)) == (True, new)
    return summary is None


def forget(box: Box, tmp_path: Path) -> None:
    """The tree is a new one, which no cache knows."""
    box.tree = tmp_path / f"tree{box.chance.random()}"
    box.tree.mkdir()


async def break_often(box: Box, tmp_path: Path, firsts: Sequence[bool]) -> int:
    """How many breaks hit; each of the kinds in turn."""
    hits = 0
    for number, first in enumerate(firsts):
        forget(box, tmp_path)
        hits += await check_break(box, sorted(box.breaks())[number % 4], first=first)
    return hits


async def test_whatever_breaks_a_first_pull_what_came_is_right_and_the_next_refresh_completes_it(
    box: Box, tmp_path: Path
) -> None:
    assert await break_often(box, tmp_path, [True] * 4)


@pytest.mark.long
async def test_fifty_breaks_of_first_pulls_and_refreshes(box: Box, tmp_path: Path) -> None:
    assert await break_often(box, tmp_path, [True, True, False] * 17) >= 30
