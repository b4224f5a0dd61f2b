"""Owns typed patterns: what matches in the bytes of files, line by line as `grep` does it, in linear time (RE2).

A line matches or does not; a match never spans lines; `^` and `$` are the ends of a line. Lines and columns are those
of `core.source.text`. RE2's `\\w`, `\\d`, `\\s` and `\\b` know ASCII only.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import field
from typing import Any, NamedTuple

import re2

from sondage.core.frozen import dataclass
from sondage.core.search import grep
from sondage.core.search.regex import Group, Plain, plain, read, required_literals
from sondage.core.source.text import decode
from sondage.errors import UsageError

_LINE_END = re.compile(r"(?<!\\)(?:\\\\)*\\n|\n")
_TEXT_ANCHOR = re.compile(r"\\[Az]|\(\?[a-zA-Z]*-")
"""`\\A`, `\\z` and switched-off flags mean the whole text to RE2; here the whole text is a line."""
_WORD = re.compile(r"\w+", re.ASCII)
_SIGNS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]")
"""Parentheses, and what may hold one that means itself: an escape, a class of characters."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_CHARACTER = "\ufffd"
_MOST_LITERALS = 8
_SPARSE = 500
"""Bytes: going to one hit takes as long as looking into the lines of so many."""
_LETTERS = frozenset(bytes([code]) for code in range(128) if _WORD.match(chr(code)))


class LineHit(NamedTuple):
    """A line that matches: `line` and `column` (of the first match) from 1, `text` without its end."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Pattern:
    """A pattern as typed, with how it is read. Made by `compile_pattern`."""

    text: str
    ignore_case: bool = False
    word: bool = False
    """The match must not touch a letter, digit or underscore (ASCII), as with `grep -w`."""
    fixed: bool = False
    """`text` stands for itself."""
    regex: Any = field(default=None, repr=False, compare=False)
    literals: tuple[bytes, ...] = field(default=(), repr=False, compare=False)
    """Of these every match holds at least one, in letters of either case with `ignore_case`; none known if empty."""
    plain: Plain | None = field(default=None, repr=False, compare=False)
    """The pattern as a text with its edges, where it is no more than that and case matters."""

    @property
    def line_by_line(self) -> bool:
        return not self.fixed and _TEXT_ANCHOR.search(self.text) is not None


def compile_pattern(text: str, *, ignore_case: bool = False, word: bool = False, fixed: bool = False) -> Pattern:
    """Raises UsageError, which says where in the pattern the fault lies."""
    if "\n" in text or (not fixed and _LINE_END.search(text)):
        raise UsageError("a pattern cannot match across lines", text, "leave the line end out of it")
    expression = _escape(text) if fixed else text
    _regex(expression, ignore_case)  # a fault is reported in the pattern as typed, not as wrapped
    wrapped = rf"(?:^|\W)({expression})(?:\W|$)" if word else f"(?:{expression})"
    group = None if fixed else read(text)
    edged = (Plain(text) if text else None) if fixed else plain(group) if group else None
    literals = (edged.text.encode(),) if edged else _literals(group)
    if word and edged is not None:
        edged = Plain(edged.text, "\\W", "\\W") if not (edged.before or edged.after) else None
    regex = _regex(f"(?m){wrapped}", ignore_case)
    return Pattern(text, ignore_case, word, fixed, regex, literals, None if ignore_case else edged)


def hits_in(pattern: Pattern, data: bytes) -> Iterator[LineHit]:
    """The matching lines of one file, given its own bytes, from the top. Encodings are judged by `core.source.text`."""
    return hits_of(pattern, *searchable(data))


def hits_of(pattern: Pattern, body: bytes, lines: list[str] | None = None) -> Iterator[LineHit]:
    """As `hits_in`, of what `searchable` has made of a file."""
    ascii_only = body.isascii()
    plain = pattern.plain
    if ascii_only and lines is None and plain is not None and plain.is_free and _is_frequent(body, plain.text):
        yield from _by_line(body, plain.text)
        return
    number, counted = 1, 0
    for start, end, at in _matching_lines(pattern, body):
        number += body.count(b"\n", counted, start)
        counted = start
        column = 1 + (at - start if ascii_only else len(body[start:at].decode("utf-8")))
        yield LineHit(number, column, body[start:end].decode("utf-8") if lines is None else lines[number - 1])


def spans_in(pattern: Pattern, line: str) -> list[tuple[int, int]]:
    """Where a line matches, as columns from 0 (start, end); empty matches are left out."""
    group = 1 if pattern.word else 0
    text = _SURROGATE.sub(_NO_CHARACTER, line)
    spans: list[tuple[int, int]] = []
    position = 0
    while position <= len(text) and (match := pattern.regex.search(text, position)):
        start, end = match.span(group)
        if start < end:
            spans.append((start, end))
        position = end if end > position else end + 1  # the character behind one word may be the one before the next
    return spans


def to_grep(pattern: Pattern, *, plain: bool = False) -> tuple[str, ...] | None:
    """Options and pattern with which GNU grep, in the C locale, prints the lines that match; None if not for certain.

    `plain` says that all files it is run on are plain (`grep.is_plain`): much more can be said about those.
    """
    if pattern.ignore_case and not plain:
        return None  # RE2 also folds `s` to U+017F and `k` to U+212A
    if pattern.word and not _WORD.fullmatch(pattern.text):
        return None  # what grep tries after a match that touches a letter is not defined
    letters = "n" + ("i" if pattern.ignore_case else "") + ("w" if pattern.word else "")
    if pattern.fixed:
        option, text = f"-{letters}F", pattern.text if grep.quoted(pattern.text) is not None else None
    else:
        option, text = f"-{letters}E", grep.to_extended(pattern.text, plain=plain)
    if not text:
        return None
    return (option, "-e", text) if text.startswith("-") else (option, text)


# ------------------------------------------------------------------ inside


def _escape(text: str) -> str:
    return str(re2.escape(text))


def _literals(group: Group | None) -> tuple[bytes, ...]:
    literals = required_literals(group) if group else frozenset()
    return tuple(sorted(literal.encode() for literal in literals)) if len(literals) <= _MOST_LITERALS else ()


def _regex(expression: str, ignore_case: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        raise _invalid(expression, error.args[0]) from None
    except UnicodeEncodeError:
        raise UsageError("the pattern holds something that is not a character", ascii(expression)) from None


def _invalid(text: str, message: bytes) -> UsageError:
    """RE2 says what is wrong and quotes the place; the column is where that quotation stands.

    Of a parenthesis without its other half RE2 quotes the whole pattern: where it stands is found here.
    """
    reason, _, quotation = message.decode("utf-8", "replace").partition(": ")
    at = text.find(quotation) if quotation else len(text) - 1
    if reason in ("missing )", "unexpected )"):
        at = _unbalanced(text)
    where = f"column {at + 1} of {text}" if at >= 0 else text
    return UsageError(f"invalid pattern, {reason}", where, "RE2 syntax; -F searches plain text")


def _unbalanced(text: str) -> int:
    """Where a parenthesis without its other half stands: one that closes nothing, else the last that is not closed."""
    opened: list[int] = []
    for sign in _SIGNS.finditer(text):
        if sign[0] == "(":
            opened.append(sign.start())
        elif sign[0] == ")" and not opened:
            return sign.start()
        elif sign[0] == ")":
            opened.pop()
    return opened[-1] if opened else 0


def searchable(data: bytes) -> tuple[bytes, list[str] | None]:
    """UTF-8 with lines ending in `\\n`, and the lines to show where they are not just those bytes decoded.

    A byte that is no text counts as one character, which only a dot or a negated class matches.
    """
    lines = None
    if data.isascii() and b"coding" not in data[:1000]:
        body = data
    else:
        text, encoding, problem = decode(data)
        if problem:
            body = _SURROGATE.sub(_NO_CHARACTER, text).encode("utf-8")
            lines = [line.removesuffix("\r") for line in text.split("\n")]
        else:
            body = data if encoding == "utf-8" and not data.startswith(BOM_UTF8) else text.encode("utf-8")
    if b"\r" in body:
        body = body.replace(b"\r\n", b"\n")
        body = body[:-1] + b"\n" if body.endswith(b"\r") else body
    return body, lines


def _matching_lines(pattern: Pattern, body: bytes) -> Iterator[tuple[int, int, int]]:
    """Start and end of each matching line, and where its first match starts."""
    group = 1 if pattern.word else 0
    if pattern.plain is not None:
        return _by_text(body, pattern.plain)
    if len(pattern.literals) == 1 and not pattern.ignore_case:
        return _by_literal(body, pattern.literals[0], pattern.regex, group)
    return _each_line(pattern.regex, body, group) if pattern.line_by_line else _whole(pattern.regex, body, group)


def _is_frequent(body: bytes, text: str) -> bool:
    """Whether so many lines hold a text that looking into each is less work than going from one place to the next."""
    return body.count(text.encode()) * _SPARSE > len(body)


def _by_line(body: bytes, text: str) -> list[LineHit]:
    """The lines of a body in ASCII that hold a text."""
    lines = body.decode("ascii").split("\n")
    return [LineHit(number, line.find(text) + 1, line) for number, line in enumerate(lines, 1) if text in line]


def _by_text(body: bytes, plain: Plain) -> Iterator[tuple[int, int, int]]:
    text = plain.text.encode()
    at = body.find(text)
    while at >= 0:
        behind = at + len(text)
        if plain.is_free or (
            _is_edge(plain.before, body[at - 1 : at] if at else b"\n", text[:1])
            and _is_edge(plain.after, body[behind : behind + 1] or b"\n", text[-1:])
        ):
            end = body.find(b"\n", behind)
            end = len(body) if end < 0 else end
            yield body.rfind(b"\n", 0, at) + 1, end, at
            at = body.find(text, end)
        else:
            at = body.find(text, at + 1)


def _is_edge(wanted: str, outside: bytes, inside: bytes) -> bool:
    """Whether the bytes on both sides of a place make it what is wanted there; see `regex.Plain`."""
    if wanted in ("^", "$"):
        return outside == b"\n"
    if wanted == "\\b":
        return (outside in _LETTERS) != (inside in _LETTERS)
    return not wanted or outside not in _LETTERS


def _by_literal(body: bytes, literal: bytes, regex: Any, group: int) -> Iterator[tuple[int, int, int]]:
    """The lines that hold a text which is a part of the pattern, and match."""
    at = body.find(literal)
    while at >= 0:
        start = body.rfind(b"\n", 0, at) + 1
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        match = regex.search(body[start:end])
        if match is not None:
            yield start, end, start + match.start(group)
        at = body.find(literal, end)


def _whole(regex: Any, body: bytes, group: int) -> Iterator[tuple[int, int, int]]:
    """All lines at once, searching over line ends."""
    position = 0
    while position < len(body):
        match = regex.search(body, position)
        if match is None:
            return
        at = match.end()
        start = body.rfind(b"\n", position, at) + 1 or position
        end = body.find(b"\n", at)
        end = len(body) if end < 0 else end
        if start == len(body):
            return  # behind the last line end is no line
        yield start, end, match.start(group)
        position = end + 1


def _each_line(regex: Any, body: bytes, group: int) -> Iterator[tuple[int, int, int]]:
    start = 0
    while start < len(body):
        end = body.find(b"\n", start)
        end = len(body) if end < 0 else end
        match = regex.search(body[start:end])
        if match is not None:
            yield start, end, start + match.start(group)
        start = end + 1
