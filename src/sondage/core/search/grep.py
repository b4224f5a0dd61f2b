"""Owns saying a pattern in the words of `grep`: a POSIX extended expression as GNU grep reads it in the C locale.

Only what means the same for certain is translated (POSIX.1-2017, Base Definitions, 9.4; GNU grep manual, chapter 3).
The two engines differ in what one character is: a code point for RE2, a byte for grep in the C locale. A run of any
characters is the same to both; a single one is not, and neither are two in a row, unless the files are plain. They also
differ on line ends, marks at the start of a file, and control characters, none of which a plain file has.
"""

from __future__ import annotations

from sondage.core.search.regex import Assertion, Char, Chars, Dot, Group, Node, Opaque, Repeat, Sequence_, read

_PLAIN_BYTES = bytes(range(0x20, 0x7F)) + b"\t\n"
_MEANS_SOMETHING = frozenset(".[]\\()*+?{}|^$")
_BLANKS = frozenset("\t ")
_NEVER_IN_PLAIN = frozenset("\n\f\r\v")


class _NoEquivalentError(Exception):
    pass


def is_plain(data: bytes) -> bool:
    """True for bytes that hold printable ASCII, tabs and `\\n` only: there RE2 and grep see the same characters."""
    return not data.translate(None, _PLAIN_BYTES)


def to_extended(pattern: str, *, plain: bool) -> str | None:
    """The equivalent extended expression, or None where none is for certain; `plain` speaks of the files searched."""
    group = read(pattern)
    if group is None:
        return None
    try:
        return _Writer(plain).branches(group)
    except _NoEquivalentError:
        return None


def quoted(text: str) -> str | None:
    """Plain text as an extended expression; None outside printable ASCII: other bytes depend on the file's encoding."""
    if not (text.isascii() and text.isprintable()):
        return None
    return "".join(f"\\{char}" if char in _MEANS_SOMETHING - {"]", "}"} else char for char in text)


class _Writer:
    def __init__(self, plain: bool) -> None:
        self.plain = plain
        self.runs = 0
        """Places that ask for at least one character of any kind."""

    def branches(self, group: Group) -> str:
        return "|".join(self.sequence(branch) for branch in group.branches)

    def sequence(self, branch: Sequence_) -> str:
        if not branch:
            raise _NoEquivalentError  # an empty alternative is undefined in POSIX
        return "".join(self.node(node) for node in branch)

    def node(self, node: Node, run: bool = False) -> str:
        """`run` is true under `*` and `+`, where it does not matter how many bytes a character has."""
        match node:
            case Char(char):
                return self.char(char)
            case Dot():
                self.need(run)
                return "."
            case Chars(members, negated):
                self.need(run or not negated)
                return self.bracket(members, negated)
            case Assertion(sign):
                self.need(sign == "\\b")
                return sign
            case Group():
                return f"({self.branches(node)})"
            case Repeat():
                return self.repeat(node)
            case Opaque():
                raise _NoEquivalentError

    def need(self, same_for_any_file: bool) -> None:
        if not (same_for_any_file or self.plain):
            raise _NoEquivalentError

    def char(self, char: str) -> str:
        written = quoted(char)
        if written is None:
            raise _NoEquivalentError
        return written

    def repeat(self, node: Repeat) -> str:
        if isinstance(node.node, Repeat | Assertion):
            raise _NoEquivalentError
        sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((node.low, node.high))
        runs_before = self.runs
        if sign == "+" and _is_open(node.node):
            self.runs += 1
            self.need(self.runs == 1)
        inner = self.node(node.node, run=sign in ("*", "+"))
        self.need(self.runs == runs_before or sign == "?" or _is_open(node.node))
        if sign:
            return inner + sign
        if node.low == node.high:
            return f"{inner}{{{node.low}}}"
        return f"{inner}{{{node.low},{'' if node.high is None else node.high}}}"

    def bracket(self, members: frozenset[str], negated: bool) -> str:
        """A bracket expression; inside it the backslash is a letter, and `]`, `^`, `-` have their places."""
        if members & (_NEVER_IN_PLAIN - {"\n"}):
            self.need(False)
        members -= _NEVER_IN_PLAIN
        blanks = "[:blank:]" if members >= _BLANKS else ""
        rest = members - _BLANKS if blanks else members
        if not all(char.isprintable() for char in rest) or not members:
            raise _NoEquivalentError
        middle = _ranges(rest - set("]^-"))
        text = ("]" if "]" in rest else "") + middle + blanks
        text += ("^" if "^" in rest else "") + ("-" if "-" in rest else "")
        if text == "^" and not negated:
            return "\\^"
        if text.startswith("^") and not negated:
            text = "-^" if text == "^-" else text
        return f"[{'^' if negated else ''}{text}]"


def _is_open(node: Node) -> bool:
    """True for what matches characters of any script, however many bytes they have."""
    return isinstance(node, Dot) or (isinstance(node, Chars) and node.negated)


def _ranges(chars: frozenset[str]) -> str:
    """Characters in code order, three or more neighbours as a range; `[` comes last, away from `:`, `.` and `=`."""
    codes = sorted(map(ord, chars))
    pieces: list[str] = []
    while codes:
        length = 1
        while length < len(codes) and codes[length] == codes[0] + length:
            length += 1
        run = [chr(code) for code in codes[:length]]
        pieces.append(f"{run[0]}-{run[-1]}" if length > 2 else "".join(run))
        codes = codes[length:]
    pieces.sort(key=lambda piece: piece == "[")
    return "".join(pieces)
