"""Owns the border where every failure becomes one line on stderr and an exit code; tracebacks go to the log file."""

from __future__ import annotations

from collections.abc import Callable

from sondage.errors import SondageError

INTERNAL = 4
INTERRUPTED = 130
"""128 + SIGINT, as shells report it."""


def guarded(action: Callable[[], int]) -> int:
    """Runs `action` and returns the exit code; whatever it raises ends here, and no traceback reaches the terminal."""
    try:
        return action()
    except SondageError as error:
        if error.exit_code == INTERNAL:
            _log(error)
        say(f"error: {error}")
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except SystemExit:
        return 0  # click's way out when the reader of a help text has left
    except Exception as error:  # the border: whatever is left is a fault of ours, and is told as one
        say(f"error: internal error: {type(error).__name__}: {error} ({_log(error)})")
        return INTERNAL


def say(line: str) -> None:
    from sondage.cli.stderr import say as say_harmlessly  # noqa: PLC0415  only a failure pays for the check of its text

    say_harmlessly(line)


def _log(error: BaseException) -> str:
    from sondage.cli.log import log_failure  # noqa: PLC0415  as above

    return log_failure(error)
