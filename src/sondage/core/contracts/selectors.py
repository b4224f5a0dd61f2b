"""Owns selectors: how a set of candidate classes is written, and which classes it means.

`registered:NAME` are the classes that modules assign to a variable of that name (a list, tuple, dict or a single one);
`subclasses:CLASS` all that inherit from it, itself left out; `glob:PATTERN` those whose full or bare name, or whose
path where the pattern has a `/`, matches; `all` every class of the root.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator

from sondage.core.answers.certainty import Candidates
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef
from sondage.core.contracts.objects import short
from sondage.core.source import syntax
from sondage.core.source.facts import MODULE, Assigned
from sondage.core.source.syntax import Expr
from sondage.errors import UsageError


def select(code: Codebase, selector: str) -> tuple[ClassRef, ...] | Candidates:
    """The classes of a selector, in order of path and line. Raises `UsageError` where it is no selector."""
    kind, _, rest = selector.partition(":")
    if selector == "all":
        return tuple(code.hierarchy.classes())
    if kind == "registered" and rest:
        return tuple(dict.fromkeys(_registered(code, rest)))
    if kind == "glob" and rest:
        return tuple(ref for ref in code.hierarchy.classes() if _matches(ref, rest))
    if kind == "subclasses" and rest:
        found = code.hierarchy.find_base(rest)
        if isinstance(found, Candidates):
            return found
        return tuple(
            sorted((ref for ref, _ in code.hierarchy.subclass_refs(found)), key=lambda ref: (ref.path, ref.scope))
        )
    raise UsageError("not a selector", selector, "registered:NAME, subclasses:CLASS, glob:PATTERN or all")


def _matches(ref: ClassRef, pattern: str) -> bool:
    if "/" in pattern:
        return fnmatch.fnmatchcase(ref.path, pattern)
    return fnmatch.fnmatchcase(ref.name, pattern) or fnmatch.fnmatchcase(short(ref), pattern)


def _registered(code: Codebase, name: str) -> Iterator[ClassRef]:
    files = code.hierarchy.files()
    for path in sorted(code.paths_with_word(name)):
        facts = files.get(path)
        for assigned in facts.assignments if facts is not None else ():
            if assigned.scope == MODULE and assigned.name == name and assigned.value is not None:
                yield from _classes(code, path, assigned)


def _classes(code: Codebase, path: str, assigned: Assigned) -> Iterator[ClassRef]:
    assert assigned.value is not None
    for expression in _entries(assigned.value.expression):
        for meaning in _meanings(code, path, expression):
            if isinstance(meaning, ClassRef) and meaning.path:
                yield meaning
                break


def _meanings(code: Codebase, path: str, expression: Expr) -> Iterator[object]:
    if isinstance(expression, syntax.Name):
        for meaning in code.hierarchy.names(path, MODULE, expression.id):
            yield meaning.target
    elif isinstance(expression, syntax.Attribute) and isinstance(expression.value, syntax.Name):
        for meaning in code.hierarchy.names(path, MODULE, expression.value.id):
            inner = code.hierarchy.attribute_of_module(meaning.target.name, expression.attr)
            yield from (one.target for one in inner)


def _entries(expression: Expr) -> Iterator[Expr]:
    """The expressions that a registry holds: elements of displays, values of dicts, both sides of `+`."""
    match expression:
        case syntax.Sequence(elements=elements):
            for element in elements:
                yield from _entries(element)
        case syntax.Dict(values=values):
            for value in values:
                yield from _entries(value)
        case syntax.BinOp(left=left, right=right):
            yield from _entries(left)
            yield from _entries(right)
        case syntax.Name() | syntax.Attribute():
            yield expression
