"""Owns names that sound alike: the classes that a variable, an attribute or a getter is called after."""

from __future__ import annotations

import re
from typing import cast

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef
from sondage.core.late import late_pattern
from sondage.core.source import syntax

_WORD = late_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_GETTER = late_pattern(r"\A(?:get|make|create|build|current|new|copy|clone)_")


def words(name: str) -> tuple[str, ...]:
    """`_HTTPReporter`, `http_reporter` → `("http", "reporter")`."""
    return tuple(word.lower() for word in _WORD.findall(name))


def called(receiver: syntax.Expr) -> str:
    """What a receiver is called: the last name of it; of a list its singular, of a getter what it gets."""
    match receiver:
        case syntax.Name(id=name) | syntax.Attribute(attr=name):
            return name
        case syntax.Subscript(value=value):
            return re.sub(r"s\Z", "", called(value))
        case syntax.Call(func=func):
            return _GETTER.sub("", called(func).lstrip("_"))
        case syntax.Await(value=value):
            return called(value)
    return ""


def classes_called(code: Codebase, name: str, path: str) -> list[ClassRef]:
    """The classes of the same name as a variable, those of its own package first, else of imported ones."""
    wanted = words(name)
    if sum(len(word) for word in wanted) < 4:
        return []
    found = [ref for ref in by_last_word(code).get(wanted[-1], ()) if "".join(words(_last(ref))) == "".join(wanted)]
    return _nearest(code, found, path)


def classes_ending(code: Codebase, name: str, path: str) -> list[ClassRef]:
    """The classes whose name ends with the words of a variable's (`compiler` → `SQLCompiler`)."""
    wanted = words(name)
    if sum(len(word) for word in wanted) < 4:
        return []
    found = [ref for ref in by_last_word(code).get(wanted[-1], ()) if words(_last(ref))[-len(wanted) :] == wanted]
    return _nearest(code, found, path)


def _last(ref: ClassRef) -> str:
    return ref.name.rpartition(".")[2]


def _nearest(code: Codebase, found: list[ClassRef], path: str) -> list[ClassRef]:
    own = [ref for ref in found if code.package(ref.path) == code.package(path)]
    return own or [ref for ref in found if code.package(ref.path) in code.related(path)]


def by_last_word(code: Codebase) -> dict[str, list[ClassRef]]:
    """The classes of the tree by the last word of their name; those in test folders left out."""
    kept = code.memo.get("class words")
    if kept is None:
        table: dict[str, list[ClassRef]] = {}
        for ref in code.hierarchy.classes():
            parts = words(_last(ref))
            if parts and not is_test(ref.path):
                table.setdefault(parts[-1], []).append(ref)
        kept = code.memo["class words"] = table
    return cast("dict[str, list[ClassRef]]", kept)


def is_test(path: str) -> bool:
    """True for files that lie in a folder of tests."""
    return any(folder in {"test", "tests", "testing"} for folder in path.split("/")[:-1])
