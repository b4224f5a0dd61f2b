"""Functions of which more is kept than of most: their own names, and what they give back."""

from __future__ import annotations

from trees import facts_of

from sondage.core.source.facts import FunctionScope


def results(source: str) -> dict[str, list[str]]:
    return {
        one.qualname: [value.text for value in one.results]
        for one in facts_of(source).scopes
        if isinstance(one, FunctionScope)
    }


def test_what_a_function_gives_back_is_kept_where_it_holds_a_function_below_or_returns_a_type() -> None:
    source = """
        def decorator(f):
            if f is None:
                return decorator
            def inner(): return f()
            return inner
        def make(name):
            return type(name, (), {})
        def plain(x):
            return x
        """
    assert results(source) == {
        "decorator": ["decorator", "inner"],
        "decorator.<locals>.inner": [],
        "make": ["type(name, (), {})"],
        "plain": [],
    }


def test_names_stand_in_source_order_whether_bound_before_or_after_what_is_held() -> None:
    facts = facts_of(
        """
        def outer(flag):
            if flag:
                before = 1
            def inner():
                if flag:
                    a, b = pair
                class Held: pass
                if flag:
                    c: int = 3
            for after in flag:
                d = e = 4
        """
    )
    assert [(facts.scopes[one.scope].name, one.name) for one in facts.assignments] == [
        ("outer", "before"),
        ("inner", "a"),
        ("inner", "b"),
        ("inner", "c"),
        ("outer", "after"),
        ("outer", "d"),
        ("outer", "e"),
    ]
    assert [one.at for one in facts.assignments] == sorted(one.at for one in facts.assignments)


def test_branch_of_an_attribute_and_of_a_name_in_it_is_one() -> None:
    facts = facts_of(
        """
        def make(self, flag):
            if flag:
                self.kept = 1
                local = 2
            class Held: pass
        """
    )
    assert [one.name for one in facts.attributes] == ["kept"]
    assert [one.guard for one in (*facts.attributes, *facts.assignments)] == [0, 0]
    assert len(facts.guards) == 1


def test_attribute_is_found_once_in_a_function_that_is_looked_at_twice() -> None:
    facts = facts_of(
        """
        def make(self):
            global shared
            self.one = local = shared = 1
            for self.two in shared: pass
            class Held: pass
        """
    )
    assert [one.name for one in facts.attributes] == ["one", "two"]


def test_too_deep_nesting_is_said_once_of_a_function_that_is_looked_at_twice() -> None:
    deep = "".join("  " * depth + "if x:\n" for depth in range(1, 130)) + "  " * 130 + "y = 1\n"
    facts = facts_of("def f():\n" + deep + "  class Held: pass\n")
    assert [one.kind for one in facts.problems] == ["too_deep"]
