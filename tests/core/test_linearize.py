"""C3, against the interpreter itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sondage.core.classes.linearize import Inconsistent, duplicate, merged


def linear(bases: dict[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    return merged(name, [linear(bases, base) for base in bases[name]], bases[name])


def test_diamond_takes_the_sibling_before_the_grandparent() -> None:
    bases = {"Root": (), "Left": ("Root",), "Right": ("Root",), "Tip": ("Left", "Right")}
    assert linear(bases, "Tip") == ("Tip", "Left", "Right", "Root")


def test_parent_before_its_own_subclass_has_no_order() -> None:
    with pytest.raises(Inconsistent) as caught:
        linear({"Parent": (), "Child": ("Parent",), "Broken": ("Parent", "Child")}, "Broken")
    assert caught.value.left == ("Parent", "Child")


def test_base_named_twice_is_found() -> None:
    assert duplicate(("A", "B", "A")) == "A"
    assert duplicate(("A", "B")) is None


@given(st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), min_size=1, max_size=8))
def test_order_is_that_of_python(rows: list[list[int]]) -> None:
    """Class n may inherit from the classes before it; where Python refuses one, it has no bases in the further rows."""
    made: list[type] = []
    bases: dict[str, tuple[str, ...]] = {"object": ()}
    for number, row in enumerate(rows):
        above = tuple(made[index] for index in row if index < number) or (object,)
        name = f"C{number}"
        bases[name] = tuple(one.__name__ for one in above)
        try:
            made.append(type(name, above, {}))
        except TypeError:
            with pytest.raises(Inconsistent):
                linear(bases, name)
            bases[name] = ("object",)
            made.append(type(name, (), {}))
        assert linear(bases, name) == tuple(one.__name__ for one in made[-1].__mro__)
