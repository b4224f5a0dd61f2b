"""Library files of the host: where they are looked for, and that a session without the host knows those read before."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.core.answers.classes import MroAnswer
from sondage.dig import Dig
from sondage.store import open_store
from support.memory_host import MemoryHost

from .conftest import Opening

SITE = b"/srv/venv/lib/python3.11/site-packages"
ENVIRONMENT = {
    b"/srv/venv/pyvenv.cfg": b"home = /usr/bin\nversion = 3.11.7\n",
    SITE + b"/torch/__init__.py": b"from torch.nn import Module\n",
    SITE + b"/torch/nn/__init__.py": b"from torch.nn.module import Module\n",
    SITE + b"/torch/nn/module.py": b"class Module:\n    def train(self):\n        return self\n",
    b"/usr/lib/python3.11/abc.py": b"class ABC:\n    of_the_host = True\n",
}


@pytest.fixture
def host() -> MemoryHost:
    own = {
        b"pkg/__init__.py": b"",
        b"pkg/net.py": b"from torch import Module\n\n\nclass Net(Module):\n    pass\n",
        b"pkg/plain.py": b"from abc import ABC\n\n\nclass Plain(ABC):\n    pass\n",
    }
    return MemoryHost({**own, **ENVIRONMENT})


async def order(dig: Dig, name: str) -> tuple[str, ...]:
    answer = await dig.mro(name)
    assert isinstance(answer, MroAnswer)
    return answer.mro


async def test_chain_is_followed_into_the_environment_beside_the_root(opening: Opening) -> None:
    dig = await opening()
    await dig.refresh()

    assert await order(dig, "Net") == ("pkg.net.Net", "torch.nn.module.Module", "object")


async def test_chain_into_a_library_is_still_whole_after_the_tree_has_changed(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()
    await dig.refresh()
    before = await order(dig, "Net")

    host.write({b"pkg/plain.py": b"class Plain:\n    pass\n"})
    await dig.refresh()

    assert await order(dig, "Net") == before


async def test_session_without_the_host_knows_the_library_files_read_before(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    online = await order(dig, "Net"), await order(dig, "Plain")
    await dig.aclose()
    host.asked.clear()

    dig = await opening(offline=True)
    await dig.refresh()

    assert (await order(dig, "Net"), await order(dig, "Plain")) == online
    answer = await dig.mro("Plain", members=True)
    assert isinstance(answer, MroAnswer)
    assert answer.members is not None
    assert "of_the_host" in answer.members
    assert host.asked == []


async def test_library_file_not_read_before_is_not_called_absent_without_the_host(opening: Opening) -> None:
    dig = await opening()
    await dig.refresh()
    await dig.aclose()

    dig = await opening(offline=True)
    await dig.refresh()
    answer = await dig.mro("Net")

    assert isinstance(answer, MroAnswer)
    assert not answer.complete
    assert not any("not found among the libraries" in why for why in answer.why_incomplete)


async def test_library_file_that_changed_on_the_host_is_read_as_it_is_now(opening: Opening, host: MemoryHost) -> None:
    dig = await opening()
    await dig.refresh()
    await order(dig, "Net")
    await dig.aclose()
    host.write({SITE + b"/torch/nn/module.py": b"class Base: ...\n\n\nclass Module(Base):\n    pass\n"})

    dig = await opening()
    await dig.refresh()

    assert "torch.nn.module.Base" in await order(dig, "Net")


async def test_library_file_read_before_is_not_parsed_again(opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    dig = await opening()
    await dig.refresh()
    await order(dig, "Net")
    await dig.aclose()
    monkeypatch.setattr("sondage.core.source.extract.extract", None)

    dig = await opening()
    await dig.refresh()

    assert len(await order(dig, "Net")) == 3


async def test_stand_in_that_was_parsed_once_is_not_parsed_again(
    opening: Opening, host: MemoryHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    del host.files[b"/srv/venv/pyvenv.cfg"]
    dig = await opening()
    await dig.refresh()
    found = await order(dig, "Plain")
    await dig.aclose()
    monkeypatch.setattr("sondage.core.source.extract.extract", None)

    dig = await opening()
    await dig.refresh()

    assert await order(dig, "Plain") == found == ("pkg.plain.Plain", "abc.ABC", "object")


async def test_after_the_connection_is_lost_a_library_is_read_once_it_is_back(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()
    await dig.refresh()
    host.silent = True
    await dig._state.connection.check()
    answer = await dig.mro("Net")
    assert isinstance(answer, MroAnswer)
    assert not answer.complete

    host.silent = False
    await dig._state.connection.open()

    assert "torch.nn.module.Module" in await order(dig, "Net")


async def test_another_host_behind_the_address_lends_no_libraries_to_the_older_index(
    opening: Opening, host: MemoryHost
) -> None:
    dig = await opening()
    await dig.refresh()
    host.silent = True
    await dig._state.connection.check()
    host.silent, host.host_key = False, "SHA256:two"
    await dig._state.connection.open()

    answer = await dig.mro("Net")

    assert isinstance(answer, MroAnswer)
    assert not answer.complete


async def test_stand_ins_of_this_machine_are_not_kept_as_the_hosts(
    opening: Opening, host: MemoryHost, tmp_path: Path
) -> None:
    del host.files[b"/srv/venv/pyvenv.cfg"]
    dig = await opening()
    await dig.refresh()
    await order(dig, "Plain")
    key = dig._state._tree.key  # type: ignore[union-attr]
    await dig.aclose()

    store = open_store(tmp_path / "cache" / "sondage")
    assert store.libraries(key) == []
    store.close()
