"""Overrides: the other definitions of a name, above and below a class."""

from __future__ import annotations

from collections.abc import Mapping

from small_trees import codebase

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import OverridesAnswer
from sondage.core.contracts.overrides import overrides

CARS = """
class Thing:
    def go(self, far: int) -> None: ...
    speed: int

class Car(Thing):
    def go(self, far): ...
    def stop(self): ...
    def __mend(self): ...

class Taxi(Car):
    def go(self, far, fare=1): ...
    def __mend(self): ...

class Bus(Car):
    def __init__(self):
        self.stop = None

class NightBus(Bus):
    go = Car.stop
"""


def asked(class_name: str, member: str, files: Mapping[str, str] | None = None) -> OverridesAnswer | Candidates:
    code = codebase(files or {"cars.py": CARS})
    ref = code.hierarchy.find_class(class_name)
    assert not isinstance(ref, Candidates)
    return overrides(code, ref, member)


def rows(class_name: str, member: str) -> list[tuple[str, str, int, bool | None]]:
    found = asked(class_name, member)
    assert isinstance(found, OverridesAnswer)
    return [(row.direction, row.class_, row.line, row.same_signature) for row in found.rows]


def test_definitions_above_come_in_mro_order_and_those_below_by_depth() -> None:
    assert rows("Car", "go") == [
        ("up", "cars.Thing", 3, True),
        ("down", "cars.Taxi", 12, False),
        ("down", "cars.NightBus", 20, None),
    ]


def test_a_class_that_defines_nothing_is_asked_for_what_it_inherits() -> None:
    found = asked("Bus", "go")
    assert isinstance(found, OverridesAnswer)
    assert (found.of, found.owner, found.line, found.signature) == ("cars.Bus.go", "cars.Car", 7, "(self, far)")
    assert rows("Bus", "go") == [
        ("up", "cars.Car", 7, True),
        ("up", "cars.Thing", 3, True),
        ("down", "cars.NightBus", 20, None),
    ]


def test_an_attribute_that_methods_assign_hides_a_method_and_has_no_signature() -> None:
    assert rows("Car", "stop") == [("down", "cars.Bus", 17, None)]


def test_private_names_override_nothing() -> None:
    assert rows("Car", "__mend") == []


def test_what_is_only_annotated_or_not_there_is_no_member() -> None:
    for name, near in (("speed", ()), ("stopp", ("Car.stop",))):
        found = asked("Car", name)
        assert isinstance(found, Candidates)
        assert (found.asked, found.kind, found.names) == (f"Car.{name}", "member", near)


def test_an_unread_base_is_said_to_be() -> None:
    found = asked("Car", "go", {"cars.py": "from lib import Thing\n\n\nclass Car(Thing):\n    def go(self): ...\n"})
    assert isinstance(found, OverridesAnswer)
    assert any("lib.Thing" in why for why in found.why_incomplete)
