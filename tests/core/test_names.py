"""What a name means: scopes, imports, re-exports, branches."""

from __future__ import annotations

from trees import hierarchy

from sondage.core.classes.hierarchy import Hierarchy
from sondage.core.classes.refs import ClassRef, FunctionRef, Meaning, MissingRef, ModuleRef, ParameterRef, VariableRef


def meanings(tree: Hierarchy, name: str, path: str = "app.py", scope: int = 0) -> tuple[Meaning, ...]:
    return tree.names(path, scope, name)


def first(tree: Hierarchy, name: str, path: str = "app.py", scope: int = 0) -> str:
    """The kind and name of the first meaning, as `class a.B`."""
    found = meanings(tree, name, path, scope)
    if not found:
        return "nothing"
    target = found[0].target
    kind = type(target).__name__.removesuffix("Ref").lower()
    return f"{kind} {target.name}" + (f" ({target.reason})" if isinstance(target, MissingRef) else "")


def test_imported_class_is_found_through_chains_and_aliases() -> None:
    tree = hierarchy(
        {
            "a.py": "class A: pass\n",
            "b.py": "from a import A as B\n",
            "pkg/__init__.py": "from .inner import C\n",
            "pkg/inner.py": "from b import B as C\n",
            "app.py": "from pkg import C as D\nimport pkg.inner as deep\nE = D\n",
        }
    )
    assert first(tree, "D") == "class a.A"
    assert first(tree, "E") == "class a.A"
    assert first(tree, "deep") == "module pkg.inner"
    assert len(meanings(tree, "E")[0].way) == 5


def test_submodule_is_found_where_the_package_does_not_bind_the_name() -> None:
    tree = hierarchy(
        {
            "pkg/__init__.py": "from .tool import tool\n",
            "pkg/tool.py": "def tool(): pass\n",
            "pkg/other.py": "",
            "app.py": "from pkg import tool, other\nimport pkg.other\n",
        }
    )
    assert first(tree, "tool") == "function pkg.tool.tool"
    assert first(tree, "other") == "module pkg.other"
    assert first(tree, "pkg") == "module pkg"


def test_star_import_brings_what_all_lists_and_nothing_else() -> None:
    tree = hierarchy(
        {
            "a.py": "from b import *\n__all__ = ['Shown'] + __import__('b').__all__\nclass Shown: pass\nclass Hidden: pass\n",
            "b.py": "__all__ = ['_Private']\nclass _Private: pass\nclass Public: pass\n",
            "c.py": "class Open: pass\nclass _Closed: pass\nimport os\n",
            "d.py": "import b\n__all__ = []\n__all__ += b.__all__\nfrom b import _Private\n",
            "app.py": "from a import *\nfrom c import *\n",
            "other.py": "from d import *\n",
        }
    )
    assert first(tree, "Shown") == "class a.Shown"
    assert first(tree, "Open") == "class c.Open"
    assert first(tree, "Hidden") in ("nothing", "class a.Hidden")
    assert first(tree, "_Closed") == "nothing"
    assert first(tree, "_Private", "other.py") == "class b._Private"


def test_later_binding_covers_a_star_import_and_the_other_way_round() -> None:
    tree = hierarchy(
        {
            "a.py": "class X: pass\nclass Y: pass\n",
            "app.py": "class X: pass\nfrom a import *\nclass Y: pass\n",
        }
    )
    assert first(tree, "X") == "class a.X"
    assert first(tree, "Y") == "class app.Y"


def test_circular_star_imports_end() -> None:
    tree = hierarchy(
        {
            "a.py": "from b import *\nclass A: pass\n",
            "b.py": "from a import *\nclass B: pass\n",
            "app.py": "from a import B\n",
        }
    )
    assert first(tree, "B") == "class b.B"
    assert first(tree, "Nowhere", "a.py") == "nothing"


def test_circular_imports_of_one_name_are_an_answer() -> None:
    tree = hierarchy({"a.py": "from b import X\n", "b.py": "from a import X\n"})
    assert first(tree, "X", "a.py") in ("nothing", "missing b.X (not found)", "missing a.X (not found)")


def test_answers_do_not_depend_on_the_order_of_questions() -> None:
    files = {
        "a.py": "from b import *\nfrom c import *\nclass A: pass\n",
        "b.py": "from c import *\nfrom a import *\nclass B: pass\n",
        "c.py": "from a import *\nfrom b import *\nclass C: pass\n",
    }
    names = [(path, name) for path in files for name in "ABC"]
    forth, back = hierarchy(files), hierarchy(files)
    there = {key: first(forth, key[1], key[0]) for key in names}
    again = {key: first(back, key[1], key[0]) for key in reversed(names)}
    assert there == again
    assert all(found.startswith("class ") for found in there.values()), there


def test_relative_import_beyond_the_top_is_not_another_module() -> None:
    tree = hierarchy(
        {"top/__init__.py": "", "top/m.py": "from ...outside import Base\n", "outside.py": "class Base: pass\n"}
    )
    assert first(tree, "Base", "top/m.py").endswith("(beyond top)")


def test_relative_import_in_a_package_counts_from_the_package() -> None:
    tree = hierarchy(
        {
            "p/__init__.py": "",
            "p/edge.py": "class Edge: pass\n",
            "p/q/__init__.py": "from .edge import Edge\nfrom ..edge import Edge as Up\n",
            "p/q/edge.py": "class Edge: pass\n",
        }
    )
    assert first(tree, "Edge", "p/q/__init__.py") == "class p.q.edge.Edge"
    assert first(tree, "Up", "p/q/__init__.py") == "class p.edge.Edge"


def test_what_was_not_read_is_missing_with_the_module_to_read() -> None:
    tree = hierarchy("from torch import nn\nimport numpy as np\nimport a.b\n")
    target = tree.names("app.py", 0, "nn")[0].target
    assert isinstance(target, MissingRef)
    assert (target.name, target.reason, target.module) == ("torch.nn", "not indexed", "torch")
    assert first(tree, "np") == "missing numpy (not indexed)"
    assert first(tree, "a") == "missing a (not indexed)"


def test_name_that_a_read_module_does_not_bind_is_not_found() -> None:
    tree = hierarchy(
        {"a.py": "x = 1\n", "b.py": "def __getattr__(name): ...\n", "app.py": "from a import y\nfrom b import z\n"}
    )
    assert first(tree, "y") == "missing a.y (not found)"
    assert first(tree, "z") == "missing b.z (dynamic)"


def test_class_scope_is_not_seen_from_its_methods() -> None:
    tree = hierarchy("class X: pass\nclass C:\n    class X: pass\n    def m(self):\n        def inner(): pass\n")
    assert first(tree, "X", scope=2) == "class app.C.X"
    method = next(index for index, one in enumerate(tree.files()["app.py"].scopes) if one.name == "m")
    assert first(tree, "X", scope=method) == "class app.X"
    assert first(tree, "inner", scope=method) == "function app.C.m.<locals>.inner"


def test_parameters_and_builtins_are_seen() -> None:
    tree = hierarchy("def f(base, *rest):\n    class L(base): pass\n")
    assert isinstance(tree.names("app.py", 1, "base")[0].target, ParameterRef)
    assert tree.names("app.py", 1, "ValueError")[0].target == ClassRef("ValueError")
    assert first(tree, "print") == "builtin print"
    assert first(tree, "no_such_name") == "nothing"


def test_bindings_after_the_place_do_not_count() -> None:
    tree = hierarchy("from old import Handler\nclass Handler(Handler): pass\n")
    base = tree.files()["app.py"].scopes[1].bases[0]  # type: ignore[union-attr]
    target = tree.names("app.py", 0, "Handler", base.at)[0].target
    assert target.name == "old.Handler"
    assert first(tree, "Handler") == "class app.Handler"


def test_last_definition_holds() -> None:
    tree = hierarchy("class A: pass\nclass A: pass\n")
    target = tree.names("app.py", 0, "A")[0].target
    assert isinstance(target, ClassRef) and target.scope == 2


def test_deleted_name_is_bound_no_more() -> None:
    assert first(hierarchy("x = 1\ndel x\n"), "x") == "nothing"


def test_branches_are_all_kept_and_none_is_sure() -> None:
    tree = hierarchy("if FAST:\n    class A: pass\nelse:\n    class A: pass\n")
    found = meanings(tree, "A")
    assert [one.target.scope for one in found] == [1, 2]  # type: ignore[union-attr]
    assert [one.conditions for one in found] == [("if FAST",), ("not (FAST)",)]
    assert not any(one.sure for one in found)


def test_both_branches_cover_what_stood_before() -> None:
    tree = hierarchy("A = None\nif FAST:\n    class A: pass\nelse:\n    class A: pass\n")
    assert all(isinstance(one.target, ClassRef) for one in meanings(tree, "A"))


def test_import_in_a_try_that_leads_somewhere_is_taken() -> None:
    files = {
        "fast.py": "class A: pass\n",
        "app.py": "try:\n    from fast import A\nexcept ImportError:\n    class A: pass\n",
    }
    found = meanings(hierarchy(files), "A")
    assert (found[0].target.name, found[0].sure) == ("fast.A", True)


def test_import_in_a_try_that_leads_nowhere_gives_way_and_says_so() -> None:
    found = meanings(hierarchy("try:\n    from fast import A\nexcept ImportError:\n    class A: pass\n"), "A")
    assert [one.target.name for one in found] == ["app.A", "fast.A"]
    assert not found[0].sure


def test_what_only_type_checkers_see_gives_way_to_run_time() -> None:
    tree = hierarchy(
        "if TYPE_CHECKING:\n    from typed import A\nelse:\n    class A: pass\nif TYPE_CHECKING:\n    from typed import B\n"
    )
    assert [one.target.name for one in meanings(tree, "A")] == ["app.A"]
    assert [one.target.name for one in meanings(tree, "B")] == ["typed.B"]


def test_version_decides_between_branches() -> None:
    source = "import sys\nif sys.version_info >= (3, 13):\n    class A: pass\nelse:\n    class A: pass\n"
    old = meanings(hierarchy(source, python=(3, 12)), "A")
    new = meanings(hierarchy(source, python=(3, 13)), "A")
    assert old[0].target.scope == 2 and old[0].sure  # type: ignore[union-attr]
    assert new[0].target.scope == 1 and new[0].sure  # type: ignore[union-attr]


def test_global_of_a_function_is_a_late_binding_of_the_module() -> None:
    tree = hierarchy("x = None\ndef setup():\n    global x\n    class Made: pass\n    x = Made\n")
    names = [one.target.name for one in meanings(tree, "x")]
    assert "app.setup.<locals>.Made" in names and len(names) == 2


def test_element_of_a_tuple_is_followed() -> None:
    tree = hierarchy("class A: pass\nclass B: pass\nX, (Y, *Z) = A, (B, 1)\n")
    assert first(tree, "X") == "class app.A"
    assert first(tree, "Y") == "class app.B"
    assert isinstance(meanings(tree, "Z")[0].target, VariableRef)


def test_module_of_the_tree_shadows_the_standard_one_from_below_its_own_root_only() -> None:
    tree = hierarchy(
        {
            "threading.py": "import threading as real\nclass Thread: pass\n",
            "scripts/tokenize.py": "class T: pass\n",
            "scripts/run.py": "import tokenize\n",
            "app.py": "import threading, tokenize\n",
        },
        roots=("", "scripts"),
    )
    assert tree.names("threading.py", 0, "real")[0].target == ModuleRef("threading", "threading.py")
    assert tree.names("scripts/run.py", 0, "tokenize")[0].target == ModuleRef("tokenize", "scripts/tokenize.py")
    assert isinstance(tree.names("app.py", 0, "tokenize")[0].target, MissingRef)


def test_attribute_of_a_module_is_found_from_outside() -> None:
    tree = hierarchy({"a.py": "from b import f\n", "b.py": "def f(): pass\n"})
    target = tree.attribute_of_module("a", "f")[0].target
    assert isinstance(target, FunctionRef) and target.name == "b.f"


def test_long_chain_of_re_exports_is_followed() -> None:
    files = {f"m{number}.py": f"from m{number + 1} import X\n" for number in range(25)}
    tree = hierarchy({**files, "m25.py": "class X: pass\n"})
    assert first(tree, "X", "m0.py") == "class m25.X"


def test_import_in_a_try_fails_where_what_it_needs_is_not_there() -> None:
    files = {
        "fast.py": "import helper\nclass A: pass\n",
        "helper.py": "import json, accelerator\n",
        "app.py": "try:\n    from fast import A\nexcept ImportError:\n    class A: pass\n",
    }
    tree = hierarchy(files)
    found = meanings(tree, "A")
    assert (found[0].target.name, found[0].sure, found[0].wants) == ("fast.A", False, ("accelerator",))
    without = tree.with_libraries((), ("accelerator",))
    assert [one.target.name for one in meanings(without, "A")] == ["app.A", "fast.A"]


def test_what_the_importing_file_needs_anyway_is_taken_for_granted() -> None:
    files = {
        "fast.py": "import torch\nclass A: pass\n",
        "app.py": "import torch\ntry:\n    from fast import A\nexcept ImportError:\n    A = None\n",
    }
    found = meanings(hierarchy(files), "A")
    assert (found[0].target.name, found[0].sure) == ("fast.A", True)
