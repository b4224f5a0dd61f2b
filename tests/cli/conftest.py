"""Owns how the command line is run in tests: arguments in, exit code and the bytes of both streams out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner

from sondage.cli.main import run

from .fakes import FakeDig


@dataclass(frozen=True)
class Outcome:
    """What a shell would see."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "surrogateescape")

    @property
    def document(self) -> Any:
        """The one JSON document; fails when there is more on stdout."""
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Sondage(Protocol):
    def __call__(self, *arguments: str, stdin: bytes = b"") -> Outcome: ...


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or writes the files of the person who runs it."""
    for name in ("CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.delenv("SONDAGE_SESSION", raising=False)
    return tmp_path


@pytest.fixture
def sondage() -> Iterator[Sondage]:
    """Runs one command line in this process, without a terminal."""

    def call(*arguments: str, stdin: bytes = b"") -> Outcome:
        with CliRunner().isolation(input=stdin) as (out, err, _):
            code = run(arguments)
            return Outcome(code, out.getvalue(), err.getvalue().decode())

    return call


@pytest.fixture
def dig(monkeypatch: pytest.MonkeyPatch) -> FakeDig:
    """A Dig in the place of the real one; `dig.opened` holds what it was opened with, `dig.others` those after it."""
    import sondage.dig

    fake = FakeDig()

    async def open_dig(target: Any, settings: Any, *, asker: Any = None) -> FakeDig:
        here = FakeDig() if fake.opened and not fake.closed else fake
        if here is not fake:
            fake.others.append(here)
        here.opened, here.closed = (target, settings, asker), False
        return here

    monkeypatch.setattr(sondage.dig, "open_dig", open_dig)
    return fake
