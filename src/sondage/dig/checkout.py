"""Owns the commit that a root is at, read from the files git keeps; git itself is never run on the host.

Format: gitrepository-layout(5). `.git/HEAD` names a commit or a ref; a ref lies in a file of its own, or in `packed-refs`.
In a linked worktree or a submodule `.git` is a file that says where the folder is, and `commondir` where the refs are.
"""

from __future__ import annotations

import posixpath

import msgspec

from sondage.core.late import late_pattern
from sondage.dig.reading import read_those_there, upwards
from sondage.hosts.base import Host

_COMMIT = late_pattern(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = late_pattern(rb"ref:[ \t]*(refs/[^\0-\x20\x7f~^:?*\[\\]+)")
"""A name as git-check-ref-format(1) allows it; `..` is looked for apart."""


class Checkout(msgspec.Struct, frozen=True):
    """`folder` is absolute, `commit` in hex."""

    folder: str
    commit: str


async def find_checkout(host: Host, root: bytes) -> Checkout | None:
    """The checkout that holds a folder, or None. One round trip where there is none, two where there is. Raises HostError."""
    folders = upwards(root)
    found = await read_those_there(host, [posixpath.join(folder, b".git", b"HEAD") for folder in folders])
    top = next((folder for folder in folders if posixpath.join(folder, b".git", b"HEAD") in found), None)
    nearer = folders[: folders.index(top)] if top is not None else folders
    wanted = [posixpath.join(folder, b".git") for folder in nearer]
    if top is not None:
        git = posixpath.join(top, b".git")
        head = found[posixpath.join(git, b"HEAD")]
        wanted += _places_of_ref(git, head)
    files = await read_those_there(host, wanted)
    for folder in nearer:
        pointer = files.get(posixpath.join(folder, b".git"), b"")
        if pointer.startswith(b"gitdir:"):
            return await _linked(host, folder, pointer)
    return _checkout(top, _commit(git, head, files)) if top is not None else None


async def _linked(host: Host, folder: bytes, pointer: bytes) -> Checkout | None:
    """A worktree or submodule: two round trips more."""
    git = posixpath.normpath(posixpath.join(folder, pointer.removeprefix(b"gitdir:").strip()))
    head_file, common_file = posixpath.join(git, b"HEAD"), posixpath.join(git, b"commondir")
    found = await read_those_there(host, [head_file, common_file])
    head = found.get(head_file, b"")
    common = posixpath.normpath(posixpath.join(git, found.get(common_file, b".").strip()))
    return _checkout(folder, _commit(common, head, await read_those_there(host, _places_of_ref(common, head))))


def _checkout(folder: bytes, commit: str) -> Checkout | None:
    return Checkout(folder.decode("utf-8", "surrogateescape"), commit) if commit else None


def _places_of_ref(git: bytes, head: bytes) -> list[bytes]:
    ref = _ref(head)
    return [posixpath.join(git, ref), posixpath.join(git, b"packed-refs")] if ref else []


def _ref(head: bytes) -> bytes | None:
    found = _REF.match(head)
    return found[1] if found and b".." not in found[1] else None


def _commit(git: bytes, head: bytes, files: dict[bytes, bytes]) -> str:
    """The commit that HEAD leads to; empty where it leads nowhere (a branch without a commit, or another format)."""
    ref = _ref(head)
    if ref is None:
        return _hexadecimal(head)
    loose = files.get(posixpath.join(git, ref))
    if loose is not None:
        return _hexadecimal(loose)
    packed = (line.split() for line in files.get(posixpath.join(git, b"packed-refs"), b"").splitlines())
    return next((_hexadecimal(words[0]) for words in packed if len(words) == 2 and words[1] == ref), "")


def _hexadecimal(text: bytes) -> str:
    found = _COMMIT.fullmatch(text.strip())
    return found[0].decode() if found else ""
