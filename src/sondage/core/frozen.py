"""Owns `dataclass` for frozen classes, at little cost to imports: their methods are written when they are first called.

`dataclasses` compiles six methods for each frozen class, and sondage has some 150 such classes: a third of the time of
a short question went there. Here the standard library still reads the fields, and still writes the methods, but each
only when it is called for the first time. A class with a base or a method that makes this harder is left to the
standard library altogether.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

LATE: dict[str, dict[str, bool]] = {
    "__init__": {"frozen": True, "repr": False, "eq": False},
    "__repr__": {"init": False, "eq": False},
    "__eq__": {"init": False, "repr": False},
    "__hash__": {"init": False, "repr": False, "unsafe_hash": True},
}
"""The methods that are written late, each with the wishes that make the standard library write little else."""
OWN = LATE.keys() | {"__setattr__", "__delattr__", "__post_init__"}
"""A class that has one of these of its own is left to the standard library."""


@dataclasses.dataclass(frozen=True)
class _Plain:
    """A class whose parameters, as `dataclasses` keeps them, are those of all."""


def _dataclass(cls: Any = None, **wishes: bool) -> Any:
    """As `dataclasses.dataclass`, which makes what is not just `frozen=True`."""
    return _frozen if cls is None and wishes == {"frozen": True} else dataclasses.dataclass(cls, **wishes)


def _frozen(cls: Any) -> Any:
    derived = any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
    if derived or OWN & cls.__dict__.keys():
        return dataclasses.dataclass(frozen=True)(cls)
    cls.__doc__ = cls.__doc__ or cls.__name__  # else the signature is worked out to stand there
    body = _body(cls)  # reading the fields takes some of it away
    dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    cls.__dataclass_params__ = _Plain.__dict__["__dataclass_params__"]
    for name, wishes in LATE.items():
        setattr(cls, name, _written_late(cls, body, name, wishes))
    cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
    return cls


def _body(cls: Any) -> dict[str, Any]:
    """What the class says of its fields: annotations and defaults."""
    annotations = inspect.get_annotations(cls)
    defaults = {name: cls.__dict__[name] for name in annotations if name in cls.__dict__}
    names = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return {**names, "__annotations__": annotations, **defaults}


def _written_late(cls: Any, body: dict[str, Any], name: str, wishes: dict[str, bool]) -> Callable[..., Any]:
    def first_call(*arguments: Any, **named: Any) -> Any:
        """Replaces itself: further calls cost what they cost with the standard library."""
        like = type(cls.__name__, (), body)
        method = getattr(dataclasses.dataclass(**wishes)(like), name)
        setattr(cls, name, method)
        return method(*arguments, **named)

    return first_call


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _dataclass

__all__ = ["dataclass"]
