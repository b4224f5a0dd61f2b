"""Owns the contract as the pane shows it: which names, their verdicts with what is unmet first, and the proof of one."""

from __future__ import annotations

from dataclasses import dataclass

from sondage.core.answers import Evidence, Verdict
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.rows import ALL_LEFT, Part, Row, column, pad, row, with_keys, wrap

MOST_NAME = 36
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
    ("i", "type a class and the names it must have"),
    ("c", "in Classes: put a contract to that class"),
    (":contract Class a,b", "all at once"),
)


def parse_names(text: str) -> tuple[str, ...]:
    """The names typed into the prompt, separated by commas or blanks, each once, in order."""
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def sign(verdict: Verdict) -> str:
    """The mark of a verdict; `!` where the name is there and a recorded call does not fit it."""
    return "!" if verdict.mark == "✓" and verdict.call_fits is False else verdict.mark


@dataclass(frozen=True)
class ContractView:
    """A class, the names asked for, and the verdicts that have arrived. `growing`: the index is not whole yet."""

    class_name: str
    names: tuple[str, ...]
    verdicts: tuple[Verdict, ...] = ()
    met: bool | None = None
    growing: bool = False

    @property
    def waiting(self) -> bool:
        return bool(self.names) and not self.verdicts

    @property
    def located(self) -> int:
        """How many names the class provides."""
        return sum(verdict.mark == "✓" for verdict in self.verdicts)

    @property
    def counted(self) -> str:
        """`1 of 3 ✓`."""
        return f"{self.located} of {len(self.names)} ✓" if self.names else ""

    @property
    def summary(self) -> tuple[str, str]:
        """The conclusion and its tone."""
        if not self.names:
            return "", "muted"
        if self.waiting:
            return "locating…", "muted"
        unmet = sum(verdict.mark == "✗" or verdict.call_fits is False for verdict in self.verdicts)
        if self.met is False:
            return f"not met: {unmet} of {len(self.names)} not provided", "bad"
        if self.met is None:
            return "undecided" + (": the index is still growing" if self.growing else ""), "doubt"
        return "met", "good"

    def rows(self, read: frozenset[str], *, only_open: bool) -> list[Row]:
        """One row a name, the unmet ones first."""
        if self.waiting:
            return [
                row("  ", Part("… ", "muted"), Part("  " + one_line(name), "muted"), value=name) for name in self.names
            ]
        verdicts = sorted(self.verdicts, key=lambda v: ORDER_OF_MARK[sign(v)])
        if only_open:
            verdicts = [v for v in verdicts if sign(v) != "✓"]
        names = column((one_line(v.member) for v in verdicts), MOST_NAME)
        words = column((v.verdict for v in verdicts), 10)
        return [self._row(verdict, verdict.member in read, names, words) for verdict in verdicts]

    @staticmethod
    def _row(verdict: Verdict, read: bool, names: int, words: int) -> Row:
        mark = sign(verdict)
        possible = "?" if verdict.certainty == "possible" and mark != "?" else " "
        return row(
            Part(f" {mark}", ROLE_OF_MARK[mark]),
            Part(possible, "doubt"),
            Part("•" if read else " ", "accent"),
            Part(" " + pad(one_line(verdict.member), names), "text"),
            Part("  " + pad(verdict.verdict, words), ROLE_OF_MARK[mark]),
            extra=[Part("  " + short(verdict.owner), "name")] if verdict.owner else [],
            right=[Part(place_text(verdict.path, verdict.line), "path")],
            least=ALL_LEFT,
            value=verdict.member,
        )

    def verdict(self, member: object) -> Verdict | None:
        return next((v for v in self.verdicts if v.member == member), None)


def proof(verdict: Verdict, width: int) -> list[Row]:
    """Why a verdict is what it is, in lines of `width` cells; rows with a place can be gone to."""
    head = f"{verdict.verdict}, {verdict.certainty}: {SENTENCES[verdict.verdict]}"
    out = _wrapped(head, width, ROLE_OF_MARK[sign(verdict)])
    if verdict.via:
        out += _wrapped("via " + one_line(verdict.via), width, "name")
    target = verdict.target
    if target and (target.path, target.line) != (verdict.path, verdict.line):
        out += _wrapped(f"hands on to {short(target.owner)}  {place_text(target.path, target.line)}", width, "name")
    out += [_evidence_row(evidence) for evidence in verdict.evidence]
    if verdict.signature:
        out += _wrapped(one_line(verdict.member + verdict.signature), width, "text")
    if verdict.call_fits is False:
        out += _wrapped("! a recorded call does not fit this signature", width, "warn")
    for guard in verdict.guards:
        out += _wrapped("if " + one_line(guard), width, "doubt")
    for why in verdict.why:
        out += _wrapped("· " + one_line(why), width, "muted")
    return out


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
    seen: set[tuple[str, int]] = set()
    return [p for p in places if not ((p[0], p[1]) in seen or seen.add((p[0], p[1])))]  # type: ignore[func-returns-value]


def rows_to_begin() -> list[Row]:
    """What stands in the pane before a contract was put."""
    return with_keys("No contract yet: names that a class must have.", BEGINNINGS)
