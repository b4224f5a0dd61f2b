"""Owns what is asked of the terminal outside of Textual: its background, its alphabet, and whether it reports the mouse."""

from __future__ import annotations

import contextlib
import os
import select
import termios
import time
import tty
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual._xterm_parser import XTermParser
from textual.color import Color
from textual.filter import LineFilter

from sondage.core.late import late_pattern

REPLY_LIMIT = 0.2
"""Seconds that the start waits for the terminal's answer; a local one answers within a few milliseconds."""
BACKGROUND_QUERY = b"\x1b]11;?\x1b\\"
"""OSC 11 with `?`: which background colour? (xterm, Control Sequences, "Change VT100 text background color")"""
_REPLY = late_pattern(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[0-9a-fA-F/]*(?:\x07|\x1b\\)"
)
"""It ends with BEL or ST."""
_DEAF = ("", "dumb", "linux")
"""Values of TERM whose terminals answer nothing, or print what they are asked."""
MOUSE_MODES = (1000, 1003, 1015, 1006)
"""The modes of mouse reporting that Textual switches on."""


class Background(msgspec.Struct, frozen=True):
    """What the terminal said: how light its background is, from 0 (black) to 1; None where it did not answer."""

    lightness: float | None
    typed: str = ""
    """What the user had typed meanwhile: keys for the app."""


def ask_background(descriptor: int, limit: float = REPLY_LIMIT) -> Background:
    """The terminal is put into raw mode meanwhile, so that the answer is neither shown nor waits for a line end."""
    try:
        before = termios.tcgetattr(descriptor)
        tty.setraw(descriptor, termios.TCSADRAIN)
    except termios.error:
        return Background(None)
    try:
        os.write(descriptor, BACKGROUND_QUERY)
        reply = _read_reply(descriptor, limit)
    except OSError:
        reply = b""
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
    return Background(lightness_of(reply), _REPLY.sub(b"", reply).decode("utf-8", "ignore"))


def answers(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is worth asking."""
    return environment.get("TERM", "") not in _DEAF


def _read_reply(descriptor: int, limit: float) -> bytes:
    """What comes until the answer is whole."""
    data = b""
    end = time.monotonic() + limit
    while not _REPLY.search(data):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            break
        data += os.read(descriptor, 1024)
    return data


def lightness_of(reply: bytes) -> float | None:
    """The relative luminance (ITU-R BT.709, without gamma) that an answer names; None where it is no answer."""
    found = _REPLY.search(reply)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / float(16 ** len(part) - 1) for part in found.groups())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def keys(typed: str) -> Iterator[events.Key]:
    """The keys that bytes of the terminal stand for. A line end is Enter: a terminal that is not raw makes it of one."""
    if typed:
        parser = XTermParser()
        for event in (*parser.feed(typed.replace("\n", "\r")), *parser.feed("")):
            if isinstance(event, events.Key):
                yield event


class LateReply:
    """Takes the answer out of the keys where it comes after the app has started: Textual would read it as typed.

    It arrives as the keys `^` (where ST ends it) and `]`, the characters of `11;rgb:…`, and `\\` or Ctrl-G.
    """

    SECONDS = 5.0
    """After the start; who types one of its first two keys meanwhile loses it."""
    LONGEST = 40
    _BEGINS = ("circumflex_accent", "right_square_bracket", "alt+right_square_bracket")
    _ENDS = ("backslash", "alt+backslash", "ctrl+g")
    _INSIDE = frozenset("1;rgba:/0123456789abcdefABCDEF")

    def __init__(self) -> None:
        self._until = time.monotonic() + self.SECONDS
        self._left = 0

    def takes(self, key: events.Key) -> bool:
        if time.monotonic() > self._until:
            return False
        begun, self._left = self._left > 0, max(0, self._left - 1)
        if key.key in self._BEGINS:
            self._left = self.LONGEST
            return True
        if not begun or key.character not in self._INSIDE:
            self._left = 0
            return begun and key.key in self._ENDS
        return True


# ---------------------------------------------------------------- the alphabet

Alphabet = Literal["no", "own", "all"]
"""Which signs are replaced by those of ASCII: none, those of sondage's own, or all that are none."""

_COERCED = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
"""What Python itself puts into LC_CTYPE in the C locale (PEP 538): nobody's wish."""
_PLAIN = {
    "|": "│▌▎▊▐▏▕▍▋▉",
    "-": "─╌·▔–",
    "=": "━",
    "_": "▁▂▃▄",
    "#": "▅▆▇█",
    "+": "┌┐└┘╭╮╰╯├┤┬┴┼",
    "~": "…",
    "v": "✓↓▾",
    "x": "✗",
    "*": "•●",
    "o": "○",
    ">": "›→▸",
    "<": "←",
    "^": "↑⇡▴",
    "!": "≠",
}
_SIGNS = {ord(sign): plain for plain, signs in _PLAIN.items() for sign in signs}
"""The signs of sondage's own, each by one of ASCII that takes the same cell."""


def is_ascii(environment: Mapping[str, str]) -> bool:
    """Whether the locale says that the terminal knows no more than ASCII: LC_ALL, LC_CTYPE, LANG, in POSIX's order.

    Where none is set nothing is known of the terminal, and UTF-8 is what nearly all have.
    """
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environment.get(name, "")
        if value and not (name == "LC_CTYPE" and value in _COERCED):
            return "utf8" not in value.lower().replace("-", "")
    return False


class Ascii(LineFilter):
    """Signs of sondage's own in ASCII. `strict`: and `?` for all else that is not, as the terminal could not show it."""

    def __init__(self, *, strict: bool) -> None:
        super().__init__()
        self.strict = strict

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(segment.text.isascii() for segment in segments):
            return segments
        return [Segment(self._plain(text), style, control) for text, style, control in segments]

    def _plain(self, text: str) -> str:
        plain = text.translate(_SIGNS)
        if not self.strict or plain.isascii():
            return plain
        return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in plain)


# ---------------------------------------------------------------- the mouse


class FocusClick:
    """Takes the click that only brings the terminal to the front: it acts on nothing, as in other programs of a desktop.

    Terminals tell that they got the focus (DECSET 1004) right before they report the click that gave it to them.
    """

    WINDOW = 0.2
    """Seconds between the two."""

    def __init__(self) -> None:
        self._blurred = False
        self._until = 0.0
        self._taking = False

    def takes(self, event: events.Event) -> bool:
        match event:
            case events.AppBlur():
                self._blurred = True
            case events.AppFocus() if self._blurred:
                self._blurred, self._until = False, time.monotonic() + self.WINDOW
            case events.MouseDown() if time.monotonic() < self._until:
                self._taking = True
                return True
            case events.MouseUp() if self._taking:
                self._taking, self._until = False, 0.0
                return True
        return False


def mouse_reports(*, on: bool) -> str:
    """What switches the reporting of the mouse on or off; off, the terminal selects text itself."""
    return "".join(f"\x1b[?{mode}{'h' if on else 'l'}" for mode in MOUSE_MODES)
