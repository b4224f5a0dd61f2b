"""Owns copying: the escape sequence that asks the terminal for it, also through tmux, and the words that say how."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

MOST_BYTES = 74_000
"""Terminals drop a longer sequence (xterm's limit is 100,000 base64 characters)."""


def text_of(lines: Iterable[str]) -> str:
    """The lines as one text. Of what is too much only so many that this shows: the rest is never made."""
    taken, size = [], 0
    for line in lines:
        taken.append(line)
        size += len(line) + 1
        if size > MOST_BYTES + 1:
            break
    return "\n".join(taken)


def sequence(text: str, environment: Mapping[str, str]) -> str:
    """OSC 52; inside tmux wrapped so that tmux hands it on to the terminal outside."""
    coded = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    plain = f"\x1b]52;c;{coded}\x07"
    if environment.get("TMUX"):
        return "\x1bPtmux;" + plain.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    return plain


def way(environment: Mapping[str, str]) -> str:
    """How it was copied, for the status line; the terminal never says whether it did."""
    if environment.get("TMUX"):
        return "through tmux (OSC 52, needs allow-passthrough)"
    return "by the terminal (OSC 52)"
