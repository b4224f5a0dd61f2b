"""Owns the one line on stderr that says how far a refresh is; only a terminal gets it."""

from __future__ import annotations

import os
import sys
import time

from sondage.cli.stderr import write_stderr
from sondage.core.answers.index import Progress

SECONDS_BETWEEN = 0.1
"""Faster than this nobody reads, and a slow terminal would hold up the pull."""

DOING = {"connect": "connecting", "list": "listing", "pull": "pulling", "parse": "parsing", "done": "ready"}


class ProgressLine:
    """Call it with each `Progress`; `clear` takes the line away before anything else is written."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted
        self._next = 0.0
        self._shown = False

    @classmethod
    def for_stderr(cls) -> ProgressLine:
        return cls(wanted=sys.stderr.isatty() and os.environ.get("TERM") != "dumb")

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._wanted or now < self._next:
            return
        self._next = now + SECONDS_BETWEEN
        self.doing(progress_text(progress))

    def doing(self, text: str) -> None:
        """Words of ours in the place of the last ones."""
        if self._wanted:
            self._shown = True
            write_stderr(b"\r\x1b[K" + text.encode())

    def clear(self) -> None:
        if self._shown:
            self._shown = False
            write_stderr(b"\r\x1b[K")


def progress_text(progress: Progress) -> str:
    """`pulling 312 of 1,404 files, 4.1 of 19.8 MB`; counts that are not known yet are left out."""
    text = DOING[progress.stage]
    if progress.files_total:
        text += f" {progress.files_done:,} of {progress.files_total:,} files"
    elif progress.files_done:
        text += f" {progress.files_done:,} files"
    if progress.bytes_total:
        text += f", {progress.bytes_done / 1e6:.1f} of {progress.bytes_total / 1e6:.1f} MB"
    return text
