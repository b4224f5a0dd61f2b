"""Owns what is taken out of entries before they are handed on: secrets, and on demand the names of host and user."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sondage.core.answers import Evidence
from sondage.core.secrets import Secret, find, find_in_lines
from sondage.core.transcript import Entry

Change = Callable[[str], str]

_OURS = frozenset({"id", "time", "verb", "host_key", "commit", "written_by", "version", "digest", "lines_digest"})
"""Fields of an entry and of its answer in which nothing of a user or a source can stand."""
_SHORTEST = 8
"""Code points of a secret that is looked for wherever else it stands; a shorter one would be found in innocent words."""
HOST, USER = "HOST", "USER"
_HOME = re.compile(r"(?<![\w.-])(?:/home|/Users|/data/home|/export/home)/([^/\s:\"']+)")


def _rewritten(entry: Entry, change: Change) -> Entry:
    """The entry with every text changed in which something of a user or a source can stand."""
    value = msgspec.to_builtins(entry)
    return msgspec.convert(_walk(value, change), Entry)


def _walk(value: Any, change: Change) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {_key(name, change): item if name in _OURS else _walk(item, change) for name, item in value.items()}
    return [_walk(item, change) for item in value] if isinstance(value, list) else value


def _key(name: Any, change: Change) -> Any:
    """Names of fields stand in no list of ours where a transcript was written by somebody else."""
    return change(name) if isinstance(name, str) and not name.isidentifier() else name


# ------------------------------------------------------------------ secrets


class Secrets:
    """The secrets of some entries, and the entries without them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.kinds: Counter[str] = Counter()
        """How many different secrets there are of each kind."""
        self._kind_of: dict[str, str] = {}
        for entry in entries:
            self._learn(entry)
        self.kinds.update(self._kind_of.values())
        known = sorted((text for text in self._kind_of if len(text) >= _SHORTEST), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __bool__(self) -> bool:
        return bool(self._kind_of)

    def taken_out(self, entry: Entry) -> Entry:
        """The entry with `[redacted: KIND]` in the place of each secret, wherever in the entry it stands."""
        evidence = self._evidence(entry.evidence)
        return msgspec.structs.replace(_rewritten(entry, self._change), evidence=evidence)

    def _learn(self, entry: Entry) -> None:
        for lines in _runs(entry.evidence):
            self._keep([one.quote for one in lines])
        for lines in _texts(msgspec.to_builtins(msgspec.structs.replace(entry, evidence=()))):
            self._keep(lines)

    def _keep(self, lines: Sequence[str]) -> None:
        for line, found in zip(lines, find_in_lines(lines), strict=True):
            self._kind_of.update({line[one.start : one.end].strip(): one.kind for one in found})

    def _change(self, text: str) -> str:
        return "\n".join(self._without(line, found) for line, found in _with_found(text.split("\n")))

    def _without(self, line: str, found: Sequence[Secret]) -> str:
        for one in reversed(found):
            line = f"{line[: one.start]}[redacted: {one.kind}]{line[one.end :]}"
        return self._known.sub(lambda match: f"[redacted: {self._kind_of[match[0]]}]", line) if self._known else line

    def _evidence(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        changed: list[Evidence] = []
        for rows in _runs(evidence):
            lines = _with_found([row.quote for row in rows])
            changed += [
                msgspec.structs.replace(row, quote=self._without(line, found), path=self._change(row.path))
                for row, (line, found) in zip(rows, lines, strict=True)
            ]
        return tuple(changed)


def _with_found(lines: Sequence[str]) -> Iterator[tuple[str, list[Secret]]]:
    return zip(lines, find_in_lines(lines), strict=True)


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


def _texts(value: Any) -> Iterator[list[str]]:
    """Every text of a value as its lines; a list of texts is one of neighbouring lines."""
    if isinstance(value, str):
        yield value.split("\n")
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield [str(name)]
            if name not in _OURS:
                yield from _texts(item)
    elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
