"""Finding by name."""

from __future__ import annotations

from trees import hierarchy, the_class

from sondage.core.answers.certainty import Candidates
from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.refs import ClassRef, FunctionRef

FILES = {
    "pkg/__init__.py": "from .deep.one import Public as Shown\n",
    "pkg/deep/one.py": "class Public:\n    class Inner: pass\n    def m(self): pass\nclass Same: pass\n",
    "pkg/deep/two.py": "class Same: pass\ndef helper():\n    class Local: pass\n    return Local\n",
    "other.py": "class Same: pass\nclass Twice: pass\nclass Twice: pass\n",
}


def test_class_is_found_by_full_partial_and_bare_name() -> None:
    tree = hierarchy(FILES)
    for name in ("pkg.deep.one.Public.Inner", "one.Public.Inner", "Public.Inner", "Inner"):
        assert the_class(tree, name).name == "pkg.deep.one.Public.Inner"
    assert the_class(tree, "helper.Local").name == "pkg.deep.two.helper.<locals>.Local"
    assert the_class(tree, "pkg.deep.two.helper.<locals>.Local").name == "pkg.deep.two.helper.<locals>.Local"


def test_ambiguous_name_lists_the_nearest_first() -> None:
    found = hierarchy(FILES).find_class("Same", near="pkg/deep/two.py")
    assert found == Candidates("Same", "class", "ambiguous", ("pkg.deep.two.Same", "pkg.deep.one.Same", "other.Same"))


def test_unknown_name_lists_similar_ones() -> None:
    found = hierarchy(FILES).find_class("Publik")
    assert isinstance(found, Candidates)
    assert (found.reason, found.names) == ("absent", ("pkg.deep.one.Public",))
    assert hierarchy(FILES).find_class("public") == Candidates("public", "class", "absent", ("pkg.deep.one.Public",))


def test_last_of_several_definitions_in_a_file_is_meant() -> None:
    assert the_class(hierarchy(FILES), "Twice").scope == 3


def test_name_that_is_handed_on_leads_to_its_class() -> None:
    assert the_class(hierarchy(FILES), "pkg.Shown").name == "pkg.deep.one.Public"


def test_function_is_found_by_its_names() -> None:
    tree = hierarchy(FILES)
    assert tree.find_function("helper") == FunctionRef("pkg.deep.two.helper", "pkg/deep/two.py", 2)
    assert tree.find_function("Public.m") == FunctionRef("pkg.deep.one.Public.m", "pkg/deep/one.py", 3)
    assert isinstance(tree.find_function("nothing"), Candidates)


def test_classes_are_listed_in_order_of_path_and_line() -> None:
    assert [one.name for one in hierarchy(FILES).classes()] == [
        "other.Same",
        "other.Twice",
        "other.Twice",
        "pkg.deep.one.Public",
        "pkg.deep.one.Public.Inner",
        "pkg.deep.one.Same",
        "pkg.deep.two.Same",
        "pkg.deep.two.helper.<locals>.Local",
    ]


def test_symbols_tell_what_they_are() -> None:
    tree = hierarchy({"a.py": "class C:\n    x = 1\n    def m(self): pass\ndef f(): pass\n"})
    assert [(row.kind, row.qualname, row.line) for row in tree.symbols()] == [
        ("module", "a", 1),
        ("class", "a.C", 1),
        ("method", "a.C.m", 3),
        ("function", "a.f", 4),
        ("attribute", "a.C.x", 2),
    ]


def test_class_and_symbol_at_a_line() -> None:
    tree = hierarchy("x = 1\n@d\n@e\nclass A:\n    def f(self):\n        pass\n")
    assert [tree.class_at("app.py", line) is not None for line in range(1, 7)] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert [tree.symbol_at("app.py", line) for line in (1, 3, 4, 6)] == ["", "A", "A", "A.f"]
    assert tree.symbol_at("nowhere.py", 1) == ""
    assert tree.class_at("nowhere.py", 1) is None


def test_subclasses_are_found_across_files_with_their_depth() -> None:
    tree = hierarchy(
        {
            "base.py": "class Base: pass\n",
            "one.py": "from base import Base\nclass A(Base): pass\ndef f():\n    class Local(Base): pass\n",
            "two.py": "from one import A as Renamed\nclass B(Renamed): pass\nclass C(B, Renamed): pass\n",
            "other.py": "class Base: pass\nclass E(Base): pass\n",
        }
    )
    rows = tree.subclasses(the_class(tree, "base.Base")).rows
    assert [(row.class_, row.depth) for row in rows] == [
        ("one.A", 1),
        ("one.f.<locals>.Local", 1),
        ("two.B", 2),
        ("two.C", 2),
    ]


UNREAD = {
    "one.py": "from torch import nn\nclass A(nn.Module): pass\nclass B(A): pass\nclass Broken(ValueError): pass\n",
    "two.py": "import flax.linen\nclass C(flax.linen.Module): pass\n",
}


def test_class_that_was_not_read_is_found_where_others_have_it_for_a_base() -> None:
    tree = hierarchy(UNREAD)
    found = the_base(tree, "torch.nn.Module")
    assert found == ClassRef("torch.nn.Module") == tree.find_base("nn.Module")
    answer = tree.subclasses(found)
    assert [(row.class_, row.depth) for row in answer.rows] == [("one.A", 1), ("one.B", 2)]
    assert answer.why_incomplete == ("torch.nn.Module was not read, nor the classes outside that derive from it",)


def test_name_of_several_unread_bases_lists_them() -> None:
    assert hierarchy(UNREAD).find_base("Module") == Candidates(
        "Module", "class", "ambiguous", ("flax.linen.Module", "torch.nn.Module")
    )
    assert hierarchy(UNREAD).find_base("Moodule") == hierarchy(UNREAD).find_class("Moodule")


def test_below_a_built_in_class_nothing_is_open() -> None:
    tree = hierarchy(UNREAD)
    answer = tree.subclasses(the_base(tree, "ValueError"))
    assert [row.class_ for row in answer.rows] == ["one.Broken"]
    assert answer.why_incomplete == ()


def the_base(tree: Hierarchy, name: str) -> ClassRef:
    found = tree.find_base(name)
    assert isinstance(found, ClassRef)
    return found


def test_subclasses_of_a_class_that_was_not_read() -> None:
    tree = hierarchy("from torch import nn\nclass A(nn.Module): pass\nclass B(A): pass\n")
    found = tree.subclass_refs(ClassRef("torch.nn.Module"))
    assert [(one.name, depth) for one, depth in found] == [("app.A", 1), ("app.B", 2)]
