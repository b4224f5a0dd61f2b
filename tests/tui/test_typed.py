"""Owns the tests of the command line behind `:`."""

from __future__ import annotations

import pytest

from sondage.tui.panes.messages import ClassAsked, ContractAsked, NoteAsked, SaveAsked, SearchAsked, SpecAsked
from sondage.tui.typed import Complaint, Run, ThemeWanted, read_line


@pytest.mark.parametrize("line", ["2944,2960", ":2944,2960", "2944-2960", " 2944 , 2960 "])
def test_two_numbers_are_a_range(line: str) -> None:
    asked = read_line(line)
    assert isinstance(asked, SpecAsked)
    assert asked.spec == "2944,2960"


def test_one_number_is_a_line() -> None:
    asked = read_line("718")
    assert isinstance(asked, SpecAsked)
    assert asked.spec == "718,718"


def test_class_takes_a_name() -> None:
    asked = read_line("class DeepseekV3ForCausalLM")
    assert isinstance(asked, ClassAsked)
    assert asked.name == "DeepseekV3ForCausalLM"


@pytest.mark.parametrize("line", ["contract K a,b,c", "contract K a, b, c", "contract K a b c b"])
def test_contract_takes_a_class_and_names(line: str) -> None:
    asked = read_line(line)
    assert isinstance(asked, ContractAsked)
    assert (asked.class_name, asked.names) == ("K", ("a", "b", "c"))


def test_save_takes_a_file_or_none() -> None:
    named = read_line("save notes.md")
    assert read_line("save") == Run("save")
    assert isinstance(named, SaveAsked) and named.name == "notes.md"


def test_other_words() -> None:
    assert read_line("q") == Run("quit")
    assert read_line("theme light") == ThemeWanted("light")
    assert read_line("theme") == Run("theme")
    assert read_line("  ") is None
    note, search, spec = read_line("note a b"), read_line("search def .*x"), read_line("open a.py:3-9")
    assert isinstance(note, NoteAsked) and note.text == "a b"
    assert isinstance(search, SearchAsked) and search.pattern == "def .*x" and search.committed
    assert isinstance(spec, SpecAsked) and spec.spec == "a.py:3-9"


@pytest.mark.parametrize("line", ["clas X", "class", "contract", "contract K", "note"])
def test_what_cannot_be_read_says_how_it_is_written(line: str) -> None:
    complaint = read_line(line)
    assert isinstance(complaint, Complaint)
    assert ":class" in complaint.text or f":{line.split(maxsplit=1)[0]} " in complaint.text
