"""Owns the log file: what libraries warn of and where failures came from, never shown on the terminal."""

from __future__ import annotations

import logging
import logging.handlers

from sondage.cli.places import places
from sondage.core.safe import many_lines

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
    if not any(handler.name == HANDLER for handler in root.handlers):
        root.addHandler(_handler())
    root.setLevel(logging.WARNING)


def _handler() -> logging.Handler:
    path = places()["log"]
    handler: logging.Handler = logging.NullHandler()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", errors="backslashreplace", delay=True
        )
    except OSError:
        pass  # no folder to write to: what a log would have held is lost, the command still answers
    handler.name = HANDLER
    handler.setFormatter(_HarmlessFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler


def log_failure(error: BaseException) -> str:
    """Writes the traceback, without locals, and returns the name of the file it stands in."""
    start_log()
    logging.getLogger("sondage").error("the command failed", exc_info=error)
    return str(places()["log"])
