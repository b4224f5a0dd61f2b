"""The hits of a search, file by file: they are what they would be made one by one, and few are made."""

from __future__ import annotations

import pytest

from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Hit, Hits
from sondage.core.search import hits as making
from sondage.core.search.hits import HitsOfFile
from sondage.core.search.lines import hits_in
from sondage.core.search.pattern import compile_pattern
from sondage.core.source.extract import extract

SOURCE = b"import os\n\nclass Model:\n    def load(self):\n        self.x = 1\n\nself = 2\n"
FOUND = [
    Hit("a.py", 4, 14, "    def load(self):", "Model.load"),
    Hit("a.py", 5, 9, "        self.x = 1", "Model.load"),
    Hit("a.py", 7, 1, "self = 2", ""),
]


def hits_of(path: str, source: bytes = SOURCE) -> HitsOfFile:
    return HitsOfFile(path, hits_in(compile_pattern("self"), source), extract(source))


def test_hit_says_what_it_stands_in() -> None:
    assert list(hits_of("a.py")) == FOUND
    assert [hits_of("a.py")[number] for number in (0, 1, -1)] == FOUND
    assert hits_of("a.py")[1:] == FOUND[1:]
    assert hits_of("a.py").last_line == 7


def test_file_without_facts_has_hits_too() -> None:
    (hit,) = HitsOfFile("a.txt", hits_in(compile_pattern("os"), SOURCE), None)
    assert hit == Hit("a.txt", 1, 8, "import os", "")


def test_hits_of_several_files_are_one_list() -> None:
    hits = Hits([hits_of("a.py"), hits_of("b.py", b"self\n")])
    assert len(hits) == 4
    assert list(hits) == [hits[0], hits[1], hits[2], hits[3]] == [*FOUND, Hit("b.py", 1, 1, "self", "")]
    assert hits[1:3] == (hits[1], hits[2])
    assert hits[-1].path == "b.py"
    assert hits == tuple(hits)
    assert hash(hits) == hash(tuple(hits))
    assert to_json(hits)[2] == {"path": "a.py", "line": 7, "column": 1, "text": "self = 2", "symbol": ""}
    with pytest.raises(IndexError):
        hits[4]


def test_hits_in_other_files_are_left() -> None:
    hits = Hits([hits_of("a.py"), hits_of("b.py", b"self\n")])
    assert list(hits.without({"a.py"})) == [hits[3]]
    assert not hits.without({"a.py", "b.py"})


def test_only_hits_that_are_looked_at_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    monkeypatch.setattr(making, "Hit", lambda *parts: made.append(parts[1]) or Hit(*parts))
    hits = Hits([hits_of("a.py"), hits_of("b.py")])
    assert (len(hits), hits.files[1].last_line, made) == (6, 7, [])
    assert (hits[4].line, made) == (5, [5])
