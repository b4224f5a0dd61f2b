"""Owns the text of one file: its decoding, and what a line and a column are. Nobody else splits lines.

Lines count from 1 and end at `\\n` only; a `\\r` before it is not part of the line. Columns count from 1, in Unicode code
points. Offsets are bytes from 0 into `SourceText.utf8`, the text as the parser gets it.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from sondage.core.late import late_pattern

_DECLARATION = late_pattern(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = late_pattern(rb"^[ \t\f]*(?:#.*)?\r?$")
_MARK = codecs.BOM_UTF8
_LONE_RETURN = late_pattern(rb"\r(?!\n)")
_REFUSED = late_pattern(r"utf[-_]?(?:16|32)|idna|punycode|undefined", re.IGNORECASE)
"""Python takes no source in these: not ASCII at heart, or made for something other than text."""


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
    def _starts(self) -> list[int]:
        lengths = map(len, self._plain.split(b"\n"))
        return list(accumulate((length + 1 for length in lengths), initial=0))[:-1]

    def line_of(self, offset: int) -> int:
        """The line that holds a byte offset of `utf8`."""
        return bisect_right(self._starts, offset)

    @property
    def ascii(self) -> str | None:
        """The text that offsets of `utf8` slice too, where every character is one byte; None where one is not."""
        return self._text if self.utf8 is self.data and self.data.isascii() else None

    def position(self, offset: int) -> tuple[int, int]:
        """A byte offset of `utf8` as (line, column)."""
        line = self.line_of(offset)
        before = self._plain[self._starts[line - 1] : offset]
        return line, 1 + (len(before) if before.isascii() else len(before.decode("utf-8", "replace")))

    def offset(self, line: int, column: int) -> int:
        """A line and column as a byte offset of `utf8`, drawn to the nearest that exists."""
        if line < 1:
            return 0
        if line > len(self._starts):
            return len(self._plain)
        start = self._starts[line - 1]
        content = self._plain[start : self._starts[line] - 1] if line < len(self._starts) else self._plain[start:]
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
