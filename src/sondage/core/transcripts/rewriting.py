"""Owns changing all texts of an entry alike, for what must not be handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from sondage.core.answers.certainty import Evidence
from sondage.core.transcripts.transcript import Entry

Change: TypeAlias = Callable[[Sequence[str]], list[str]]
"""Neighbouring lines as they are → as they are to be, as many."""

OURS = frozenset({"id", "time", "verb", "commit", "written_by", "version", "digest", "lines_digest"})
"""Fields of an entry and of its answer that hold nothing of a user or a source."""


def texts(entry: Entry) -> Iterator[Sequence[str]]:
    """Every text of an entry as its lines, those of a block of source together."""
    yield from _texts(msgspec.to_builtins(msgspec.structs.replace(entry, evidence=())))
    for rows in _runs(entry.evidence):
        yield [row.quote for row in rows]
        yield [rows[0].path]


def rewritten(entry: Entry, change: Change) -> Entry:
    """The entry with every text changed."""
    value = _changed(msgspec.to_builtins(msgspec.structs.replace(entry, evidence=())), change)
    evidence: list[Evidence] = []
    for rows in _runs(entry.evidence):
        (path,) = change([rows[0].path])
        lines = change([row.quote for row in rows])
        evidence += [Evidence(path, row.line, line, row.digest) for row, line in zip(rows, lines, strict=True)]
    return msgspec.structs.replace(msgspec.convert(value, Entry), evidence=tuple(evidence))


def _texts(value: Any) -> Iterator[Sequence[str]]:
    if isinstance(value, str):
        yield value.split("\n")
    elif _is_lines(value):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield [name]
            yield from () if name in OURS else _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _changed(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return "\n".join(change(value.split("\n")))
    if _is_lines(value):
        return change(value)
    if isinstance(value, Mapping):
        items = ((name, item if name in OURS else _changed(item, change)) for name, item in value.items())
        return {change([name])[0]: item for name, item in items}
    return [_changed(item, change) for item in value] if isinstance(value, list | tuple) else value


def _is_lines(value: Any) -> bool:
    """A list of texts; one of them may hold line ends where it is no line of source, and is changed as a whole then."""
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(item, str) for item in value)


def _runs(evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Rows in their order, neighbouring lines of one file together."""
    runs: list[list[Evidence]] = []
    for row in evidence:
        last = runs[-1][-1] if runs else None
        if last is not None and (last.path, last.line + 1) == (row.path, row.line):
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs
