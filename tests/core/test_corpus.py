"""The search through many files: what is left out cannot match, and what is found is what a plain scan finds."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.classes.codebase import finished
from sondage.core.search.corpus import Corpus
from sondage.core.search.globs import Globs
from sondage.core.search.lines import LineHit, hits_in
from sondage.core.search.pattern import compile_pattern
from sondage.core.search.vocabulary import Vocabulary
from support.story import require_sglang


@dataclass(frozen=True)
class File:
    digest: str
    data: bytes


def corpus(files: Mapping[str, bytes], vocabulary: Vocabulary | None = None, *, learnt: bool = True) -> Corpus:
    made = {path: File(f"digest of {data!r}", data) for path, data in files.items()}
    known = vocabulary or Vocabulary()
    if learnt:
        finished(known.learn(made))
    return Corpus(made, known)


def found(where: Corpus, pattern: str, globs: Globs | None = None, **options: bool) -> dict[str, list[LineHit]]:
    """The files with hits."""
    rows = where.search(compile_pattern(pattern, **options), where.within(globs))
    return {path: list(hits) for path, hits in rows if hits}


FILES = {"b.py": b"x\n", "pkg/a.py": b"y\nx = get_head\n", "pkg/c.txt": b"x\n"}


@pytest.mark.parametrize("learnt", [True, False])
def test_search_goes_file_by_file_in_order_through_the_globs(learnt: bool) -> None:
    answer = found(corpus(FILES, learnt=learnt), "x", Globs(["*.py"]))
    assert list(answer.items()) == [("b.py", [LineHit(1, 1, "x")]), ("pkg/a.py", [LineHit(2, 1, "x = get_head")])]


def test_each_search_goes_through_its_own_globs() -> None:
    where = corpus(FILES)
    for globs, paths in (
        (["*.py"], ["b.py", "pkg/a.py"]),
        (["*.txt"], ["pkg/c.txt"]),
        (["*.py"], ["b.py", "pkg/a.py"]),
    ):
        assert list(found(where, "x", Globs(globs))) == paths
    assert list(found(where, "x")) == ["b.py", "pkg/a.py", "pkg/c.txt"]


def test_file_that_cannot_match_is_not_looked_into() -> None:
    rows = corpus(FILES).search(compile_pattern("et_he"), corpus(FILES).paths)
    assert [path for path, _ in rows] == ["pkg/a.py"]


def test_file_that_came_after_the_words_were_learnt_is_looked_into() -> None:
    vocabulary = Vocabulary()
    corpus({f"{number}.py": b"nothing" for number in range(30)}, vocabulary)
    later = corpus({f"{number}.py": b"nothing" for number in range(30)} | {"z.py": b"news"}, vocabulary, learnt=False)
    assert list(found(later, "news")) == ["z.py"]
    assert later.with_word("news") == ["z.py"]


def test_same_content_at_two_places_is_found_at_both() -> None:
    assert list(found(corpus({"a.py": b"head", "b.py": b"head"}), "head")) == ["a.py", "b.py"]


def test_name_is_found_as_a_whole_word_where_words_are_known() -> None:
    files = {"a.py": b"head", "b.py": b"header"}
    assert corpus(files).with_word("head") == ["a.py"]
    assert corpus(files, learnt=False).with_word("head") == ["a.py", "b.py"]


def test_text_in_another_encoding_is_found_by_its_characters() -> None:
    data = "# coding: latin-1\nprix = 'café'\n".encode("latin-1")
    assert list(found(corpus({"a.py": data, "b.py": b"x"}), "café")) == ["a.py"]


@given(
    st.lists(st.text(alphabet="sk\u212aé_. \n", max_size=20), min_size=1, max_size=4),
    st.sampled_from(["sk", r"s\.k", "k_s|é", r"_\w+k", "kkk"]),
    st.booleans(),
)
def test_hits_are_those_of_a_plain_scan(texts: list[str], pattern: str, ignore_case: bool) -> None:
    files = {f"{number}.py": text.encode() for number, text in enumerate(texts)}
    typed = compile_pattern(pattern, ignore_case=ignore_case)
    plain = {path: list(hits) for path, data in files.items() if (hits := hits_in(typed, data))}
    assert found(corpus(files), pattern, ignore_case=ignore_case) == plain


@pytest.mark.skipif(not shutil.which("rg"), reason="ripgrep is not installed")
def test_lines_found_in_sglang_are_those_that_ripgrep_finds() -> None:
    folder = require_sglang() / "sglang" / "srt" / "models"
    searched = corpus({str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.py")})
    for pattern in (
        "get_embed_and_head|set_embed_and_head",
        "get_embed_and_head",
        r"def forward\b",
        r"self\.",
        "no_such_na",
    ):
        command = ["rg", "--json", "--no-ignore", "--hidden", "--encoding", "none", "-g", "*.py", pattern, "."]
        rows = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.splitlines()
        matches = [row["data"] for row in map(json.loads, rows) if row["type"] == "match"]
        expected = {(match["path"]["text"].removeprefix("./"), match["line_number"]) for match in matches}
        answer = found(searched, pattern)
        assert {(path, hit.line) for path, hits in answer.items() for hit in hits} == expected, pattern


@given(st.lists(st.text("abc_é→ \n", max_size=20), max_size=5), st.text("abc_é", min_size=1, max_size=3))
def test_words_that_were_kept_are_found_as_before(texts: list[str], name: str) -> None:
    vocabulary = corpus({str(number): text.encode() for number, text in enumerate(texts)}).vocabulary
    kept = vocabulary.kept()

    restored = Vocabulary.restored(kept) if kept else Vocabulary()

    assert restored.numbers == vocabulary.numbers
    assert restored.with_word(name) == vocabulary.with_word(name)
    ending = compile_pattern(f"{name} ")
    assert restored.with_match(ending) == vocabulary.with_match(ending)
    assert restored.size == vocabulary.size
