"""Owns the reading of `builtin_classes`: classes written in C by name, their bases and members, and what modules show."""

from __future__ import annotations

from functools import lru_cache

from sondage.core.classes.builtin_classes import C_MODULES, CLASSES, EXPORTS, FUNCTIONS, PYTHON
from sondage.core.classes.refs import ClassRef

OBJECT = ClassRef("object")
NOTE = f"built in, as CPython {PYTHON} has it"
_FUNCTIONS = frozenset(FUNCTIONS)


@lru_cache(maxsize=512)
def exports(module: str) -> dict[str, str]:
    """The names of a standard module that stand for classes written in C → their full names."""
    found = {}
    for entry in EXPORTS.get(module, "").split():
        name, _, full = entry.partition("=")
        found[name] = full or name
    return found


def exported_class(module: str, name: str) -> ClassRef | None:
    full = exports(module).get(name)
    return ClassRef(full) if full else None


def is_c_module(module: str) -> bool:
    return module in C_MODULES


def builtin_class(name: str) -> ClassRef | None:
    return exported_class("builtins", name)


def is_builtin_function(name: str) -> bool:
    return name in _FUNCTIONS


def in_table(ref: ClassRef) -> bool:
    return not ref.path and ref.name in CLASSES


def base_names(ref: ClassRef) -> tuple[str, ...]:
    return tuple(CLASSES[ref.name][0].split())


@lru_cache(maxsize=1024)
def member_names(ref: ClassRef) -> frozenset[str]:
    return frozenset(CLASSES[ref.name][1].split())
