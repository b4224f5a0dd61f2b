"""Who defines a name: bodies, methods, assignments from outside, generated and built-in members."""

from __future__ import annotations

from trees import hierarchy, the_class, with_standard_library

from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.refs import Member


def rows(tree: Hierarchy, name: str, member: str) -> list[tuple[str, str, int]]:
    """Owner, kind and line of each definition, in the order they are looked up."""
    return [(_last(one.owner.name), one.kind, one.line) for one in tree.lookup(the_class(tree, name), member)]


def kinds(tree: Hierarchy, name: str) -> dict[str, str]:
    return {member: found[0].kind for member, found in tree.own_members(the_class(tree, name)).items()}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def test_every_kind_of_definition_is_told_apart() -> None:
    tree = hierarchy(
        """
        import functools
        class C:
            value = 1
            typed: int = 2
            only_typed: int
            from os import path
            class Inner: pass
            def method(self): pass
            async def coroutine(self): pass
            @classmethod
            def on_class(cls): pass
            @staticmethod
            def alone(): pass
            @property
            def prop(self): pass
            @functools.cached_property
            def cached(self): pass
            for item in (1, 2): pass
            first, second = 1, 2
        """
    )
    assert kinds(tree, "C") == {
        "value": "attribute",
        "typed": "attribute",
        "only_typed": "annotation",
        "path": "import",
        "Inner": "class",
        "method": "method",
        "coroutine": "method",
        "on_class": "classmethod",
        "alone": "staticmethod",
        "prop": "property",
        "cached": "property",
        "item": "attribute",
        "first": "attribute",
        "second": "attribute",
    }


def test_nearest_class_of_the_order_defines_a_name() -> None:
    tree = hierarchy(
        "class A:\n    def f(self): pass\nclass B(A): pass\nclass C(B):\n    def f(self): pass\nclass D(B): pass\n"
    )
    assert rows(tree, "C", "f") == [("C", "method", 5), ("A", "method", 2)]
    assert rows(tree, "D", "f") == [("A", "method", 2)]
    c = the_class(tree, "C")
    assert [one.line for one in tree.lookup(c, "f", after=c)] == [2]


def test_last_definition_in_a_body_holds_and_branches_are_kept() -> None:
    tree = hierarchy(
        """\
        import sys
        class C:
            def twice(self): pass
            def twice(self): pass
            if sys.version_info >= (3,):
                def known(self): pass
            else:
                def known(self): pass
            if FAST:
                def open(self): pass
            else:
                def open(self): pass
        """
    )
    assert rows(tree, "C", "twice") == [("C", "method", 4)]
    assert rows(tree, "C", "known") == [("C", "method", 6)]
    assert rows(tree, "C", "open") == [("C", "method", 10), ("C", "method", 12)]
    assert tree.lookup(the_class(tree, "C"), "open")[1].conditions == ("not (FAST)",)


def test_getter_stands_for_a_property_with_setter() -> None:
    tree = hierarchy(
        """\
        class C:
            @property
            def x(self): return 1
            @x.setter
            def x(self, value): pass
            @x.deleter
            def x(self): pass
        class D(C):
            @C.x.setter
            def x(self, value): pass
        """
    )
    assert rows(tree, "C", "x") == [("C", "property", 3), ("C", "property", 5), ("C", "property", 7)]
    assert rows(tree, "D", "x")[0] == ("D", "property", 10)


def test_decorator_in_the_old_form_leads_to_the_function() -> None:
    tree = hierarchy(
        "class C:\n    def make(cls): pass\n    make = classmethod(make)\n    def _get(self): pass\n    x = property(_get)\n"
    )
    assert rows(tree, "C", "make") == [("C", "classmethod", 2)]
    assert rows(tree, "C", "x") == [("C", "attribute", 5)]


def test_instance_attributes_are_found_in_any_method_with_their_place() -> None:
    tree = hierarchy(
        """\
        class C:
            def __init__(self, part):
                self.part = part
                def later():
                    self.late = 1
            def reset(this):
                this.part = None
                this.other: int = 3
            @staticmethod
            def alone(self):
                self.not_mine = 1
        class D(C):
            def __init__(self):
                self.part = 2
        """
    )
    assert rows(tree, "C", "part") == [("C", "instance", 3), ("C", "instance", 7)]
    assert rows(tree, "C", "late") == [("C", "instance", 5)]
    assert rows(tree, "C", "other") == [("C", "instance", 8)]
    assert rows(tree, "C", "not_mine") == []
    assert rows(tree, "D", "part")[0] == ("D", "instance", 14)


def test_attribute_set_on_the_new_object_is_an_instance_attribute() -> None:
    tree = hierarchy(
        """\
        class C:
            def __new__(cls):
                made = super().__new__(cls)
                made.part = 1
                cls.count = 2
                return made
        """
    )
    assert rows(tree, "C", "part") == [("C", "instance", 4)]
    assert rows(tree, "C", "count") == [("C", "assigned", 5)]


def test_assignment_on_the_class_from_inside_is_no_instance_attribute() -> None:
    tree = hierarchy(
        """\
        class C:
            @classmethod
            def a(cls):
                cls.one = 1
            def b(self):
                type(self).two = 2
                self.__class__.three = 3
        """
    )
    assert [rows(tree, "C", name)[0][1] for name in ("one", "two", "three")] == ["assigned"] * 3


def test_assignment_from_outside_replaces_the_body() -> None:
    tree = hierarchy(
        {
            "app.py": """\
            class C:
                def draw(self): pass
            def fancy(self): pass
            C.draw = fancy
            setattr(C, "glow", fancy)
            """,
            "other.py": "import app\nfrom app import C as Renamed\ndef patch():\n    Renamed.late = 1\napp.C.far = 2\n",
        }
    )
    assert rows(tree, "C", "draw") == [("C", "assigned", 4), ("C", "method", 2)]
    assert rows(tree, "C", "glow") == [("C", "assigned", 5)]
    assert rows(tree, "C", "far") == [("C", "assigned", 5)]
    late: Member = tree.lookup(the_class(tree, "C"), "late")[0]
    assert (late.path, late.line, late.note) == ("other.py", 4, "when patch has run")


def test_private_names_are_mangled_and_found_by_either_name() -> None:
    tree = hierarchy(
        """\
        class _C:
            def __hidden(self):
                self.__state = 1
            __slots__ = ("__slot",)
            def __dunder__(self): pass
        """
    )
    own = tree.own_members(the_class(tree, "_C"))
    assert {"_C__hidden", "_C__state", "_C__slot", "__dunder__"} <= set(own)
    assert rows(tree, "_C", "__hidden") == [("_C", "method", 2)]


def test_slots_are_members_with_their_own_lines() -> None:
    tree = hierarchy(
        'class C:\n    __slots__ = (\n        "a",\n        "b",\n    )\nclass D:\n    __slots__ = "single"\n'
    )
    assert rows(tree, "C", "a") == [("C", "slot", 3)]
    assert rows(tree, "C", "b") == [("C", "slot", 4)]
    assert rows(tree, "D", "single") == [("D", "slot", 7)]


def test_definition_for_type_checkers_only_is_a_mere_annotation() -> None:
    tree = hierarchy(
        """\
        from typing import TYPE_CHECKING
        class Base:
            def f(self): pass
        class C(Base):
            if TYPE_CHECKING:
                def f(self): ...
        """
    )
    assert rows(tree, "C", "f") == [("C", "annotation", 6), ("Base", "method", 3)]
    assert tree.mro(the_class(tree, "C"), members=True).members["f"].owner == "app.Base"  # type: ignore[index]


def test_enum_members_and_what_the_machinery_adds() -> None:
    tree = hierarchy("import enum\nclass Colour(enum.Enum):\n    RED = 1\n")
    tree = with_standard_library(tree, "Colour")
    assert rows(tree, "Colour", "RED") == [("Colour", "attribute", 3)]
    assert rows(tree, "Colour", "_member_map_")[0][:2] == ("Colour", "generated")


def test_builtin_members_come_from_the_table() -> None:
    tree = hierarchy("class C(dict): pass\n")
    found = tree.lookup(the_class(tree, "C"), "setdefault")[0]
    assert (found.owner.name, found.kind, found.line, found.path) == ("dict", "builtin", 0, "")
    assert rows(tree, "C", "__init__")[0] == ("dict", "builtin", 0)


def test_definers_are_all_classes_of_the_tree_that_write_the_name() -> None:
    tree = hierarchy(
        """
        class A:
            def f(self): pass
        class B(A): pass
        class C:
            f = None
        class D:
            def g(self):
                self.f = 1
        """
    )
    assert [_last(one.owner.name) for one in tree.definers("f")] == ["A", "C", "D"]
    assert tree.definers("nothing") == ()


def test_abstract_members_are_filled_by_what_comes_before_them() -> None:
    tree = hierarchy(
        """\
        from abc import ABC, abstractmethod
        class Capability(ABC):
            @abstractmethod
            def process(self): ...
            @property
            @abstractmethod
            def name(self): ...
        class Facet:
            name = "facet"
            def process(self): pass
        class Good(Facet, Capability): pass
        class WrongOrder(Capability, Facet): pass
        class Half(Capability):
            def process(self): pass
        """
    )

    def left(name: str) -> list[str]:
        return [member.name for member in tree.abstract_left(the_class(tree, name))]

    assert (left("Good"), left("WrongOrder"), left("Half")) == ([], ["name", "process"], ["name"])


def test_forwarders_in_the_chain_are_said() -> None:
    tree = hierarchy("class A:\n    def __getattr__(self, name): ...\nclass B(A): pass\nclass C(dict): pass\n")
    assert [_last(one.owner.name) for one in tree.forwarders(the_class(tree, "B"))] == ["A"]
    assert tree.forwarders(the_class(tree, "C")) == ()


def test_members_of_the_answer_prefer_the_class_to_its_instances() -> None:
    tree = hierarchy(
        "class A:\n    def x(self): pass\nclass B(A):\n    def __init__(self):\n        self.x = 1\n        self.y = 2\n"
    )
    members = tree.mro(the_class(tree, "B"), members=True).members
    assert members is not None
    assert (members["x"].owner, members["x"].kind) == ("app.A", "method")
    assert (members["y"].owner, members["y"].kind, members["y"].line) == ("app.B", "instance", 6)
    assert "__init__" in members and "__class__" not in members
