"""Owns guesses by name, for receivers whose type nobody can tell: always `possible`, and said to be by name.

The better rule first: the receiver is called as a class is (`reporter` → `Reporter`); it is called as classes end
(`compiler` → `SQLCompiler`); or so few families of classes define the method that one of them must be meant. A family
is everything that overrides one first definition.
"""

from __future__ import annotations

from collections.abc import Iterable

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.inference import similar
from sondage.core.source import syntax

FAMILIES = 3
"""More families than this say nothing."""
COMMON_FAMILIES = 2
"""The same for names that built-in classes have as well."""
_CALLABLE = frozenset({"method", "classmethod", "staticmethod"})
_COMMON = frozenset(dir(str) + dir(list) + dir(dict) + dir(set) + dir(bytes) + ["close", "read", "write", "flush"])


def by_name(code: Codebase, receiver: syntax.Expr, name: str, path: str) -> tuple[tuple[Member, str], ...]:
    """Definitions of a method with the reason to think of them, best first."""
    if name.startswith("__") and name.endswith("__"):
        return ()
    called = similar.called(receiver)
    for classes in (similar.classes_called(code, called, path), similar.classes_ending(code, called, path)):
        found = _defining(code, classes, name)
        if 0 < len(found) <= COMMON_FAMILIES:
            return tuple((member, f"{member.owner.name} is called like the receiver") for member in found)
    families = _families(code, name, path)
    if not 0 < len(families) <= (COMMON_FAMILIES if name in _COMMON else FAMILIES):
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


def _defining(code: Codebase, classes: Iterable[ClassRef], name: str) -> list[Member]:
    """What these classes define under a name; of definitions that override each other only the first."""
    found: dict[tuple[str, int], Member] = {}
    for ref in classes:
        chain = [one for one in code.hierarchy.lookup(ref, name) if one.kind in _CALLABLE and one.scope >= 0]
        if chain:
            found.setdefault((chain[0].path, chain[0].line), chain[0])
    return [member for member in found.values() if not _overrides_one_of(code, member, found)]


def _overrides_one_of(code: Codebase, member: Member, found: dict[tuple[str, int], Member]) -> bool:
    behind = code.hierarchy.lookup(member.owner, member.name)[1:]
    return any((one.path, one.line) in found for one in behind)


def _families(code: Codebase, name: str, path: str) -> list[Member]:
    """The first definition of each family of classes with a method: those of the own package, if there are any."""
    roots: dict[tuple[str, int], Member] = {}
    package = code.package(path)
    for member in code.hierarchy.definers(name):
        if member.kind not in _CALLABLE or member.scope < 0:
            continue
        if similar.is_test(member.path) and not similar.is_test(path):
            continue
        chain = [one for one in code.hierarchy.lookup(member.owner, name) if one.kind in _CALLABLE and one.scope >= 0]
        root = chain[-1] if chain else member
        roots.setdefault((root.path, root.line), root)
    own = [root for root in roots.values() if code.package(root.path) == package]
    return own or [root for root in roots.values() if code.package(root.path) in code.related(path)]
