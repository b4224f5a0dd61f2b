"""Owns the real thing the story is told on: the SGLang 0.5.9 wheel, unpacked, behind a real OpenSSH server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.sshd import Sshd, running_sshd
from support.wheels import SGLANG, unpacked


def require_sglang(version: str = SGLANG) -> Path:
    """The folder that holds `sglang/`. Skips the test, with the reason, where there is no package index; in CI that fails."""
    try:
        return unpacked(version)
    except (LookupError, OSError, subprocess.TimeoutExpired) as trouble:
        reason = f"needs the SGLang wheel: {trouble}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


def lay_out(wheel: Path, place: Path) -> Path:
    """The package below `place`, file by file the same content, without using space where links can be had."""
    shutil.copytree(wheel / "sglang", place, copy_function=_link_or_copy)
    return place


def _link_or_copy(source: str, destination: str) -> None:
    try:
        os.link(source, destination)
    except OSError:
        shutil.copy2(source, destination)


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Box:
    """A host that serves the wheel, and a command line of one user who knows it."""

    server: Sshd
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        places = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
        return {**os.environ, **places}

    def ask(self, command: str, path: Path, *words: str) -> Answer:
        """`sondage COMMAND box:PATH WORDS…` as a new process would be told it; `contract check` counts as one command."""
        line = [sys.executable, "-m", "sondage", *command.split(), "-F", str(self.server.config), "--no-input"]
        done = subprocess.run(
            [*line, self.server.target(path), *words],
            capture_output=True,
            env=self.environment,
            timeout=300,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr.decode())

    def shell(self, command: str) -> bytes:
        """What the host itself answers to a plain command."""
        line = [
            "ssh",
            "-F",
            str(self.server.config),
            "-o",
            "BatchMode=yes",
            self.server.target("").rstrip(":"),
            command,
        ]
        return subprocess.run(line, capture_output=True, timeout=60, check=False).stdout


@contextmanager
def served_box(folder: Path) -> Iterator[Box]:
    with running_sshd(folder / "sshd") as server:
        yield Box(server, folder / "home")
