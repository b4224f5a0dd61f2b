"""Owns commands for a reader's shell: words quoted for POSIX `sh`, and once more for a remote shell.

Rules: POSIX.1-2017, Shell Command Language, 2.2. `ssh` joins its arguments with spaces and hands them to the user's
login shell, so a remote command is quoted whole a second time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sondage.core.late import late_pattern
from sondage.core.safe import one_line

_BARE = late_pattern(r"[\w@%+=:,./-]+", re.ASCII)
_SPECIAL_IN_DOUBLE = late_pattern(r'([\\"$`])')


def command(words: Sequence[str]) -> str | None:
    """The words as one command line; None where one of them cannot be written."""
    written = [word(one) for one in words]
    if any(one is None for one in written):
        return None
    return " ".join(one for one in written if one is not None)


def over_ssh(reach: Sequence[str], remote: str) -> str | None:
    """`ssh` with the arguments that reach the host (the host last), running a command line there."""
    local = command(["ssh", *reach])
    if local is None or not reach or reach[-1].startswith("-"):
        return None
    return f"{local} {_quoted(remote)}"


def word(text: str) -> str | None:
    """One word. Bytes that are not UTF-8 (surrogates, PEP 383) and hidden characters are written by `printf`.

    `$'…'` would be shorter, but is no POSIX. None for what no word can hold: NUL, and a line end that
    a command substitution would take away.
    """
    if "\0" in text:
        return None
    if one_line(text) == text:
        return _quoted(text)
    if text.endswith("\n"):
        return None
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    form = "".join(map(_printf, data))
    if form.startswith("-"):  # no option of printf's
        form = f"\\{ord('-'):03o}{form[1:]}"
    return f"\"$(printf '{form}')\""


def _printf(byte: int) -> str:
    char = chr(byte)
    if char in "%\\":
        return char * 2
    return char if 0x20 <= byte < 0x7F and char != "'" else f"\\{byte:03o}"


def _quoted(text: str) -> str:
    """The most readable way to quote. `!` is kept out of double quotes, where interactive shells read history."""
    if _BARE.fullmatch(text):
        return text
    if "'" not in text:
        return f"'{text}'"
    if "!" not in text:
        return '"' + _SPECIAL_IN_DOUBLE.sub(r"\\\1", text) + '"'
    return "'" + text.replace("'", "'\"'\"'") + "'"
