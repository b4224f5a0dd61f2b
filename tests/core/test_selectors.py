"""Selectors: which classes a way of writing a set means."""

from __future__ import annotations

import pytest
from small_trees import codebase

from sondage.core.answers.certainty import Candidates
from sondage.core.contracts.selectors import select
from sondage.errors import UsageError

FILES = {
    "pkg/__init__.py": "",
    "pkg/one.py": "class A: pass\nclass B(A): pass\nEntry = [A, B]\n",
    "pkg/two.py": "from pkg import one\nfrom pkg.one import A as Renamed\nclass C(Renamed): pass\nEntry = {'c': C, 'b': one.B}\n",
    "pkg/three.py": "class D: pass\nEntry = D\ndef f():\n    Entry = 3\n",
}


def names(selector: str) -> list[str]:
    found = select(codebase(FILES), selector)
    assert isinstance(found, tuple)
    return [ref.name.rpartition(".")[2] for ref in found]


def test_registered_classes_stand_in_lists_dicts_or_alone_and_count_once():
    assert sorted(names("registered:Entry")) == ["A", "B", "C", "D"]


def test_subclasses_leave_out_the_class_itself():
    assert names("subclasses:A") == ["B", "C"]


def test_glob_matches_names_and_with_a_slash_paths():
    assert names("glob:pkg.one.*") == ["A", "B"]
    assert names("glob:[CD]") == ["D", "C"]
    assert names("glob:pkg/t*.py") == ["D", "C"]


def test_all_is_every_class_of_the_root():
    assert sorted(names("all")) == ["A", "B", "C", "D"]


def test_unclear_class_gives_candidates_and_a_wrong_form_is_refused():
    assert isinstance(select(codebase(FILES), "subclasses:Nobody"), Candidates)
    with pytest.raises(UsageError):
        select(codebase(FILES), "everything")
