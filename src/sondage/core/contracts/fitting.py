"""Owns whether the recorded calls of a contract fit the signature that a class has for a member."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.answers.contracts import CallShape, ContractItem
from sondage.core.classes.codebase import Codebase
from sondage.core.classes.refs import ClassRef, Member
from sondage.core.contracts import presence, signature
from sondage.core.contracts.objects import short
from sondage.core.source.syntax import Parameter

_SAME_SIGNATURE = frozenset(
    {"staticmethod", "classmethod", "abstractmethod", "override", "final", "cache", "lru_cache", "contextmanager",
     "asynccontextmanager", "deprecated", "no_type_check", "overload"}
)  # fmt: skip
"""Decorators of the standard library after which a function is called as it was written."""


def fits(code: Codebase, ref: ClassRef, item: ContractItem) -> tuple[bool | None, tuple[str, ...]]:
    """True, False, or None where it cannot be known; and the calls that do not fit, each with its place."""
    if not item.calls:
        return None, ()
    here = presence.of(code, ref, item.member)
    if not here.body or here.outside or here.instance:
        return None, ()
    if _is_none(here.body[0]):
        return False, (f"called, but it is None on {short(here.body[0].owner)}",)
    known = parameters(code, here.body[0])
    if known is None:
        return None, ()
    verdicts = {call: signature.misfit(known, call) for call in item.calls}
    bad = tuple(_refusals(item, verdicts))
    if bad:
        return False, bad
    return (None if None in verdicts.values() else True), ()


def _is_none(member: Member) -> bool:
    """A name that a class body takes away: `forward = None`."""
    assigned = member.assigned if member.kind == "attribute" else None
    return assigned is not None and assigned.value is not None and assigned.value.text == "None"


def _refusals(item: ContractItem, verdicts: dict[CallShape, str | None]) -> Iterator[str]:
    for use in item.uses:
        trouble = verdicts.get(use.call) if use.call is not None else None
        if trouble and use.call is not None:
            place = f" at {use.path}:{use.line}" if use.line else ""
            yield f"called with {signature.show_call(use.call)}{place}: {trouble}"


def parameters(code: Codebase, member: Member) -> tuple[Parameter, ...] | None:
    """The parameters that a call on an instance has to give; None where a decorator or the kind hides them."""
    target = presence.behind_alias(code, member)
    if target.scope < 0 or target.kind not in ("method", "classmethod", "staticmethod"):
        return None
    facts = code.hierarchy.function_facts(target.path, target.scope)
    names = {decorator.text.split("(")[0].rpartition(".")[2] for decorator in facts.decorators}
    if names - _SAME_SIGNATURE:
        return None
    return facts.parameters if target.kind == "staticmethod" else signature.unbound(facts.parameters)


def compared(code: Codebase, ref: ClassRef, item: ContractItem, shown: str) -> tuple[bool | None, tuple[str, ...]]:
    """Whether a signature has the names, kinds and defaults that the contract states."""
    if not item.signature or not shown:
        return None, ()
    if signature.same(shown, item.signature):
        return True, ()
    return False, (f"the signature on {short(ref)} is not the stated {item.signature}",)
