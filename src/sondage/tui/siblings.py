"""Owns what the app looks up about other classes: who forwards or defines a member, who is registered alike, what to choose.

All of it is proposals, found by text and symbols and never recorded; what is called a forwarder was judged first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import SubclassesAnswer, SubclassRow
from sondage.core.answers.contracts import ClassReport, ContractReport, Verdict
from sondage.core.answers.text import Hit
from sondage.core.contracts.contract import required
from sondage.core.late import late_pattern
from sondage.core.safe import one_line
from sondage.core.source.text import SourceText
from sondage.dig import SearchQuery
from sondage.tui import reading
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.demand import Demand
from sondage.tui.models.next_step import Definer, Others
from sondage.tui.models.rows import Part, Row, column, pad, row
from sondage.tui.picker import Picker, narrowing

if TYPE_CHECKING:
    from sondage.tui.desk import Desk

MOST_HITS = 2_000
MOST_JUDGED = 3
"""Forwarders that are judged before none is named: judging a class can take a second."""
_CHAIN = late_pattern(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


# ------------------------------------------------------------------ what others do


async def others(desk: Desk, class_name: str, verdict: Verdict) -> Others:
    """Who has a member that this class lacks: for one that is held a forwarder, else those that define it."""
    home = await desk.dig.mro(class_name, commit=False)
    path = "" if isinstance(home, Candidates) else home.path
    if verdict.verdict == "held":
        attribute = verdict.via.partition(" → ")[0]
        found = await _forwarder(desk, verdict.member, attribute, path)
        return Others(*found) if found is not None else Others()
    definers, number = await _definers(desk, verdict.member, class_name, path)
    bases = () if isinstance(home, Candidates) else tuple(step.class_ for step in home.order[1:] if step.path)
    return Others(definers=definers, number=number, selector=await _selector(desk, class_name, path, bases))


async def _hits(desk: Desk, pattern: str) -> Sequence[Hit]:
    answer = await desk.dig.search(SearchQuery(pattern, limit=MOST_HITS), commit=False)
    return answer.hits


async def _forwarder(desk: Desk, member: str, attribute: str, path: str) -> tuple[Definer, str] | None:
    """A class whose method of this name hands on to the same member of an attribute, of the same one first."""
    hits = await _hits(desk, rf"\bself(?:\.\w+)+\.{re.escape(member)}\b")
    inside = [hit for hit in hits if hit.symbol.endswith("." + member)]
    inside.sort(key=lambda hit: (f"{attribute}.{member}" not in hit.text, not _near(hit.path, path)))
    for hit in inside[:MOST_JUDGED]:
        judged = await _judged(desk, hit.symbol.rpartition(".")[0], hit.path, member)
        if judged is not None and judged.items[0].verdict == "forwarded":
            verdict = judged.items[0]
            return Definer(judged.class_, verdict.path, verdict.line), verdict.via.partition(" → ")[0]
    return None


async def _judged(desk: Desk, name: str, path: str, member: str) -> ClassReport | None:
    """The report on one member of the class of that name in a file."""
    contract = required([member])
    report = await desk.dig.check([name], contract, commit=False)
    if isinstance(report, Candidates):
        named = [full for full in report.names if reading.is_in_module(full, path)]
        report = await desk.dig.check(named, contract, commit=False) if len(named) == 1 else report
    return report.results[0] if isinstance(report, ContractReport) else None


async def _definers(desk: Desk, member: str, class_name: str, path: str) -> tuple[tuple[Definer, ...], int]:
    """Classes with a method of that name, the nearest first, and how many there are."""
    hits = await _hits(desk, rf"^\s+(?:async\s+)?def\s+{re.escape(member)}\b")
    found = [Definer(around, hit.path, hit.line) for hit in hits if (around := _class_around(hit, member))]
    found = [one for one in found if not (one.path == path and short(class_name) == one.class_name)]
    found.sort(key=lambda one: not _near(one.path, path))
    return tuple(found[:MOST_JUDGED]), len(found)


def _class_around(hit: Hit, member: str) -> str:
    """The class of a method; empty for a function inside a function."""
    around = hit.symbol.removesuffix(f".{member}")
    return around if around != hit.symbol and around[:1].isupper() else ""


def _near(path: str, home: str) -> bool:
    return path.rpartition("/")[0] == home.rpartition("/")[0]


async def _selector(desk: Desk, class_name: str, path: str, bases: Sequence[str]) -> str:
    """The siblings of a class: those registered under the same variable, else those below its nearest base."""
    text = desk.dig.source(path)
    for name in _registries(text, short(class_name)) if text is not None else ():
        answer = await desk.dig.search(SearchQuery(rf"^{name}\s*(?::.*)?=", limit=1), commit=False)
        if answer.files > 1:
            return f"registered:{name}"
    return f"subclasses:{bases[0]}" if bases else ""


def _registries(text: SourceText, name: str) -> list[str]:
    """Module variables whose line names the class: `EntryClass = [Name]`."""
    assigned = re.compile(rf"(\w+)\s*(?::[^=]+)?=.*\b{re.escape(name)}\b")
    return [found[1] for line in text.lines if (found := assigned.match(line))]


# ------------------------------------------------------------------ choosing


async def choose_base(desk: Desk) -> Demand | None:
    """A class whose abstract members are the contract; the bases of the class at hand come first."""
    at_hand = desk.contracts.class_at_hand()
    mro = await desk.dig.mro(at_hand, commit=False) if at_hand else None
    steps = [] if mro is None or isinstance(mro, Candidates) else [step for step in mro.order[1:] if step.path]
    bases = [_named_row("base", step.class_, step.path, step.line, step.class_) for step in steps]

    async def source(query: str) -> Sequence[Row]:
        found = await desk.dig.symbols(query, limit=80, commit=False) if query else ()
        rows = [_named_row("class", s.qualname, s.path, s.line, s.qualname) for s in found if s.kind == "class"]
        return rows if query else bases

    chosen = await desk.app.result_of(Picker("Which base asks?", source, placeholder="a base or a Protocol"))
    return Demand(base=chosen) if isinstance(chosen, str) else None


async def choose_class(desk: Desk) -> str:
    """Another class for the contract at hand: those above and below the present one come first."""
    at_hand = desk.contracts.class_at_hand()
    near = await _near_classes(desk, at_hand) if at_hand else []

    async def source(query: str) -> Sequence[Row]:
        found = await desk.dig.symbols(query, limit=80, commit=False) if query else ()
        rows = [_named_row("class", s.qualname, s.path, s.line, s.qualname) for s in found if s.kind == "class"]
        return rows if query else near

    chosen = await desk.app.result_of(Picker("The contract put to which class?", source, placeholder="a class"))
    return chosen if isinstance(chosen, str) else ""


async def _near_classes(desk: Desk, class_name: str) -> list[Row]:
    """The classes above and below a class."""
    mro = await desk.dig.mro(class_name, commit=False)
    below = await desk.dig.subclasses(class_name, commit=False)
    above = [] if isinstance(mro, Candidates) else [step for step in mro.order[1:] if step.path]
    rows = [_named_row("subclass", one.class_, one.path, one.line, one.class_) for one in _rows_of(below)]
    return rows + [_named_row("base", step.class_, step.path, step.line, step.class_) for step in above]


def _rows_of(below: SubclassesAnswer | Candidates) -> Sequence[SubclassRow]:
    return () if isinstance(below, Candidates) else below.rows


async def choose_consumer(desk: Desk) -> Demand | None:
    """Who uses it, then what they use: proposals are read from the lines of the consumer."""

    async def source(query: str) -> Sequence[Row]:
        found = await desk.dig.symbols(query, limit=80, commit=False) if query else ()
        rows = [
            _named_row(s.kind, s.qualname, s.path, s.line, (f"{s.path}:{s.qualname}", s.path, s.line))
            for s in found
            if s.kind in ("class", "method", "function")
        ]
        return rows + [_file_row(path) for path in desk.dig.files() if query and query.lower() in path.lower()][:40]

    chosen = await desk.app.result_of(Picker("Who uses it?", source, placeholder="a class, a method or a file"))
    if not isinstance(chosen, tuple):
        return None
    consumer, path, line = chosen
    receiver = await _choose_receiver(desk, consumer, path, line)
    return Demand(consumers=(consumer,), receiver=receiver) if receiver else None


async def _choose_receiver(desk: Desk, consumer: str, path: str, line: int) -> str:
    text = desk.dig.source(path)
    outline = await desk.places.outline(path)
    around = next((d for d in outline.definitions if d.line == line), None)
    lines = text.lines if text is not None else ()
    inside = lines[around.first_line - 1 : around.last_line] if around is not None else lines
    proposed = narrowing(receiver_rows(inside))

    async def source(query: str) -> Sequence[Row]:
        asked = query.strip()
        own = [row(Part(" "), Part(one_line(asked), "name"), right=[Part("as typed", "muted")], value=asked)]
        return [*(own if asked else []), *await proposed(query)]

    title = f"What does {consumer.rpartition(':')[2]} use?"
    chosen = await desk.app.result_of(Picker(title, source, placeholder="self.a.b, or a slot Class.attribute"))
    return chosen if isinstance(chosen, str) else ""


def receiver_rows(lines: Sequence[str]) -> list[Row]:
    """The expressions that have members used in some lines, those with the most members first."""
    used: dict[str, Counter[str]] = {}
    for line in lines:
        for chain in _CHAIN.findall(line.partition("#")[0]):
            parts = chain.split(".")
            for end in range(1, len(parts)):
                if parts[0] == "self" and end > 1:
                    used.setdefault(".".join(parts[:end]), Counter())[parts[end]] += 1
    ordered = sorted(used.items(), key=lambda item: (-len(item[1]), item[0]))
    width = column((one_line(name) for name, _ in ordered), 48)
    return [
        row(
            Part(" " + pad(one_line(name), width), "name"),
            Part("  " + ", ".join(map(one_line, members)), "muted"),
            value=name,
        )
        for name, members in ordered
    ]


async def choose_selector(desk: Desk, class_name: str) -> str:
    """Which classes the contract is put to: the siblings of the class at hand are proposed."""
    proposed = ["all"]
    home = await desk.dig.mro(class_name, commit=False) if class_name else None
    if home is not None and not isinstance(home, Candidates):
        bases = [step.class_ for step in home.order[1:] if step.path]
        siblings = await _selector(desk, class_name, home.path, bases)
        below = [f"subclasses:{name}" for name in (*bases, class_name)]
        proposed = list(dict.fromkeys(filter(None, [siblings, *below, f"glob:{home.path}", "all"])))
    rows = [row(Part(" "), Part(one_line(name), "name"), value=name) for name in proposed]
    narrowed = narrowing(rows)

    async def source(query: str) -> Sequence[Row]:
        asked = query.strip()
        own = [row(Part(" "), Part(one_line(asked), "name"), right=[Part("as typed", "muted")], value=asked)]
        return [*(own if asked else []), *await narrowed(query)]

    hint = "registered:NAME, subclasses:CLASS, glob:PATTERN or all"
    chosen = await desk.app.result_of(Picker("The contract against which classes?", source, placeholder=hint))
    return chosen if isinstance(chosen, str) else ""


def _named_row(kind: str, name: str, path: str, line: int, value: object) -> Row:
    return row(
        Part(f" {kind:<10}", "muted"),
        Part(one_line(name), "name"),
        right=[Part(place_text(path, line), "path")],
        value=value,
    )


def _file_row(path: str) -> Row:
    return row(Part(f" {'file':<10}", "muted"), Part(one_line(path), "path"), value=(path, path, 0))
