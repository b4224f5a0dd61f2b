"""Owns globs on paths: `*` and `?` stay within a folder, `**` is any number of folders, `[…]` and `{a,b}` choose.

A glob is held against the whole path relative to the root. One without a `/` names files wherever they lie, as in
`.gitignore` and `rg -g`: `*.py` means `**/*.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sondage.errors import UsageError


class Globs:
    """Some globs, of which a path has to match one; with none given, every path matches. Raises UsageError."""

    def __init__(self, globs: Iterable[str] = ()) -> None:
        self.globs = tuple(globs)
        self._matchers = [_compile(glob) for glob in self.globs]

    def __bool__(self) -> bool:
        return bool(self.globs)

    def match(self, path: str) -> bool:
        """`path` relative to the root, `/` between."""
        return not self.globs or self.match_any(path)

    def match_any(self, path: str) -> bool:
        """Like `match`, but with no globs nothing matches: for exclusions."""
        data = path.encode("utf-8", "replace")
        return any(matcher.fullmatch(data) is not None for matcher in self._matchers)


def _compile(glob: str) -> Any:
    import re2  # noqa: PLC0415  few questions come with globs

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"(?s){_Translation(glob).whole()}", options)
    except re2.error as error:
        raise _invalid(glob, str(error.args[0], "utf-8", "replace")) from None


def _invalid(glob: str, reason: str) -> UsageError:
    return UsageError(f"invalid glob, {reason}", glob)


class _Translation:
    """One glob on its way to an RE2 expression."""

    def __init__(self, glob: str) -> None:
        self.glob = glob
        self.text = glob.removeprefix("./")
        self.at = 0
        self.open_braces = 0

    def whole(self) -> str:
        if not self.text or self.text.startswith("/") or ".." in self.text.split("/"):
            raise _invalid(self.glob, "it is held against paths relative to the root, such as pkg/module.py")
        anywhere = "" if "/" in self.text else "(?:[^/]+/)*"
        pieces = [anywhere]
        while self.at < len(self.text):
            pieces.append(self.piece())
        if self.open_braces:
            raise _invalid(self.glob, "a { is never closed")
        return "".join(pieces)

    def piece(self) -> str:
        if self.text.startswith("**", self.at):
            return self.folders()
        char = self.text[self.at]
        self.at += 1
        if char == "[":
            return self.bracket()
        if char == "\\":
            return self.escaped()
        if char in "{},":
            return self.choice(char)
        return {"*": "[^/]*", "?": "[^/]"}.get(char) or re.escape(char)

    def folders(self) -> str:
        start, self.at = self.at, self.at + 2
        starts_part = start == 0 or self.text[start - 1] == "/"
        if starts_part and self.text.startswith("/", self.at):
            self.at += 1
            return "(?:[^/]+/)*"
        if starts_part and self.at == len(self.text):
            return ".*"
        raise _invalid(self.glob, "** must stand alone between slashes")

    def escaped(self) -> str:
        if self.at == len(self.text):
            raise _invalid(self.glob, "a \\ at the end escapes nothing")
        self.at += 1
        return re.escape(self.text[self.at - 1])

    def choice(self, char: str) -> str:
        if char == "{":
            self.open_braces += 1
            return "(?:"
        if not self.open_braces:
            if char == ",":
                return ","
            raise _invalid(self.glob, "a } closes nothing")
        self.open_braces -= char == "}"
        return ")" if char == "}" else "|"

    def bracket(self) -> str:
        """A bracket never matches the slash between folders, whatever it holds."""
        negated = self.text.startswith(("!", "^"), self.at)
        self.at += negated
        end = self.text.find("]", self.at + 1)
        if end < 0:
            raise _invalid(self.glob, "a [ is never closed")
        members = self.text[self.at : end]
        self.at = end + 1
        if "/" in members:
            raise _invalid(self.glob, "a [ ] cannot hold a slash")
        escaped = "".join(char if char == "-" else re.escape(char) for char in members)
        return f"[^/{escaped}]" if negated else f"[{escaped}]"
