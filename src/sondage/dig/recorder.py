"""Owns the making of transcript entries: every committed question with its answer is written before the answer is shown."""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import structs
from msgspec.structs import replace

from sondage import __version__
from sondage.config.paths import find_paths
from sondage.core.answers.contracts import ClaimState
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, SearchAnswer
from sondage.core.search.globs import Globs
from sondage.core.transcripts.transcript import Entry, Verb
from sondage.dig.caution import cautious
from sondage.dig.evidence import MOST_EVIDENCE, evidence_of, places_of, quoted
from sondage.dig.index import Index
from sondage.dig.settings import SearchQuery, Settings, reach
from sondage.errors import StoreError, UsageError
from sondage.hosts.base import Target
from sondage.journal import Journal, open_journal

if TYPE_CHECKING:
    from sondage.dig.checkout import Checkout

A = TypeVar("A")

WRITTEN_BY = f"sondage {__version__}"
MOST_FILES_NAMED = 8
"""Files of a search that its `grep` command names; with more the command shows the lines that were found instead."""
MOST_ROWS = 20
"""Rows of an answer an entry keeps; the full count stands beside them."""


class Recorder(msgspec.Struct):
    """Entries of one session, the ones of its earlier runs first. A session that was not named is kept in memory only."""

    journal: Journal
    target: str
    root: str = ""
    host_key: str = ""
    reach: tuple[str, ...] = ()
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """How the tree is read, where other than by default."""
    checkout: Checkout | None = None
    """Of git, as it was when the root was last listed."""
    notes: list[str] = msgspec.field(default_factory=list)
    """What the user should hear once."""

    @classmethod
    def open(cls, target: Target, settings: Settings, root: str) -> Recorder:
        """Raises `UsageError` for a name that cannot be a file's, `StoreError` where the transcript cannot be had."""
        name = settings.session
        journal = open_journal(find_paths().transcripts, name) if name else Journal.in_memory("unnamed")
        reached, tree = reach(target, settings), settings.of_the_tree()
        return cls(journal, str(target), root, reach=reached, settings=tree, notes=list(journal.notes))

    @property
    def entries(self) -> Sequence[Entry]:
        return self.journal.entries

    def finished(self, verb: Verb, arguments: Mapping[str, Any], answer: A, index: Index, *, commit: bool) -> A:
        """An answer as it is given: its lines quoted, no surer than what was read; with `commit` it is written first."""
        given = cautious(quoted(answer, index), index.coverage)
        if commit:
            self.record(verb, arguments, given, index)
        return given

    def record(self, verb: Verb, arguments: Mapping[str, Any], answer: Any, index: Index) -> None:
        """A transcript that cannot be written never withholds an answer: the session goes on in memory, and says so."""
        self._write(self.entry(verb, arguments, answer, index))

    def entry(
        self, verb: Verb, arguments: Mapping[str, Any], answer: Any, index: Index, *, whole: bool = False
    ) -> Entry:
        """The entry of an answer, not yet written. `whole`: with every row and all evidence."""
        most = None if whole else MOST_EVIDENCE
        evidence = evidence_of(answer, index, most)
        lines = len(answer.lines) if isinstance(answer, Excerpt) else len(set(places_of(answer)))
        looked_at, grep = _as_grep(arguments, index) if isinstance(answer, SearchAnswer) else ((), ())
        return structs.replace(
            self._blank(verb, arguments),
            answer=_answer(answer) if whole else _capped(_answer(_few_hits(answer))),
            evidence=evidence,
            evidence_total=max(len(evidence), lines),
            on_this_machine=tuple(path for path in {one.path for one in evidence} if path in index.stand_ins),
            coverage=index.coverage,
            looked_at=looked_at,
            grep=grep,
            assumptions=tuple(f"{pin.receiver} is {pin.class_.name}" for pin in index.pins),
        )

    # ---- the user's own words

    def note(self, text: str) -> None:
        self._write(structs.replace(self._blank("note", {}), note=text))

    def hypothesis(self, claim: str) -> None:
        self._write(self._blank("hypothesis", {"claim": " ".join(claim.split())}))

    def verdict(self, of: str, state: ClaimState, why: str) -> None:
        """A verdict on a hypothesis or an assumption. Raises `UsageError` where no entry of that id makes a claim."""
        entry = self.find(of)
        claim = str(entry.arguments.get("claim", ""))
        if not claim:
            raise UsageError("not a claim", of, "a verdict is on a hypothesis or an assumption")
        self._write(structs.replace(self._blank("verdict", {"of": entry.id, "claim": claim, "state": state}), note=why))

    def drop(self, of: str) -> None:
        """Leaves an entry out of the story. Raises `UsageError` where there is none of that id."""
        self._write(self._blank("drop", {"of": self.find(of).id}))

    def find(self, of: str) -> Entry:
        """The entry whose id is this, or begins so. Raises `UsageError` where it is none, or not only one."""
        found = [entry for entry in self.entries if of and entry.id.startswith(of)]
        if len(found) != 1:
            what = "several entries begin so" if found else "no such entry in the transcript"
            raise UsageError(what, of, "an id is 12 hexadecimal digits, as `sondage open` shows them")
        return found[0]

    # ---- inside

    def _write(self, entry: Entry) -> None:
        try:
            self.journal.append(entry)
        except StoreError as error:
            self.notes.append(str(error))

    def _blank(self, verb: Verb, arguments: Mapping[str, Any]) -> Entry:
        return Entry(
            id=os.urandom(6).hex(),
            time=datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
            verb=verb,
            arguments=dict(arguments),
            target=self.target,
            root=self.root,
            host_key=self.host_key,
            reach=self.reach,
            commit=self.checkout.commit if self.checkout else "",
            checkout=self.checkout.folder if self.checkout else "",
            settings=dict(self.settings),
            written_by=WRITTEN_BY,
        )


def _as_grep(arguments: Mapping[str, Any], index: Index) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files a search went through, and how `grep` says it: nothing where they are many, or the two may differ."""
    query = SearchQuery(**{name: value for name, value in arguments.items() if name != "limit"})
    globs = Globs(query.globs)
    paths = [path for path in sorted(index.files) if globs.match(path)]
    if not paths or len(paths) > MOST_FILES_NAMED:
        return (), ()
    from sondage.core.search.grep import is_plain  # noqa: PLC0415  what searches lines is large
    from sondage.core.search.pattern import compile_pattern, to_grep  # noqa: PLC0415  as above

    plain = all(is_plain(index.files[path].data) for path in paths)
    pattern = compile_pattern(query.pattern, ignore_case=query.ignore_case, word=query.word, fixed=query.fixed)
    grep = to_grep(pattern, plain=plain)
    return (tuple(paths), grep) if grep else ((), ())


def _few_hits(answer: Any) -> Any:
    """A search may have tens of thousands of hits: those an entry would drop are dropped before they cost anything."""
    return replace(answer, hits=answer.hits[:MOST_ROWS]) if isinstance(answer, SearchAnswer) else answer


def _answer(answer: Any) -> Any:
    plain = to_json(answer)
    if isinstance(answer, Excerpt):
        plain["lines_digest"] = hashlib.sha256(answer.data).hexdigest()
    return plain


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
