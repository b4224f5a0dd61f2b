"""Owns annotations: what an object annotated with an expression can be (PEP 484 and its successors).

Annotations may be strings, names not bound yet, or names imported for type checking only; they are read without regard
to the order of statements.
"""

from __future__ import annotations

from sondage.core.classes.refs import ClassRef
from sondage.core.inference import library
from sondage.core.inference.values import (
    TYPED,
    Builtin,
    ClassObject,
    External,
    Found,
    Frame,
    Inferring,
    Instance,
    Literal,
    TypeForm,
    Types,
    TypeVariable,
    graded,
    one,
    union,
)
from sondage.core.source import syntax
from sondage.core.source.parse import quoted_expression
from sondage.core.source.syntax import Expr

_TRANSPARENT = frozenset(
    {"Optional", "Union", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "InitVar", "Mapped", "Unpack"}
)

_SAYS_NOTHING = frozenset({"Any", "TypeAlias", "Callable", "Hashable", "Sized", "Generic", "Protocol", "Literal"})


def read(infer: Inferring, node: Expr, frame: Frame) -> Types:
    """What an object annotated so can be; empty where the annotation says nothing."""
    match node:
        case syntax.Text(value=text):
            inner = quoted_expression(text)
            return read(infer, inner, frame) if inner is not None else ()
        case syntax.BinOp(op="|", left=left, right=right):
            return union((read(infer, left, frame), read(infer, right, frame)))
        case syntax.Name() | syntax.Attribute():
            return union(instances(infer, found, frame) for found in named(infer, node, frame))
        case syntax.Subscript(value=value, index=index):
            return union(subscripted(infer, found, index, frame) for found in named(infer, value, frame))
        case syntax.Starred(value=value):
            return read(infer, value, frame)
    return ()


def named(infer: Inferring, node: Expr, frame: Frame) -> Types:
    """The values that a name or dotted name stands for."""
    if isinstance(node, syntax.Name):
        return infer.name(node.id, frame, None)
    if isinstance(node, syntax.Attribute):
        return infer.attribute(named(infer, node.value, frame), node.attr)
    return ()


def instances(infer: Inferring, found: Found, frame: Frame) -> Types:
    """What an object is when its annotation is this value."""
    value = found.value
    name = library.typing_name(value)
    if name in library.CONTAINERS:
        return graded(one(Instance(ClassRef(library.CONTAINERS[name]))), TYPED, *found.why)
    if name in _SAYS_NOTHING or library.name_of(value) in {"object", "type"}:
        return ()
    match value:
        case ClassObject(class_=ref, args=args):
            return (Found(Instance(ref, args), found.why, max(found.grade, TYPED)),)
        case TypeForm(types=types):
            return types
        case TypeVariable():
            return (found,)
        case External(name=full):
            return (Found(External(full), found.why, TYPED),)
        case Literal(text=text):
            inner = quoted_expression(text)
            return read(infer, inner, frame) if inner is not None and not isinstance(inner, syntax.Text) else ()
        case Builtin(name="typing.Self"):
            return _self(frame)
    return ()


def _self(frame: Frame) -> Types:
    """`Self` (PEP 673): the receiver, whatever class it is of."""
    for outer in frame.outward():
        if isinstance(outer.receiver, Instance):
            return one(outer.receiver, grade=TYPED)
        if isinstance(outer.receiver, ClassObject):
            return one(Instance(outer.receiver.class_, exact=outer.receiver.exact), grade=TYPED)
    return ()


def subscripted(infer: Inferring, found: Found, index: Expr, frame: Frame) -> Types:
    """`X[index]` as an annotation, for one thing that `X` stands for."""
    parts = index.elements if isinstance(index, syntax.Sequence) and index.kind == "tuple" else (index,)
    name = library.typing_name(found.value)
    if name in _TRANSPARENT:
        return union(read(infer, part, frame) for part in parts)
    if name == "Annotated":
        return read(infer, parts[0], frame)
    if name in {"Type", "type"}:
        return union(class_objects(one_) for one_ in read(infer, parts[0], frame))
    if name in {"Literal", "Callable", "TypeGuard", "TypeIs", "LiteralString"}:
        return builtin_literal(name, parts)
    if name in {"Tuple", "tuple"}:
        return _tuple(infer, parts, frame)
    args = tuple(read(infer, part, frame) for part in parts)
    if name in library.CONTAINERS:
        return one(Instance(ClassRef(library.CONTAINERS[name]), args), *found.why, grade=TYPED)
    if isinstance(found.value, ClassObject):
        return one(Instance(found.value.class_, args), *found.why, grade=TYPED)
    if isinstance(found.value, TypeForm):
        return found.value.types
    return instances(infer, found, frame)


def builtin_literal(name: str, parts: tuple[Expr, ...]) -> Types:
    """`Literal["a"]` is a string; what the others hold is not an object with methods of the tree."""
    if name == "Literal" and parts and isinstance(parts[0], syntax.Text):
        return one(Instance(ClassRef("str")), grade=TYPED)
    return ()


def _tuple(infer: Inferring, parts: tuple[Expr, ...], frame: Frame) -> Types:
    ellipsis = len(parts) == 2 and isinstance(parts[1], syntax.Constant) and parts[1].kind == "Ellipsis"
    args = tuple(read(infer, part, frame) for part in (parts[:1] if ellipsis else parts))
    return one(Instance(ClassRef("tuple"), args, fixed=not ellipsis), grade=TYPED)


def class_objects(found: Found) -> Types:
    """The class objects whose instances a value is: what `Type[X]` means."""
    value = found.value
    if isinstance(value, Instance):
        return (Found(ClassObject(value.class_, value.args, value.exact), found.why, max(found.grade, TYPED)),)
    if isinstance(value, TypeVariable):
        return (Found(TypeForm((found,)), found.why, TYPED),)
    return (found,) if isinstance(value, External) else ()
