"""Our quick frozen dataclasses are those of the standard library, side by side."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest

from sondage.core.frozen import dataclass as ours

Decorator = Callable[..., Any]


def place(decorator: Decorator) -> Any:
    @decorator(frozen=True)
    class Place:
        """With every kind of field that is in use."""

        unit: ClassVar[str] = "line"
        path: str
        line: int = 1
        found: list[str] = field(default_factory=list)
        symbol: str = field(default="", compare=False)
        data: bytes = field(default=b"", repr=False)

    return Place


@ours(frozen=True)
class Kept:
    """At the top of a module, as pickles need it."""

    name: str
    count: int = 0


BOTH = pytest.mark.parametrize("decorator", [ours, dataclasses.dataclass], ids=["ours", "the standard library's"])


@BOTH
def test_instances_are_made_compared_and_shown_alike(decorator: Decorator) -> None:
    one, other = place(decorator)("a.py", symbol="f"), place(decorator)
    assert (one.path, one.line, one.found, one.symbol, one.data) == ("a.py", 1, [], "f", b"")
    assert repr(one).endswith("Place(path='a.py', line=1, found=[], symbol='f')")
    same = type(one)("a.py", 1, [], "g")
    assert one == same
    assert one != type(one)("a.py", 2)
    assert one != other("a.py"), "another class"
    assert one.found is not same.found


@BOTH
def test_the_helpers_of_dataclasses_work(decorator: Decorator) -> None:
    one = place(decorator)("a.py")
    assert dataclasses.replace(one, line=3).line == 3
    assert dataclasses.asdict(one) == {"path": "a.py", "line": 1, "found": [], "symbol": "", "data": b""}
    assert [each.name for each in dataclasses.fields(one)] == ["path", "line", "found", "symbol", "data"]
    assert type(one).__match_args__ == ("path", "line", "found", "symbol", "data")
    assert copy.deepcopy(one) == one


@BOTH
def test_nothing_can_be_set_or_deleted(decorator: Decorator) -> None:
    one = place(decorator)("a.py")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.line = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.line


@BOTH
def test_wrong_arguments_are_refused(decorator: Decorator) -> None:
    made = place(decorator)
    for _ in range(2):  # before the first instance, and after it was tried
        with pytest.raises(TypeError, match="path"):
            made()
        with pytest.raises(TypeError, match="colour"):
            made("a.py", colour="red")


@BOTH
def test_what_compares_equal_hashes_equal(decorator: Decorator) -> None:
    @decorator(frozen=True)
    class Point:
        x: float
        note: str = field(default="", compare=False)

    assert hash(Point(1.0, "here")) == hash(Point(1.0, "there"))
    assert {Point(1.0), Point(1.0), Point(2.0)} == {Point(2.0), Point(1.0)}


@BOTH
def test_a_class_without_fields_and_a_derived_one(decorator: Decorator) -> None:
    @decorator(frozen=True)
    class Nothing:
        """No field at all."""

    @decorator(frozen=True)
    class Something(Nothing):
        """One of its own."""

        name: str = "x"

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert Something("y").name == "y"
    assert Something("y") != Nothing()


@BOTH
def test_methods_of_its_own_stay(decorator: Decorator) -> None:
    @decorator(frozen=True)
    class Loud:
        name: str

        def __repr__(self) -> str:
            return self.name.upper()

    assert repr(Loud("a")) == "A"


def test_an_instance_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Kept("a", 2))) == Kept("a", 2)
