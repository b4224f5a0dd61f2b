"""Owns the names that the user's SSH configuration gives to hosts, for choosing from; nothing is resolved or run for it.

The files are read as text: `Host` lines (ssh_config(5)) without wildcards and negations, `Include` followed as ssh does
it, relative names below `~/.ssh`, globs in the order of the names. `Match` names no host.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from sondage.core.late import late_pattern
from sondage.errors import UsageError
from sondage.hosts.target import parse_address

LARGEST = 1024 * 1024
"""Bytes of one file that are read."""
MOST_FILES = 64
DEEPEST = 16
"""Files included in one another; ssh's own limit."""
_LINE = late_pattern(r"\s*(host|include)(?:\s*=\s*|\s+)(.*)", re.IGNORECASE)


def aliases(file: str | None = None) -> tuple[str, ...]:
    """The names in the order of the files, each once. `file` as for `ssh -F`; None: the user's own."""
    if file is not None and file.lower() == "none":
        return ()
    start = Path(file).expanduser() if file is not None else Path.home() / ".ssh" / "config"
    return tuple(dict.fromkeys(_names(start, 0, [])))


def _names(file: Path, depth: int, seen: list[Path]) -> Iterator[str]:
    if depth > DEEPEST or len(seen) >= MOST_FILES:
        return
    seen.append(file)
    for keyword, words in _lines(file):
        if keyword == "host":
            yield from (word for word in words if _is_name(word))
        else:
            for included in _included(words):
                yield from _names(included, depth + 1, seen)


def _lines(file: Path) -> Iterator[tuple[str, list[str]]]:
    """The `Host` and `Include` lines of a file: keyword and words. A file that cannot be read has none."""
    try:
        if not file.is_file():
            return
        with file.open("rb") as stream:
            text = stream.read(LARGEST).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        found = _LINE.fullmatch(line)
        if found:
            yield found[1].lower(), _words(found[2])


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # a quote that is not closed: ssh would refuse the file
        return []


def _included(words: list[str]) -> Iterator[Path]:
    for word in words:
        pattern = Path(word).expanduser() if word.startswith("~") else Path.home() / ".ssh" / word
        try:
            yield from sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor))))
        except (ValueError, OSError, NotImplementedError, RuntimeError):
            continue


def _is_name(word: str) -> bool:
    """Whether it can be the host of a target: no pattern, and nothing that a target would refuse."""
    try:
        return not set(word) & set("*?!,") and parse_address(word).host == word
    except UsageError:
        return False
