"""Assumptions: claims that can be checked hold, are refuted, or stay open, with the lines that show it."""

from __future__ import annotations

import pytest
from small_trees import codebase

from sondage.core.contracts.assume import assume, pin

SOURCE = """
    class Language:
        def embed(self): return 1
    class Better(Language): pass
    class Model:
        def __init__(self, anything):
            self.language = Better()
            self.other = anything
    class User:
        def __init__(self, model):
            self.model = model
        def go(self):
            self.model.embed()
            if self.fast:
                self.model.run()
"""


def state(claim: str) -> str:
    return assume(codebase({"app.py": SOURCE}), claim).state


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Better inherits Language", "holds"),
        ("Model inherits from Language", "refuted"),
        ("Model inherits Nobody", "refuted"),
        ("Nobody inherits Model", "open"),
        ("Model.language is Better", "holds"),
        ("Model.language is a Language", "holds"),
        ("Model.language is User", "refuted"),
        ("Model.other is User", "open"),
        ("app.py:User on self.model needs only embed, run", "holds"),
        ("app.py:User on self.model needs only embed", "refuted"),
        ("app.py:User on self.nothing needs only embed", "open"),
        ("the model is warm enough", "open"),
    ],
)
def test_state_of_a_claim(claim: str, expected: str):
    assert state(claim) == expected


def test_composition_taken_for_inheritance_is_shown():
    found = assume(codebase({"app.py": SOURCE}), "Model inherits Language")
    assert "its attribute self.language is one: Better → Language" in found.why
    assert [row.line for row in found.evidence] == [5, 7]


def test_member_unchanged_since_another_tree():
    old, new = codebase({"app.py": SOURCE}), codebase({"app.py": SOURCE.replace("return 1", "return 2")})
    changed = codebase({"app.py": SOURCE.replace("def embed(self)", "def embed(self, far)")})
    claim = "Language.embed unchanged since v1"
    assert assume(old, claim, lambda _: old).state == "holds"
    assert assume(new, claim, lambda _: old).state == "open"
    assert assume(changed, claim, lambda _: old).state == "refuted"
    assert assume(old, claim).state == "open"


def test_claim_about_what_a_receiver_is_can_be_pinned():
    code = codebase({"app.py": SOURCE})
    found = pin(code, "Model.other is Better")
    assert found is not None
    assert (found.receiver, found.class_.name) == ("app.Model.other", "app.Better")
    assert pin(code, "the moon is green") is None
