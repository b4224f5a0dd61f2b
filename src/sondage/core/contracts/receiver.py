"""Owns how consumers and receivers are written: `PATH`, `PATH:Class.method`; `self.a.b`, `Class.attribute`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.contracts.objects import short
from sondage.core.contracts.things import ELEMENT, Slot, words
from sondage.core.source import syntax, written
from sondage.core.source.syntax import Attribute, Call, Expr, Name
from sondage.errors import UsageError


class Path(NamedTuple):
    """A receiver that is reached from `root`: `self`, or a parameter of the consumer's functions."""

    root: str
    steps: tuple[str, ...]


def read_receiver(code: Codebase, text: str) -> Path | Slot:
    """What a receiver as written means. Raises `UsageError` where it is no path and no class has such a slot."""
    expression = written.read(text.strip(), 0)
    steps = tuple(_steps(expression, text))
    root, rest = steps[0], steps[1:]
    if root in ("self", "cls") or not rest:
        return Path(root, rest)
    if ELEMENT not in steps:
        owner = code.hierarchy.find_class(".".join(steps[:-1]))
        if isinstance(owner, ClassRef):
            return Slot(owner, steps[-1], words(short(owner)))
        if owner.reason == "ambiguous":
            names = ", ".join(owner.names[:4])
            raise UsageError(f"{'.'.join(steps[:-1])} is several classes", text, f"give the full name: {names}")
    return Path(root, rest)


def _steps(expression: Expr, text: str) -> Iterator[str]:
    match expression:
        case Name(id=name):
            yield name
        case Attribute(value=value, attr=attr):
            yield from _steps(value, text)
            yield attr
        case syntax.Subscript(value=value):
            yield from _steps(value, text)
            yield ELEMENT
        case Call(func=Attribute() as function):
            yield from _steps(function, text)
            yield "()"
        case _:
            raise UsageError("not a receiver", text, "write it as self.a.b, or as Class.attribute")


class Consumer(NamedTuple):
    """What a contract is derived from: one `function`, a `class_`, or everything in `paths`."""

    spec: str
    paths: tuple[str, ...]
    class_: ClassRef | None = None
    function: FunctionRef | None = None


def read_consumer(code: Codebase, spec: str) -> Consumer:
    """A consumer as written: a file, a folder, `PATH:Class`, `PATH:Class.method`, `PATH:function`, or a class by name."""
    path, _, name = spec.rpartition(":")
    if not path:
        path, name = spec, ""
    inside = _paths(code, path)
    if not inside and not name:
        owner = code.hierarchy.find_class(spec)
        if isinstance(owner, ClassRef):
            return Consumer(spec, (owner.path,), owner)
    if not inside:
        raise UsageError("no such file, folder or class", spec, "give it relative to the root, as PATH or PATH:Class")
    if not name:
        return Consumer(spec, inside)
    return _named(code, spec, inside, name)


def _paths(code: Codebase, path: str) -> tuple[str, ...]:
    clean = path.rstrip("/").removeprefix("./")
    files = code.hierarchy.files()
    if clean in files:
        return (clean,)
    if clean in ("", "."):
        return tuple(files)
    return tuple(one for one in files if one.startswith(f"{clean}/"))


def _named(code: Codebase, spec: str, inside: tuple[str, ...], name: str) -> Consumer:
    for path in inside:
        for index, scope in enumerate(code.hierarchy.files()[path].scopes):
            if index and scope.qualname == name:
                owner = code.class_of(path, index)
                if owner is not None:
                    return Consumer(spec, (path,), owner)
                function = code.function_of(path, index)
                return Consumer(spec, (path,), code.hierarchy.class_of_function(path, index), function)
    inherited = _inherited(code, inside, name)
    if inherited is not None:
        return Consumer(spec, inside, inherited[0], inherited[1])
    raise UsageError(f"{name} is not defined there", spec, "look at the classes of the file with `symbols`")


def _inherited(code: Codebase, inside: tuple[str, ...], name: str) -> tuple[ClassRef, FunctionRef] | None:
    """`Class.method` where the method stands on a base of the class."""
    owner_name, _, method = name.rpartition(".")
    for path in inside:
        for index, scope in enumerate(code.hierarchy.files()[path].scopes):
            owner = code.class_of(path, index) if index and scope.qualname == owner_name else None
            for member in code.hierarchy.lookup(owner, method) if owner is not None else ():
                if owner is not None and member.scope >= 0:
                    return owner, code.function_of(member.path, member.scope)
    return None
