"""What is handed on of a transcript, in every form."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from hostile import HOSTILE, TOKEN, hostile_entries
from markdown_it import MarkdownIt

from sondage.core.transcripts.document import Document, document, to_json_text
from sondage.core.transcripts.html import to_html
from sondage.core.transcripts.markdown import to_markdown
from sondage.core.transcripts.transcript import Entry
from sondage.core.transcripts.walk import to_lines

NOTE = Entry(
    id="1", time="2026-11-29T15:31:00+00:00", verb="note", note="one", target="box:/srv", written_by="sondage 1"
)
LATER = Entry(id="2", time="2026-11-30T09:00:00+00:00", verb="note", note="two", target="other:/srv")
SECRET = Entry(id="3", time="", verb="note", note=f"it is {TOKEN}")


def walked(shown: Document) -> str:
    return "\n".join(to_lines(shown))


FORMS: list[Callable[[Document], str]] = [to_markdown, to_html, to_json_text, walked]


def test_facts_are_those_of_all_entries() -> None:
    shown = document([NOTE, LATER], "kimi")
    assert shown.facts == {
        "session": "kimi",
        "target": "box:/srv, other:/srv",
        "from": NOTE.time,
        "to": LATER.time,
        "written by": "sondage 1",
    }


def test_transcript_without_entries_makes_a_document() -> None:
    assert all(form(document([])) for form in FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_secret_is_redacted_and_said(form: Callable[[Document], str]) -> None:
    text = form(document([SECRET]))
    assert TOKEN not in text
    assert "What looks like secrets was redacted: 1 GitHub token" in text.replace("\\", "")


@pytest.mark.parametrize("form", FORMS)
def test_secret_is_kept_where_that_was_said_and_said_as_well(form: Callable[[Document], str]) -> None:
    text = form(document([SECRET], keep_secrets=True))
    assert TOKEN in text.replace("\\", "")
    assert "It holds what looks like secrets: 1 GitHub token" in text.replace("\\", "")


@pytest.mark.parametrize("form", FORMS)
def test_masked_host_is_named_nowhere(form: Callable[[Document], str]) -> None:
    entry = msgspec.structs.replace(NOTE, reach=("ann@box",), target="ann@box:/srv", note="on box")
    text = form(document([entry], "2026-11-29 ann@box-srv", mask_host=True))
    assert "box" not in text
    assert "Hosts and users are masked" in text


@pytest.mark.parametrize("form", FORMS)
def test_entry_that_was_left_out_is_not_handed_on_but_counted(form: Callable[[Document], str]) -> None:
    drop = Entry(id="9", time="", verb="drop", arguments={"of": "3"})
    text = form(document([NOTE, SECRET, drop]))
    assert "it is" not in text
    assert "1 entry of the transcript left out of the story" in text


def test_json_holds_every_step_with_its_entry() -> None:
    value = json.loads(to_json_text(document([NOTE, LATER])))
    assert [step["entry"]["id"] for step in value["steps"]] == ["1", "2"]
    assert set(value) == {"form", "title", "facts", "remarks", "ledger", "left_out", "picture", "steps"}
    assert set(value["steps"][0]) == {"number", "question", "finding", "details", "commands", "entry"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("masked", [False, True])
def test_no_form_of_a_hostile_transcript_holds_anything_that_acts_on_a_terminal(
    form: Callable[[Document], str], masked: bool
) -> None:
    text = form(document(hostile_entries(), mask_host=masked))
    assert not [
        character for character in text if (ord(character) < 32 and character != "\n") or 127 <= ord(character) < 160
    ]
    assert not any(character in text for character in "\u202e\u2066\u200b\u2028")
    assert TOKEN not in text
    text.encode()


def test_markdown_of_a_hostile_transcript_is_text_and_code() -> None:
    text = to_markdown(document(hostile_entries()))
    tokens = MarkdownIt("commonmark").parse(text)
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "code_inline", "strong_open", "strong_close", "softbreak", "hardbreak", "text_special"}
    assert {token.type for token in tokens} & {"html_block", "code_block"} == set()
    assert {token.info for token in tokens if token.type == "fence"} <= {"text", "sh", "mermaid"}
    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1


def test_walk_of_a_hostile_transcript_has_no_line_that_a_host_began() -> None:
    lines = walked(document(hostile_entries())).split("\n")
    assert not any(line.startswith(("# heading", "~~~", "[x]")) for line in lines)
    assert any("[redacted: GitHub token]" in line for line in lines)
    assert HOSTILE not in "\n".join(lines)
