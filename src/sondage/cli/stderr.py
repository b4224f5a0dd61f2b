"""Owns what is said beside the answer: notes and errors, one harmless line each on stderr."""

from __future__ import annotations

import sys

from sondage.core.safe import one_line


def say(line: str) -> None:
    """One line on stderr, harmless whoever wrote its parts. A stderr that is closed is no failure."""
    text = line if line.startswith(" ") else f"sondage: {line}"
    write_stderr(one_line(text).encode() + b"\n")


def write_stderr(data: bytes) -> None:
    stream = sys.stderr.buffer
    try:
        stream.write(data)
        stream.flush()
    except (OSError, ValueError):
        return
