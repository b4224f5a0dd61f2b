"""Owns the members that no class body writes: what decorators, bases and metaclasses of the standard library generate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sondage.core.classes.builtin_table import in_table, member_names
from sondage.core.classes.refs import ClassRef
from sondage.core.source import syntax
from sondage.core.source.facts import Assigned, ClassScope

_NAMEDTUPLE = (
    "_fields _field_defaults __new__ _make _replace _asdict __getnewargs__ __repr__ __match_args__ __slots__"
).split()
_ENUM = (
    "_generate_next_value_ _new_member_ _use_args_ _member_names_ _member_map_ _value2member_map_ _unhashable_values_ "
    "_member_type_ __new__ _value_repr_"
).split()
_FLAG = (
    "__or__ __and__ __xor__ __ror__ __rand__ __rxor__ __invert__ "
    "_boundary_ _flag_mask_ _singles_mask_ _all_bits_ _inverted_"
).split()
_TYPED_DICT = "__required_keys__ __optional_keys__ __total__".split()
_ORDER = "__lt__ __le__ __gt__ __ge__".split()
_REPR_ENUMS = frozenset({"enum.IntEnum", "enum.StrEnum", "enum.IntFlag"})
_MARKS = {
    "typing.final": "__final__",
    "typing_extensions.final": "__final__",
    "typing.runtime_checkable": "_is_runtime_protocol",
    "typing_extensions.runtime_checkable": "_is_runtime_protocol",
    "warnings.deprecated": "__deprecated__",
    "typing_extensions.deprecated": "__deprecated__",
}
"""Decorators that leave a mark."""
_DATACLASSES = frozenset({"dataclasses.dataclass", "pydantic.dataclasses.dataclass"})
_ATTRS = frozenset(
    {"attr.s", "attr.attrs", "attr.attributes", "attr.dataclass", "attr.define", "attr.mutable", "attr.frozen"}
    | {
        "attrs.define",
        "attrs.mutable",
        "attrs.frozen",
        "attr._make.attrs",
        "attr._next_gen.define",
        "attr._next_gen.frozen",
    }
)


class Subject:
    """A class as the rules see it: what it writes itself, what stands above it, and what decorates it."""

    def __init__(
        self,
        ref: ClassRef,
        scope: ClassScope,
        written: Mapping[str, object],
        annotated: Sequence[Assigned],
        above: Sequence[ClassRef],
        direct: Sequence[str],
        renamed_bases: bool,
        decorators: Sequence[tuple[str, syntax.Call | None]],
    ) -> None:
        self.ref = ref
        self.scope = scope
        self.written = written
        self.annotated = annotated
        self.above = [one.name for one in above]
        self.direct = direct
        self.renamed_bases = renamed_bases
        self.decorators = decorators


def generated(subject: Subject) -> Iterator[tuple[str, str]]:
    """(name, by what) of every member that is there without being written. A written one of the same name goes first."""
    for name, by in _rules(subject):
        if name not in subject.written:
            yield name, by


def _rules(subject: Subject) -> Iterator[tuple[str, str]]:
    above = subject.above
    if subject.renamed_bases:
        yield "__orig_bases__", "a base with __mro_entries__"
    if "typing.NamedTuple" in subject.direct:
        fields = [one.name for one in subject.annotated]
        yield from ((name, "typing.NamedTuple") for name in (*_NAMEDTUPLE, *fields))
        return
    if "typing.TypedDict" in subject.direct:
        yield from ((name, "typing.TypedDict") for name in _TYPED_DICT)
        return
    if "enum.Enum" in above:
        yield from ((name, "enum.EnumType") for name in _ENUM)
        if "enum.Flag" in above:
            yield from ((name, "enum.EnumType") for name in _FLAG)
        yield from ((name, "enum.EnumType") for name in _of_mixed_enum(above))
    for name, call in subject.decorators:
        if name in _DATACLASSES:
            yield from _dataclass(subject, call, "@dataclass")
        elif name in _ATTRS:
            yield from _attrs(subject, call, f"@{name}")
        elif name == "functools.total_ordering":
            yield from ((order, "@total_ordering") for order in _ORDER)
        elif name in _MARKS:
            yield _MARKS[name], f"@{name}"
    if "typing.Generic" in above:
        yield "__parameters__", "typing.Generic"
    if "typing.Protocol" in above:
        yield from _protocol(subject)
    if "__eq__" in subject.written and "__hash__" not in subject.written:
        yield "__hash__", "None, since the class has an __eq__ of its own"


def _of_mixed_enum(above: Sequence[str]) -> list[str]:
    """What an enum takes back from the type mixed into it (`EnumType.__new__`)."""
    if _REPR_ENUMS.intersection(above):
        return ["__format__", "__str__"]
    before = above[: above.index("enum.Enum")]
    data = next((ClassRef(name) for name in before if "." not in name and name != "object"), None)
    own = member_names(data) if data is not None and in_table(data) else ()
    return [name for name in ("__repr__", "__str__", "__format__") if name in own]


def _protocol(subject: Subject) -> Iterator[tuple[str, str]]:
    by = "typing.Protocol"
    yield "_is_protocol", by
    yield "__subclasshook__", by
    if "typing.Protocol" in subject.direct:
        yield "__protocol_attrs__", by
        yield "__callable_proto_members_only__", by
        yield "__init__", by


def _dataclass(subject: Subject, call: syntax.Call | None, by: str) -> Iterator[tuple[str, str]]:
    def given(name: str, default: bool) -> bool:
        return _flag(call, name, default)

    yield "__dataclass_fields__", by
    yield "__dataclass_params__", by
    if given("init", True):
        yield "__init__", by
    if given("repr", True):
        yield "__repr__", by
    if given("match_args", True):
        yield "__match_args__", by
    equal, frozen = given("eq", True), given("frozen", False)
    if equal:
        yield "__eq__", by
    if given("order", False):
        yield from ((name, f"{by}(order=True)") for name in _ORDER)
    if frozen:
        yield "__setattr__", by
        yield "__delattr__", by
    if given("unsafe_hash", False) or (equal and frozen):
        yield "__hash__", by
    elif equal and "__eq__" not in subject.written:
        yield "__hash__", f"None, by {by} (eq without frozen)"
    if given("slots", False):
        yield "__slots__", by
        yield from ((one.name, f"a slot, by {by}") for one in subject.annotated)
        if frozen:
            yield "__getstate__", by
            yield "__setstate__", by


def _attrs(subject: Subject, call: syntax.Call | None, by: str) -> Iterator[tuple[str, str]]:
    yield "__attrs_attrs__", by
    yield "__attrs_props__", by
    if _flag(call, "slots", by.endswith((".define", ".mutable", ".frozen"))):
        yield from ((name, by) for name in ("__slots__", "__getstate__", "__setstate__"))
    for name, keyword in (("__init__", "init"), ("__repr__", "repr"), ("__eq__", "eq"), ("__ne__", "eq")):
        if _flag(call, keyword, True):
            yield name, by
    yield "__match_args__", by
    if _flag(call, "order", by.endswith((".s", ".attrs", ".attributes"))):
        yield from ((name, by) for name in _ORDER)
    if "frozen" in by or _flag(call, "frozen", False):
        yield "__setattr__", by
        yield "__delattr__", by
    yield "__hash__", by


def _flag(call: syntax.Call | None, name: str, default: bool) -> bool:
    for keyword in call.keywords if call else ():
        if keyword.name == name and isinstance(keyword.value, syntax.Constant):
            return keyword.value.value == "True"
    return default


def made_members(how: str, fields: Sequence[str]) -> Iterator[str]:
    """The members of a class that a call makes."""
    if how in ("namedtuple", "NamedTuple"):
        yield from (*fields, *_NAMEDTUPLE)
    elif how == "TypedDict":
        yield from _TYPED_DICT
    elif how == "Enum":
        yield from (*fields, *_ENUM)
    elif how == "make_dataclass":
        yield from (*fields, "__init__", "__repr__", "__eq__", "__match_args__", "__dataclass_fields__")
    else:
        yield from fields
