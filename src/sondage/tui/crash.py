"""Owns the last words of the app: one line for the user, the traceback without locals for the log file."""

from __future__ import annotations

import traceback
from datetime import UTC, datetime
from pathlib import Path


def write_crash(error: BaseException, log: Path | None) -> str:
    """Append the traceback to the log, and give back the one line to show. Locals are never looked at: they hold secrets."""
    where = ""
    if log is not None:
        try:
            log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with log.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{datetime.now(UTC).isoformat()} crash\n")
                file.writelines(traceback.format_exception(error))
            log.chmod(0o600)
            where = f" (see {log})"
        except OSError:
            where = " (the log could not be written)"
    return f"sondage: error: internal error: {type(error).__name__}{where}"
