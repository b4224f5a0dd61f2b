"""Owns what is put into containers: `x.append(v)`, `x[k] = v` and their like, for containers that started out empty."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.classes.refs import ClassRef
from sondage.core.inference import library
from sondage.core.inference.flow import trail, walk
from sondage.core.inference.values import SHOWN, Found, Frame, Inferring, Instance, Types, builtin, union
from sondage.core.source import blocks, syntax
from sondage.core.source.syntax import Expr

_ADDING = {"append": 0, "add": 0, "insert": 1, "appendleft": 0, "setdefault": 1, "put": 0, "put_nowait": 0, "push": 0}
LOOKED_AT = 12
"""Additions that are followed for one container."""


def is_empty(types: Types) -> bool:
    """True where nothing is known but containers of unknown content."""
    return bool(types) and all(
        isinstance(found.value, Instance)
        and found.value.class_.name in library.CONTAINERS.values()
        and not any(found.value.args)
        for found in types
    )


def filled_local(infer: Inferring, types: Types, name: str, frame: Frame) -> Types:
    """A container of a function with what the function puts into it."""
    if not is_empty(types):
        return types
    added = infer.once((frame.key, "filled", name), _added, infer, name, frame)
    return _with(types, added)


def filled_attribute(infer: Inferring, types: Types, ref: ClassRef, name: str) -> Types:
    """A container held by an attribute with what the methods of the class put into it."""
    if not is_empty(types):
        return types
    added = infer.once(("filled", ref, name), _added_by_class, infer, ref, f".{name}")
    return _with(types, added)


def _with(types: Types, added: Types) -> Types:
    if not added:
        return types
    found: list[Types] = []
    for one in types:
        held = one.value
        assert isinstance(held, Instance)
        args = (builtin("str"), added) if held.class_.name in library.MAPPINGS else (added,)
        found.append((Found(Instance(held.class_, args), one.why, max(one.grade, SHOWN)),))
    return union(found)


def _added(infer: Inferring, name: str, frame: Frame) -> Types:
    table = _additions(infer, frame)
    return union(infer.expression(value, frame) for value in table.get(name, ())[:LOOKED_AT])


def _added_by_class(infer: Inferring, ref: ClassRef, name: str) -> Types:
    found: list[Types] = []
    for step in infer.code.hierarchy.linear(ref).order:
        frame = infer.scope_frame(step.path, step.scope) if step.path and step.scope >= 0 else None
        if frame is None:
            continue
        for value in _additions(infer, frame).get(name, ())[:LOOKED_AT]:
            around = infer.frame_around(frame.file, trail(frame.file.around(value.at), value.at))
            found.append(infer.expression(value, around))
    return union(found)


def _additions(infer: Inferring, frame: Frame) -> dict[str, list[Expr]]:
    """The expressions put into containers below a frame, by the container's name (`.x` for `self.x`)."""
    key = f"additions {frame.path} {frame.scope}"
    kept = infer.code.memo.get(key)
    if not isinstance(kept, dict):
        table: dict[str, list[Expr]] = {}
        for name, value in _all_additions(frame.node):
            table.setdefault(name, []).append(value)
        kept = infer.code.memo[key] = table
    return kept


def _all_additions(root: object) -> Iterator[tuple[str, Expr]]:
    for node in walk(root):
        if isinstance(node, syntax.Call) and isinstance(node.func, syntax.Attribute):
            position = _ADDING.get(node.func.attr)
            if position is not None and len(node.args) > position:
                yield _container(node.func.value), node.args[position]
        elif isinstance(node, blocks.Assign):
            for target in node.targets:
                if isinstance(target, syntax.Subscript):
                    yield _container(target.value), node.value


def _container(node: Expr) -> str:
    if isinstance(node, syntax.Name):
        return node.id
    if isinstance(node, syntax.Attribute) and isinstance(node.value, syntax.Name):
        return f".{node.attr}"
    return ""
