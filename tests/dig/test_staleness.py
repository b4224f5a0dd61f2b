"""Whether a file that is opened is still the one that was pulled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sondage.dig.staleness import is_stale
from sondage.errors import ConnectError
from sondage.hosts.base import ListRequest
from sondage.hosts.local import LocalHost
from support.memory_host import MemoryHost

from .conftest import Opening


async def test_file_that_was_not_touched_is_not_stale(opening: Opening) -> None:
    dig = await opening()
    await dig.refresh()

    assert await dig.stale("pkg/base.py") is False


async def test_file_that_changed_on_the_host_is_stale_until_the_next_refresh(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()
    await dig.refresh()
    host.write({b"pkg/base.py": b"class Base:\n    pass\n"})

    assert await dig.stale("pkg/base.py") is True
    assert await dig.stale("pkg/model.py") is False

    await dig.refresh()
    assert await dig.stale("pkg/base.py") is False


async def test_file_that_is_gone_from_the_host_is_stale(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    del host.files[b"pkg/base.py"]

    assert await dig.stale("pkg/base.py") is True


async def test_nothing_is_fetched_to_tell_it(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    host.asked.clear()

    await dig.stale("pkg/base.py")

    assert host.asked == []


async def test_without_a_connection_or_for_an_unknown_file_it_is_not_known(opening: Opening) -> None:
    dig = await opening()
    assert await dig.stale("pkg/base.py") is None
    await dig.refresh()
    assert await dig.stale("pkg/nothing.py") is None
    offline = await opening(offline=True)
    await offline.refresh()
    assert await offline.stale("pkg/base.py") is None


async def test_another_host_is_not_asked_about_the_files_of_the_one_before(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    host.host_key = "SHA256:two"
    host.gone.set()
    await dig._state.connection.check()
    await dig._state.connection.open()

    assert await dig.stale("pkg/base.py") is None


async def test_host_that_does_not_answer_leaves_it_open(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()

    async def lost(request: ListRequest) -> None:
        raise ConnectError("the connection is lost", "box")

    host.list = lost  # type: ignore[method-assign, assignment]
    assert await dig.stale("pkg/base.py") is None


@pytest.mark.parametrize("name", [b"plain.py", b"st*r?[a].py", b"back\\slash.py", b"line\nfeed.py", b"latin-\xff.py"])
async def test_name_that_looks_like_a_pattern_is_only_itself(tmp_path: Path, name: bytes) -> None:
    folder = os.fsencode(tmp_path)
    (tmp_path / os.fsdecode(name)).write_bytes(b"x = 1\n")
    (tmp_path / "st0r0a.py").write_bytes(b"x = 2\n")
    host = LocalHost("")
    listing = await host.list(ListRequest(folder))
    (stamp,) = [file.stamp for file in listing.files if file.path == name]

    assert await is_stale(host, folder, name, (stamp, True)) is False
    assert await is_stale(host, folder, name, ((stamp[0] + 1, *stamp[1:]), True)) is True


async def test_stamp_that_proves_nothing_leaves_it_open(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\n")
    host = LocalHost("")
    (file,) = (await host.list(ListRequest(str(tmp_path).encode()))).files

    assert await is_stale(host, str(tmp_path).encode(), b"a.py", (file.stamp, False)) is None
    assert await is_stale(host, str(tmp_path).encode(), b"a.py", ((file.size, 1, 0, 0), True)) is None
