"""Owns how a Dig is opened in tests: on a host in memory, with folders of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sondage.dig import Dig, Settings, connection, open_dig
from sondage.hosts.base import Address, Target
from support.memory_host import MemoryHost

TREE = {
    b"pkg/__init__.py": b"",
    b"pkg/base.py": b"class Base:\n    def load(self):\n        return 1\n\n    def save(self):\n        return 2\n",
    b"pkg/model.py": (
        b"from pkg.base import Base\n\n\nclass Model(Base):\n    def save(self):\n        return self.load()\n"
    ),
    b"pkg/wrap.py": (
        b"from pkg.model import Model\n\n\nclass Wrap:\n    def __init__(self):\n        self.inner = Model()\n"
    ),
    b"pkg/more.py": b"def helper():\n    return 3\n",
}

Opening = Callable[..., Awaitable[Dig]]


@pytest.fixture
def host() -> MemoryHost:
    return MemoryHost(dict(TREE))


@pytest.fixture
async def opening(host: MemoryHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Opening]:
    """Opens `box:/srv/tree`; what one opening leaves in the cache the next one finds."""
    for name in ("CACHE", "STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))

    async def open_memory(*_: Any) -> MemoryHost:
        host.gone.clear()
        return host

    monkeypatch.setattr(connection, "open_host", open_memory)
    opened: list[Dig] = []

    async def opens(**settings: Any) -> Dig:
        dig = await open_dig(Target("/srv/tree", Address("box")), Settings(**settings))
        opened.append(dig)
        return dig

    yield opens
    for dig in opened:
        await dig.aclose()
