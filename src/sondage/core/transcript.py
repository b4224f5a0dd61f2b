"""Owns the entries of a transcript: what was asked, what was found, on what evidence; and their lines of JSON.

An entry is complete in itself: a reader who has only the file can say where each answer came from and look again.
"""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias

import msgspec

from sondage.core.answers import Coverage, Evidence
from sondage.errors import UsageError

SCHEMA = 1
"""Raised when a field changes its meaning; new fields with defaults do not need it."""

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
    "assume",
    "note",
]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One committed question with its answer. Strings are as they came from the host: show them through `core.safe`.

    `arguments` by verb: search `pattern, globs, ignore_case, word, fixed`; symbols `query`; show `spec`; mro and
    subclasses `class`; jump `path, line, column`; callers and overrides `member`; locate `class, members`; check
    `classes, contract{name, items[{member, required}]}`; derive `consumers, receiver` or `base`; drift `classes, contract,
    targets`; lint `classes`; assume `claim`; note none. `answer` is what
    `answers.to_json` makes of the answer; for a question that could not be put, of the `Candidates`.
    """

    id: str
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
