"""Contracts that classes set: abstract, soft and Protocol members; what siblings have in common."""

from __future__ import annotations

from small_trees import codebase
from test_contract import ref_of

from sondage.core.contracts.derive_base import derive_base, derive_siblings

BASES = """
    from abc import ABC, abstractmethod
    from typing import Protocol
    class Sized(Protocol):
        size: int
        def grow(self, by: int) -> None: ...
    class Cache(ABC, Sized):
        @abstractmethod
        def reset(self): pass
        def show(self):
            raise NotImplementedError()
        def log(self): ...
        def total(self):
            return 0
        limit = 3
    class One(Cache):
        def reset(self): return 1
        def extra(self): return 1
        def own_one(self): return 1
    class Two(Cache):
        def reset(self): return 2
        def extra(self): return 2
"""


def test_abstract_members_are_required_soft_ones_optional_and_implemented_ones_not_asked():
    code = codebase({"app.py": BASES})
    found = derive_base(code, ref_of(code, "Cache"))
    assert [(item.member, item.required, item.soft, item.group) for item in found.items] == [
        ("reset", "required", False, ""),
        ("show", "optional", True, ""),
        ("log", "optional", True, ""),
        ("size", "required", False, "Sized"),
        ("grow", "required", False, "Sized"),
    ]
    assert found.items[-1].signature == "(self, by: int) -> None"


def test_protocol_asks_for_its_own_data_and_methods():
    code = codebase({"app.py": BASES})
    found = derive_base(code, ref_of(code, "Sized"))
    assert [(item.member, item.group) for item in found.items] == [("size", ""), ("grow", "")]


def test_siblings_set_what_most_of_them_have_with_its_share():
    code = codebase({"app.py": BASES})
    found = derive_siblings(code, [ref_of(code, "One"), ref_of(code, "Two")], 0.5)
    shares = {item.member: (item.required, item.share) for item in found.items}
    assert shares["extra"] == ("required", 1.0)
    assert shares["own_one"] == ("optional", 0.5)
