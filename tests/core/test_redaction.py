"""Entries without their secrets."""

from __future__ import annotations

import msgspec

from sondage.core.answers.certainty import Evidence
from sondage.core.transcripts.redaction import Redaction
from sondage.core.transcripts.transcript import Entry

TOKEN = "ghp_" + "Ab3" * 12
ENTRY = Entry(
    id="1",
    time="t",
    verb="search",
    arguments={"pattern": TOKEN, "globs": ["**/x.py"]},
    answer={"hits": [{"text": f'key = "{TOKEN}"'}], "lines": ["a", 'password = "hunter2hunter2"']},
    evidence=(Evidence("x.py", 3, f'key = "{TOKEN}"', "ab" * 32),),
    grep=("-nE", TOKEN),
    looked_at=("x.py",),
    note=f"it is hunter2hunter2,\nand {TOKEN}",
)


def test_secret_is_replaced_by_its_kind_wherever_it_stands() -> None:
    redaction = Redaction([ENTRY])
    clean = redaction.redacted(ENTRY)
    assert TOKEN not in str(msgspec.to_builtins(clean))
    assert clean.arguments["pattern"] == "[redacted: GitHub token]"
    assert clean.evidence == (Evidence("x.py", 3, 'key = "[redacted: GitHub token]"', "ab" * 32),)
    assert clean.answer["lines"] == ["a", 'password = "[redacted: password]"']
    assert str(redaction) == "1 GitHub token, 1 password"


def test_secret_that_one_line_tells_is_taken_out_of_the_others() -> None:
    assert Redaction([ENTRY]).redacted(ENTRY).note.startswith("it is [redacted: password],\nand [redacted:")


def test_password_that_is_a_word_is_let_alone_elsewhere() -> None:
    entry = Entry(id="1", time="", verb="note", note='secret = "something"\nis something else')
    assert Redaction([entry]).redacted(entry).note == 'secret = "[redacted: secret]"\nis something else'


def test_command_that_would_hold_a_secret_is_left_out() -> None:
    assert Redaction([ENTRY]).redacted(ENTRY).grep == ()


def test_entries_without_a_secret_stay_as_they_are() -> None:
    entry = msgspec.structs.replace(ENTRY, arguments={}, answer=None, evidence=(), grep=("-n", "x"), note="")
    redaction = Redaction([entry])
    assert redaction.redacted(entry) == entry
    assert str(redaction) == ""


def test_key_that_runs_over_quoted_lines_is_taken_out_of_each() -> None:
    lines = [
        'KEY = """-----BEGIN PRIVATE KEY-----',
        "MIIBVgIBADANBg",
        "kqhkiG9w0B",
        '-----END PRIVATE KEY-----"""',
        "x = 1",
    ]
    evidence = tuple(Evidence("k.py", number, line) for number, line in enumerate(lines, start=7))
    entry = Entry(id="1", time="", verb="show", evidence=evidence, answer={"lines": lines})
    clean = Redaction([entry]).redacted(entry)
    quotes = [one.quote for one in clean.evidence]
    assert quotes[1:3] == ["[redacted: private key]", "[redacted: private key]"]
    assert (quotes[0], quotes[3], quotes[4]) == (lines[0], lines[3], lines[4])
    assert clean.answer["lines"] == quotes
