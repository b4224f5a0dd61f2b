"""Owns how sondage makes files and folders of its own: for the user alone (0700, 0600), never through somebody's link.

Whatever the umask says, and whoever shares the machine: a folder or file that belongs to another user, or is a symbolic
link, is refused, so that nothing is written where somebody else wants it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sondage.errors import StoreError

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
_OPEN_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Non-blocking, so that a pipe put in a file's place cannot hold us up; it changes nothing for regular files."""


def make_private_folder(path: Path) -> None:
    """The folder, made with the ones above it where they are missing; an existing one is closed to others.

    Raises StoreError where it cannot be had.
    """
    if not path.is_absolute():
        raise StoreError("no folder to keep files in", str(path), "HOME is not set")
    try:
        for folder in reversed([path, *path.parents]):
            if not folder.exists():
                folder.mkdir(_FOLDER_MODE, exist_ok=True)
        found = path.lstat()
        _refuse_other_than_folder(found, path)
        _refuse_foreign(found, path)
        if stat.S_IMODE(found.st_mode) & 0o077:
            path.chmod(_FOLDER_MODE)
    except OSError as error:
        raise _failed("the folder cannot be made", path, error) from None


def open_private(path: Path, flags: int = os.O_RDONLY) -> int:
    """A descriptor of a regular file of the user's own; `flags` as for `os.open`. Raises StoreError."""
    try:
        descriptor = os.open(path, flags | _OPEN_FLAGS, _FILE_MODE)
    except OSError as error:
        raise _failed("the file cannot be opened", path, error) from None
    try:
        found = os.fstat(descriptor)
        _refuse_other_than_file(found, path)
        _refuse_foreign(found, path)
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.fchmod(descriptor, _FILE_MODE)
    except OSError as error:
        os.close(descriptor)
        raise _failed("the file cannot be closed to others", path, error) from None
    except StoreError:
        os.close(descriptor)
        raise
    return descriptor


def write_new(path: Path, data: bytes) -> None:
    """A file that did not exist before, whole or not at all, never over another, never through a link."""
    descriptor = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _failed("the file cannot be written", path, error) from None


def _refuse_other_than_folder(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISDIR(found.st_mode):
        raise StoreError("not a folder, or a link to one", str(path), "move it away")


def _refuse_other_than_file(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise StoreError("not a regular file", str(path), "move it away")


def _refuse_foreign(found: os.stat_result, path: Path) -> None:
    if found.st_uid != os.geteuid():
        raise StoreError("it belongs to another user", str(path), "move it away")


def _failed(what: str, path: Path, error: OSError) -> StoreError:
    return StoreError(f"{what}, {error.strerror or error}", str(path))
