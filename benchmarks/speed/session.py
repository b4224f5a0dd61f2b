"""Owns the running session that questions are put to: `inside.py session` at the other end of two pipes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from inputs import inside


class Session:
    """A tree, opened and at rest. Leaving the block ends it."""

    def __init__(self, tree: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            inside("session", tree), env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Session:
        self.files: int = self._read()["files"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(60)

    def ask(self, verb: str, about: Any) -> dict[str, Any]:
        """The answer, with its `wall` seconds."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({verb: about}) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the session ended with {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer
