"""Owns the judging of conditions: whether a branch is taken at run time, as far as the source alone can tell.

What is assumed: CPython on Linux, of the version given. Everything else stays unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sondage.core.source import syntax
from sondage.core.source.facts import Guard
from sondage.core.source.syntax import Expr
from sondage.core.source.written import read

DEFAULT_PYTHON = (3, 12)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.eq,
    "is not": operator.ne,
}
_BY_CONVENTION: Mapping[str, bool] = {
    "TYPE_CHECKING": False,
    "MYPY": False,
    "PY2": False,
    "PY3": True,
    "IS_PY2": False,
    "IS_PY3": True,
    "PYPY": False,
    "IS_PYPY": False,
    "__debug__": True,
}
"""Names that mean the same wherever they are used."""

_OTHER_PLATFORMS = frozenset(
    {"win32", "nt", "Windows", "cygwin", "darwin", "Darwin", "java", "Java", "emscripten", "wasi"}
)
"""What no variable is equal to on Linux, whatever it is called."""


def is_taken(guards: Sequence[Guard], index: int, python: tuple[int, ...] = DEFAULT_PYTHON) -> bool | None:
    """Whether the branch `index` (and all around it) runs: True, False, or None where that cannot be known.

    The body of `try` counts as unknown: it may stop before the statement asked about.
    """
    known: bool | None = True
    while index >= 0:
        guard = guards[index]
        taken = _one(guard, python)
        if taken is False:
            return False
        if taken is None:
            known = None
        index = guard.parent
    return known


def is_for_typing(guards: Sequence[Guard], index: int) -> bool:
    """Whether the branch hangs on `TYPE_CHECKING`: seen by type checkers only."""
    while index >= 0:
        guard = guards[index]
        if "TYPE_CHECKING" in guard.test and judged(guard.test) is False:
            return True
        if any("TYPE_CHECKING" in test and judged(test) is True for test in guard.failed):
            return True
        index = guard.parent
    return False


def conditions(guards: Sequence[Guard], index: int) -> tuple[str, ...]:
    """The conditions of a branch in words, outermost first."""
    found: list[str] = []
    while index >= 0:
        guard = guards[index]
        if guard.kind in ("if", "elif"):
            found.append(f"if {guard.test}")
        elif guard.kind == "else":
            found.append("not " + " and not ".join(f"({test})" for test in guard.failed))
        elif guard.kind == "except":
            found.append(f"except {guard.test}".rstrip())
        elif guard.kind == "case":
            found.append(f"case {guard.test}")
        elif guard.kind in ("try", "try_else"):
            found.append("try")
        index = guard.parent
    return tuple(reversed(found))


def _one(guard: Guard, python: tuple[int, ...]) -> bool | None:
    if guard.kind in ("loop", "with", "finally", "loop_else"):
        return True
    if guard.kind not in ("if", "elif", "else"):
        return None
    before = [judged(test, python) for test in guard.failed]
    if True in before:
        return False
    own = judged(guard.test, python) if guard.kind != "else" else True
    return own if own is False or None not in before else None


@lru_cache(maxsize=4096)
def judged(test: str, python: tuple[int, ...] = DEFAULT_PYTHON) -> bool | None:
    """The truth of a condition as written, or None."""
    value = _value(read(test, 1), python)
    return None if value is _UNKNOWN else bool(value)


_UNKNOWN = object()


def _value(test: Expr, python: tuple[int, ...]) -> Any:
    match test:
        case syntax.Constant(kind="bool" | "None"):
            return test.value == "True"
        case syntax.Constant(kind="int"):
            return int(test.value) if test.value.isdigit() else _UNKNOWN
        case syntax.Text():
            return test.value
        case syntax.Sequence(kind="tuple"):
            values = tuple(_value(one, python) for one in test.elements)
            return _UNKNOWN if any(value is _UNKNOWN for value in values) else values
        case syntax.Name():
            return _BY_CONVENTION.get(test.id, _UNKNOWN)
        case syntax.Attribute():
            return _attribute(test, python)
        case syntax.Subscript():
            return _subscript(test, python)
        case syntax.UnaryOp(op="not"):
            value = _value(test.operand, python)
            return value if value is _UNKNOWN else not value
        case syntax.BoolOp():
            return _bool_op(test, python)
        case syntax.Compare():
            return _compare(test, python)
        case syntax.Call(func=syntax.Attribute(attr="startswith")):
            return _starts_with(test, python)
    return _UNKNOWN


def _attribute(test: syntax.Attribute, python: tuple[int, ...]) -> Any:
    if not isinstance(test.value, syntax.Name):
        inner = test.value
        if isinstance(inner, syntax.Attribute) and inner.attr == "version_info" and test.attr in ("major", "minor"):
            return python[0] if test.attr == "major" else python[1]
        if isinstance(inner, syntax.Attribute) and inner.attr == "implementation" and test.attr == "name":
            return "cpython"
        return _UNKNOWN
    owner, name = test.value.id, test.attr
    if owner.endswith("sys"):
        return {"version_info": python, "platform": "linux", "byteorder": "little"}.get(name, _UNKNOWN)
    if owner.endswith("os") and name == "name":
        return "posix"
    return _BY_CONVENTION.get(name, _UNKNOWN)


def _subscript(test: syntax.Subscript, python: tuple[int, ...]) -> Any:
    whole = _value(test.value, python)
    if whole is not python:
        return _UNKNOWN
    if isinstance(test.index, syntax.Constant) and test.index.value.isdigit():
        place = int(test.index.value)
        return python[place] if place < len(python) else _UNKNOWN
    if isinstance(test.index, syntax.Slice) and len(test.index.parts) == 1:
        last = _value(test.index.parts[0], python)
        return python[:last] if isinstance(last, int) else _UNKNOWN
    return _UNKNOWN


def _bool_op(test: syntax.BoolOp, python: tuple[int, ...]) -> Any:
    values = [_value(one, python) for one in test.values]
    known = [bool(value) for value in values if value is not _UNKNOWN]
    decisive = test.op == "or"
    if decisive in known:
        return decisive
    return _UNKNOWN if len(known) < len(values) else not decisive


def _compare(test: syntax.Compare, python: tuple[int, ...]) -> Any:
    left, right = _value(test.left, python), _value(test.comparators[0], python)
    if left is _UNKNOWN and isinstance(right, str) and right in _OTHER_PLATFORMS and test.ops[0] in ("==", "!="):
        return test.ops[0] == "!="
    compare = _COMPARE.get(test.ops[0])
    if left is _UNKNOWN or right is _UNKNOWN or compare is None or len(test.ops) > 1:
        return _UNKNOWN
    try:
        return compare(left, right)
    except TypeError:
        return _UNKNOWN


def _starts_with(test: syntax.Call, python: tuple[int, ...]) -> Any:
    assert isinstance(test.func, syntax.Attribute)
    whole = _value(test.func.value, python)
    start = _value(test.args[0], python) if test.args else _UNKNOWN
    return whole.startswith(start) if isinstance(whole, str) and isinstance(start, str | tuple) else _UNKNOWN
