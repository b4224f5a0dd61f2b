"""Owns guesses by name, for receivers whose type nobody can tell: always `possible`, and said to be by name.

Two rules, the better first: the receiver is called as a class is (`reporter` → `Reporter`); or so few families of
classes define the method that one of them must be meant. A family is everything that overrides one first definition.
"""

from __future__ import annotations

import re

from sondage.core import syntax
from sondage.core.codebase import Codebase
from sondage.core.refs import ClassRef, Member

FAMILIES = 3
"""More families than this say nothing."""
_CALLABLE = frozenset({"method", "classmethod", "staticmethod"})
_TOO_COMMON = frozenset(dir(str) + dir(list) + dir(dict) + dir(set) + dir(bytes) + ["close", "read", "write", "flush"])


def by_name(code: Codebase, receiver: syntax.Expr, name: str, path: str) -> tuple[tuple[Member, str], ...]:
    """Definitions of a method with the reason to think of them, best first."""
    similar = [
        (member, f"{member.owner.name} is called like the receiver") for member in _similar(code, receiver, name, path)
    ]
    if similar:
        return tuple(similar)
    if name in _TOO_COMMON or (name.startswith("__") and name.endswith("__")):
        return ()
    families = _families(code, name, path)
    if not 0 < len(families) <= FAMILIES:
        return ()
    ranked = sorted(families, key=lambda member: -_shared(member.path, path))
    return tuple((member, f"only {len(families)} families of classes define {name}") for member in ranked)


def _shared(path: str, other: str) -> int:
    """How many folders two paths share."""
    count = 0
    for mine, theirs in zip(path.split("/"), other.split("/"), strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _families(code: Codebase, name: str, path: str) -> list[Member]:
    """The first definition of each family of classes that define a method: those of the own package, if there are any."""
    roots: dict[tuple[str, int], Member] = {}
    package = code.package(path)
    for member in code.hierarchy.definers(name):
        if member.kind not in _CALLABLE or member.scope < 0 or (is_test(member.path) and not is_test(path)):
            continue
        chain = [one for one in code.hierarchy.lookup(member.owner, name) if one.kind in _CALLABLE and one.scope >= 0]
        root = chain[-1] if chain else member
        roots.setdefault((root.path, root.line), root)
    own = [root for root in roots.values() if code.package(root.path) == package]
    return own or list(roots.values())


def is_test(path: str) -> bool:
    """True for files that lie in a folder of tests."""
    return any(folder in {"test", "tests", "testing"} for folder in path.split("/")[:-1])


# ------------------------------------------------------------------ similar names


def words(text: str) -> str:
    """A name without its marks: `_HTTPReporter` and `http_reporter` become the same."""
    return text.replace("_", "").lower()


def _called(receiver: syntax.Expr) -> str:
    """What the receiver is called: the last name of it, of a list its singular."""
    match receiver:
        case syntax.Name(id=name):
            return name
        case syntax.Attribute(attr=name):
            return name
        case syntax.Subscript(value=value):
            return re.sub(r"s\Z", "", _called(value))
        case syntax.Call(func=func):
            return re.sub(r"\A(?:get|make|create|build|current|new)_", "", _called(func))
    return ""


def _similar(code: Codebase, receiver: syntax.Expr, name: str, path: str) -> list[Member]:
    called = words(_called(receiver))
    if len(called) < 4:
        return []
    exact: dict[tuple[str, int], Member] = {}
    for ref in _classes_called(code, called):
        found = [one for one in code.hierarchy.lookup(ref, name) if one.kind in _CALLABLE and one.scope >= 0]
        if found:
            exact.setdefault((found[0].path, found[0].line), found[0])
    ranked = sorted(exact.values(), key=lambda member: -_shared(member.path, path))
    best = [member for member in ranked if _shared(member.path, path) == _shared(ranked[0].path, path)]
    return best if len(best) <= 2 else []


def _classes_called(code: Codebase, called: str) -> list[ClassRef]:
    table = code.memo.get("class names")
    if not isinstance(table, dict):
        names: dict[str, list[ClassRef]] = {}
        for ref in code.hierarchy.classes():
            names.setdefault(words(ref.name.rpartition(".")[2]), []).append(ref)
        table = code.memo["class names"] = names
    found: list[ClassRef] = table.get(called, [])
    return found
