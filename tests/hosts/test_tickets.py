"""Whether the user holds a Kerberos ticket: what `klist` says, if there is one, and if it says it in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.hosts import deadline
from sondage.hosts.tickets import has_ticket


@pytest.mark.parametrize(("script", "answer"), [("exit 0", True), ("exit 1", False)])
async def test_its_exit_status_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, answer: bool
) -> None:
    install(tmp_path, monkeypatch, f'test "$*" = -s || exit 2; {script}')
    assert await has_ticket() is answer


async def test_without_it_there_is_no_ticket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not await has_ticket()


async def test_one_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "AGENT", 0.2)
    install(tmp_path, monkeypatch, "exec tail -f /dev/null")
    assert not await has_ticket()


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (folder / "klist").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "klist").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")
