"""Owns the entries of a transcript: what was asked, what was found, on what evidence; and their lines of JSON.

The file. `NAME.jsonl` holds one entry a line, oldest first: a JSON object in ASCII, ended by a line feed. Lines are only
ever added; what a reader wants to leave out is named by a later `drop`. Several targets may share one file. An entry is
complete in itself: who has only the file can say where each answer came from, and look again.

The schema. Each line says in `version` by which schema it was written, so that one file may hold several. The fields are
those of `Entry`; a field that is missing has its default, one that is not known is passed over. Schemas before this one
are read as they are:

    1   search, symbols, show, mro, subclasses, jump, callers, locate, overrides, check, derive, drift, lint, assume, note
    2   adds `commit`, `checkout`, `assumptions`, `settings`, `written_by`, and for the story: hypothesis, verdict, drop

`arguments` by verb; `answer` is what `answers.to_json` makes of the answer, lists cut to 20 rows with their full length
beside them as `NAME_total`, and for a question that could not be put it is the `Candidates`:

    search       pattern, globs, ignore_case, word, fixed     symbols      query, limit
    show         spec; the answer has `lines_digest`, the SHA-256 of the lines with their ends, as bytes
    mro          class                                        subclasses   class
    jump         path, line, column                           callers      member
    locate       class, members                               overrides    member
    check        classes, contract; a matrix also has `selector`, and the selector as its only class
    derive       consumers, receiver; or base; or base and least, the base then being a selector of siblings
    drift        classes, contract, targets                   lint         classes, selector
    assume       claim                                        note         none: the words are in `note`
    hypothesis   claim                                        drop         of: the id of the entry to leave out
    verdict      of: the id of the entry that made the claim; claim; state: holds, refuted or open; why is in `note`
"""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias

import msgspec

from sondage.core.answers.certainty import Coverage, Evidence
from sondage.errors import UsageError

SCHEMA = 2
"""Raised when a field changes its meaning or a verb is added; new fields with defaults do not need it."""

Verb: TypeAlias = Literal[
    "search",
    "symbols",
    "show",
    "mro",
    "subclasses",
    "jump",
    "callers",
    "locate",
    "overrides",
    "check",
    "derive",
    "drift",
    "lint",
    "assume",
    "note",
    "hypothesis",
    "verdict",
    "drop",
]
OF_THE_STORY: frozenset[str] = frozenset({"note", "hypothesis", "verdict", "drop"})
"""Verbs of entries that are the user's own words; all others are questions, and can be asked again."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One committed question with its answer. Strings are as they came from the host: show them through `core.safe`."""

    id: str
    """12 hexadecimal digits, by which later entries refer to it."""
    time: str
    """ISO 8601 with the offset from UTC, to the second."""
    verb: Verb
    arguments: dict[str, Any] = {}
    answer: Any = None
    target: str = ""
    """As the user named it."""
    root: str = ""
    """Absolute, as the host resolved it."""
    host_key: str = ""
    """`SHA256:…`; empty for a local folder."""
    reach: tuple[str, ...] = ()
    """The arguments of `ssh` that reach the host, the host last; empty for a local folder."""
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0
    """How many rows there would be, had they not been capped."""
    on_this_machine: tuple[str, ...] = ()
    """Paths of the evidence that do not lie on the host: sources that stand in for it."""
    coverage: Coverage | None = None
    """How much of the tree had been read when the answer was given."""
    looked_at: tuple[str, ...] = ()
    """For a search: the files it went through, where they are few enough to be named in a command."""
    grep: tuple[str, ...] = ()
    """For a search: the options and the pattern that make `grep` print the same lines, where there are such."""
    note: str = ""
    """The user's own words."""
    commit: str = ""
    """The commit that was checked out when the root was last listed, in hex; empty where there is none or it is not
    known. The files may differ from it: their digests say what was read."""
    checkout: str = ""
    """The folder of the git checkout that holds the root, absolute; empty where `commit` is."""
    assumptions: tuple[str, ...] = ()
    """Claims that the answer took for given, each `RECEIVER is CLASS`."""
    settings: dict[str, Any] = {}
    """How the tree was read, where other than by default: `source_roots`, `exclude`, `max_file_size` (bytes), `deps`."""
    written_by: str = ""
    """`sondage VERSION`."""
    version: int = SCHEMA


def encode_line(entry: Entry) -> bytes:
    """One line of JSON with its line end, in ASCII: harmless to print, and surrogates survive as `\\udcNN`."""
    return json.dumps(msgspec.to_builtins(entry), separators=(",", ":")).encode("ascii") + b"\n"


def decode_line(line: bytes) -> Entry:
    """The entry of one line. Raises UsageError for anything else, and for entries of a later schema."""
    try:
        value = json.loads(line)
        version = value.get("version", SCHEMA) if isinstance(value, dict) else SCHEMA
        if isinstance(version, int) and version > SCHEMA:
            raise UsageError(f"written by a later sondage (schema {version})", hint="upgrade sondage to read it")
        return msgspec.convert(value, Entry)
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise UsageError(f"not an entry of a transcript, {error}") from None


def decode_lines(data: bytes) -> tuple[list[Entry], list[str]]:
    """All entries of a file, and what was wrong with the lines that are none (with their numbers from 1)."""
    entries: list[Entry] = []
    problems: list[str] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            entries.append(decode_line(line))
        except UsageError as error:
            problems.append(f"line {number}: {error}")
    return entries, problems
