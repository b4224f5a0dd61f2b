"""Owns the part of RE2's pattern syntax that sondage reads itself: enough to name the text a match must hold, and
to say a pattern in `grep`'s words. What is not understood stays `Opaque`; nothing is guessed.

Syntax: RE2's own table (github.com/google/re2/wiki/Syntax). Only patterns that RE2 has accepted come here.
"""

from __future__ import annotations

import string
from typing import TypeAlias

import msgspec

_DIGITS = frozenset(string.digits)
_WORD = frozenset(string.ascii_letters + string.digits + "_")
_SPACE = frozenset("\t\n\f\r ")
_PERL_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_DEEPEST = 50
"""Groups inside groups; nobody reads a pattern beyond that, and the stack is finite."""


class Char(msgspec.Struct, frozen=True):
    """One character that stands for itself."""

    char: str


class Chars(msgspec.Struct, frozen=True):
    """One character out of some ASCII characters, or any but those."""

    members: frozenset[str]
    negated: bool = False


class Dot(msgspec.Struct, frozen=True):
    """Any character but a line end."""


class Assertion(msgspec.Struct, frozen=True):
    """`^`, `$` or `\\b`: a place, no text."""

    sign: str


class Opaque(msgspec.Struct, frozen=True):
    """Something that is not read here, such as `\\pL`; it may match anything, and nothing."""


class Repeat(msgspec.Struct, frozen=True):
    node: Node
    low: int
    high: int | None
    """None is without end."""


class Group(msgspec.Struct, frozen=True):
    branches: tuple[Sequence_, ...]


Node: TypeAlias = Char | Chars | Dot | Assertion | Opaque | Repeat | Group
Sequence_: TypeAlias = tuple[Node, ...]


class _NotReadError(Exception):
    """The pattern changes its own rules (flags, quoting), so that no part of it can be read alone."""


def read(pattern: str) -> Group | None:
    """The whole pattern as alternatives of sequences; None where it changes its own rules half-way."""
    reader = _Reader(pattern)
    try:
        return reader.alternatives(0)
    except _NotReadError:
        return None


class Plain(msgspec.Struct, frozen=True):
    """A text, found wherever it stands and what must be `before` and `after` it is there.

    `^` and `$` are the ends of the line, `\\b` is a place between a letter (ASCII, digits, underscore) and something
    else, `\\W` something else or the end of the line; empty is anything.
    """

    text: str
    before: str = ""
    after: str = ""

    @property
    def is_free(self) -> bool:
        """Whether the text is all."""
        return not self.before and not self.after


def plain(group: Group) -> Plain | None:
    """The pattern as a text with its edges, where it is no more than that."""
    if len(group.branches) != 1:
        return None
    inner = list(group.branches[0])
    before = after = ""
    if inner and isinstance(inner[0], Assertion) and inner[0].sign in ("^", "\\b"):
        before = inner.pop(0).sign  # type: ignore[union-attr]
    if inner and isinstance(inner[-1], Assertion) and inner[-1].sign in ("$", "\\b"):
        after = inner.pop().sign  # type: ignore[union-attr]
    chars = [node.char for node in inner if isinstance(node, Char)]
    return Plain("".join(chars), before, after) if chars and len(chars) == len(inner) else None


def required_literals(group: Group) -> frozenset[str]:
    """Texts of which every match holds at least one; empty where nothing can be promised."""
    found: set[str] = set()
    for branch in group.branches:
        best = max(_promises(branch), key=_worth, default=frozenset[str]())
        if not best:
            return frozenset()
        found |= best
    return frozenset(found)


def _worth(promise: frozenset[str]) -> int:
    """A long text rules out more files than a short one."""
    return min(map(len, promise), default=0)


def _promises(branch: Sequence_) -> list[frozenset[str]]:
    promises: list[frozenset[str]] = []
    run = ""
    for node in branch:
        if isinstance(node, Char):
            run += node.char
            continue
        promises.append(frozenset({run} - {""}))
        run = ""
        inner: Node = node
        while isinstance(inner, Repeat) and inner.low > 0:
            inner = inner.node
        if isinstance(inner, Char):
            promises.append(frozenset(inner.char))
        elif isinstance(inner, Group):
            promises.append(required_literals(inner))
    promises.append(frozenset({run} - {""}))
    return promises


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self) -> str:
        char = self.pattern[self.at]
        self.at += 1
        return char

    def alternatives(self, depth: int) -> Group:
        if depth > _DEEPEST:
            raise _NotReadError
        branches = [self.sequence(depth)]
        while self.peek("|"):
            self.at += 1
            branches.append(self.sequence(depth))
        return Group(tuple(branches))

    def sequence(self, depth: int) -> Sequence_:
        nodes: list[Node] = []
        while self.at < len(self.pattern) and not (self.peek("|") or self.peek(")")):
            nodes.append(self.repeated(self.atom(depth)))
        return tuple(nodes)

    def repeated(self, node: Node) -> Node:
        bounds = self.bounds()
        if bounds is None:
            return node
        if self.peek("?"):
            self.at += 1  # reluctant: which text is matched changes, whether a line matches does not
        return Repeat(node, *bounds)

    def bounds(self) -> tuple[int, int | None] | None:
        """What a repetition operator allows; RE2 reads braces that hold no count as themselves."""
        for sign, simple in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.peek(sign):
                self.at += 1
                return simple
        end = self.pattern.find("}", self.at)
        if not self.peek("{") or end < 0:
            return None
        low, comma, high = self.pattern[self.at + 1 : end].partition(",")
        if not _is_count(low) or not (high == "" or _is_count(high)):
            return None
        self.at = end + 1
        if not comma:
            return int(low), int(low)
        return int(low), int(high) if high else None

    def atom(self, depth: int) -> Node:
        char = self.take()
        if char == "(":
            return self.group(depth)
        if char == "[":
            return self.bracket()
        if char == "\\":
            return self.escape()
        if char == ".":
            return Dot()
        return Assertion(char) if char in "^$" else Char(char)

    def group(self, depth: int) -> Group:
        if self.peek("?"):
            end = self.pattern.find(">", self.at)
            if self.peek("?:"):
                self.at += 2
            elif self.peek("?P<") or self.peek("?<"):
                self.at = end + 1
            else:
                raise _NotReadError
        inside = self.alternatives(depth + 1)
        self.at += 1
        return inside

    def escape(self) -> Node:
        char = self.take()
        if char in "QE":
            raise _NotReadError
        if char in _PERL_CLASSES:
            return Chars(_PERL_CLASSES[char])
        if char.lower() in _PERL_CLASSES:
            return Chars(_PERL_CLASSES[char.lower()], negated=True)
        if char == "b":
            return Assertion("\\b")
        if char in string.punctuation:
            return Char(char)
        self.skip_rest_of_escape(char)
        return Opaque()

    def skip_rest_of_escape(self, char: str) -> None:
        """What belongs to `\\x41`, `\\x{10FFFF}`, `\\pL`, `\\p{Greek}` and `\\07` must not be read as text."""
        if char in "xpP" and self.peek("{"):
            self.at = self.pattern.index("}", self.at) + 1
        elif char == "x":
            self.at += 2
        elif char in "pP":
            self.at += 1
        elif char.isdigit():
            while self.at < len(self.pattern) and self.pattern[self.at] in string.octdigits:
                self.at += 1

    def bracket(self) -> Node:
        negated = self.peek("^")
        self.at += negated
        members: set[str] = set()
        understood = first = True
        while first or not self.peek("]"):
            first = False
            named = self.pattern.find(":]", self.at + 2) if self.peek("[:") else -1
            if named >= 0:
                self.at = named + 2
                understood = False
                continue
            low = self.member()
            if isinstance(low, frozenset):
                members |= low
                continue
            high: str | frozenset[str] | None = low
            if self.peek("-") and not self.pattern.startswith("]", self.at + 1):
                self.at += 1
                high = self.member()
            if isinstance(low, str) and isinstance(high, str) and high.isascii():
                members |= {chr(code) for code in range(ord(low), ord(high) + 1)}
            else:
                understood = False
        self.at += 1
        return Chars(frozenset(members), negated) if understood else Opaque()

    def member(self) -> str | frozenset[str] | None:
        """One item of a bracket: a character, a class, or None for what is not read here."""
        char = self.take()
        if char != "\\":
            return char
        char = self.take()
        if char in _PERL_CLASSES:
            return _PERL_CLASSES[char]
        if char in string.punctuation:
            return char
        if char == "t":
            return "\t"
        self.skip_rest_of_escape(char)
        return None


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit()
