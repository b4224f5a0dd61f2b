"""Owns what is said beside the answer: notes and errors, one harmless line each on stderr."""

from __future__ import annotations

import contextlib
import sys

from sondage.core.safe import one_line


def say(line: str) -> None:
    """One line on stderr, harmless whoever wrote its parts."""
    text = line if line.startswith(" ") else f"sondage: {line}"
    write_stderr(one_line(text).encode() + b"\n")


def write_stderr(data: bytes) -> None:
    """Bytes as they are. Where stderr is closed (then Python has none), nobody is there to be told."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()
