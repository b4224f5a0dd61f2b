"""Owns the knowledge whether another process has the cache open: a lock that all share, and a trimmer wants alone."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sondage.private import open_private

FILE_NAME = "in-use"


class Presence:
    """Held from opening to closing; a process that is killed lets go of it. None for a cache in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._descriptor = -1 if folder is None else open_private(folder / FILE_NAME, os.O_RDWR | os.O_CREAT)
        self._lock(fcntl.LOCK_SH)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody else has the cache open; while that is so, whoever opens it waits for the end of the block."""
        try:
            yield self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            self._lock(fcntl.LOCK_SH)  # a lock that is not had lets go of the one before: flock(2)

    def end(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _lock(self, operation: int) -> bool:
        """False where another process is in the way. Some network file systems know no locks: nobody is seen there."""
        try:
            if self._descriptor >= 0:
                fcntl.flock(self._descriptor, operation)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True
