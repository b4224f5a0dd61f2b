"""The HTML of a transcript: that it is read by everybody, and that nothing in it acts."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hostile import HOSTILE, TOKEN, hostile_entries

from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import Assumption
from sondage.core.answers.plain import to_json
from sondage.core.transcripts.document import document
from sondage.core.transcripts.html import to_html
from sondage.core.transcripts.transcript import Entry

KNOWN = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "h2",
        "dl",
        "dt",
        "dd",
        "p",
        "ul",
        "li",
        "strong",
        "code",
    ),
    *("pre", "section", "blockquote", "details", "summary"),
}
VOID = {"meta"}


class Page(HTMLParser):
    """What a browser would see: elements with their attributes, all closed in order, and the text."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str, str | None]] = set()
        self.comments: list[str] = []
        self.text = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name, value) for name, value in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.text += "" if self.open[-1:] == ["style"] else data


ASSUMED = Entry(
    id="1",
    time="now",
    verb="assume",
    arguments={"claim": "K inherits D"},
    answer=to_json(Assumption("K inherits D", "inherits", "refuted", ("it holds one",))),
    evidence=(Evidence("k.py", 3, "class K(Module):", "ab"), Evidence("k.py", 9, "    self.d = D()", "ab")),
    root="/srv",
    reach=("box",),
    note="Look <here>.",
)


def test_ledger_picture_finding_lines_and_command_are_there() -> None:
    page = Page(to_html(document([ASSUMED], "kimi")))
    assert page.open == []
    assert "Assumptions\n\nrefuted K inherits D: it holds one (step 1)" in page.text
    assert "K\n└─ does not inherit D" in page.text
    assert "1. Does this hold: K inherits D?" in page.text
    assert "k.py, SHA-256 ab\n3  class K(Module):\n…\n9      self.d = D()\nssh box" in page.text
    assert "Look <here>." in page.text


def test_page_is_made_for_light_and_dark_and_for_paper() -> None:
    source = to_html(document([ASSUMED]))
    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source


def test_page_loads_nothing_and_forbids_everything() -> None:
    source = to_html(document([ASSUMED]))
    assert "default-src 'none'" in source
    assert not re.search(r"""src=|href=|url\(|@import|<script|<link|<img|<iframe|\son\w+=""", source)


def test_nothing_of_a_hostile_transcript_acts() -> None:
    plain, page = Page(to_html(document([ASSUMED]))), Page(to_html(document(hostile_entries())))
    assert page.open == []
    assert page.tags <= KNOWN
    assert page.comments == []
    assert {(tag, name) for tag, name, _ in page.attributes} == {(tag, name) for tag, name, _ in plain.attributes}
    assert {value for tag, name, value in page.attributes if name == "class"} <= {
        "holds",
        "refuted",
        "open",
        "path",
        "foot",
    }


def test_hostile_text_is_shown_as_what_it_is_and_the_token_is_not() -> None:
    source = to_html(document(hostile_entries()))
    page = Page(source)
    assert "</script><script>alert(1)</script>" in page.text
    assert "␛]52;c;ZXZpbA==␇" in page.text
    assert "<U+202E>" in page.text
    assert not any(
        character in source
        for character in HOSTILE
        if character != "\n" and (ord(character) < 32 or character == "\u202e")
    )
    assert TOKEN not in source
    assert "[redacted: GitHub token]" in page.text
