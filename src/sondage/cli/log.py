"""Owns the log file: what libraries warn of and where failures came from, never shown on the terminal."""

from __future__ import annotations

import logging
import logging.handlers

from sondage.config.paths import find_paths
from sondage.core.safe import many_lines
from sondage.errors import SondageError
from sondage.private import make_private_folder

HANDLER = "sondage"
LARGEST = 1024 * 1024
"""Bytes; then the file is put aside as `log.txt.1` and a new one begun."""


class _HarmlessFormatter(logging.Formatter):
    """A log is read with `cat`: what a host said in an error must not reach the terminal that way either."""

    def format(self, record: logging.LogRecord) -> str:
        return many_lines(super().format(record))


def start_log() -> None:
    """Sends all logging of this process to the log file; without one to write to, nowhere. Once is enough."""
    root = logging.getLogger()
    logging.captureWarnings(True)
    if not any(handler.name == HANDLER for handler in root.handlers):
        root.addHandler(_handler())
    root.setLevel(logging.WARNING)


def _handler() -> logging.Handler:
    handler: logging.Handler
    try:
        path = find_paths().log
        make_private_folder(path.parent)
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", errors="backslashreplace", delay=True
        )
    except SondageError:
        handler = logging.NullHandler()  # what a log would have held is lost, the command still answers
    handler.name = HANDLER
    handler.setFormatter(_HarmlessFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler


def log_failure(error: BaseException) -> str:
    """Writes the traceback, without locals, and says where it stands."""
    start_log()
    logging.getLogger("sondage").error("the command failed", exc_info=error)
    ours = next(handler for handler in logging.getLogger().handlers if handler.name == HANDLER)
    if isinstance(ours, logging.FileHandler):
        return f"the traceback is in {ours.baseFilename}"
    return "there is no log to write the traceback to"
