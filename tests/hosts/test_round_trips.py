"""How often reaching a host waits for the other side of the world: counted, see `support.long_wire`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from sondage.core.answers.index import IndexSummary
from sondage.dig import Dig, Settings, open_dig
from sondage.errors import LoginRefused
from sondage.hosts.base import SshOptions
from sondage.hosts.open import open_host
from sondage.hosts.target import parse_target
from support.long_wire import LongWire
from support.sshd import Sshd

pytestmark = pytest.mark.sshd

DELAY = 0.04
"""Seconds each way: longer than either end thinks between two messages."""
LOGIN = 3
"""Version and algorithms, key exchange, signature."""
START = 2
"""The channel, the command."""
TREE = Path(json.__file__).parent
"""A few files that nobody has touched for long: what was touched a moment ago would be read again."""


@pytest.fixture
def wire(sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LongWire]:
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    with LongWire(sshd.port, delay=DELAY) as wire:
        yield wire


@pytest.fixture
def options(sshd: Sshd, wire: LongWire, tmp_path: Path) -> SshOptions:
    """By way of the wire, behind which the server has the key that it is known by."""
    config = tmp_path / "config_of_the_wire"
    known = tmp_path / "known_hosts"
    known.write_text(sshd.known_hosts.read_text().replace(str(sshd.port), str(wire.port)))
    lines = sshd.config.read_text().replace(f"Port {sshd.port}", f"Port {wire.port}")
    config.write_text(lines.replace(str(sshd.known_hosts), str(known)))
    return SshOptions(config_file=str(config), no_input=True)


async def open_over(server: Sshd, options: SshOptions) -> Dig:
    return await open_dig(parse_target(server.target(TREE)), Settings(options, engine="threads"))


def whole(summary: IndexSummary) -> bool:
    return summary.complete and summary.files == len(list(TREE.glob("*.py")))


async def test_a_new_tree_is_whole_and_settled_after_a_login_a_start_a_listing_and_a_pull(
    wire: LongWire, sshd: Sshd, options: SshOptions
) -> None:
    with wire.counting() as trip:
        dig = await open_over(sshd, options)
        assert whole(await dig.refresh())
    await dig.aclose()

    assert trip.count <= LOGIN + START + 2 + 1


async def test_a_known_tree_takes_a_login_a_start_and_a_listing_and_an_open_connection_only_the_listing(
    wire: LongWire, sshd: Sshd, options: SshOptions
) -> None:
    dig = await open_over(sshd, options)
    await dig.refresh()
    await dig.aclose()

    with wire.counting() as known:
        dig = await open_over(sshd, options)
        assert whole(await dig.refresh())
    with wire.counting() as connected:
        assert whole(await dig.refresh())
    await dig.aclose()

    assert known.count <= LOGIN + START + 1 + 1
    assert connected.count <= 1 + 1


async def test_a_refused_key_costs_one_round_trip_and_the_next_one_is_tried(
    wire: LongWire, sshd: Sshd, options: SshOptions, tmp_path: Path
) -> None:
    other = tmp_path / "other_key"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(str(other))
    config = Path(str(options.config_file))
    lines = config.read_text()
    config.write_text(lines.replace("IdentityFile", f"IdentityFile {other}\nIdentityFile", 1))

    with wire.counting() as trip:
        host = await open_host(parse_target("box:/"), options)
    await host.aclose()
    config.write_text(lines.replace(str(sshd.client_key), str(other)))
    with pytest.raises(LoginRefused, match="other_key"):
        await open_host(parse_target("box:/"), options)

    assert trip.count <= LOGIN + 1 + 1
