"""Owns the bytes that go to stdout, and that none of them harms a terminal or a script."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from sondage.cli.jsonout import json_line, json_lines
from sondage.cli.options import Form
from sondage.cli.report import Report
from sondage.cli.stderr import say
from sondage.core.safe import show_line
from sondage.errors import SondageError


def deliver(report: Report, form: Form) -> int:
    """Writes the answer in the asked form, then its notes, and returns the exit code: 0 when it holds, 1 when not."""
    out = sys.stdout.buffer
    try:
        for chunk in _chunks(report, form, out.isatty()):
            out.write(chunk)
        out.flush()
    except BrokenPipeError:
        _drop_stdout()  # the reader left, as `head` does: no failure
    except OSError as error:
        _drop_stdout()
        raise SondageError("the answer could not be written", error.strerror or str(error)) from error
    for note in report.notes:
        say(note)
    return 0 if report.holds else 1


def _chunks(report: Report, form: Form, terminal: bool) -> Iterable[bytes]:
    if form == "json":
        yield json_line(report.document)
    elif form == "jsonl":
        yield from json_lines(report.rows)
    elif report.data is not None and not terminal:
        yield report.data
    else:
        for line in report.lines:
            yield as_bytes(show_line(line).text if terminal else line) + b"\n"


def tell(line: str) -> None:
    """One line of ours on stdout, at once. A reader that left is no failure."""
    try:
        sys.stdout.buffer.write(as_bytes(line) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _drop_stdout()


def as_bytes(text: str) -> bytes:
    """UTF-8 whatever the locale, as the sources are; undecodable bytes come out as they came in (PEP 383)."""
    return text.encode("utf-8", "surrogateescape")


def _drop_stdout() -> None:
    """Nothing is written any more, not by the interpreter at its end either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
