"""Owns what the common functions of the standard library give back: elements, copies, wrappers, `super`, `getattr`.

`result` answers None for a function that is not known here; then its own source decides, if it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sondage.core.classes.refs import ClassRef
from sondage.core.inference import library
from sondage.core.inference.values import (
    TYPED,
    AnyValue,
    Bound,
    Builtin,
    ClassObject,
    Closure,
    Found,
    Frame,
    Function,
    Inferring,
    Instance,
    Invocation,
    Literal,
    Super,
    TypeForm,
    Types,
    TypeVariable,
    builtin,
    graded,
    one,
    union,
)
from sondage.core.source import syntax
from sondage.core.source.syntax import Expr

Handler: TypeAlias = Callable[[Inferring, syntax.Call, Frame], Types]


def result(infer: Inferring, name: str, callee: AnyValue, call: syntax.Call, frame: Frame) -> Types | None:
    """What calling the function of this full name gives; None where it is not known."""
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(infer, call, frame)
    module, _, last = name.rpartition(".")
    if last in library.CONTAINERS and isinstance(callee, ClassObject | Builtin) and library.typing_name(callee) == last:
        if last in {"defaultdict", "DefaultDict"}:
            made = infer.result(argument(infer, call, 0, frame), None, None)
            return builtin("dict", (), made)
        return _copied(infer, library.CONTAINERS[last], call, frame)
    if isinstance(callee, Builtin) and last == "__new__":
        return _new(infer, call, frame)
    if isinstance(callee, Builtin) and isinstance(callee.receiver, Instance):
        return _method(infer, last, callee.receiver, call, frame)
    if isinstance(callee, Builtin) and not module and name in library.BUILTIN_CLASSES:
        return builtin(name)
    return None


def argument(infer: Inferring, call: syntax.Call, index: int, frame: Frame, keyword: str = "") -> Types:
    """What a positional argument can be, or the keyword argument of a name."""
    if index < len(call.args):
        return infer.expression(call.args[index], frame)
    for given in call.keywords:
        if given.name == keyword and keyword:
            return infer.expression(given.value, frame)
    return ()


def bound_arguments(
    formal: tuple[syntax.Parameter, ...], invocation: Invocation
) -> Iterator[tuple[syntax.Parameter, Expr | None]]:
    """Each parameter with the argument that a call gives to it, None where it gives none (language reference 6.3.4)."""
    call = invocation.call
    named = {keyword.name: keyword.value for keyword in call.keywords if keyword.name is not None}
    positional = [parameter for parameter in formal if parameter.kind in {"positional", "normal"}]
    given: list[Expr | None] = [None, *call.args] if invocation.bound else list(call.args)
    for index, value in enumerate(given):
        if isinstance(value, syntax.Starred):
            given = given[:index]
            break
    for index, parameter in enumerate(positional):
        if index < len(given):
            yield parameter, given[index]
        else:
            yield parameter, named.get(parameter.name)
    for parameter in formal:
        if parameter.kind == "keyword":
            yield parameter, named.get(parameter.name)


# ------------------------------------------------------------------ methods of built-in classes


def _method(infer: Inferring, name: str, receiver: Instance, call: syntax.Call, frame: Frame) -> Types | None:
    kind = receiver.class_.name
    if kind == "str":
        if library.is_text_method(name):
            return builtin("str")
        return builtin("list", builtin("str")) if name in library.TEXT_LISTS else ()
    if kind == "weakref":
        return union(receiver.args)
    if kind in library.MAPPINGS:
        return _mapping_method(infer, name, receiver, call, frame)
    if name in {"copy", "__iter__", "union", "difference", "intersection", "symmetric_difference", "__reversed__"}:
        return one(receiver, grade=TYPED)
    if name in {"pop", "popleft", "get", "get_nowait", "__next__", "__getitem__", "send", "asend", "__anext__"}:
        return receiver.args[0] if receiver.args else ()
    if name in {"__enter__", "__aenter__"}:
        return receiver.args[0] if receiver.args else one(receiver)
    if receiver.class_.path and name in {"_replace", "_make"}:
        return one(receiver, grade=TYPED)
    return () if not receiver.class_.path and kind in library.BUILTIN_CLASSES else None


def _mapping_method(infer: Inferring, name: str, receiver: Instance, call: syntax.Call, frame: Frame) -> Types:
    keys, values = (*receiver.args, (), ())[:2]
    if name in {"get", "pop", "setdefault", "__getitem__"}:
        return union((values, argument(infer, call, 1, frame)))
    if name == "values":
        return builtin("Iterable", values)
    if name == "keys":
        return builtin("Iterable", keys)
    if name in {"items", "popitem"}:
        pair = one(Instance(ClassRef("tuple"), (keys, values), fixed=True), grade=TYPED)
        return pair if name == "popitem" else builtin("Iterable", pair)
    return one(receiver, grade=TYPED) if name == "copy" else ()


# ------------------------------------------------------------------ functions


def _super(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    """`super()` and `super(C, self)` (library reference, `super`)."""
    if len(call.args) >= 2:
        after = [found.value for found in infer.expression(call.args[0], frame) if isinstance(found.value, ClassObject)]
        receivers = infer.expression(call.args[1], frame)
        return union(
            one(Super(cls.class_, found.value), f"super({cls.class_.name}, …)")
            for cls in after
            for found in receivers
            if isinstance(found.value, Instance | ClassObject)
        )
    for outer in frame.outward():
        if isinstance(outer.receiver, Instance | ClassObject) and outer.parent is not None:
            ref = infer.code.class_of(outer.path, outer.parent.scope)
            if ref is not None:
                return one(Super(ref, outer.receiver), f"super() in {ref.name}")
    return ()


def _type(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    if len(call.args) == 3:
        return _made_class(infer, call, frame)
    if len(call.args) != 1:
        return ()
    return union(
        (Found(ClassObject(found.value.class_, found.value.args, found.value.exact), found.why, found.grade),)
        for found in infer.expression(call.args[0], frame)
        if isinstance(found.value, Instance)
    )


def _made_class(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    """`type(name, bases, namespace)`: a class of which the bases are known."""
    bases = infer.elements(argument(infer, call, 1, frame))
    return graded(
        tuple(found for found in bases if isinstance(found.value, ClassObject)), TYPED, "a base of a made class"
    )


def _getattr(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    base = argument(infer, call, 0, frame)
    names = [found.value.text for found in argument(infer, call, 1, frame) if isinstance(found.value, Literal)]
    found = union(infer.attribute(base, name) for name in names)
    return graded(union((found, argument(infer, call, 2, frame))), TYPED)


def _same(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return graded(argument(infer, call, 0, frame), TYPED)


def _last(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return graded(argument(infer, call, 1, frame), TYPED)


def _element(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    types = argument(infer, call, 0, frame)
    nexts = tuple(found for found in types if isinstance(found.value, Instance) and found.value.class_.path)
    own = infer.result(infer.attribute(nexts, "__next__"), None, None) if nexts else ()
    return union((own, infer.elements(types) if not own else (), argument(infer, call, 1, frame)))


def _extreme(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    if len(call.args) == 1:
        return infer.elements(argument(infer, call, 0, frame))
    return union(infer.expression(value, frame) for value in call.args)


def _iterated(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return builtin("Iterable", infer.elements(argument(infer, call, 0, frame)))


def _listed(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return builtin("list", infer.elements(argument(infer, call, 0, frame)))


def _copied(infer: Inferring, kind: str, call: syntax.Call, frame: Frame) -> Types:
    types = argument(infer, call, 0, frame)
    if kind in library.MAPPINGS:
        kept = tuple(found for found in types if isinstance(found.value, Instance) and found.value.class_.name == kind)
        values = union(infer.expression(given.value, frame) for given in call.keywords if given.name)
        pairs = infer.elements(tuple(found for found in types if found not in kept))
        parts = [found.value.args for found in pairs if isinstance(found.value, Instance) and found.value.fixed]
        entries = union(args[1] for args in parts if len(args) == 2)
        return kept or builtin("dict", builtin("str"), union((values, entries)))
    return builtin(kind, infer.elements(types))


def _enumerated(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    pair = (builtin("int"), infer.elements(argument(infer, call, 0, frame)))
    return builtin("Iterable", one(Instance(ClassRef("tuple"), pair, fixed=True), grade=TYPED))


def _zipped(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    parts = tuple(infer.elements(infer.expression(value, frame)) for value in call.args)
    return builtin("Iterable", one(Instance(ClassRef("tuple"), parts, fixed=True), grade=TYPED))


def _mapped(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    function = argument(infer, call, 0, frame)
    plain = tuple(found for found in function if not isinstance(found.value, Closure))
    stand_in = syntax.Call(call.at, call.at, call.func, (), ())
    applied = infer.result(plain, stand_in, frame)
    lambdas = [found.value for found in function if isinstance(found.value, Closure)]
    given = (
        syntax.Call(call.at, call.end, call.func, (_ElementOf(call.at, call.end, call.args[1]),), ())
        if len(call.args) > 1
        else stand_in
    )
    inner = union(infer.result(one(value), given, frame) for value in lambdas)
    return builtin("Iterable", union((applied, inner)))


def _ElementOf(at: int, end: int, iterable: Expr) -> Expr:  # noqa: N802
    """`next(iter(x))` as syntax: what one step of iterating gives."""
    return syntax.Call(at, end, syntax.Name(at, at, "next"), (iterable,), ())


def _filtered(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return builtin("Iterable", infer.elements(argument(infer, call, 1, frame)))


def _chained(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    parts = []
    for value in call.args:
        if isinstance(value, syntax.Starred):
            parts.append(infer.elements(infer.elements(infer.expression(value.value, frame))))
        else:
            parts.append(infer.elements(infer.expression(value, frame)))
    return builtin("Iterable", union(parts))


def _chained_nested(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return builtin("Iterable", infer.elements(infer.elements(argument(infer, call, 0, frame))))


def _reference(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return builtin("weakref", argument(infer, call, 0, frame))


def _type_variable(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    name = call.args[0].value if call.args and isinstance(call.args[0], syntax.Text) else ""
    bounds = [infer.annotation(given.value, frame) for given in call.keywords if given.name == "bound"]
    bounds += [infer.annotation(value, frame) for value in call.args[1:]]
    return one(TypeVariable(name, union(bounds)), grade=TYPED)


def _new_type(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return one(TypeForm(infer.annotation(call.args[1], frame)), grade=TYPED) if len(call.args) > 1 else ()


def _cast(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    if len(call.args) < 2:
        return ()
    return infer.annotation(call.args[0], frame) or infer.expression(call.args[1], frame)


def _entered(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return builtin("ContextManager", argument(infer, call, 0, frame))


def _field(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    for given in call.keywords:
        if given.name == "default":
            return infer.expression(given.value, frame)
        if given.name == "default_factory":
            return infer.result(infer.expression(given.value, frame), None, None)
    return ()


def _new(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    return union(
        one(Instance(found.value.class_, found.value.args, found.value.exact), *found.why, grade=TYPED)
        for found in argument(infer, call, 0, frame)
        if isinstance(found.value, ClassObject)
    )


def _wraps(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    """`functools.wraps(f)` gives a decorator whose result stands for `f` as well."""
    return one(Builtin("functools.wraps()"), grade=TYPED)


def _gathered(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    parts = tuple(_unwrapped(infer.expression(value, frame)) for value in call.args)
    return builtin("Awaitable", one(Instance(ClassRef("tuple"), parts, fixed=True), grade=TYPED))


def _unwrapped(types: Types) -> Types:
    return union(
        found.value.args[-1]
        for found in types
        if isinstance(found.value, Instance)
        and found.value.class_.name in {"Awaitable", "Coroutine"}
        and found.value.args
    )


def _method_type(infer: Inferring, call: syntax.Call, frame: Frame) -> Types:
    receivers = argument(infer, call, 1, frame)
    return union(
        one(Bound(found.value.ref, holder.value), *found.why, grade=TYPED)
        for found in argument(infer, call, 0, frame)
        for holder in receivers
        if isinstance(found.value, Function) and not isinstance(holder.value, Closure)
    )


HANDLERS: dict[str, Handler] = {
    "super": _super,
    "type": _type,
    "getattr": _getattr,
    "next": _element,
    "iter": _iterated,
    "reversed": _iterated,
    "sorted": _listed,
    "enumerate": _enumerated,
    "zip": _zipped,
    "map": _mapped,
    "filter": _filtered,
    "max": _extreme,
    "min": _extreme,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "weakref.ref": _reference,
    "weakref.ReferenceType": _reference,
    "weakref.proxy": _same,
    "functools.partial": _same,
    "functools.partialmethod": _same,
    "functools.lru_cache": _same,
    "functools.cache": _same,
    "functools.singledispatch": _same,
    "functools.update_wrapper": _same,
    "functools.wraps": _wraps,
    "typing.cast": _cast,
    "typing.TypeVar": _type_variable,
    "typing.NewType": _new_type,
    "itertools.chain": _chained,
    "itertools.chain.from_iterable": _chained_nested,
    "itertools.islice": _iterated,
    "itertools.cycle": _iterated,
    "contextlib.closing": _entered,
    "contextlib.nullcontext": _entered,
    "dataclasses.replace": _same,
    "dataclasses.field": _field,
    "asyncio.create_task": _same,
    "asyncio.ensure_future": _same,
    "asyncio.shield": _same,
    "asyncio.wait_for": _same,
    "asyncio.gather": _gathered,
    "staticmethod": _same,
    "classmethod": _same,
    "types.MethodType": _method_type,
}
