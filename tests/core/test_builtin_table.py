"""The table of classes written in C."""

from __future__ import annotations

import builtins

import pytest

from sondage.core.classes.builtin_table import (
    base_names,
    builtin_class,
    exported_class,
    in_table,
    is_builtin_function,
    is_c_module,
    member_names,
)
from sondage.core.classes.refs import ClassRef

OWN_NAMES = [
    name for name, value in vars(builtins).items() if isinstance(value, type) and value.__module__ == "builtins"
]


@pytest.mark.parametrize("name", ["object", "dict", "KeyError", "property", "type", "ExceptionGroup"])
def test_builtin_class_has_the_bases_it_has_here(name: str) -> None:
    ref = builtin_class(name)
    assert ref == ClassRef(name)
    assert in_table(ref)
    assert base_names(ref) == tuple(base.__name__ for base in getattr(builtins, name).__bases__)


def test_every_builtin_class_is_there() -> None:
    assert [name for name in OWN_NAMES if builtin_class(name) is None and name != "PythonFinalizationError"] == []


def test_members_are_named() -> None:
    assert {"get", "keys", "__getitem__"} <= member_names(ClassRef("dict"))
    assert "no_such" not in member_names(ClassRef("dict"))


def test_name_that_a_module_shows_leads_to_the_class_python_names() -> None:
    assert exported_class("collections", "deque") == ClassRef("collections.deque")
    assert exported_class("types", "FunctionType") == ClassRef("function")
    assert exported_class("socket", "no_such") is None


def test_modules_written_in_c_are_told_apart() -> None:
    assert is_c_module("_collections") and is_c_module("sys")
    assert not is_c_module("collections")
    assert not is_c_module("torch")


def test_functions_are_no_classes() -> None:
    assert is_builtin_function("len") and not is_builtin_function("dict")
    assert builtin_class("len") is None
    assert not in_table(ClassRef("dict", "app.py", 1))
