"""Owns typed patterns: what matches in the bytes of files, line by line as `grep` does it, in linear time (RE2).

A line matches or does not; a match never spans lines; `^` and `$` are the ends of a line. Lines and columns are those
of `core.source.text`. RE2's `\\w`, `\\d`, `\\s` and `\\b` know ASCII only.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import msgspec

from sondage.core.late import late_pattern
from sondage.core.search import grep
from sondage.core.search.regex import Group, Plain, plain, read, required_literals
from sondage.errors import UsageError

_LINE_END = late_pattern(r"(?<!\\)(?:\\\\)*\\n|\n")
_TEXT_ANCHOR = late_pattern(r"\\[Az]|\(\?[a-zA-Z]*-")
"""`\\A`, `\\z` and switched-off flags mean the whole text to RE2; here the whole text is a line."""
_WORD = late_pattern(r"\w+", re.ASCII)
_SIGNS = late_pattern(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]")
"""Parentheses, and what may hold one that means itself: an escape, a class of characters."""
SURROGATE = late_pattern("[\ud800-\udfff]")
NO_CHARACTER = "\ufffd"
_MOST_LITERALS = 8


class Pattern(msgspec.Struct, frozen=True, dict=True):
    """A pattern as typed, with how it is read. Made by `compile_pattern`."""

    text: str
    ignore_case: bool = False
    word: bool = False
    """The match must not touch a letter, digit or underscore (ASCII), as with `grep -w`."""
    fixed: bool = False
    """`text` stands for itself."""
    literals: tuple[bytes, ...] = ()
    """Of these every match holds at least one, in letters of either case with `ignore_case`; none known if empty."""
    plain: Plain | None = None
    """The pattern as a text with its edges, where it is no more than that and case matters."""

    @cached_property
    def regex(self) -> Any:
        """For RE2; what is plain is found without, and so this is made when it is needed."""
        expression = _escape(self.text) if self.fixed else self.text
        wrapped = rf"(?:^|\W)({expression})(?:\W|$)" if self.word else f"(?:{expression})"
        return _regex(f"(?m){wrapped}", self.ignore_case)

    @property
    def line_by_line(self) -> bool:
        return not self.fixed and _TEXT_ANCHOR.search(self.text) is not None


def compile_pattern(text: str, *, ignore_case: bool = False, word: bool = False, fixed: bool = False) -> Pattern:
    """Raises UsageError, which says where in the pattern the fault lies."""
    if "\n" in text or (not fixed and _LINE_END.search(text)):
        raise UsageError("a pattern cannot match across lines", text, "leave the line end out of it")
    if SURROGATE.search(text):
        raise UsageError("the pattern holds something that is not a character", ascii(text))
    if not fixed and not _WORD.fullmatch(text):
        _regex(text, ignore_case)  # a fault is reported in the pattern as typed, not as wrapped
    group = None if fixed else read(text)
    edged = (Plain(text) if text else None) if fixed else plain(group) if group else None
    literals = (edged.text.encode(),) if edged else _literals(group)
    if word and edged is not None:
        edged = Plain(edged.text, "\\W", "\\W") if not (edged.before or edged.after) else None
    return Pattern(text, ignore_case, word, fixed, literals, None if ignore_case else edged)


def spans_in(pattern: Pattern, line: str) -> list[tuple[int, int]]:
    """Where a line matches, as columns from 0 (start, end); empty matches are left out."""
    group = 1 if pattern.word else 0
    text = SURROGATE.sub(NO_CHARACTER, line)
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
    import re2  # noqa: PLC0415  a question about classes has no pattern

    return str(re2.escape(text))


def _literals(group: Group | None) -> tuple[bytes, ...]:
    literals = required_literals(group) if group else frozenset()
    return tuple(sorted(literal.encode() for literal in literals)) if len(literals) <= _MOST_LITERALS else ()


def _regex(expression: str, ignore_case: bool) -> Any:
    import re2  # noqa: PLC0415  as above

    options = re2.Options()
    options.log_errors = False
    options.never_nl = True
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(expression, options)
    except re2.error as error:
        raise _invalid(expression, error.args[0]) from None


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
