"""Owns the judgement whether a name that came from a host can be believed."""

from __future__ import annotations

from sondage.core.late import late_pattern

LONGEST_PATH = 4096
"""Bytes; Linux's own limit (PATH_MAX)."""
_NO_COMPONENT = late_pattern(rb"(?:\A|/)\.{0,2}(?:/|\Z)|\0")
"""In a path: a part that `is_component` refuses, said in one piece because it is asked of every file of a tree."""


def is_component(name: bytes) -> bool:
    """Whether an honest host can have a directory entry of this name."""
    return name not in (b"", b".", b"..") and b"/" not in name and b"\0" not in name and len(name) <= LONGEST_PATH


def is_relative(path: bytes) -> bool:
    """Whether `path` stays below the folder it is relative to, and is written in the one shortest way."""
    return len(path) <= LONGEST_PATH and _NO_COMPONENT.search(path) is None


def below(root: bytes, path: bytes) -> bytes | None:
    """The absolute `path` relative to the absolute `root`, b"" for the root itself, None outside of it."""
    if path == root:
        return b""
    prefix = root if root.endswith(b"/") else root + b"/"
    return path[len(prefix) :] if path.startswith(prefix) else None


def join(root: bytes, path: bytes) -> bytes:
    return (root if root.endswith(b"/") else root + b"/") + path


def shown(data: bytes, limit: int = 200) -> str:
    """The first line of what a host said, for an error or a note: still untrusted text, but text."""
    lines = data.strip().splitlines()
    return lines[0][:limit].decode("utf-8", "backslashreplace") if lines else ""
