"""Owns what is known by name about the standard library: its containers, and the results of its common functions.

Only what leads from one object of the tree to another: elements, copies, wrappers. Names are full names as Python
says them, without the module for built-ins; modules written in C and stand-ins are folded into the public one.
"""

from __future__ import annotations

import builtins

from sondage.core.inference.values import (
    AnyValue,
    Builtin,
    ClassObject,
    External,
    Function,
    Types,
    one,
)

_TYPING = frozenset(
    {
        "typing",
        "typing_extensions",
        "collections.abc",
        "_collections_abc",
        "collections",
        "builtins",
        "",
        "contextlib",
        "dataclasses",
        "abc",
        "types",
        "asyncio",
        "asyncio.futures",
        "asyncio.tasks",
        "weakref",
        "_typing",
    }
)
CONTAINERS = {
    "List": "list", "list": "list", "Set": "set", "set": "set", "FrozenSet": "frozenset", "frozenset": "frozenset",
    "Dict": "dict", "dict": "dict", "Tuple": "tuple", "tuple": "tuple", "Deque": "deque", "deque": "deque",
    "DefaultDict": "dict", "defaultdict": "dict", "OrderedDict": "dict", "Mapping": "dict", "MutableMapping": "dict",
    "ChainMap": "dict", "Counter": "dict", "Sequence": "Sequence", "MutableSequence": "list", "Iterable": "Iterable",
    "Iterator": "Iterator", "Collection": "Iterable", "Container": "Iterable", "Reversible": "Iterable",
    "AbstractSet": "set", "MutableSet": "set", "KeysView": "Iterable", "ValuesView": "Iterable",
    "ItemsView": "Iterable", "Generator": "Generator", "AsyncIterator": "AsyncIterator",
    "AsyncIterable": "AsyncIterator", "AsyncGenerator": "AsyncIterator", "Awaitable": "Awaitable",
    "Coroutine": "Coroutine", "ContextManager": "ContextManager", "AbstractContextManager": "ContextManager",
    "AsyncContextManager": "ContextManager", "AbstractAsyncContextManager": "ContextManager", "Future": "Awaitable",
    "Task": "Awaitable", "WeakSet": "set", "WeakKeyDictionary": "dict", "WeakValueDictionary": "dict",
    "ReferenceType": "weakref", "MappingProxyType": "dict",
}  # fmt: skip
MAPPINGS = frozenset({"dict"})
BUILTIN_CLASSES = frozenset(CONTAINERS.values()) | frozenset(
    {"str", "bytes", "int", "float", "bool", "complex", "bytearray", "memoryview", "range", "slice", "weakref"}
)
TYPING_FORMS = frozenset(
    {"Optional", "Union", "ClassVar", "Final", "Annotated", "Type", "Literal", "Callable", "Self", "Any", "Required",
     "NotRequired", "InitVar", "TypeGuard", "TypeIs", "Unpack", "LiteralString", "ReadOnly", "TypeVar", "NewType",
     "ParamSpec", "TypeVarTuple", "TypeAlias", "Hashable", "Sized", "cast", "Generic", "Protocol", "NamedTuple", "TypedDict"}
)  # fmt: skip
FUNCTIONS = frozenset(
    {"super", "type", "getattr", "next", "iter", "reversed", "sorted", "list", "tuple", "set", "frozenset", "dict",
     "enumerate", "zip", "map", "filter", "max", "min", "sum", "vars", "copy.copy", "copy.deepcopy", "weakref.ref",
     "weakref.proxy", "weakref.ReferenceType", "functools.partial", "functools.partialmethod", "functools.wraps",
     "functools.lru_cache", "functools.singledispatch",
     "functools.cache", "functools.update_wrapper", "typing.cast", "typing.TypeVar", "typing.NewType", "itertools.chain",
     "itertools.islice", "itertools.chain.from_iterable", "itertools.cycle", "collections.deque",
     "collections.OrderedDict", "collections.defaultdict",
     "contextlib.closing", "contextlib.nullcontext", "contextlib.contextmanager", "contextlib.asynccontextmanager",
     "contextlib.ExitStack.enter_context", "dataclasses.replace", "dataclasses.field",
     "asyncio.create_task", "asyncio.ensure_future", "asyncio.wait_for", "asyncio.shield", "asyncio.gather",
     "object.__new__", "staticmethod",
     "classmethod", "property", "types.MethodType"}
)  # fmt: skip
OPAQUE = frozenset(
    {"importlib.import_module", "__import__", "eval", "pickle.loads", "pickle.load", "threading.local", "functools.reduce",
     "contextvars.ContextVar", "operator.attrgetter", "operator.itemgetter", "operator.methodcaller"}
)  # fmt: skip
"""Functions whose result may be anything, objects of the tree included."""
_TEXT_METHODS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "title", "join", "format", "replace", "encode", "decode", "center",
     "ljust", "rjust", "removeprefix", "removesuffix", "expandtabs", "translate", "capitalize", "casefold", "zfill"}
)  # fmt: skip
TEXT_LISTS = frozenset({"split", "rsplit", "splitlines", "partition", "rpartition"})


def public(name: str) -> str:
    """A full name under the module it is documented in."""
    module, _, last = name.rpartition(".")
    if module in {"typing_extensions", "collections.abc", "_collections_abc", "_typing"}:
        return f"typing.{last}"
    if module == "builtins":
        return last
    return name[1:] if name.startswith(("_functools.", "_weakref.", "_operator.", "_collections.")) else name


def name_of(value: AnyValue) -> str:
    """The full public name of a function, class or builtin; empty for anything else."""
    match value:
        case Builtin(name=name) | External(name=name):
            return public(name)
        case ClassObject(class_=ref):
            return public(ref.name)
        case Function(ref=ref):
            return public(ref.name)
    return ""


def typing_name(value: AnyValue) -> str:
    """`List` for `typing.List`, `list`, `Iterable` for `collections.abc.Iterable`, …; empty for what is no such form."""
    module, _, last = name_of(value).rpartition(".")
    return last if module in _TYPING and (last in CONTAINERS or last in TYPING_FORMS or last == "type") else ""


def is_known(name: str) -> bool:
    """True for a full name that has a meaning here, wherever it came from."""
    name = public(name)
    module, _, last = name.rpartition(".")
    return name in FUNCTIONS or (module in _TYPING and bool(module) and (last in CONTAINERS or last in TYPING_FORMS))


def missing(name: str) -> AnyValue:
    """What an import that was not read stands for."""
    return Builtin(public(name)) if is_known(name) else External(name)


def builtin_function(name: str) -> Types:
    """A built-in function or class by its bare name."""
    return one(Builtin(name)) if hasattr(builtins, name) else ()


def is_text_method(name: str) -> bool:
    return name in _TEXT_METHODS
