"""Owns a pseudo-terminal of 80×24 that answers what apps ask of one, and counts and times what they write."""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from measuring import Sample

LIMIT = 60.0
QUIET_SECONDS = 0.4
"""Without a byte and without work for so long the app has drawn what there was to draw."""
REPLIES = {
    rb"\x1b\]11;\?(?:\x07|\x1b\\)": b"\x1b]11;rgb:1010/1010/1010\x1b\\",
    rb"\x1b\[c": b"\x1b[?62;22c",
    rb"\x1b\[\?2026\$p": b"\x1b[?2026;2$y",
    rb"\x1b\[\?2048\$p": b"\x1b[?2048;0$y",
    rb"\x1b\[\?u": b"\x1b[?0u",
    rb"\x1b\[6n": b"\x1b[1;1R",
}
"""What a terminal is asked: background, attributes (DA1), synchronized output, in-band resize, keyboard, cursor."""
CONTROL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|[@-Z\\-_])", re.DOTALL)


class Terminal:
    """One process on a terminal of its own; leaving the block ends it."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self._started = time.perf_counter()
        environment = {**env, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self._process = subprocess.Popen(
            list(command),
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            close_fds=True,
        )
        os.close(theirs)
        self._asked = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._ours)

    def until(self, mark: bytes) -> Sample:
        """Reads until a text stands on the screen, controls aside; how long that took from the start. Raises RuntimeError."""
        seen = b""
        while mark not in CONTROL.sub(b"", seen):
            more = self._read(LIMIT)
            if not more:
                raise RuntimeError(f"{mark!r} was not shown: {CONTROL.sub(b'', seen)[-300:]!r}")
            seen += more
        return Sample(time.perf_counter() - self._started, self._cpu())

    def rest(self) -> int:
        """Reads until nothing more comes, and the process computes nothing more; the number of bytes."""
        count, cpu = 0, -1.0
        while True:
            more = self._read(QUIET_SECONDS)
            if not more and self._cpu() == cpu:
                return count
            count, cpu = count + len(more), self._cpu()

    def during(self, seconds: float) -> int:
        """The number of bytes that come in a time."""
        end, count = time.monotonic() + seconds, 0
        while (left := end - time.monotonic()) > 0:
            count += len(self._read(left))
        return count

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def _read(self, limit: float) -> bytes:
        if not select.select([self._ours], [], [], limit)[0]:
            return b""
        with suppress(OSError):
            said = os.read(self._ours, 65536)
            self._reply(said)
            return said
        return b""

    def _reply(self, said: bytes) -> None:
        """Questions are short, and come in one piece."""
        for question, answer in REPLIES.items():
            for _ in re.findall(question, said):
                os.write(self._ours, answer)

    def _cpu(self) -> float:
        """Seconds of the process so far, in steps of ten milliseconds."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100
