"""Owns the transcript log of a session: one file of JSON lines that only ever grows, and belongs to the user.

An entry is handed to the operating system before `append` returns, so that killing sondage loses nothing that was
shown; at most a second later it is on the disk itself, so that a power cut loses no more than that. Several processes
may write one session: each line goes out in one write under a lock. When the disk is full the session goes on in
memory, and what could not be written is tried again with the next entry.
"""

from __future__ import annotations

import fcntl
import os
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from sondage.core.late import late_pattern
from sondage.core.transcripts.transcript import Entry, decode_line, decode_lines, encode_line
from sondage.errors import StoreError, UsageError
from sondage.private import make_private_folder, open_private

SUFFIX = ".jsonl"
_NAME = late_pattern(r"\w[\w .+@=-]*(?<! )")
_LONGEST_NAME = 100
"""Bytes; with the suffix well below the 255 that file systems allow."""
_LOCK_SECONDS = 2.0
"""Longest wait for another process that writes the same session; a line takes far less than a millisecond."""
_LOCK_PAUSE = 0.01
_BLOCK = 65_536
SYNC_SECONDS = 1.0
"""Longest time between an entry's write and its being forced to the disk; entries in between share one forcing."""


def check_name(name: str) -> str:
    """The name, fit to be a file's. Raises UsageError."""
    if not _NAME.fullmatch(name) or len(os.fsencode(name)) > _LONGEST_NAME:
        raise UsageError("not a name for a session", name, "letters, digits, and - _ . + @ = or spaces inside")
    return name


class Session(msgspec.Struct, frozen=True):
    """A transcript that lies in the folder. `changed` in seconds since 1970."""

    name: str
    path: Path
    size: int
    changed: float


def sessions(folder: Path) -> list[Session]:
    """The transcripts in a folder, the last written first; empty where there is no such folder."""
    found = []
    try:
        for item in os.scandir(folder):
            if item.name.endswith(SUFFIX) and item.is_file(follow_symlinks=False):
                status = item.stat(follow_symlinks=False)
                found.append(Session(item.name.removesuffix(SUFFIX), Path(item.path), status.st_size, status.st_mtime))
    except OSError:
        pass
    return sorted(found, key=lambda session: (-session.changed, session.name))


def find_transcript(folder: Path, name: str) -> Path:
    """The file of a transcript: `name` is a session of the folder, or a path (with a `/`, or ending in `.jsonl`).

    Raises UsageError where there is no such file.
    """
    is_path = os.sep in name or name.endswith(SUFFIX)
    path = Path(name).expanduser() if is_path else folder / f"{check_name(name)}{SUFFIX}"
    if path.is_file():
        return path
    near = [session.name for session in sessions(folder)[:3]]
    hint = f"the last sessions are {', '.join(near)}" if near else f"sessions lie in {folder}"
    raise UsageError("no such transcript", name, hint)


def read_entries(path: Path) -> tuple[list[Entry], list[str]]:
    """The entries of a transcript, and what was wrong with lines that are none; a last line that was torn is such a one.

    The file is only read, whoever it belongs to: a transcript is there to be handed on. Raises StoreError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise StoreError(f"the transcript cannot be read, {error.strerror}", str(path)) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise StoreError("not a regular file", str(path))
        return decode_lines(_read_all(descriptor))
    except OSError as error:
        raise StoreError(f"the transcript cannot be read, {error.strerror}", str(path)) from None
    finally:
        os.close(descriptor)


class Journal:
    """One session's entries, on disk and in memory. Made by `open_journal` or `Journal.in_memory`."""

    def __init__(self, name: str, path: Path | None = None, descriptor: int = -1) -> None:
        self.name = name
        self.path = path
        self.entries: list[Entry] = []
        self.notes: list[str] = []
        """What the user should hear once: a line that was mended or could not be read."""
        self._descriptor = descriptor
        self._turn = threading.Lock()
        self._unwritten: list[bytes] = []
        self._disk = _Disk(descriptor) if descriptor >= 0 else None

    @classmethod
    def in_memory(cls, name: str) -> Journal:
        """A session that is kept nowhere: for when there is no folder to keep it in."""
        return cls(check_name(name))

    @property
    def unwritten(self) -> int:
        """How many entries are in memory only."""
        return len(self._unwritten)

    def append(self, entry: Entry) -> None:
        """Keeps the entry, and writes it before it returns. Threads take turns.

        Raises StoreError when that fails; the entry is kept in memory then, and written with the next one.
        """
        with self._turn:
            self.entries.append(entry)
            if self.path is not None:
                self._write(entry)

    def _write(self, entry: Entry) -> None:
        self._unwritten.append(encode_line(entry))
        try:
            with _locked(self._descriptor):
                _mend(self._descriptor)
                _write_whole(self._descriptor, b"".join(self._unwritten))
        except OSError as error:
            reason = error.strerror or str(error)
            hint = f"the session goes on in memory, {self.unwritten} not written"
            raise StoreError(f"the transcript cannot be written, {reason}", str(self.path), hint) from None
        self._unwritten.clear()
        if self._disk and (trouble := self._disk.soon()):
            raise StoreError(f"the disk does not confirm what was written, {trouble}", str(self.path))

    def rename(self, name: str) -> None:
        """Another name for the session, and for its file where it has one; never that of another session.

        Raises UsageError for what is no name or is taken, StoreError where the file cannot bear it.
        """
        check_name(name)
        if self.path is not None and name != self.name:
            renamed = self.path.with_name(f"{name}{SUFFIX}")
            try:
                renamed.hardlink_to(self.path)  # unlike a renaming this never replaces a file
                self.path.unlink()
            except FileExistsError:
                raise UsageError("there is a session of that name already", name) from None
            except OSError as error:
                raise StoreError(f"the transcript cannot be renamed, {error.strerror}", str(self.path)) from None
            self.path = renamed
        self.name = name

    def close(self) -> None:
        """Forces to the disk what is not there yet. Nothing is left to be written: that is `append`'s promise."""
        with self._turn:
            if self._disk:
                self._disk.close()
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
                self.path = None


class _Disk:
    """Forces what was written to the disk, at most `SYNC_SECONDS` after it was, in a thread that keeps no process alive."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._turn = threading.Lock()
        self._timer: threading.Timer | None = None
        self._trouble = ""

    def soon(self) -> str:
        """Asks for a forcing. Returns what went wrong with an earlier one, once; empty when nothing did."""
        with self._turn:
            if self._timer is None:
                self._timer = threading.Timer(SYNC_SECONDS, self._force)
                self._timer.daemon = True
                self._timer.start()
            trouble, self._trouble = self._trouble, ""
        return trouble

    def close(self) -> None:
        """What was asked for and has not begun is done at once."""
        with self._turn:
            timer = self._timer
        if timer is not None:
            timer.cancel()
            self._force()

    def _force(self) -> None:
        """On a descriptor of its own: nobody who writes or closes has to wait for a slow disk."""
        with self._turn:
            if self._timer is None:
                return
            self._timer = None
            descriptor = os.dup(self._descriptor)
        try:
            os.fsync(descriptor)
        except OSError as error:
            self._trouble = error.strerror or str(error)
        finally:
            os.close(descriptor)


def open_journal(folder: Path, name: str) -> Journal:
    """The session of that name, with the entries it has; a new one where there is none.

    Raises UsageError for a name that cannot be a file's, StoreError where the folder or file is refused or unusable.
    """
    path = folder / f"{check_name(name)}{SUFFIX}"
    make_private_folder(folder)
    descriptor = open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    journal = Journal(name, path, descriptor)
    try:
        with _locked(descriptor):
            mended = _mend(descriptor)
            data = _read_all(descriptor)
    except OSError as error:
        journal.close()
        raise StoreError(f"the transcript cannot be read, {error.strerror or error}", str(path)) from None
    entries, problems = decode_lines(data)
    journal.entries += entries
    journal.notes += [mended] if mended else []
    journal.notes += [f"the transcript has a line that is no entry: {path}, {problem}" for problem in problems]
    return journal


# ------------------------------------------------------------------ the file


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Alone on the file among all processes of sondage. Raises OSError when another one does not let go."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOCK_PAUSE)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _mend(descriptor: int) -> str:
    """Ends a last line that a crash tore: a whole entry gets its line end, a part of one is cut off and said."""
    size = os.fstat(descriptor).st_size
    if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
        return ""
    start = _start_of_last_line(descriptor, size)
    torn = os.pread(descriptor, size - start, start)
    try:
        decode_line(torn)
    except UsageError:
        os.ftruncate(descriptor, start)
        return f"the last entry of the transcript had been torn by a crash and was cut off ({len(torn)} bytes)"
    os.write(descriptor, b"\n")
    return ""


def _start_of_last_line(descriptor: int, size: int) -> int:
    end = size
    while end > 0:
        start = max(0, end - _BLOCK)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _write_whole(descriptor: int, data: bytes) -> None:
    """One write; what a full disk let through of it is taken back, so that no half line stays."""
    before = os.fstat(descriptor).st_size
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        os.ftruncate(descriptor, before)
        raise


def _read_all(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    pieces = []
    at = 0
    while at < size and (piece := os.pread(descriptor, size - at, at)):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)
