"""From paths to module names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from trees import facts_of

from sondage.core.classes.modules import Layout, infer_layout


def layout(files: Mapping[str, str], roots: tuple[str, ...] = (), root_name: str = "", **settings: str) -> Layout:
    facts = {path: facts_of(source) for path, source in files.items()}
    named = {name.replace("_", "."): text for name, text in settings.items()}
    return infer_layout(list(files), facts, named, roots, root_name)


def test_packages_and_modules_have_dotted_names() -> None:
    found = layout({"pkg/__init__.py": "", "pkg/inner/__init__.py": "", "pkg/inner/leaf.py": "", "top.py": ""})
    assert dict(found.modules) == {
        "pkg/__init__.py": "pkg",
        "pkg/inner/__init__.py": "pkg.inner",
        "pkg/inner/leaf.py": "pkg.inner.leaf",
        "top.py": "top",
    }
    assert found.is_package("pkg.inner") and not found.is_package("top")


def test_namespace_packages_need_no_init() -> None:
    found = layout({"lib_a/part/one.py": "from lib_a.part.two import X\n", "lib_a/part/two.py": "X = 1\n"})
    assert found.module_of("lib_a/part/two.py") == "lib_a.part.two"
    assert found.is_package("lib_a.part")


@pytest.mark.parametrize("above", ["", "python", "checkout/python", "a/b/c"])
def test_root_above_the_import_root_changes_no_name(above: str) -> None:
    inside = {
        "big/__init__.py": "from big.core.base import Base\n",
        "big/core/base.py": "class Base: pass\n",
        "big/core/models/one.py": "from big.core.base import Base\nfrom big.core.models.two import Two\n",
        "big/core/models/two.py": "",
    }
    found = layout({f"{above}/{path}" if above else path: source for path, source in inside.items()})
    names = [name for _, name in sorted(found.modules.items())]
    assert names == ["big", "big.core.base", "big.core.models.one", "big.core.models.two"]
    assert found.roots == (above,)


def test_root_inside_a_package_keeps_the_full_names() -> None:
    found = layout(
        {
            "base.py": "class Base: pass\n",
            "models/one.py": "from big.core.base import Base\nfrom big.core.models.two import Two\n",
            "models/two.py": "from big.core.base import Base\n",
        },
        root_name="core",
    )
    assert found.module_of("models/one.py") == "big.core.models.one"
    assert found.module_of("base.py") == "big.core.base"


def test_root_that_is_a_package_bears_its_own_name() -> None:
    found = layout({"__init__.py": "from .a import A\n", "a.py": "class A: pass\n"}, root_name="pkg")
    assert found.module_of("__init__.py") == "pkg"
    assert found.module_of("a.py") == "pkg.a"


def test_likeness_to_a_library_makes_no_root() -> None:
    found = layout(
        {
            "app/__init__.py": "",
            "app/models/transformers.py": "",
            "app/models/one.py": "from transformers import Base\nfrom app.models.two import Two\n",
            "app/models/two.py": "from transformers import Base\n",
        }
    )
    assert found.module_of("app/models/transformers.py") == "app.models.transformers"


def test_scripts_that_lie_together_start_where_they_lie() -> None:
    found = layout({"scripts/main.py": "import helper\n", "scripts/helper.py": "", "scripts/other.py": ""})
    assert found.module_of("scripts/main.py") == "main"
    assert found.module_of("scripts/other.py") == "other"


@pytest.mark.parametrize("folder", ["src", "python"])
def test_source_folder_is_no_part_of_the_name(folder: str) -> None:
    found = layout({f"{folder}/pkg/__init__.py": "", f"{folder}/pkg/a.py": "from .b import B\n", "tests/test_a.py": ""})
    assert found.module_of(f"{folder}/pkg/a.py") == "pkg.a"
    assert found.module_of("tests/test_a.py") == "tests.test_a"


def test_several_source_roots_at_once() -> None:
    found = layout(
        {
            "one/src/alpha/__init__.py": "",
            "one/src/alpha/a.py": "from beta.b import B\n",
            "two/src/beta/__init__.py": "",
            "two/src/beta/b.py": "from alpha.a import A\n",
        }
    )
    assert found.module_of("one/src/alpha/a.py") == "alpha.a"
    assert found.module_of("two/src/beta/b.py") == "beta.b"


def test_stated_roots_come_first() -> None:
    found = layout({"p1/spread/left.py": "", "p2/spread/right.py": ""}, ("p1", "./p2/"))
    assert found.module_of("p1/spread/left.py") == "spread.left"
    assert found.module_of("p2/spread/right.py") == "spread.right"


def test_package_under_another_name_is_read_from_the_settings() -> None:
    settings = '[tool.setuptools.package-dir]\nmyproj = "src"\n'
    found = layout({"src/__init__.py": "", "src/user.py": "from myproj.module import Var\n"}, pyproject_toml=settings)
    assert found.module_of("src/user.py") == "myproj.user"
    assert found.module_of("src/__init__.py") == "myproj"


def test_source_goes_before_stub_and_package_before_module() -> None:
    found = layout({"a.py": "", "a.pyi": "", "b.pyi": "", "c.py": "", "c/__init__.py": ""})
    assert found.path_of("a") == "a.py"
    assert dict(found.stubs) == {"a.py": "a.pyi"}
    assert found.path_of("b") == "b.pyi"
    assert found.path_of("c") == "c/__init__.py"


def test_nearest_of_several_modules_of_one_name_is_taken() -> None:
    found = layout({"one/src/same/a.py": "", "two/src/same/a.py": ""})
    assert found.path_of("same.a", near="two/src/same/b.py") == "two/src/same/a.py"
    assert found.path_of("same.none") is None


def test_name_of_a_standard_module_is_no_vote() -> None:
    found = layout({"pkg/__init__.py": "", "pkg/logging/handlers.py": "", "pkg/a.py": "import logging\n"})
    assert found.module_of("pkg/logging/handlers.py") == "pkg.logging.handlers"
