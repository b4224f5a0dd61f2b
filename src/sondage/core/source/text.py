"""Owns the text of one file: its decoding, and what a line and a column are. Nobody else splits lines.

Lines count from 1 and end at `\\n` only; a `\\r` before it is not part of the line. Columns count from 1, in Unicode code
points. Offsets are bytes from 0 into `SourceText.utf8`, the text as the parser gets it.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate

from sondage.core.late import late_pattern

_DECLARATION = late_pattern(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = late_pattern(rb"^[ \t\f]*(?:#.*)?\r?$")
_MARK = codecs.BOM_UTF8
_LONE_RETURN = late_pattern(rb"\r(?!\n)")
_REFUSED = late_pattern(r"utf[-_]?(?:16|32)|idna|punycode|undefined", re.IGNORECASE)
"""Python takes no source in these: not ASCII at heart, or made for something other than text."""
_STRETCH = 4096
"""Bytes between two places where the number of the line is known: a table of all lines takes longer than a question has."""


class SourceText:
    """The text of one file, from its bytes. Immutable by agreement; nothing here raises on any bytes.

    `data` are the file's own bytes. `utf8` is what a parser reads: decoded by PEP 263, without a byte order mark, with
    lone `\\r` as `\\n` and NUL as a space (one byte each, so that offsets hold). `encoding` is the codec that was used;
    `problem` says what about the encoding was wrong, and is empty for what Python would accept.
    """

    def __init__(self, data: bytes, digest: str | None = None) -> None:
        self.data = data
        self._digest = digest
        self._text, self.encoding, self.problem = decode(data)
        if data.isascii() or (self.encoding == "utf-8" and not self.problem and not data.startswith(_MARK)):
            self._plain = data
        else:
            self._plain = self._text.encode("utf-8", "replace")
        parsed = self._plain
        if b"\r" in parsed:
            parsed = _LONE_RETURN.sub(b"\n", parsed)
        self.utf8 = parsed.replace(b"\0", b" ") if b"\0" in parsed else parsed

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes, in hex; the one given from outside, or worked out once."""
        if self._digest is None:
            self._digest = hashlib.sha256(self.data).hexdigest()
        return self._digest

    # ---- lines

    @cached_property
    def lines(self) -> list[str]:
        """All lines without their ends. Undecodable bytes stay visible as surrogates (PEP 383)."""
        found = self._text.split("\n")
        if found[-1] == "":
            found.pop()
        if "\r" in self._text:
            found = [line[:-1] if line.endswith("\r") else line for line in found]
        return found

    @cached_property
    def line_ends(self) -> int:
        """How many there are."""
        return self._plain.count(b"\n")

    @property
    def line_count(self) -> int:
        """The number of lines, a last one without an end included."""
        return self.line_ends + bool(self._plain and not self._plain.endswith(b"\n"))

    def line(self, number: int) -> str:
        """One line, from 1; empty outside of the file."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def line_bytes(self, first: int, last: int) -> bytes:
        """The file's own bytes of some lines, both included, as `sed -n 'first,lastp'` prints them."""
        return (
            b"".join(self.data.splitlines(keepends=True)[first - 1 : last])
            if self._no_return
            else self._cut(first, last)
        )

    @cached_property
    def _no_return(self) -> bool:
        """`bytes.splitlines` also splits at a lone return, and at nothing else but the two line ends."""
        return b"\r" not in self.data

    def _cut(self, first: int, last: int) -> bytes:
        pieces = self.data.split(b"\n")
        wanted = pieces[first - 1 : last]
        if not wanted:
            return b""
        end = b"\n" if last < len(pieces) else b""
        return b"\n".join(wanted) + end

    # ---- offsets

    @cached_property
    def _ended(self) -> list[int]:
        """How many lines end before each stretch, and before the end of the text."""
        stretches = range(0, len(self._plain), _STRETCH)
        return list(accumulate((self._plain.count(b"\n", at, at + _STRETCH) for at in stretches), initial=0))

    def line_of(self, offset: int) -> int:
        """The line that holds a byte offset of `utf8`."""
        stretch = min(offset, len(self._plain)) // _STRETCH
        return 1 + self._ended[stretch] + self._plain.count(b"\n", stretch * _STRETCH, offset)

    def _start_of(self, line: int) -> int:
        """The offset at which a line starts that is there."""
        stretch = max(bisect_left(self._ended, line - 1) - 1, 0)
        text = self._plain[stretch * _STRETCH : (stretch + 1) * _STRETCH]
        rest = text.split(b"\n", line - 1 - self._ended[stretch])[-1]
        return stretch * _STRETCH + len(text) - len(rest)

    def starts(self, first: int, last: int) -> list[int]:
        """The offsets at which lines start that are there, both included, and where the last of them ends."""
        found = [self._start_of(first)]
        for _ in range(first, last + 1):
            end = self._plain.find(b"\n", found[-1])
            found.append(end + 1 if end >= 0 else len(self._plain))
        return found

    @property
    def ascii(self) -> str | None:
        """The text that offsets of `utf8` slice too, where every character is one byte; None where one is not."""
        return self._text if self.utf8 is self.data and self.data.isascii() else None

    def position(self, offset: int) -> tuple[int, int]:
        """A byte offset of `utf8` as (line, column)."""
        line = self.line_of(offset)
        before = self._plain[self._plain.rfind(b"\n", 0, offset) + 1 : offset]
        return line, 1 + (len(before) if before.isascii() else len(before.decode("utf-8", "replace")))

    def offset(self, line: int, column: int) -> int:
        """A line and column as a byte offset of `utf8`, drawn to the nearest that exists."""
        if line < 1:
            return 0
        if line > self._ended[-1] + 1:
            return len(self._plain)
        start = self._start_of(line)
        end = self._plain.find(b"\n", start)
        content = self._plain[start:end] if end >= 0 else self._plain[start:]
        characters = max(column - 1, 0)
        if content.isascii():
            return start + min(characters, len(content))
        return start + len(content.decode("utf-8", "replace")[:characters].encode("utf-8", "replace"))


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the first two lines declare (PEP 263), or None. The first may only be blank or a comment."""
    first, _, rest = data[:1000].removeprefix(_MARK).partition(b"\n")
    found = _DECLARATION.match(first)
    if not found and _BLANK.match(first):
        found = _DECLARATION.match(rest.partition(b"\n")[0])
    return found[1].decode("ascii", "replace") if found else None


def decode(data: bytes) -> tuple[str, str, str]:
    """Text, the codec used, and what was wrong with the encoding (empty if nothing).

    Where Python would refuse the bytes they are read as UTF-8, and those that are none become surrogates (PEP 383).
    """
    body = data.removeprefix(_MARK)
    if body.isascii() and (len(body) < 1 or b"coding" not in body[:1000]):
        return body.decode("ascii"), "utf-8", ""
    declared = declared_encoding(data)
    problem = ""
    if declared is not None and not data.startswith(_MARK):
        codec = _codec(declared)
        if codec is None:
            problem = f"unknown encoding {declared}"
        elif codec != "utf-8":
            try:
                text = body.decode(codec)
            except (UnicodeError, ValueError):
                problem = f"not all bytes are {declared}"
            else:
                if text.count("\n") == body.count(b"\n"):
                    return text, codec, ""
                problem = f"{declared} does not keep the lines"
    try:
        return body.decode("utf-8"), "utf-8", problem
    except UnicodeDecodeError:
        return body.decode("utf-8", "surrogateescape"), "utf-8", problem or "not all bytes are UTF-8"


def _codec(name: str) -> str | None:
    """The canonical name of a codec that Python source may be in, or None."""
    if _REFUSED.search(name):
        return None
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    return info.name if getattr(info, "_is_text_encoding", True) else None
