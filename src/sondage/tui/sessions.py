"""Owns the state of sessions on disk: what stood on the screen and in memory when a session was left, to go on from.

One JSON file a session, `NAME.json` beside no other files, for the user alone (0600 in a folder of 0700). It is a
convenience, never evidence: that is the transcript's. What cannot be read is set aside and said, never an error.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from sondage.errors import StoreError
from sondage.private import make_private_folder, open_private, write_new

VERSION = 1
SUFFIX = ".json"
LARGEST = 1024 * 1024
"""Bytes of a file that is read at all."""


class SavedPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """Lines of a file; `column` counts code points from 1, `last` is 0 for one line."""

    path: str
    line: int
    column: int = 1
    last: int = 0
    symbol: str = ""


class SavedSearch(msgspec.Struct, frozen=True, omit_defaults=True):
    pattern: str
    globs: tuple[str, ...] = ()
    fixed: bool = False
    ignore_case: bool = False
    word: bool = False


class SavedContract(msgspec.Struct, frozen=True, omit_defaults=True):
    """A contract as it can be asked for again; `read` are the members that were marked as read."""

    class_name: str = ""
    demand: str = ""
    read: tuple[str, ...] = ()


class SessionState(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=False):
    """All that is kept of a session. `saved_at` in seconds since 1970."""

    version: int
    target: str
    saved_at: float
    active: str = "search"
    left: str = "search"
    strip: str = "contract"
    zoomed: bool = False
    source: SavedPlace | None = None
    jumps: tuple[SavedPlace, ...] = ()
    jump: int = -1
    """The one of the jumps that the user stood on."""
    marks: dict[str, SavedPlace] = {}
    queries: tuple[str, ...] = ()
    """The patterns of the prompt, the newest last."""
    search: SavedSearch | None = None
    class_name: str = ""
    contract: SavedContract | None = None


class _Head(msgspec.Struct):
    version: int


class Resumable(msgspec.Struct, frozen=True):
    """A session that can be gone on with."""

    name: str
    target: str
    saved_at: float


class SessionFolder:
    """The states of all sessions. Methods block for a file of some kilobytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, name: str) -> tuple[SessionState | None, str]:
        """The state of a session, None where there is none to use; and a note where one was set aside."""
        path = self._path(name)
        if not path.exists() and not path.is_symlink():
            return None, ""
        try:
            data = _read(path)
            version = msgspec.json.decode(data, type=_Head).version
            if version == VERSION:
                return msgspec.json.decode(data, type=SessionState), ""
            return None, self._set_aside(path, f"it is of version {version}, this sondage writes {VERSION}")
        except (StoreError, msgspec.DecodeError, RecursionError) as error:
            return None, self._set_aside(path, str(error))

    def save(self, name: str, state: SessionState) -> None:
        """Whole or not at all: a crash in between leaves the older one. Raises StoreError."""
        make_private_folder(self.folder)
        path = self._path(name)
        fresh = path.with_suffix(f".{os.getpid()}.new")
        fresh.unlink(missing_ok=True)
        write_new(fresh, msgspec.json.format(msgspec.json.encode(state)) + b"\n")
        try:
            fresh.replace(path)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise StoreError(f"the session cannot be kept, {error.strerror}", str(path)) from None

    def rename(self, name: str, to: str) -> None:
        """Where there is a state of that name it bears another one from now on."""
        with contextlib.suppress(FileNotFoundError):
            self._path(name).replace(self._path(to))

    def resumable(self, most: int) -> list[Resumable]:
        """The sessions kept last, the newest first; what cannot be read is left out."""
        try:
            found = [item for item in os.scandir(self.folder) if item.name.endswith(SUFFIX) and item.is_file()]
        except OSError:
            return []
        newest = sorted(found, key=lambda item: -item.stat().st_mtime)[:most]
        sessions = []
        for item in newest:
            with contextlib.suppress(StoreError, msgspec.DecodeError, RecursionError):
                state = msgspec.json.decode(_read(Path(item.path)), type=SessionState)
                sessions.append(Resumable(item.name.removesuffix(SUFFIX), state.target, state.saved_at))
        return sessions

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"

    def _set_aside(self, path: Path, why: str) -> str:
        """The first free name behind the file's own, so that nothing of the user's is lost."""
        for number in range(1, 100):
            aside = path.with_name(f"{path.name}.old-{number}")
            if not aside.exists() and not aside.is_symlink():
                with contextlib.suppress(OSError):
                    path.rename(aside)
                return f"the state of the session could not be used and was set aside as {aside.name}: {why}"
        return f"the state of the session could not be used: {why}"


def _read(path: Path) -> bytes:
    descriptor = open_private(path)
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise StoreError("larger than a state of a session can be", str(path))
    return data
