"""Owns what is counted: verdicts of `score.py` → counts of one column → rows of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Counts = dict[str, Any]
Row = tuple[str, list[str]]

SHAPES = {
    "self": "self.m()",
    "super": "super().m()",
    "cls": "cls.m()",
    "self.attr": "self.attr.m()",
    "self.attr+": "self.a.b.m()",
    "local.name": "x.m(), x local",
    "module.name": "mod.f()",
    "Name.name": "Name.m()",
    "name": "f(), f global",
    "local": "f(), f local",
    "call.name": "g().m()",
    "other": "other receivers",
}
"""The receiver shapes of the truth, in the order of the table."""
WRITTEN = {"own", "inh", "ext"}
"""Strata of members that some class body writes; `gen` are the others."""
HERE = {"own", "inh"}
"""Of those, the ones written in the package itself: the lines of others depend on which Python stands in for them."""
CALL_VERDICTS = ("right", "declared", "unresolved", "wrong", "binding", "stub")


def count(scored: Iterable[Mapping[str, Any]], proved: frozenset[str] = frozenset()) -> Counts:
    """The counts of one column from the lines of `score.py --dump`; `proved` are the ids that were answered so."""
    mro: Counter[str] = Counter()
    members: dict[str, Counter[str]] = {"written": Counter(), "generated": Counter()}
    calls: dict[str, Counter[str]] = {}
    sure: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for line in scored:
        verdict = line["verdict"]
        if line["q"] == "mro":
            mro.update(_true(verdict), asked=1)
        elif line["q"] == "member" and line["stratum"] in {*WRITTEN, "gen"}:
            kind = "written" if line["stratum"] in WRITTEN else "generated"
            members[kind].update(_true(verdict), asked=1)
            if line["stratum"] in HERE:
                lines.update({"asked": 1, "line": int(verdict.get("line", 0))})
        elif line["q"] == "call":
            tally = calls.setdefault(line["shape"], Counter())
            places = len(line["answer"] or ())
            tally.update([verdict["_v"], "asked", *["all"] * bool(verdict["all"]), *["answered"] * bool(places)])
            tally["places"] += places
            if line["id"] in proved:
                sure.update(["asked", *["contradicted"] * (verdict["_v"] != "right")])
    everything = sum(calls.values(), Counter())
    return {
        "mro": dict(mro),
        "members": {kind: dict(tally) for kind, tally in members.items()},
        "lines": dict(lines),
        "calls": {shape: dict(calls[shape]) for shape in SHAPES if shape in calls},
        "all_calls": dict(everything),
        "proved": dict(sure),
    }


def _true(verdict: Mapping[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in verdict.items() if value}


def rows(columns: Sequence[Counts]) -> list[Row]:
    """The table: what is measured, and a cell for each column."""
    made: list[Row] = [
        ("classes found, of those in the truth", [_of(c.get("classes", {}), "found") for c in columns]),
        ("MRO, own classes exact (wrong)", [_mro(c["mro"], "package") for c in columns]),
        ("MRO, whole, exact", [_share(c["mro"], "full") for c in columns]),
    ]
    for kind in ("written", "generated"):
        cells = [_parts(c["members"][kind], ("right", "unresolved", "wrong")) for c in columns]
        made.append((f"members {kind}: right / unresolved / wrong", cells))
    made.append(("members written in the package: their line too", [_share(c["lines"], "line") for c in columns]))
    parts = CALL_VERDICTS[:4]
    made.append((f"calls, all: {' / '.join(parts)}", [_parts(c["all_calls"], parts) for c in columns]))
    for shape, shown in SHAPES.items():
        if any(shape in c["calls"] for c in columns):
            made.append((f"· {shown}", [_parts(c["calls"].get(shape, {}), parts) for c in columns]))
    return [
        *made,
        ("answered with an assignment or a stub", [_share(c["all_calls"], "binding", "stub") for c in columns]),
        ("every observed target answered", [_share(c["all_calls"], "all") for c in columns]),
        ("locations per answer", [_ratio(c["all_calls"], "places", "answered") for c in columns]),
        ("answers marked proved", [_ratio({**c["all_calls"], **_sure(c)}, "sure", "answered", 100) for c in columns]),
        ("proved, but contradicted", [_of(c["proved"], "contradicted") for c in columns]),
    ]


def _sure(column: Counts) -> Counts:
    """Nothing to show for a tool that never says `proved`."""
    return {"sure": column["proved"]["asked"]} if column["proved"] else {"answered": 0}


def _of(tally: Mapping[str, int], name: str) -> str:
    return f"{tally.get(name, 0):,} of {tally['asked']:,}" if tally else "–"


def _share(tally: Mapping[str, int], *names: str) -> str:
    asked = tally.get("asked", 0)
    return f"{_percent(sum(tally.get(name, 0) for name in names), asked)} %" if asked else "–"


def _mro(tally: Mapping[str, int], name: str) -> str:
    return f"{_share(tally, name)} ({_percent(tally.get('wrong', 0), tally['asked'])})" if tally else "–"


def _parts(tally: Mapping[str, int], names: Sequence[str]) -> str:
    asked = tally.get("asked", 0)
    return " / ".join(_percent(tally.get(name, 0), asked) for name in names) if asked else "–"


def _ratio(tally: Mapping[str, int], over: str, under: str, times: int = 1) -> str:
    if not tally.get(under):
        return "–"
    value = times * tally.get(over, 0) / tally[under]
    return f"{value:.1f} %" if times == 100 else f"{value:.2f}"


def _percent(part: int, whole: int) -> str:
    """With one decimal; what is not all or nothing is never rounded to it."""
    shown = f"{100 * part / whole:.1f}"
    if part and shown == "0.0":
        return "<0.1"
    return ">99.9" if part < whole and shown == "100.0" else shown


def plain(heads: Sequence[str], table: Sequence[Row]) -> str:
    """The table in columns, for a terminal."""
    lines = [["", *heads], *([name, *cells] for name, cells in table)]
    first, *widths = (max(map(len, column)) for column in zip(*lines, strict=True))
    return "\n".join("  ".join([name.ljust(first), *map(str.rjust, cells, widths)]) for name, *cells in lines)


def markdown(heads: Sequence[str], table: Sequence[Row]) -> str:
    """The same as Markdown."""
    head = f"| | {' | '.join(heads)} |\n|---|{'---:|' * len(heads)}\n"
    return head + "\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in table)
