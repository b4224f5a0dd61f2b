"""Owns the choice between the two ways in: a target alone opens the app at once, all else goes by commands and options."""

from __future__ import annotations

from collections.abc import Sequence

from sondage.cli.table import is_target_alone


def enter(arguments: Sequence[str]) -> int:
    """Runs one command line and returns its exit code. Never raises, never shows a traceback."""
    if is_target_alone(arguments):
        return _open(arguments[0])
    from sondage.cli.main import run  # noqa: PLC0415  it brings the parser of options

    return run(arguments)


def _open(target: str) -> int:
    from sondage.cli.failure import guarded  # noqa: PLC0415  as above
    from sondage.cli.opening import enter_app, opening_alone  # noqa: PLC0415  as above

    return guarded(lambda: enter_app(opening_alone(target)))
