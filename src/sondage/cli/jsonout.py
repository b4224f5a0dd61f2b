"""Owns answers as JSON: the promised field names, one line a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sondage.core.answers.plain import to_json
from sondage.core.safe import json_text


def json_line(value: Any) -> bytes:
    """One JSON document and a line end, in UTF-8."""
    return json_text(to_json(value)).encode() + b"\n"


def json_lines(rows: Iterable[Any]) -> Iterator[bytes]:
    """One document a row; rows are taken and written one by one, however many there are."""
    return map(json_line, rows)
