"""Owns parameters: what one can be, from its annotation, its default, the methods it overrides, its callers."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.classes.file_syntax import FileSyntax
from sondage.core.classes.refs import ClassRef, FunctionRef
from sondage.core.inference import generics, known_functions, similar
from sondage.core.inference.values import (
    SHOWN,
    TYPED,
    Bound,
    ClassObject,
    Found,
    Frame,
    Function,
    Inferring,
    Instance,
    Invocation,
    Types,
    builtin,
    graded,
    one,
    union,
)
from sondage.core.inference.walking import trail
from sondage.core.source import blocks, syntax

CALLERS_FILES = 10
"""Files that are looked into for calls of one function."""
CALLERS_SITES = 24


def of_function(infer: Inferring, name: str, frame: Frame) -> Types:
    """What a parameter of a `def` can be."""
    formal = frame.node.parameters if isinstance(frame.node, blocks.FunctionDef) else ()
    index = next((index for index, one in enumerate(formal) if one.name == name), -1)
    if index < 0:
        return ()
    parameter = formal[index]
    if frame.invocation is not None:
        given = _given(infer, parameter, frame)
        if given is not None:
            return graded(given, TYPED)
    if index == 0 and frame.receiver is not None:
        return _receiver(infer, parameter, frame)
    types = declared(infer, parameter, frame) or _inherited(infer, index, parameter, frame)
    if types:
        return types
    default = _default(infer, parameter, frame)
    return union((default, from_callers(infer, parameter, frame)))


def _receiver(infer: Inferring, parameter: syntax.Parameter, frame: Frame) -> Types:
    """`self` or `cls`. Annotated in a mixin, it is what the annotation says as well."""
    own = one(frame.receiver, f"{parameter.name} of {_holder(infer, frame)}") if frame.receiver else ()
    if parameter.annotation is None:
        return own
    stated = tuple(
        found
        for found in infer.annotation(parameter.annotation, frame.parent or frame)
        if isinstance(found.value, Instance | ClassObject) and found.value.class_.path
    )
    mine = frame.receiver.class_ if isinstance(frame.receiver, Instance | ClassObject) else None
    narrower = tuple(
        found
        for found in stated
        if isinstance(found.value, Instance | ClassObject)
        and (mine is None or mine not in infer.code.hierarchy.linear(found.value.class_).order or True)
    )
    return narrower or own


def _holder(infer: Inferring, frame: Frame) -> str:
    ref = infer.code.class_of(frame.path, frame.parent.scope) if frame.parent is not None else None
    return ref.name if ref is not None else frame.path


def _given(infer: Inferring, parameter: syntax.Parameter, frame: Frame) -> Types | None:
    """The argument of the call that is being followed; None where it gives none."""
    assert frame.invocation is not None
    assert isinstance(frame.node, blocks.FunctionDef)
    for formal, argument in known_functions.bound_arguments(frame.node.parameters, frame.invocation):
        if formal is parameter and argument is not None:
            return infer.expression(argument, frame.invocation.frame)
    return None


def declared(infer: Inferring, parameter: syntax.Parameter, frame: Frame) -> Types:
    """What the annotation says."""
    if parameter.annotation is None:
        return ()
    types = generics.bounded(infer.annotation(parameter.annotation, frame))
    why = f"parameter {parameter.name} is annotated at {frame.place(parameter.at)}"
    types = graded(types, TYPED, why)
    if parameter.kind == "var_positional":
        return one(Instance(ClassRef("tuple"), (types,)), grade=TYPED)
    return builtin("dict", builtin("str"), types) if parameter.kind == "var_keyword" else types


def _inherited(infer: Inferring, index: int, parameter: syntax.Parameter, frame: Frame) -> Types:
    """The annotation that the overridden method has for the parameter of this name."""
    if frame.parent is None or parameter.annotation is not None or not isinstance(frame.node, blocks.FunctionDef):
        return ()
    ref = infer.code.class_of(frame.path, frame.parent.scope)
    if ref is None:
        return ()
    for member in infer.code.hierarchy.lookup(ref, frame.node.name)[1:4]:
        if member.scope < 0 or member.kind not in {"method", "classmethod", "staticmethod"}:
            continue
        other = infer.scope_frame(member.path, member.scope)
        if other is None or not isinstance(other.node, blocks.FunctionDef):
            continue
        for position, theirs in enumerate(other.node.parameters):
            if theirs.name == parameter.name or (position == index and theirs.kind == parameter.kind == "positional"):
                types = declared(infer, theirs, other)
                if types:
                    return types
    return ()


def _default(infer: Inferring, parameter: syntax.Parameter, frame: Frame) -> Types:
    if parameter.kind in {"var_positional", "var_keyword"}:
        return builtin("tuple") if parameter.kind == "var_positional" else builtin("dict", builtin("str"))
    if parameter.default is None:
        return ()
    types = infer.expression(parameter.default, frame.parent or frame)
    return graded(types, SHOWN, f"default of {parameter.name} at {frame.place(parameter.at)}")


def of_lambda(infer: Inferring, node: syntax.Lambda, name: str, frame: Frame) -> Types:
    """What a parameter of a lambda can be: the argument of the call that is followed, or its default."""
    invocation = frame.invocation
    if invocation is not None and isinstance(frame.node, syntax.Lambda):
        for formal, argument in known_functions.bound_arguments(node.parameters, invocation):
            if formal.name == name and argument is not None:
                return infer.expression(argument, invocation.frame)
    for parameter in node.parameters:
        if parameter.name == name and parameter.default is not None:
            return infer.expression(parameter.default, frame.parent or frame)
    return ()


# ------------------------------------------------------------------ callers


def from_callers(infer: Inferring, parameter: syntax.Parameter, frame: Frame) -> Types:
    """What the calls in the tree give for a parameter, one level up."""
    if infer.wide <= 0 or not isinstance(frame.node, blocks.FunctionDef) or parameter.kind.startswith("var"):
        return ()
    key = ("callers", frame.path, frame.scope, parameter.name)
    return infer.once(key, _from_callers, infer, parameter, frame)


def _from_callers(infer: Inferring, parameter: syntax.Parameter, frame: Frame) -> Types:
    assert isinstance(frame.node, blocks.FunctionDef)
    ref = infer.code.function_of(frame.path, frame.scope)
    found: list[Types] = []
    infer.wide -= 1
    try:
        for invocation in calls_of(infer, ref, frame):
            for formal, argument in known_functions.bound_arguments(frame.node.parameters, invocation):
                if formal is parameter and argument is not None:
                    types = infer.expression(argument, invocation.frame)
                    why = f"{parameter.name} is given at {invocation.frame.place(argument.at)}"
                    found.append(graded(types, SHOWN, why))
    finally:
        infer.wide += 1
    return union(found)


def calls_of(infer: Inferring, ref: FunctionRef, frame: Frame) -> Iterator[Invocation]:
    """Calls in the tree that may reach a function, the nearest files first."""
    assert isinstance(frame.node, blocks.FunctionDef)
    owner = infer.code.class_of(frame.path, frame.parent.scope) if frame.parent is not None else None
    name = frame.node.name
    word = name
    if owner is not None and name in {"__init__", "__new__"}:
        word = owner.name.rpartition(".")[2]
    elif name == "__call__":
        return
    sites = 0
    for path in nearest(infer, word, frame.path)[:CALLERS_FILES]:
        file = infer.code.syntax_of(path)
        for call, around in sites_in(infer, file, word) if file is not None else ():
            bound = _reaches(infer, call, around, ref, owner)
            if bound is not None:
                yield Invocation(call, around, bound)
            sites += 1
            if sites >= CALLERS_SITES:
                return


def nearest(infer: Inferring, word: str, path: str) -> list[str]:
    """The files that hold a word, ordered by how much of their folder they share with `path`."""
    folders = path.split("/")[:-1]

    def far(other: str) -> tuple[bool, bool, int, int, str]:
        theirs = other.split("/")[:-1]
        shared = next(
            (i for i, (a, b) in enumerate(zip(folders, theirs, strict=False)) if a != b), min(len(folders), len(theirs))
        )
        return other != path, similar.is_test(other), -shared, len(theirs), other

    return sorted(infer.code.paths_with_word(word), key=far)


def sites_in(infer: Inferring, file: FileSyntax, word: str) -> Iterator[tuple[syntax.Call, Frame]]:
    """The calls of a name in a file, each with its frame."""
    for at in file.called(word):
        way = trail(file.around(at), at)
        call = _call_of(way, at)
        if call is not None:
            yield call, infer.frame_around(file, way)


def _call_of(way: list[object], at: int) -> syntax.Call | None:
    """The call whose called name stands at the end of a trail."""
    node = way[-1]
    if len(way) < 2 or not isinstance(node, syntax.Name | syntax.Attribute):
        return None
    if isinstance(node, syntax.Attribute) and node.attr_at != at:
        return None
    call = way[-2]
    return call if isinstance(call, syntax.Call) and call.func is node else None


def _reaches(
    infer: Inferring, call: syntax.Call, frame: Frame, ref: FunctionRef, owner: ClassRef | None
) -> bool | None:
    """Whether a call can reach the function, and then whether its first parameter is bound; None where it cannot."""
    callee = infer.expression(call.func, frame)
    for found in callee:
        value = found.value
        if isinstance(value, Function) and value.ref == ref:
            return False
        if isinstance(value, Bound) and (value.ref == ref or _overrides(infer, value, ref, owner)):
            return True
        if isinstance(value, ClassObject) and owner is not None:
            order = infer.code.hierarchy.linear(value.class_).order
            if owner in order:
                return True
    if callee or not isinstance(call.func, syntax.Attribute) or owner is None:
        return None
    families = {member.owner.name for member in infer.code.hierarchy.definers(call.func.attr)}
    return True if len(families) <= 2 else None


def _overrides(infer: Inferring, value: Bound, ref: FunctionRef, owner: ClassRef | None) -> bool:
    """True where the called method's class is an ancestor or a descendant of the function's class."""
    if owner is None or value.ref.name.rpartition(".")[2] != ref.name.rpartition(".")[2]:
        return False
    theirs = value.member.owner if value.member is not None else None
    if theirs is None:
        return False
    hierarchy = infer.code.hierarchy
    return theirs in hierarchy.linear(owner).order or owner in hierarchy.linear(theirs).order


__all__ = ["Found", "calls_of", "declared", "from_callers", "nearest", "of_function", "of_lambda", "sites_in"]
