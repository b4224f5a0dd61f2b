"""Owns the way from untrusted text to text that is safe to show: names, lines, errors, prompts pass here.

Escape sequences, bidirectional controls and invisible characters get visible stand-ins, so that nothing a host sends
can move the cursor, write the clipboard or make a line read otherwise than Python reads it:

    C0 controls and DEL         the control picture: `␛` for ESC, `␀`, `␡`
    undecodable bytes           `\\xNN`; they arrive as surrogates (PEP 383)
    everything else hidden      `<U+202E>`, as `less` writes it

Hidden is what Unicode calls Default_Ignorable_Code_Point (DerivedCoreProperties.txt), the C1 controls, the line and
paragraph separators, interlinear annotation, noncharacters, and combining marks piled up or without a base. Joiners
and variation selectors stay where writing needs them: in emoji sequences (UTS #51), between letters of the scripts
that join (UAX #31, section 2.3), after an ideograph. Columns here count code points from 0.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from typing import Any, Literal, NamedTuple

import msgspec

from sondage.core.late import late_pattern

_CONTROLS_IN_LINES = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
_CONTROLS = f"{_CONTROLS_IN_LINES}\t\n\r"
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
_SURROGATES = "\ud800-\udfff"
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\ufe20-\ufe2f"
)
_MARKS_ON_ONE_BASE = 6
"""More than any writing puts on one letter; beyond it they paint over the lines above and below."""

_UNSEEN = f"{_BIDI}{_INVISIBLE}{_NONCHARACTERS}{_SURROGATES}"
_MARKED = f"^[{_MARKS}]|(?<=[{_MARKS}]{{{_MARKS_ON_ONE_BASE}}})[{_MARKS}]"
_SUSPECT = late_pattern(f"[{_CONTROLS}{_UNSEEN}]|{_MARKED}")
_SUSPECT_IN_LINES = late_pattern(f"[{_CONTROLS_IN_LINES}{_UNSEEN}]|\\r(?!\\n|\\Z)|{_MARKED}", re.MULTILINE)
_HIDDEN_IN_JSON = late_pattern(f"[{_CONTROLS_IN_LINES}{_UNSEEN}]")
_SURROGATE = late_pattern(f"[{_SURROGATES}]")
_PLAIN_ASCII = bytes(range(0x20, 0x7F)) + b"\t\n"
_BIDI_CONTROL = late_pattern(f"[{_BIDI}]")
_CONTROL = late_pattern(f"[{_CONTROLS}]")

_JOINER = late_pattern("[\u200c\u200d\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")

Kind = Literal["control", "bidi", "invisible", "undecodable", "tab"]


class Swap(NamedTuple):
    """One source character that is shown as something else: `width` code points from `shown` on."""

    source: int
    shown: int
    width: int
    kind: Kind


class ShownLine(msgspec.Struct, frozen=True):
    """A line as it may be shown, and the way between its columns and those of the source."""

    text: str
    swaps: tuple[Swap, ...] = ()
    """Ordered; tabs included."""

    @property
    def hidden(self) -> int:
        """How many characters a reader would not have seen, or not as what they are."""
        return sum(swap.kind != "tab" for swap in self.swaps)

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """Spans (start, end) of the stand-ins in `text`, to be styled so that nobody takes them for source."""
        return tuple((swap.shown, swap.shown + swap.width) for swap in self.swaps if swap.kind != "tab")

    def shown_column(self, source: int) -> int:
        """Where the source column stands in `text`; the end of the line for its length."""
        index = bisect_left(self.swaps, source, key=lambda swap: swap.source) - 1
        if index < 0:
            return source
        swap = self.swaps[index]
        return swap.shown + swap.width + source - swap.source - 1

    def source_column(self, shown: int) -> int:
        """The source column that is shown at a column of `text`; any column of a stand-in is its one character."""
        index = bisect_right(self.swaps, shown, key=lambda swap: swap.shown) - 1
        if index < 0:
            return shown
        swap = self.swaps[index]
        behind = shown - swap.shown - swap.width
        return swap.source if behind < 0 else swap.source + 1 + behind


class Census(msgspec.Struct, frozen=True):
    """How many characters of a text are not what they look like, for a badge. Tabs and line ends are none of them."""

    controls: int = 0
    bidi: int = 0
    invisible: int = 0
    undecodable: int = 0

    @property
    def total(self) -> int:
        return self.controls + self.bidi + self.invisible + self.undecodable


# ------------------------------------------------------------------ showing


def show_line(text: str, tab_size: int = 8) -> ShownLine:
    """One line of source, without its end. Tabs become spaces up to the next multiple of `tab_size` terminal cells."""
    if text.isascii() and text.isprintable():
        return ShownLine(text)
    pieces: list[str] = []
    swaps: list[Swap] = []
    done = column = cell = 0
    for match in _SUSPECT.finditer(text):
        at = match.start()
        if _belongs(text, at):
            continue
        plain = text[done:at]
        column += len(plain)
        cell += _cells(plain)
        kind = _kind(text[at])
        shown = " " * (tab_size - cell % tab_size) if kind == "tab" else stand_in(text[at])
        swaps.append(Swap(at, column, len(shown), kind))
        pieces += (plain, shown)
        column += len(shown)
        cell += len(shown)
        done = at + 1
    return ShownLine("".join((*pieces, text[done:])), tuple(swaps))


def one_line(text: str) -> str:
    """A name, an error, a prompt: whatever it holds, line ends and tabs included, it stays on one line."""
    if text.isascii() and text.isprintable():
        return text
    return _SUSPECT.sub(
        lambda match: match.group() if _belongs(text, match.start()) else stand_in(match.group()),
        text,
    )


def many_lines(text: str, tab_size: int = 8) -> str:
    """A banner or a message of several lines: `\\n` and `\\r\\n` stay line ends, everything else as in `show_line`."""
    return "\n".join(show_line(line.removesuffix("\r"), tab_size).text for line in text.split("\n"))


def stand_in(character: str) -> str:
    """What is shown for a hidden character."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"<U+{code:04X}>"


def census(text: str) -> Census:
    """The hidden characters of a whole text; its tabs and line ends (`\\n`, `\\r\\n`) are not counted."""
    if text.isascii() and not text.encode("ascii").translate(None, _PLAIN_ASCII):
        return Census()
    found = _SUSPECT_IN_LINES.finditer(text)
    counts = Counter(_kind(match.group()) for match in found if not _belongs(text, match.start()))
    return Census(counts["control"], counts["bidi"], counts["invisible"], counts["undecodable"])


# ------------------------------------------------------------------ paths and JSON


def is_raw(path: str) -> bool:
    """True for a path that is not UTF-8: it holds surrogates (PEP 383), and what is shown of it is not its name."""
    return _SURROGATE.search(path) is not None


def path_text(path: str) -> str:
    """A path for people: on one line, bytes that are not UTF-8 as `\\xNN`."""
    return one_line(path)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """One JSON document that is safe on a terminal and reads back as the same value.

    Hidden characters are escaped `\\uXXXX`. Surrogates, which are no characters (RFC 8259, section 8.2), are written
    as the text `\\xNN`, and an object whose `path` holds one is flagged `"raw": true`.
    """
    import json  # noqa: PLC0415  it takes as long as all of this module, which everything imports

    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text
    if is_raw(text):
        text = json.dumps(_flag_raw(value), ensure_ascii=False, indent=indent, allow_nan=False)
    return _HIDDEN_IN_JSON.sub(_json_escape, text)


def _flag_raw(value: Any) -> Any:
    if isinstance(value, dict):
        flagged = {key: _flag_raw(item) for key, item in value.items()}
        path = value.get("path")
        return flagged | {"raw": True} if isinstance(path, str) and is_raw(path) else flagged
    if isinstance(value, list | tuple):
        return [_flag_raw(item) for item in value]
    return value


def _json_escape(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\\" + stand_in(character) if ord(character) >= 0xDC80 else stand_in(character)
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


# ------------------------------------------------------------------ judging one character


def _kind(character: str) -> Kind:
    if character == "\t":
        return "tab"
    if _CONTROL.match(character):
        return "control"
    if _BIDI_CONTROL.match(character):
        return "bidi"
    return "undecodable" if "\ud800" <= character <= "\udfff" else "invisible"


def _belongs(text: str, at: int) -> bool:
    """True where a joiner or a variation selector does what it is for."""
    code = ord(text[at])
    if at == 0 or not _JOINER.match(text[at]):
        return False
    before = ord(text[at - 1])
    after = ord(text[at + 1]) if at + 1 < len(text) else 0
    if code in (0x200C, 0x200D):
        emoji = code == 0x200D and (_is_pictograph(before) or before == 0xFE0F) and _is_pictograph(after)
        return emoji or (_joins(before) and _joins(after))
    if code in (0xFE0E, 0xFE0F):
        return _is_pictograph(before) or (chr(before) in "0123456789#*" and after == 0x20E3)
    if code <= 0x180F:
        return 0x1820 <= before <= 0x18AA and code != 0x180E
    return (code <= 0xFE02 or code >= 0xE0100) and _is_ideograph(before)


def _is_pictograph(code: int) -> bool:
    """The blocks that hold Extended_Pictographic (UTS #51, emoji-data.txt), skin tones included."""
    return (
        0x1F000 <= code <= 0x1FAFF
        or 0x2190 <= code <= 0x21FF
        or 0x2300 <= code <= 0x23FF
        or 0x2460 <= code <= 0x24FF
        or 0x25A0 <= code <= 0x27BF
        or 0x2900 <= code <= 0x297F
        or 0x2B00 <= code <= 0x2BFF
        or code in (0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299)
    )


def _joins(code: int) -> bool:
    """A letter or mark of a script whose spelling uses joiners: Arabic, Syriac, Mongolian, the Indic ones, Khmer."""
    inside = 0x0600 <= code <= 0x0DFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x18AF
    return inside and unicodedata.category(chr(code))[0] in "LM"


def _is_ideograph(code: int) -> bool:
    return 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF


def _cells(text: str) -> int:
    """Terminal cells of text without hidden characters, near enough to place the next tab stop."""
    if text.isascii():
        return len(text)
    return sum(_cell(character) for character in text)


def _cell(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
