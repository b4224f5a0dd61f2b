"""Owns the log file: what libraries warn of and where failures came from, never shown on the terminal."""

from __future__ import annotations

import logging
from functools import cached_property

from sondage.config.paths import find_paths
from sondage.core.safe import many_lines
from sondage.errors import SondageError
from sondage.private import make_private_folder

LARGEST = 1024 * 1024
"""Bytes; then the file is put aside as `log.txt.1` and a new one begun."""


class _HarmlessFormatter(logging.Formatter):
    """A log is read with `cat`: what a host said in an error must not reach the terminal that way either."""

    def format(self, record: logging.LogRecord) -> str:
        return many_lines(super().format(record))


class LogFile(logging.Handler):
    """The log file, made when there is something to write: most commands end without."""

    @cached_property
    def file(self) -> logging.Handler:
        """The handler that writes; one that drops everything where there can be no file."""
        from logging.handlers import RotatingFileHandler  # noqa: PLC0415  see above

        handler: logging.Handler
        try:
            path = find_paths().log
            make_private_folder(path.parent)
            handler = RotatingFileHandler(
                path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", errors="backslashreplace", delay=True
            )
        except SondageError:
            handler = logging.NullHandler()  # what a log would have held is lost, the command still answers
        handler.setFormatter(_HarmlessFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        return handler

    def emit(self, record: logging.LogRecord) -> None:
        self.file.emit(record)

    def close(self) -> None:
        if "file" in self.__dict__:
            self.file.close()
        super().close()


def start_log() -> None:
    """Sends all logging of this process to the log file; without one to write to, nowhere. Once is enough."""
    root = logging.getLogger()
    logging.captureWarnings(True)
    if not any(isinstance(handler, LogFile) for handler in root.handlers):
        root.addHandler(LogFile())
    root.setLevel(logging.WARNING)


def log_failure(error: BaseException) -> str:
    """Writes the traceback, without locals, and says where it stands."""
    start_log()
    logging.getLogger("sondage").error("the command failed", exc_info=error)
    ours = next(handler for handler in logging.getLogger().handlers if isinstance(handler, LogFile))
    if isinstance(ours.file, logging.FileHandler):
        return f"the traceback is in {ours.file.baseFilename}"
    return "there is no log to write the traceback to"
