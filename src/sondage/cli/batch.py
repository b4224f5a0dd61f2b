"""Owns the JSON lines of `jump --batch`: questions in, answers out, in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from sondage.cli.report import Report
from sondage.core.answers.calls import Resolution
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.plain import to_json
from sondage.errors import UsageError


class BatchLine(msgspec.Struct, frozen=True):
    """One question. `id` is any JSON value and comes back as it went in; `line` and `column` count from 1."""

    path: str
    line: int
    column: int
    id: Any = None


def read_batch(lines: Iterable[bytes]) -> list[BatchLine]:
    """All questions; empty lines are passed over. Raises `UsageError` naming the first line that is none."""
    return [_batch_line(number, data) for number, data in enumerate(lines, 1) if data.strip()]


def _batch_line(number: int, data: bytes) -> BatchLine:
    try:
        line = msgspec.json.decode(data, type=BatchLine)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"line {number} of the batch is no question", str(error), _SHAPE) from error
    if line.line < 1 or line.column < 1:
        raise UsageError(f"line {number} of the batch is no question", "lines and columns count from 1", _SHAPE)
    return line


_SHAPE = 'a question is {"id": 1, "path": "a/b.py", "line": 3, "column": 7}'


def batch_report(lines: Sequence[BatchLine], found: Sequence[Resolution | Candidates]) -> Report:
    """One row a question. The batch holds when every question got its row: what a row says is for its reader."""
    rows = [_row(line, answer) for line, answer in zip(lines, found, strict=True)]
    return Report(rows, (), holds=True)


def _row(line: BatchLine, answer: Resolution | Candidates) -> dict[str, Any]:
    if isinstance(answer, Candidates):
        answer = Resolution(None, (), (), f"no such file in the index: {answer.asked}")
    return {"id": line.id, **to_json(answer)}
