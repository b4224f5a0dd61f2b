"""Owns the making of transcript entries: every committed question with its answer is written before the answer is shown."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sondage.core.answers import SearchAnswer, to_json
from sondage.core.globs import Globs
from sondage.core.grep import is_plain
from sondage.core.pattern import compile_pattern, to_grep
from sondage.core.transcript import Entry, Verb
from sondage.dig.evidence import evidence_of, places_of
from sondage.dig.index import Index
from sondage.dig.settings import SearchQuery
from sondage.errors import StoreError
from sondage.journal import Journal

MOST_FILES_NAMED = 8
"""Files of a search that its `grep` command names; with more the command shows the lines that were found instead."""
MOST_ROWS = 20
"""Rows of an answer an entry keeps; the full count stands beside them."""


@dataclass
class Recorder:
    """Entries of one session, the ones of its earlier runs first. A session that was not named is kept in memory only."""

    journal: Journal
    target: str
    root: str = ""
    host_key: str = ""
    reach: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    """What the user should hear once."""

    @property
    def entries(self) -> Sequence[Entry]:
        return self.journal.entries

    def note(self, text: str, index: Index) -> None:
        self._write(self._entry("note", {}, None, index, note=text))

    def record(self, verb: Verb, arguments: Mapping[str, Any], answer: Any, index: Index) -> None:
        """A transcript that cannot be written never withholds an answer: the session goes on in memory, and says so."""
        self._write(self._entry(verb, arguments, answer, index))

    def _write(self, entry: Entry) -> None:
        try:
            self.journal.append(entry)
        except StoreError as error:
            self.notes.append(str(error))

    def _entry(self, verb: Verb, arguments: Mapping[str, Any], answer: Any, index: Index, note: str = "") -> Entry:
        evidence, places = evidence_of(answer, index), set(places_of(answer))
        looked_at, grep = _as_grep(arguments, index) if isinstance(answer, SearchAnswer) else ((), ())
        return Entry(
            id=secrets.token_hex(6),
            time=datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            verb=verb,
            arguments=dict(arguments),
            answer=_capped(to_json(_few_hits(answer))),
            target=self.target,
            root=self.root,
            host_key=self.host_key,
            reach=self.reach,
            evidence=evidence,
            evidence_total=max(len(evidence), len(places)),
            on_this_machine=tuple(path for path in {one.path for one in evidence} if path in index.stand_ins),
            coverage=index.coverage,
            looked_at=looked_at,
            grep=grep,
            note=note,
        )


def _as_grep(arguments: Mapping[str, Any], index: Index) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files a search went through, and how `grep` says it: nothing where they are many, or the two may differ."""
    query = SearchQuery(**{name: value for name, value in arguments.items() if name != "limit"})
    globs = Globs(query.globs)
    paths = [path for path in sorted(index.files) if globs.match(path)]
    if not paths or len(paths) > MOST_FILES_NAMED:
        return (), ()
    plain = all(is_plain(index.files[path].data) for path in paths)
    pattern = compile_pattern(query.pattern, ignore_case=query.ignore_case, word=query.word, fixed=query.fixed)
    grep = to_grep(pattern, plain=plain)
    return (tuple(paths), grep) if grep else ((), ())


def _few_hits(answer: Any) -> Any:
    """A search may have tens of thousands of hits: those an entry would drop are dropped before they cost anything."""
    return replace(answer, hits=answer.hits[:MOST_ROWS]) if isinstance(answer, SearchAnswer) else answer


def _capped(answer: Any) -> Any:
    """Long lists cut to `MOST_ROWS`, with their full length beside them."""
    if isinstance(answer, list):
        return [_capped(row) for row in answer[:MOST_ROWS]]
    if not isinstance(answer, dict):
        return answer
    kept = {name: _capped(value) for name, value in answer.items()}
    for name, value in answer.items():
        if isinstance(value, list) and len(value) > MOST_ROWS:
            kept[f"{name}_total"] = len(value)
    return kept
