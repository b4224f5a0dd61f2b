"""Owns the contract as the pane shows it: its items with their verdicts, what is unmet first, and the proof of one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import Contract, ContractItem, Verdict
from sondage.core.safe import one_line
from sondage.tui.models import items
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.demand import Demand, parse_names
from sondage.tui.models.rows import ALL_LEFT, Part, Row, column, pad, row, with_keys, wrap

__all__ = ["BEGINNINGS", "ContractView", "parse_names", "places_of", "proof", "rows_to_begin", "sign", "word"]

MOST_NAME, LEAST_NAME = 36, 12
"""Cells of the column of names."""
BESIDE_NAME = 18
"""Cells that the mark, its doubts and a verdict take."""
ROLE_OF_MARK = {"✓": "good", "✗": "bad", "?": "doubt", "!": "warn", "…": "muted"}
ORDER_OF_MARK = {"✗": 0, "!": 1, "?": 2, "…": 3, "✓": 4}
SENTENCES = {
    "own": "defined in the body of the class itself",
    "inherited": "defined by a class of its MRO",
    "forwarded": "handed on to an attribute that has it",
    "assigned": "put on the class from outside its body",
    "instance": "assigned on self in a method",
    "dynamic": "not found, but the class could provide it at run time",
    "unknown": "not found, and not all classes of the MRO could be read",
    "held": "only an attribute has it, a call on the class fails",
    "abstract": "only an abstract or not implemented body was found",
    "absent": "not found, and the MRO is complete",
}


BEGINNINGS = (
    ("i", "type a class and what it must have"),
    ("f", "choose who uses it, and what they use: that is the contract"),
    ("b", "choose a base: what it asks of a class is the contract"),
    ("c", "in Classes: put a contract to that class"),
    (":contract Class a,b", "all at once"),
    (":contract Class --from PATH:Class --on self.x.y", "derived from who uses it"),
)


def sign(verdict: Verdict) -> str:
    """The mark of a verdict; `!` where the name is there and a recorded call does not fit it."""
    return "!" if verdict.mark == "✓" and verdict.call_fits is False else verdict.mark


def word(verdict: Verdict) -> str:
    """`own`, or `own, but …` where its body reads what was not found."""
    return f"{verdict.verdict}, but …" if verdict.doubtful else verdict.verdict


def rank(verdict: Verdict) -> tuple[int, bool]:
    """What is missing comes first, what is there without any doubt last."""
    return ORDER_OF_MARK[sign(verdict)], not verdict.doubtful


class ContractView(msgspec.Struct, frozen=True):
    """A class, what is asked of it, and the verdicts that have arrived. `growing`: the index is not whole yet."""

    class_name: str
    """Empty for a contract that is put to no class yet."""
    names: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()
    met: bool | None = None
    growing: bool = False
    contract: Contract | None = None
    """None while it is being derived, and for names that were typed."""
    demand: Demand = msgspec.field(default_factory=Demand)
    problem: str = ""
    """Why there is no contract, or no such class."""

    @property
    def waiting(self) -> bool:
        if self.problem:
            return False
        return self.deriving or (bool(self.names) and bool(self.class_name) and not self.verdicts)

    @property
    def deriving(self) -> bool:
        return self.demand.derived and self.contract is None

    @property
    def required(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.required == "required")

    @property
    def located(self) -> int:
        """How many of the names it must have the class provides."""
        return sum(verdict.mark == "✓" for verdict in self.required)

    @property
    def must(self) -> int:
        """How many names it must have."""
        if self.contract is None:
            return len(self.names)
        return sum(item.required == "required" for item in self.contract.items)

    @property
    def counted(self) -> str:
        """`1 of 3 ✓`; names that are only optional do not count."""
        return f"{self.located} of {self.must} ✓" if self.names and self.class_name else ""

    @property
    def summary(self) -> tuple[str, str]:
        """The conclusion and its tone."""
        if self.problem:
            return "no answer", "doubt"
        if self.waiting:
            return ("deriving…" if self.deriving else "locating…"), "muted"
        if not self.names:
            return ("asks for nothing", "doubt") if self.contract is not None else ("", "muted")
        if not self.class_name:
            return "put to no class yet", "muted"
        unmet = sum(verdict.mark == "✗" or verdict.call_fits is False for verdict in self.required)
        if self.met is False:
            return f"not met: {unmet} of {self.must} not provided", "bad"
        if self.met is None:
            return "undecided" + (": the index is still growing" if self.growing else ""), "doubt"
        return "met", "good"

    # ------------------------------------------------------------ the list

    def rows(self, read: frozenset[str], *, only_open: bool, width: int = 76) -> list[Row]:
        """One row a name, the unmet ones first; a contract that was derived in groups, with conditions between."""
        if self.problem:
            return [row(Part(line, "doubt")) for line in wrap("? " + one_line(self.problem), width, "  ")]
        if self.contract is None or not items.has_groups(self.contract):
            return self._plain_rows(read, only_open=only_open, width=width)
        shape = self._shape(width)
        out: list[Row] = []
        for group in items.grouped(self.contract):
            members = [item for item in group.items if not only_open or self._is_open(item)]
            if members:
                out.append(items.heading(group, map(self._verdict_on, group.items)))
                out += self._item_rows(members, read, shape)
        return [*out, *items.loose_ends(self.contract, width)]

    def _plain_rows(self, read: frozenset[str], *, only_open: bool, width: int) -> list[Row]:
        if not self.verdicts:
            return [self._waiting_row(name) for name in self.names]
        verdicts = sorted(self.verdicts, key=rank)
        if only_open:
            verdicts = [v for v in verdicts if sign(v) != "✓" or v.doubtful]
        shape = self._shape(width)
        return [_row(verdict, verdict.member in read, shape) for verdict in verdicts]

    def _shape(self, width: int) -> tuple[int, int]:
        """The widths of the columns of names and of verdicts; the mark and a verdict find room beside any name."""
        most = max(LEAST_NAME, min(MOST_NAME, width - BESIDE_NAME))
        return column(map(one_line, self.names), most), column(map(word, self.verdicts), 16)

    def _is_open(self, item: ContractItem) -> bool:
        verdict = self._verdict_on(item)
        return verdict is None or sign(verdict) != "✓" or verdict.doubtful

    def _verdict_on(self, item: ContractItem) -> Verdict | None:
        return self.verdict(item.member)

    def _item_rows(self, members: Sequence[ContractItem], read: frozenset[str], shape: tuple[int, int]) -> list[Row]:
        """The items of one group, each with the line that says when it is needed."""
        judged = [(item, self._verdict_on(item)) for item in members]
        judged.sort(key=lambda pair: rank(pair[1]) if pair[1] is not None else (ORDER_OF_MARK["…"], True))
        out: list[Row] = []
        for item, verdict in judged:
            if verdict is None:
                out.append(self._waiting_row(item.member))
            else:
                out.append(_row(verdict, item.member in read, shape, items.notes_of(item)))
            below = items.condition_row(item)
            out += [below] if below is not None else []
        return out

    def _waiting_row(self, name: str) -> Row:
        return row(
            "  ", Part("… " if self.class_name else "  ", "muted"), Part("  " + one_line(name), "muted"), value=name
        )

    # ------------------------------------------------------------ looking up

    def verdict(self, member: object) -> Verdict | None:
        return next((v for v in self.verdicts if v.member == member), None)

    def item(self, member: object) -> ContractItem | None:
        found = self.contract.items if self.contract is not None else ()
        return next((item for item in found if item.member == member), None)


def _row(verdict: Verdict, read: bool, shape: tuple[int, int], notes: str = "") -> Row:
    names, words = shape
    mark = sign(verdict)
    possible = "?" if verdict.certainty == "possible" and mark != "?" else " "
    notes = ", ".join(filter(None, [notes, "signature differs" if verdict.same_signature is False else ""]))
    said = word(verdict)
    gap = " " * (2 + words - len(said))  # of no use where nothing follows: so it is no part of the left half
    owner = [Part(gap + short(verdict.owner), "name")] if verdict.owner else []
    return row(
        Part(f" {mark}", ROLE_OF_MARK[mark]),
        Part(possible, "doubt"),
        Part("•" if read else " ", "accent"),
        Part(" " + pad(one_line(verdict.member), names), "text"),
        Part("  " + said, "warn" if verdict.doubtful else ROLE_OF_MARK[mark]),
        extra=[*owner, *([Part((gap if not owner else "  ") + notes, "doubt")] if notes else [])],
        right=[Part(place_text(verdict.path, verdict.line), "path")],
        least=ALL_LEFT,
        value=verdict.member,
    )


# ------------------------------------------------------------------ the proof


def proof(verdict: Verdict, width: int, item: ContractItem | None = None) -> list[Row]:
    """Why a verdict is what it is, and who needs it, in lines of `width` cells; rows with a place can be gone to."""
    head = f"{word(verdict)}, {verdict.certainty}: {SENTENCES[verdict.verdict]}"
    out = _wrapped(head, width, "warn" if verdict.doubtful else ROLE_OF_MARK[sign(verdict)])
    if verdict.via:
        out += _wrapped("via " + one_line(verdict.via), width, "name")
    target = verdict.target
    if target and (target.path, target.line) != (verdict.path, verdict.line):
        out += _wrapped(f"hands on to {short(target.owner)}  {place_text(target.path, target.line)}", width, "name")
    out += [_evidence_row(evidence) for evidence in verdict.evidence]
    if verdict.signature:
        out += _wrapped(one_line(verdict.member + verdict.signature), width, "text")
    if item is not None and item.signature and verdict.same_signature is False:
        out += _wrapped("asked for: " + one_line(item.member + item.signature), width, "warn")
    if verdict.call_fits is False:
        out += _wrapped("! a recorded call does not fit this signature", width, "warn")
    for guard in verdict.guards:
        out += _wrapped("if " + one_line(guard), width, "doubt")
    for why in verdict.why:
        out += _wrapped("· " + one_line(why), width, "muted")
    return out + (items.use_rows(item, width) if item is not None else [])


def _evidence_row(evidence: Evidence) -> Row:
    place, quote = place_text(evidence.path, evidence.line), one_line(evidence.quote.strip())
    return row(Part(place, "path"), Part("  " + quote, "text"), value=(evidence.path, evidence.line))


def _wrapped(text: str, width: int, role: str) -> list[Row]:
    return [row(Part(line, role)) for line in wrap(text, width, "  ")]


def places_of(verdict: Verdict) -> list[tuple[str, int, str]]:
    """Where the proof of a verdict can be read: (path, line, what stands there), the definition first."""
    places = [(verdict.path, verdict.line, "definition")] if verdict.path else []
    if verdict.target:
        places.append((verdict.target.path, verdict.target.line, "handed on to"))
    places.extend((e.path, e.line, e.quote.strip()) for e in verdict.evidence)
    found: dict[tuple[str, int], tuple[str, int, str]] = {}
    for place in places:
        found.setdefault((place[0], place[1]), place)
    return list(found.values())


def rows_to_begin() -> list[Row]:
    """What stands in the pane before a contract was put."""
    return with_keys("No contract yet: names that a class must have.", BEGINNINGS)
