"""Which branches run."""

from __future__ import annotations

import pytest
from trees import facts_of

from sondage.core.classes.conditions import conditions, is_for_typing, is_taken, judged


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("TYPE_CHECKING", False),
        ("typing.TYPE_CHECKING", False),
        ("not t.TYPE_CHECKING", True),
        ("sys.version_info >= (3, 8)", True),
        ("sys.version_info < (3,)", False),
        ("sys.version_info[0] == 2", False),
        ("sys.version_info[:2] >= (3, 13)", False),
        ("sys.version_info.major > 2", True),
        ("sys.platform == 'win32'", False),
        ("sys.platform.startswith('linux')", True),
        ("os.name == 'nt'", False),
        ("platformType == 'win32'", False),
        ("platform.system() != 'Windows'", True),
        ("six.PY2", False),
        ("PY3 and anything", None),
        ("PY2 and anything", False),
        ("PY3 or anything", True),
        ("True", True),
        ("0", False),
        ("HAVE_THIS", None),
        ("has(this)", None),
        ("sys.version_info >= unknown", None),
    ],
)
def test_condition_is_judged(test: str, expected: bool | None) -> None:
    assert judged(test, (3, 12)) is expected


def test_branch_after_a_taken_one_is_not_taken() -> None:
    facts = facts_of("if PY3:\n    a = 1\nelif X:\n    b = 2\nelse:\n    c = 3\n")
    assert [is_taken(facts.guards, one.guard) for one in facts.assignments] == [True, False, False]


def test_branch_after_an_unknown_one_is_unknown() -> None:
    facts = facts_of("if X:\n    a = 1\nelif PY3:\n    b = 2\nelse:\n    c = 3\n")
    assert [is_taken(facts.guards, one.guard) for one in facts.assignments] == [None, None, False]


def test_what_only_type_checkers_see_is_known_by_either_branch() -> None:
    facts = facts_of(
        "if TYPE_CHECKING:\n    a = 1\nelse:\n    b = 2\nif not TYPE_CHECKING:\n    c = 3\nelse:\n    d = 4\n"
    )
    assert [is_for_typing(facts.guards, one.guard) for one in facts.assignments] == [True, False, False, True]
    assert [is_taken(facts.guards, one.guard) for one in facts.assignments] == [False, True, True, False]


def test_conditions_are_told_in_words() -> None:
    facts = facts_of(
        "if X:\n    try:\n        import a\n    except ImportError:\n        import b\nelse:\n    import c\n"
    )
    assert [conditions(facts.guards, one.guard) for one in facts.imports] == [
        ("if X", "try"),
        ("if X", "except ImportError"),
        ("not (X)",),
    ]
