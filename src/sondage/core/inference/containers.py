"""Owns what is put into containers: `x.append(v)`, `x[k] = v` and their like, for containers that started out empty."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.classes.refs import ClassRef
from sondage.core.inference import library
from sondage.core.inference.values import SHOWN, Found, Frame, Inferring, Instance, Types, builtin, union
from sondage.core.inference.walking import trail
from sondage.core.late import late_pattern
from sondage.core.source import blocks, syntax
from sondage.core.source.names_in_text import places_of
from sondage.core.source.syntax import Expr

_ADDING = {"append": 0, "add": 0, "insert": 1, "appendleft": 0, "setdefault": 1, "put": 0, "put_nowait": 0, "push": 0}
LOOKED_AT = 12
"""Additions that are followed for one container."""
_GAP = rb"(?:[\s\\)]|#[^\n]*)*+"
_ADDS = late_pattern(_GAP + rb"\." + _GAP + rb"(?:%b)\b" % "|".join(_ADDING).encode())
_IS_INDEXED = late_pattern(_GAP + rb"\[")
_STARTS_TARGET = late_pattern(rb"(?m:^|[;:=(\\])[ \t\f]*+(?:[\w\x80-\xff]*+\s*+\.\s*+)?\Z")
"""What stands on a line before the name of a container that is indexed as the target of an assignment."""


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
    return union(infer.expression(value, frame) for value in _additions(frame, name)[:LOOKED_AT])


def _added_by_class(infer: Inferring, ref: ClassRef, name: str) -> Types:
    found: list[Types] = []
    for step in infer.code.hierarchy.linear(ref).order:
        frame = infer.scope_frame(step.path, step.scope) if step.path and step.scope >= 0 else None
        if frame is None:
            continue
        for value in _additions(frame, name)[:LOOKED_AT]:
            around = infer.frame_around(frame.file, trail(frame.file.around(value.at), value.at))
            found.append(infer.expression(value, around))
    return union(found)


def _additions(frame: Frame, name: str) -> list[Expr]:
    """The expressions put into a container (`.x` for `self.x`) below a frame, in order; what else stands there is not read."""
    key = ("additions", frame.scope, name)
    kept = frame.file.memo.get(key)
    if not isinstance(kept, list):
        found = (_added_at(trail(frame.file.around(at), at), name) for at in _places(frame, name.removeprefix(".")))
        kept = frame.file.memo[key] = [value for value in found if value is not None]
    return kept


def _places(frame: Frame, word: str) -> Iterator[int]:
    """Where the text shows that something may be put into what bears a name."""
    source, node, name = frame.file.text.utf8, frame.node, word.encode()
    at, end = (0, len(source)) if isinstance(node, blocks.Module) else (node.at, node.end)
    for place in places_of(source, name, at, end):
        line = source.rfind(b"\n", 0, place) + 1
        if _ADDS.match(source, place + len(name)) or (
            _IS_INDEXED.match(source, place + len(name)) and _STARTS_TARGET.search(source, line, place)
        ):
            yield place


def _added_at(way: list[object], name: str) -> Expr | None:
    """What is put into the container of a name at the end of a trail."""
    held = way[-1]
    if len(way) < 4 or not isinstance(held, syntax.Name | syntax.Attribute) or _container(held) != name:
        return None
    match way[-4:-1]:
        case [_, syntax.Call(func=func, args=args), syntax.Attribute(value=value, attr=attr) as method]:
            position = _ADDING.get(attr)
            if func is method and value is held and position is not None and len(args) > position:
                return args[position]
        case [blocks.Assign(targets=targets, unread=unread), tuple() as inside, syntax.Subscript(value=value)]:
            if inside is targets and value is held:
                return unread.content
    return None


def _container(node: Expr) -> str:
    if isinstance(node, syntax.Name):
        return node.id
    if isinstance(node, syntax.Attribute) and isinstance(node.value, syntax.Name):
        return f".{node.attr}"
    return ""
