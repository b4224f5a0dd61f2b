"""Owns the answers about contracts: what is asked of a class, whether it is kept, drift, lint, assumptions."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from sondage.core.answers.certainty import Certainty, Evidence, VerdictName, mark


class Target(msgspec.Struct, frozen=True):
    """What a forwarded member hands on to."""

    owner: str
    path: str
    line: int


class Holder(msgspec.Struct, frozen=True):
    """An attribute that has a member which its class lacks. `via` reads like the `via` of a verdict."""

    via: str
    owner: str
    path: str
    line: int
    assigned_path: str
    assigned_line: int
    certainty: Certainty = "possible"


class Verdict(msgspec.Struct, frozen=True):
    """One member judged on one class; see the table of verdicts in the interface."""

    member: str
    required: Literal["required", "optional"]
    verdict: VerdictName
    certainty: Certainty
    owner: str = ""
    kind: str = ""
    path: str = ""
    line: int = 0
    signature: str = ""
    call_fits: bool | None = None
    via: str = ""
    target: Target | None = None
    why: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    guards: tuple[str, ...] = ()
    """What the verdict hangs on: the conditions around the definition, and those inside a forwarder."""
    holders: tuple[Holder, ...] = ()
    """Every attribute, with every possible class of it, through which a member that is not provided could be
    reached."""
    same_signature: bool | None = None
    """For a contract that states signatures: whether this one has the same names, kinds and defaults; None where
    unknown."""
    doubtful: bool = False
    """Provided, but its body, or what it hands on to, reads something that was not found: `why` says what."""

    @property
    def mark(self) -> str:
        return mark(self.verdict)


class LocateAnswer(msgspec.Struct, frozen=True):
    class_: str
    verdicts: tuple[Verdict, ...]


class ClassReport(msgspec.Struct, frozen=True):
    class_: str
    met: bool | None
    items: tuple[Verdict, ...]
    path: str = ""
    line: int = 0


class CallShape(msgspec.Struct, frozen=True):
    """The arguments of one call: how many stand by position, which by name, and whether `*` or `**` add more."""

    positional: int = 0
    keywords: tuple[str, ...] = ()
    star: bool = False
    double_star: bool = False


How: TypeAlias = Literal["call", "read", "write", "delete", "probe"]


class Use(msgspec.Struct, frozen=True):
    """One place where a consumer uses a member. `how` "probe" is `hasattr` and its like: it asks and needs nothing."""

    how: How
    path: str
    line: int
    column: int = 1
    symbol: str = ""
    optional: bool = False
    certainty: Certainty = "proved"
    call: CallShape | None = None
    guards: tuple[str, ...] = ()
    """The conditions on the way, as written, outermost first; one that must fail reads `not (…)`."""
    why: tuple[str, ...] = ()
    """How the receiver reaches this place, where it is not named there as it was asked for."""


class ContractItem(msgspec.Struct, frozen=True):
    """`soft`: the base gives a body that only raises NotImplementedError or does nothing, and does not insist.

    `group` sets members apart that come from elsewhere (a Protocol that the base inherits). `share` is how many of the
    siblings provide it, from 0 to 1, for a contract by majority. `signature` is what an implementation is compared
    with.
    """

    member: str
    required: Literal["required", "optional"] = "required"
    certainty: Certainty = "proved"
    uses: tuple[Use, ...] = ()
    signature: str = ""
    soft: bool = False
    group: str = ""
    share: float | None = None
    evidence: tuple[Evidence, ...] = ()

    @property
    def conditional(self) -> bool:
        """Needed, but every place that needs it stands under a condition."""
        needing = [use for use in self.uses if not use.optional and use.how != "probe"]
        return bool(needing) and all(use.guards for use in needing)

    @property
    def calls(self) -> tuple[CallShape, ...]:
        """The different ways in which it is called."""
        return tuple(dict.fromkeys(use.call for use in self.uses if use.call is not None))


class Escape(msgspec.Struct, frozen=True):
    """A place where the receiver is handed on: `why` says into what, or why it could not be followed there."""

    path: str
    line: int
    text: str
    why: str
    symbol: str = ""


class Contract(msgspec.Struct, frozen=True):
    """What is asked of a class. `consumers`, `receiver` and `base` say where it was derived from (empty: stated by
    hand)."""

    name: str
    items: tuple[ContractItem, ...]
    consumers: tuple[str, ...] = ()
    receiver: str = ""
    base: str = ""
    escapes: tuple[Escape, ...] = ()
    """Where the receiver goes and was not followed: a member used there would be missing here."""
    handed: tuple[Escape, ...] = ()
    """Where it is handed on and was followed: what is used there is among the items."""
    notes: tuple[str, ...] = ()


class ContractReport(msgspec.Struct, frozen=True):
    contract: Contract
    results: tuple[ClassReport, ...]

    @property
    def met(self) -> bool | None:
        """All of them: False beats None beats True."""
        states = [result.met for result in self.results]
        if False in states:
            return False
        return None if None in states else True


class DriftItem(msgspec.Struct, frozen=True):
    """One member over several targets, in the order they were given; a None stands where the class is not there."""

    member: str
    verdicts: tuple[Verdict | None, ...]
    changed: bool
    first_change: str | None
    """The name of the first target that differs from the one before it."""
    what: tuple[str, ...] = ()
    """What differs there: verdict, owner, signature, guards; a mere change of line is none."""


class ClassDrift(msgspec.Struct, frozen=True):
    class_: str
    items: tuple[DriftItem, ...]


class DriftAnswer(msgspec.Struct, frozen=True):
    contract: Contract
    targets: tuple[str, ...]
    results: tuple[ClassDrift, ...]

    @property
    def changed(self) -> bool:
        return any(item.changed for result in self.results for item in result.items)


class LintRow(msgspec.Struct, frozen=True):
    """A read or call that no class of the chain can answer, or a call that does not fit. `what` is the expression
    as written."""

    path: str
    line: int
    what: str
    why: tuple[str, ...]
    column: int = 1
    symbol: str = ""
    certainty: Certainty = "proved"


class LintAnswer(msgspec.Struct, frozen=True):
    classes: int
    rows: tuple[LintRow, ...]


ClaimKind: TypeAlias = Literal["inherits", "is", "needs", "unchanged", "note"]
ClaimState: TypeAlias = Literal["holds", "refuted", "open"]


class Assumption(msgspec.Struct, frozen=True):
    """A claim and how it stands. `kind` is `note` where it is free text, which nothing can check."""

    claim: str
    kind: ClaimKind
    state: ClaimState
    why: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()


def is_met(verdicts: tuple[Verdict, ...]) -> bool | None:
    """True when every required item is provided and fits, False when one is not, None when the rest hang on a doubt."""
    required = [v for v in verdicts if v.required == "required"]
    if any(v.mark == "✗" or v.call_fits is False for v in required):
        return False
    return None if any(v.mark == "?" for v in required) else True
