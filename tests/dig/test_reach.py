"""The way to a folder of this machine: there at once, without an event loop, and never lost."""

from __future__ import annotations

from pathlib import Path

from sondage.dig.connection import Connection
from sondage.dig.reach import LinkState, Reach, way_to
from sondage.hosts.aside import straight
from sondage.hosts.base import Address, SshOptions, Target


async def test_way_to_a_host_is_a_connection_and_that_to_a_folder_is_none() -> None:
    assert isinstance(way_to(Target("/srv", Address("box")), SshOptions(), None), Connection)
    assert type(way_to(Target("/srv"), SshOptions(), None)) is Reach


def test_folder_is_reached_at_once_and_every_change_is_told(tmp_path: Path) -> None:
    reach = Reach(Target(str(tmp_path)), wall=lambda: 7.0)
    told: list[LinkState] = []
    reach.listeners.append(lambda: told.append(reach.link.state))

    host = straight(reach.open())

    assert straight(reach.open()) is host is reach.host
    assert reach.identity == host.identity
    assert (reach.link.state, reach.link.since) == ("online", 7.0)
    straight(reach.check())
    straight(reach.aclose())
    assert reach.host is None
    assert reach.identity == host.identity
    assert told == ["online", "offline"]
