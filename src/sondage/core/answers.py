"""Owns the frozen values that every face receives: answers with their evidence, and nothing that shows them.

Lines and columns count from 1; a column counts Unicode code points. Paths are relative to the root with `/` between,
and hold undecodable bytes as surrogates (PEP 383) until a face shows them through `core.safe`. Field names are the
names promised for JSON (`class_` is written `class`). Dataclasses carry no slots: some serialisers drop slotted ones.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field
from typing import Any, Literal, TypeAlias

import msgspec

from sondage.core.frozen import dataclass

Certainty: TypeAlias = Literal["proved", "possible"]
VerdictName: TypeAlias = Literal[
    "own", "inherited", "forwarded", "assigned", "instance", "dynamic", "unknown", "held", "abstract", "absent"
]
PROVIDED: frozenset[str] = frozenset({"own", "inherited", "forwarded", "assigned", "instance"})
UNDECIDED: frozenset[str] = frozenset({"dynamic", "unknown"})


def mark(verdict: str) -> Literal["✓", "?", "✗"]:
    """The sign of a verdict, the same in every face."""
    if verdict in PROVIDED:
        return "✓"
    return "?" if verdict in UNDECIDED else "✗"


@dataclass(frozen=True)
class Coverage:
    """How much of the tree an answer has seen: fewer files than listed means the index is still growing or partial."""

    files_seen: int
    files_listed: int

    @property
    def whole(self) -> bool:
        return self.files_seen >= self.files_listed


@dataclass(frozen=True)
class Evidence:
    """A line that shows why: `quote` is the exact line without its end; `digest` the SHA-256 (hex) of the whole
    file."""

    path: str
    line: int
    quote: str
    digest: str = ""


@dataclass(frozen=True)
class Candidates:
    """The question could not be put because a name stands for nothing, or for several things."""

    asked: str
    kind: Literal["class", "member", "file", "symbol"]
    reason: Literal["absent", "ambiguous"]
    names: tuple[str, ...] = ()
    """Full names, nearest first, of what it may mean (for `absent`: of similar ones)."""


# ------------------------------------------------------------------ text


class Hit(msgspec.Struct, frozen=True, gc=False):
    """A line that matches. No dataclass, as there are tens of thousands of them: it is made in a tenth of the time."""

    path: str
    line: int
    column: int
    text: str
    """The whole line, without its end."""
    symbol: str
    """Qualified name of the innermost class or function around it; empty at module level."""


@dataclass(frozen=True)
class SearchAnswer:
    pattern: str
    hits: tuple[Hit, ...]
    total: int
    """All hits, also those beyond the limit that `hits` was cut to."""
    files: int
    """Files with at least one hit."""
    searched: int
    """Files looked at after the globs."""
    unsearched: tuple[str, ...] = ()
    """Files that were listed, pass the globs, and could not be looked at."""


@dataclass(frozen=True)
class SymbolRow:
    name: str
    qualname: str
    kind: Literal["class", "function", "method", "attribute", "module"]
    path: str
    line: int
    score: float


@dataclass(frozen=True)
class Excerpt:
    """Lines of one file. `data` are their exact bytes with line ends, as `sed -n 'A,Bp'` prints them."""

    path: str
    first_line: int
    last_line: int
    lines: tuple[str, ...]
    symbol: str
    digest: str
    total_lines: int
    data: bytes = field(repr=False, default=b"", metadata={"json": False})


# ------------------------------------------------------------------ classes


@dataclass(frozen=True)
class MroStep:
    """One class of an MRO. `open` is None, or says why it was not read (then `path` is empty and `line` 0)."""

    class_: str
    path: str
    line: int
    open: str | None = None
    note: str = ""
    """What else is to be said: generated, built in, one of several definitions."""


@dataclass(frozen=True)
class MemberRow:
    """Who defines a name, seen from one class."""

    owner: str
    kind: str
    path: str
    line: int


@dataclass(frozen=True)
class MroAnswer:
    class_: str
    path: str
    line: int
    bases: tuple[str, ...]
    order: tuple[MroStep, ...]
    complete: bool
    why_incomplete: tuple[str, ...] = ()
    error: str | None = None
    """Python's own error where no MRO exists (inconsistent order, duplicate base, cycle); then `order` holds what
    is known."""
    members: dict[str, MemberRow] | None = None

    @property
    def mro(self) -> tuple[str, ...]:
        return () if self.error else tuple(step.class_ for step in self.order)


@dataclass(frozen=True)
class SubclassRow:
    class_: str
    path: str
    line: int
    depth: int
    """1 for a direct subclass."""


@dataclass(frozen=True)
class SubclassesAnswer:
    class_: str
    rows: tuple[SubclassRow, ...]


@dataclass(frozen=True)
class OverrideRow:
    """A definition of the same name on a class above (`up`) or below (`down`)."""

    class_: str
    path: str
    line: int
    """Of the definition; empty and 0 where it has no source."""
    direction: Literal["up", "down"]
    signature: str
    same_signature: bool | None
    """Same names, kinds and defaults of parameters as the definition asked for; None where one has no signature."""
    kind: str = ""


@dataclass(frozen=True)
class OverridesAnswer:
    """`of` is `module.Class.member` as asked for, `owner` the class whose definition a lookup on that class finds."""

    of: str
    owner: str
    path: str
    line: int
    signature: str
    rows: tuple[OverrideRow, ...]
    """Above in MRO order, then below, the nearest first."""
    why_incomplete: tuple[str, ...] = ()
    """What was not read of the classes above."""


# ------------------------------------------------------------------ calls


@dataclass(frozen=True)
class CallSite:
    path: str
    line: int
    column: int
    receiver: str
    """The receiver as written; empty for a plain call."""
    name: str


@dataclass(frozen=True)
class ReceiverType:
    class_: str
    how: str


@dataclass(frozen=True)
class Definition:
    owner: str
    """Class (for a method) or module (for a function or class) that the definition stands in."""
    name: str
    path: str
    line: int
    certainty: Certainty
    why: tuple[str, ...]
    """From the receiver to the definition, one reason a step: the classes passed on the way included."""
    through: tuple[str, ...] = ()
    """The classes looked into before the owner, in MRO order."""


@dataclass(frozen=True)
class Resolution:
    call: CallSite | None
    """None where no call and no name stands at the position."""
    receiver_types: tuple[ReceiverType, ...]
    answers: tuple[Definition, ...]
    unresolved: str | None
    """Why nothing, or not everything, could be resolved; None when nothing is left open."""


@dataclass(frozen=True)
class CallerRow:
    path: str
    line: int
    column: int
    text: str
    symbol: str
    certainty: Certainty
    why: tuple[str, ...]


@dataclass(frozen=True)
class CallersAnswer:
    of: str
    rows: tuple[CallerRow, ...]
    unresolved: int
    """Sites that call something of this name whose receiver is not known."""


# ------------------------------------------------------------------ contracts


@dataclass(frozen=True)
class Target:
    """What a forwarded member hands on to."""

    owner: str
    path: str
    line: int


@dataclass(frozen=True)
class Holder:
    """An attribute that has a member which its class lacks. `via` reads like the `via` of a verdict."""

    via: str
    owner: str
    path: str
    line: int
    assigned_path: str
    assigned_line: int
    certainty: Certainty = "possible"


@dataclass(frozen=True)
class Verdict:
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


@dataclass(frozen=True)
class LocateAnswer:
    class_: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class ClassReport:
    class_: str
    met: bool | None
    items: tuple[Verdict, ...]
    path: str = ""
    line: int = 0


@dataclass(frozen=True)
class CallShape:
    """The arguments of one call: how many stand by position, which by name, and whether `*` or `**` add more."""

    positional: int = 0
    keywords: tuple[str, ...] = ()
    star: bool = False
    double_star: bool = False


How: TypeAlias = Literal["call", "read", "write", "delete", "probe"]


@dataclass(frozen=True)
class Use:
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


@dataclass(frozen=True)
class ContractItem:
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


@dataclass(frozen=True)
class Escape:
    """A place where the receiver is handed on: `why` says into what, or why it could not be followed there."""

    path: str
    line: int
    text: str
    why: str
    symbol: str = ""


@dataclass(frozen=True)
class Contract:
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


@dataclass(frozen=True)
class ContractReport:
    contract: Contract
    results: tuple[ClassReport, ...]

    @property
    def met(self) -> bool | None:
        """All of them: False beats None beats True."""
        states = [result.met for result in self.results]
        if False in states:
            return False
        return None if None in states else True


@dataclass(frozen=True)
class DriftItem:
    """One member over several targets, in the order they were given; a None stands where the class is not there."""

    member: str
    verdicts: tuple[Verdict | None, ...]
    changed: bool
    first_change: str | None
    """The name of the first target that differs from the one before it."""
    what: tuple[str, ...] = ()
    """What differs there: verdict, owner, signature, guards; a mere change of line is none."""


@dataclass(frozen=True)
class ClassDrift:
    class_: str
    items: tuple[DriftItem, ...]


@dataclass(frozen=True)
class DriftAnswer:
    contract: Contract
    targets: tuple[str, ...]
    results: tuple[ClassDrift, ...]

    @property
    def changed(self) -> bool:
        return any(item.changed for result in self.results for item in result.items)


@dataclass(frozen=True)
class LintRow:
    """A read or call that no class of the chain can answer, or a call that does not fit. `what` is the expression
    as written."""

    path: str
    line: int
    what: str
    why: tuple[str, ...]
    column: int = 1
    symbol: str = ""
    certainty: Certainty = "proved"


@dataclass(frozen=True)
class LintAnswer:
    classes: int
    rows: tuple[LintRow, ...]


ClaimKind: TypeAlias = Literal["inherits", "is", "needs", "unchanged", "note"]
ClaimState: TypeAlias = Literal["holds", "refuted", "open"]


@dataclass(frozen=True)
class Assumption:
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


# ------------------------------------------------------------------ the index itself


@dataclass(frozen=True)
class Progress:
    """One step of opening a target. `stage` is what is being done; counts are files and bytes."""

    stage: Literal["connect", "list", "pull", "parse", "done"]
    files_done: int = 0
    files_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0


@dataclass(frozen=True)
class Looked:
    """What there is to be asked about, before all of it is parsed. Fields as in `IndexSummary`."""

    files: int
    unreadable: tuple[str, ...]
    complete: bool


@dataclass(frozen=True)
class IndexSummary:
    root: str
    files: int
    bytes: int
    lines: int
    classes: int
    functions: int
    parsed: int
    reused: int
    unreadable: tuple[str, ...]
    problems: tuple[str, ...]
    seconds: dict[str, float]
    remote: dict[str, Any]
    complete: bool = True
    """False when the refresh broke off: the answers then rest on what had arrived."""


def to_json(value: Any) -> Any:
    """Plain dicts, lists and scalars with the promised field names. Strings are left as they are (see `core.safe`)."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        out = {
            f.name.rstrip("_"): to_json(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if f.metadata.get("json", True)
        }
        if isinstance(value, MroAnswer):
            out["mro"] = list(value.mro)
            if value.members is None:
                del out["members"]
        return out
    if isinstance(value, Hit):
        return msgspec.structs.asdict(value)
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value
