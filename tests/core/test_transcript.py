"""Entries of a transcript and their lines of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from sondage.core.answers.certainty import Coverage, Evidence
from sondage.core.transcripts.document import document
from sondage.core.transcripts.picture import text_lines
from sondage.core.transcripts.transcript import SCHEMA, Entry, decode_line, decode_lines, encode_line
from sondage.core.transcripts.wording import finding, question
from sondage.errors import UsageError

ENTRY = Entry(
    id="7",
    time="2026-11-29T15:31:00+01:00",
    verb="search",
    arguments={"pattern": "é\x1b", "globs": ["**/x.py"]},
    answer={"hits": [], "total": 0},
    target="box:/srv",
    root="/srv",
    host_key="SHA256:abc",
    reach=("-p", "22", "box"),
    evidence=(Evidence("caf\udce9.py", 3, "x = '\u202e'", "00"),),
    evidence_total=1,
    coverage=Coverage(3, 4),
    looked_at=("a.py",),
    grep=("-nE", "é"),
    note="mine",
    commit="ab" * 20,
    checkout="/srv",
    assumptions=("A.b is C",),
    settings={"exclude": ["x"]},
    written_by="sondage 1",
)


def test_entry_comes_back_from_its_line_as_it_was() -> None:
    assert decode_line(encode_line(ENTRY)) == ENTRY


FROZEN = Path(__file__).parent.parent / "data" / "transcript-schema-1.jsonl"
"""Written by the sondage that knew schema 1, and never to be changed."""


def test_transcript_of_schema_1_is_read_for_ever() -> None:
    entries, problems = decode_lines(FROZEN.read_bytes())
    assert problems == []
    assert [entry.verb for entry in entries] == [
        *("search", "search", "symbols", "show", "show", "mro", "mro", "subclasses"),
        *("jump", "callers", "locate", "check", "note", "assume", "assume"),
    ]
    assert {entry.version for entry in entries} == {1}
    assert {(entry.commit, entry.assumptions, entry.written_by) for entry in entries} == {("", (), "")}
    assert all(question(entry) for entry in entries)
    assert finding(entries[5]) == "pkg.model.Model → pkg.base.Base → object. The order is complete."
    assert entries[1].evidence[0].quote == "# café \x1b[31m \u202e end"


def test_transcript_of_schema_1_is_told_and_drawn() -> None:
    shown = document(decode_lines(FROZEN.read_bytes())[0])
    assert [(claim.claim, claim.state) for claim in shown.story.ledger] == [
        ("Wrap inherits Base", "refuted"),
        ("Wrap.inner is Model", "holds"),
    ]
    assert "├─ holds self.inner: Model  pkg/model.py:4" in text_lines(shown.picture)


def test_verb_that_is_not_known_is_refused() -> None:
    value = json.loads(encode_line(ENTRY)) | {"verb": "run"}
    with pytest.raises(UsageError):
        decode_line(json.dumps(value).encode())


def test_line_is_one_line_of_printable_ascii() -> None:
    line = encode_line(ENTRY)
    assert line.endswith(b"\n")
    assert line[:-1].decode("ascii").isprintable()


def test_entry_with_nothing_but_a_question_is_complete() -> None:
    bare = Entry(id="1", time="2026-11-29T15:31:00+00:00", verb="note", note="only this")
    assert decode_line(encode_line(bare)) == bare


def test_field_of_a_later_minor_version_is_passed_over() -> None:
    value = json.loads(encode_line(ENTRY)) | {"colour": "blue"}
    assert decode_line(json.dumps(value).encode()) == ENTRY


def test_entry_of_a_later_schema_is_refused_by_name() -> None:
    line = encode_line(msgspec.structs.replace(ENTRY, version=SCHEMA + 1))
    with pytest.raises(UsageError, match="later sondage"):
        decode_line(line)


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"null", b"{}", b'{"id": 1}', b"\xff\xfe", b"[" * 100_000])
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(UsageError):
        decode_line(line)


def test_bad_lines_of_a_file_are_named_and_the_others_kept() -> None:
    entries, problems = decode_lines(encode_line(ENTRY) + b"torn{\n\n" + encode_line(ENTRY))
    assert entries == [ENTRY, ENTRY]
    assert len(problems) == 1
    assert problems[0].startswith("line 2:")
