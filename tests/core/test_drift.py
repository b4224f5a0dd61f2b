"""Drift: the same class in several trees, side by side."""

from __future__ import annotations

from small_trees import codebase

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.contracts import DriftAnswer
from sondage.core.contracts.contract import required
from sondage.core.contracts.drift import Version, drift

OLD = "class Inner:\n    def embed(self): return 1\nclass A:\n    def __init__(self):\n        self.inner = Inner()\n"
NEW = f"{OLD}    def embed(self):\n        return self.inner.embed()\n"


def drifted(*sources: str) -> DriftAnswer:
    versions = [Version(f"v{number}", codebase({"app.py": source})) for number, source in enumerate(sources, start=1)]
    found = drift(versions, ["A"], required(["embed"]))
    assert isinstance(found, DriftAnswer)
    return found


def test_first_version_that_differs_is_named_with_what_differs():
    (item,) = drifted(OLD, OLD, NEW).results[0].items
    assert [verdict.verdict for verdict in item.verdicts if verdict] == ["held", "held", "forwarded"]
    assert (item.changed, item.first_change) == (True, "v3")
    assert "verdict: held → forwarded" in item.what


def test_mere_move_inside_a_file_is_no_change():
    (item,) = drifted(NEW, f"# a new first line\n{NEW}").results[0].items
    assert (item.changed, item.first_change, item.what) == (False, None, ())


def test_class_that_went_away_is_a_change_with_no_verdict():
    found = drifted(NEW, "class Other: pass\n")
    assert found.changed
    assert found.results[0].items[0].verdicts[1] is None
    assert found.results[0].items[0].what == ("the class is gone",)


def test_class_that_is_nowhere_gives_candidates():
    assert isinstance(drift([Version("v1", codebase({"app.py": OLD}))], ["Nobody"], required(["embed"])), Candidates)
