"""Bases and orders: every expectation was checked against CPython."""

from __future__ import annotations

from trees import check, facts_of, hierarchy, order, the_class, with_standard_library

from sondage.core.classes.hierarchy import Hierarchy, Library
from sondage.core.classes.refs import ClassRef
from sondage.core.source.extract import extract


def test_diamond_mixins_and_dotted_bases() -> None:
    check(
        {
            "pkg/__init__.py": "",
            "pkg/alpha.py": "class First: pass\nclass Second(First): pass\n",
            "app.py": """
            import pkg.alpha
            import pkg.alpha as short
            class Mixin: pass
            class Both(Mixin, pkg.alpha.Second, short.First): pass  # mro: Both Mixin Second First object
            class Below(Both): pass  # mro: Below Both Mixin Second First object
            """,
        }
    )


def test_no_order_is_pythons_error() -> None:
    check(
        """
        class Parent: pass
        class Child(Parent): pass
        class Broken(Parent, Child): pass  # error: Cannot create a consistent method resolution order (MRO) for bases Parent, Child
        class Below(Broken): pass  # error: Cannot create a consistent
        class Twice(Parent, Parent): pass  # error: duplicate base class Parent
        """
    )


def test_circle_is_an_error_and_no_crash() -> None:
    tree = hierarchy({"a.py": "from b import B\nclass A(B): pass\n", "b.py": "from a import A\nclass B(A): pass\n"})
    for name in ("a.A", "b.B"):
        answer = tree.mro(the_class(tree, name))
        assert answer.error is not None and "cycle" in answer.error
        assert answer.mro == ()


def test_generic_goes_where_python_puts_it() -> None:
    check(
        """
        from typing import Generic, TypeVar, Protocol, List, Dict, NamedTuple, TypedDict
        T = TypeVar("T")
        class Base: pass
        class Repo(Base, Generic[T]): pass  # mro: Repo Base Generic object
        class IntRepo(Repo[int]): pass  # mro: IntRepo Repo Base Generic object
        class Mixed(Generic[T], Repo[T]): pass  # mro: Mixed Repo Base Generic object
        class Items(List[T]): pass  # mro: Items list Generic object
        class Table(Dict[str, T], Generic[T]): pass  # mro: Table dict Generic object
        class Plain(list[int]): pass  # mro: Plain list object
        class Two(List[int], Repo[int]): pass  # mro: Two list Repo Base Generic object
        """
    )


def test_type_parameters_bring_generic() -> None:
    check(
        """
        class Store: pass
        class Box[T](Store): pass  # mro: Box Store Generic object
        class Sub(Box[int]): pass  # mro: Sub Box Store Generic object
        """
    )


def test_typed_dicts_and_named_tuples_are_what_they_are_at_run_time() -> None:
    check(
        """
        from typing import NamedTuple, TypedDict
        from collections import namedtuple
        class Row(NamedTuple):  # mro: Row tuple object
            a: int
        class BigRow(Row): pass  # mro: BigRow Row tuple object
        class Options(TypedDict): pass  # mro: Options dict object
        class More(Options): pass  # mro: More dict object
        class Point(namedtuple("Point", "x y")): pass  # mro: Point Point tuple object
        Pair = namedtuple("Pair", ["a", "b"])
        class Named(Pair): pass  # mro: Named Pair tuple object
        """
    )


def test_metaclass_helpers_hand_over_bases() -> None:
    tree = check(
        """
        import six
        class Meta(type): pass  # mro: Meta type object
        class Base: pass
        class A(six.with_metaclass(Meta, Base)): pass  # mro: A Base object
        class B(six.with_metaclass(Meta)): pass  # mro: B object
        Made = six.with_metaclass(Meta, Base)
        class C(Made): pass  # mro: C Base object
        @six.add_metaclass(Meta)
        class D(Base): pass  # mro: D Base object
        class E(D): pass  # mro: E D Base object
        """
    )
    for name in "ABCDE":
        assert tree.metaclass(the_class(tree, name)) == the_class(tree, "Meta")


def test_most_derived_metaclass_wins() -> None:
    tree = hierarchy(
        """
        class Meta(type): pass
        class Sub(Meta): pass
        class A(metaclass=Meta): pass
        class B(metaclass=Sub): pass
        class C(A, B): pass
        class D(C): pass
        class Plain: pass
        """
    )
    assert tree.metaclass(the_class(tree, "D")) == the_class(tree, "Sub")
    assert tree.metaclass(the_class(tree, "Plain")) is None


def test_classes_made_by_calls() -> None:
    check(
        """
        import enum
        class Base: pass
        Made = type("Made", (Base,), {"x": 1})
        class A(Made): pass  # mro: A Made Base object
        Alias = Base
        Again = Alias
        class B(Again): pass  # mro: B Base object
        class C(type("Inner", (Alias,), {})): pass  # mro: C Inner Base object
        """
    )


def test_class_that_a_function_returns_is_followed() -> None:
    check(
        """
        class Base: pass
        def make():
            class Local(Base): pass
            return Local
        def pick(flag):
            class One: pass
            class Two: pass
            if flag:
                return One
            return Two
        class A(make()): pass  # mro: A Local Base object
        class B(pick(1)): pass  # open: B pick(…)
        """
    )


def test_class_that_a_class_method_builds_is_followed() -> None:
    tree = check(
        """
        class Manager:
            @classmethod
            def from_set(cls, other, class_name=None):
                if class_name is None:
                    class_name = "%sFrom%s" % (cls.__name__, other.__name__)
                return type(class_name, (cls,), {"other": other})
        class Set: pass
        class A(Manager.from_set(Set)): pass  # mro: A ManagerFromSet Manager object
        class B(Manager.from_set(Set, class_name="Named")): pass  # mro: B Named Manager object
        """
    )
    assert "other" in tree.own_members(tree.linear(the_class(tree, "A")).order[1])


def test_base_that_cannot_be_known_is_an_open_end_with_a_reason() -> None:
    tree = check(
        """
        from somelib.core import Plugin
        import torch.nn as nn
        class Mine(Plugin): pass  # open: Mine Plugin
        class Yours(Mine, nn.Module): pass  # open: Yours Mine Plugin Module
        def f(base, *bases):
            class Local(base): pass  # open: Local base
            class Many(*bases): pass  # open: Many *bases
            return Local
        class Odd(unknown_name): pass  # open: Odd unknown_name
        class Called(lookup("x")): pass  # open: Called lookup(…)
        """
    )
    answer = tree.mro(the_class(tree, "Yours"))
    assert not answer.complete
    assert answer.mro == ("app.Yours", "app.Mine", "somelib.core.Plugin", "torch.nn.Module")
    assert [step.open is None for step in answer.order] == [True, True, False, False]
    assert "somelib.core.Plugin is not indexed: somelib.core is outside the indexed root" in answer.why_incomplete


def test_class_with_a_base_of_its_own_name() -> None:
    check(
        {
            "old.py": "class Handler: pass\n",
            "app.py": """
            import old
            from old import Handler
            class Handler(Handler): pass  # mro: Handler Handler object
            class ValueError(ValueError): pass  # mro: ValueError ValueError Exception BaseException object
            """,
        }
    )


def test_nested_classes_are_found_by_their_outer_class_and_its_bases() -> None:
    check(
        """
        class Outer:
            class Inner: pass
            class Second(Inner): pass  # mro: Second Inner object
        class Below(Outer): pass
        class A(Outer.Inner): pass  # mro: A Inner object
        class B(Below.Inner): pass  # mro: B Inner object
        """
    )


def test_class_body_sees_its_own_names_but_not_those_of_the_class_around() -> None:
    check(
        """
        class date: pass
        class Outer:
            class date: pass
            class Middle:
                class Leaf(date): pass  # mro: Leaf date object
        class stamp(date):
            def date(self): pass
        class later(stamp): pass  # mro: later stamp date object
        """
    )


def test_conditional_base_names_the_alternatives() -> None:
    tree = hierarchy(
        "try:\n    from _fast import Base\nexcept ImportError:\n    class Base: pass\nclass Job(Base): pass\n"
    )
    answer = tree.mro(the_class(tree, "Job"))
    assert answer.mro == ("app.Job", "app.Base", "object")
    assert not answer.complete
    assert answer.why_incomplete == ("app.Job: taken is app.Base (except ImportError); it may be _fast.Base instead",)


def test_chain_of_thousands_of_classes_is_no_trouble() -> None:
    count = 3000
    source = "class C0: pass\n" + "".join(f"class C{number}(C{number - 1}): pass\n" for number in range(1, count))
    tree = hierarchy(source)
    linear = tree.linear(the_class(tree, f"C{count - 1}"))
    assert len(linear.order) == count + 1 and linear.complete
    assert len(tree.subclass_refs(the_class(tree, "C0"))) == count - 1


def test_standard_library_closes_the_chain() -> None:
    tree = hierarchy(
        """
        import enum, abc, collections, typing
        from contextlib import AbstractContextManager
        class Colour(enum.Enum): pass
        class Shape(abc.ABC): pass
        class Scope(typing.Generic[T], AbstractContextManager): pass
        class Table(typing.Mapping[str, int]): pass
        class Ordered(collections.OrderedDict): pass
        class Proto(typing.Protocol): pass
        """
    )
    names = ("Colour", "Shape", "Scope", "Table", "Ordered", "Proto")
    tree = with_standard_library(tree, *names)
    assert order(tree, "Colour") == ["Colour", "Enum", "object"]
    assert order(tree, "Shape") == ["Shape", "ABC", "object"]
    assert order(tree, "Scope") == ["Scope", "Generic", "AbstractContextManager", "ABC", "object"]
    assert order(tree, "Table") == [
        "Table", "Mapping", "Collection", "Sized", "Iterable", "Container", "Generic", "object",
    ]  # fmt: skip
    assert order(tree, "Ordered") == ["Ordered", "OrderedDict", "dict", "object"]
    assert order(tree, "Proto") == ["Proto", "Protocol", "Generic", "object"]
    assert all(tree.linear(the_class(tree, name)).complete for name in names)
    assert tree.linear(the_class(tree, "Table")).order[1].name == "collections.abc.Mapping"


def test_library_step_says_what_it_stands_in_for() -> None:
    tree = with_standard_library(hierarchy("import abc\nclass A(abc.ABC): pass\n"), "A")
    step = tree.mro(the_class(tree, "A")).order[1]
    assert (step.class_, step.path, step.note) == ("abc.ABC", "stdlib/abc.py", "the running Python's own")
    assert step.line > 0 and step.open is None


def test_wanted_modules_are_named_parents_first_until_they_are_found_absent() -> None:
    tree = hierarchy("import torch.nn as nn\nclass A(nn.Module): pass\n")
    ref = the_class(tree, "A")
    assert tree.wanted(ref) == ("torch", "torch.nn")
    after = tree.with_libraries((), ("torch", "torch.nn"))
    assert after.wanted(ref) == ()
    assert "not found among the libraries" in after.mro(ref).why_incomplete[0]


def test_package_read_file_by_file_closes_the_chain() -> None:
    tree = hierarchy("from torch import nn\nclass A(nn.Module): pass\n")
    sources = {
        "torch": ("torch/__init__.py", "from torch import nn as nn\nfrom torch._C import *\n"),
        "torch.nn": ("torch/nn/__init__.py", "from torch.nn.modules import *\n"),
        "torch.nn.modules": ("torch/nn/modules/__init__.py", "from .module import Module\n__all__ = ['Module']\n"),
        "torch.nn.modules.module": ("torch/nn/modules/module.py", "class Module:\n    def forward(self): ...\n"),
    }
    ref = the_class(tree, "A")
    asked: list[str] = []
    while wanted := tree.wanted(ref):
        asked += wanted
        read = [Library(f"/site/{sources[one][0]}", one, facts_of(sources[one][1])) for one in wanted if one in sources]
        tree = tree.with_libraries(read, [one for one in wanted if one not in sources])
    assert tree.mro(ref).mro == ("app.A", "torch.nn.modules.module.Module", "object")
    assert tree.mro(ref).complete
    assert "torch._C" not in asked
    assert tree.lookup(ref, "forward")[0].path == "/site/torch/nn/modules/module.py"


def test_class_written_in_c_is_in_the_table() -> None:
    tree = hierarchy("from collections import deque\nclass Q(deque): pass\nclass E(KeyError): pass\n")
    assert order(tree, "Q") == ["Q", "deque", "object"]
    assert order(tree, "E") == ["E", "KeyError", "LookupError", "Exception", "BaseException", "object"]
    assert tree.linear(the_class(tree, "Q")).complete
    assert "built in" in tree.mro(the_class(tree, "Q")).order[1].note


def test_order_of_a_class_not_read_is_itself() -> None:
    tree = hierarchy("x = 1\n")
    assert tree.linear(ClassRef("no.where.Thing")).order == (ClassRef("no.where.Thing"),)


def test_own_subscription_hands_back_the_class() -> None:
    check(
        """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Root:
            def __class_getitem__(cls, key): return cls
        class Engine(Root, Generic[T]): pass  # mro: Engine Root Generic object
        class Int(Engine[int], Generic[T]): pass  # mro: Int Engine Root Generic object
        """
    )


def test_calling_a_metaclass_makes_a_class() -> None:
    check(
        """
        class Meta(type): pass
        class Base: pass
        Made = Meta("Made", (Base,), {"x": 1})
        class A(Made): pass  # mro: A Made Base object
        """
    )


def test_bases_that_a_module_assigns_hold() -> None:
    check(
        {
            "one.py": "class Old: pass\nclass C(Old): pass  # mro: C New object\n",
            "two.py": "import one\nclass New: pass\none.C.__bases__ = (New,)\n",
        }
    )


def test_headers_in_every_form_are_read() -> None:
    check(
        """
        class A: pass
        class B: pass
        class C(A, \\
                B): pass
        class D(  # a comment
            A,  # another
            # and one alone
            B,
        ): pass
        class E(): pass
        class F(A, metaclass=type, flag=1): pass  # mro: F A object
        class G(C): pass  # mro: G C A B object
        class H(D): pass  # mro: H D A B object
        class I(E): pass  # mro: I E object
        class J((A)): pass  # mro: J A object
        class K(A if 1 else B): pass  # mro: K A object
        """
    )


def test_re_exports_by_star_and_alias_are_bases() -> None:
    check(
        {
            "lib/__init__.py": "from .core import *\nfrom .other import Thing as Renamed\n",
            "lib/core.py": "__all__ = ['Base']\nclass Base: pass\nclass Hidden: pass\n",
            "lib/other.py": "from .core import Base\nclass Thing(Base): pass\n",
            "app.py": """
            import lib
            import lib.core as core
            from lib import *
            class A(lib.Base): pass  # mro: A Base object
            class B(core.Hidden): pass  # mro: B Hidden object
            class C(Base): pass  # mro: C Base object
            class D(Renamed): pass  # mro: D Thing Base object
            """,
        }
    )


def test_encodings_keep_names_whole() -> None:
    sources = {
        "latin.py": "# coding: latin-1\nclass Caf\u00e9:\n    def m(self): pass\n".encode("latin-1"),
        "sjis.py": "# coding: shift_jis\nclass A:\n    x = '\u8868'\n    def m(self): pass\n".encode("shift_jis"),
        "bom.py": b"\xef\xbb\xbfclass Bom: pass\n",
        "returns.py": b"class R:\r    def m(self): pass\rclass S(R): pass\r",
        "crlf.py": b"class T:\r\n    def m(self): pass\r\n",
    }
    tree = Hierarchy.build({path: extract(data) for path, data in sources.items()})
    assert [one.name for one in tree.classes()] == [
        "bom.Bom",
        "crlf.T",
        "latin.Caf\u00e9",
        "returns.R",
        "returns.S",
        "sjis.A",
    ]
    assert order(tree, "S") == ["S", "R", "object"]
    assert all(tree.own_members(the_class(tree, name)) for name in ("Caf\u00e9", "A", "R", "T"))


def test_a_class_is_read_from_the_source_and_the_stub_beside_it_is_named() -> None:
    found = hierarchy(
        {
            "a.py": "class A:\n    def real(self): pass\n",
            "a.pyi": "class A:\n    def promised(self): ...\n",
            "app.py": "from a import A\nclass B(A): pass\n",
        }
    )
    answer = found.mro(the_class(found, "B"), True)
    assert answer.mro == ("app.B", "a.A", "object")
    assert answer.order[1].note == "read from the source; the stub a.pyi was not asked"
    assert answer.members is not None
    assert "promised" not in answer.members


def test_generic_is_one_class_also_where_typing_is_read_after_the_first_chains() -> None:
    tree = hierarchy(
        """
        from typing import Generic, Protocol, TypeVar
        T = TypeVar("T")
        class Plain(Generic[T]): pass
        class Promise(Protocol[T]): pass
        class Both(Plain[T], Promise[T]): pass
        """
    )
    assert tree.linear(the_class(tree, "Plain")).complete

    tree = with_standard_library(tree, "Both")

    names = [step.name for step in tree.linear(the_class(tree, "Both")).order]
    assert names == ["app.Both", "app.Plain", "app.Promise", "typing.Protocol", "typing.Generic", "object"]
