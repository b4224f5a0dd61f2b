"""Owns how verdicts, drift, lint and assumptions read as plain lines: no wider than a window, the outcome first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from sondage.cli.plain import counted, place, table
from sondage.cli.plain_classes import bare
from sondage.core.answers.certainty import Evidence
from sondage.core.answers.contracts import (
    Assumption,
    ClassDrift,
    ClassReport,
    ContractItem,
    ContractReport,
    DriftAnswer,
    DriftItem,
    LintRow,
    LocateAnswer,
    Verdict,
)

WIDTH = 100
"""Columns; always the same, so that what is written into a file does not hang on the window it was asked in."""
BELOW = "    "


def wrapped(text: str, indent: str = BELOW) -> list[str]:
    """The text in lines of at most `WIDTH`, what follows the first set in a little more; long words stay whole."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _all(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from wrapped(text)


# ------------------------------------------------------------------ verdicts


def locate_lines(answer: LocateAnswer) -> Iterator[str]:
    yield from verdict_lines(answer.verdicts)
    found = sum(verdict.mark == "✓" for verdict in answer.verdicts)
    yield f"{found} of {len(answer.verdicts)} found on {answer.class_}"


def contract_lines(report: ContractReport) -> Iterator[str]:
    """For each class its verdicts and whether it keeps the contract; an empty line sets classes apart."""
    for number, result in enumerate(report.results):
        if number:
            yield ""
        yield from verdict_lines(result.items, report.contract.items)
        yield from wrapped(_conclusion(result), "")


def _conclusion(result: ClassReport) -> str:
    required = [verdict for verdict in result.items if verdict.required == "required"]
    if result.met:
        doubtful = ", ".join(verdict.member for verdict in required if verdict.doubtful)
        but = f", but {doubtful} may not work: see why" if doubtful else ""
        return f"met: {result.class_} has every required member ({len(required)}){but}"
    if result.met is None:
        doubtful = ", ".join(verdict.member for verdict in required if verdict.mark == "?")
        return f"undecided: {result.class_} hangs on {doubtful}"
    failing = ", ".join(verdict.member for verdict in required if verdict.mark == "✗" or verdict.call_fits is False)
    return f"not met: {result.class_} fails on {failing}"


def verdict_lines(verdicts: Sequence[Verdict], asked: Sequence[ContractItem] = ()) -> Iterator[str]:
    """One line a member; below it where it stands and through what it is reached, why, and what else shows it.

    `asked` are the items that were judged, in the same order: members of one origin stand under its name.
    """
    items = asked or [ContractItem(verdict.member) for verdict in verdicts]
    lines = table(map(_cells, verdicts, items))
    group = ""
    for verdict, item, line in zip(verdicts, items, lines, strict=True):
        if item.group != group:
            group = item.group
            yield f"of {group}:"
        yield line
        yield from _where(verdict)
        yield from _all(verdict.why)
        yield from _all(f"guard: {guard}" for guard in verdict.guards)
        for seen in verdict.evidence:
            if not _is_definition(seen, verdict):
                yield from _seen(place(seen.path, seen.line), seen.quote)


def _cells(verdict: Verdict, item: ContractItem) -> tuple[str, ...]:
    """`!` beside the mark: a recorded call does not fit the signature."""
    sign = verdict.mark + ("!" if verdict.call_fits is False else "")
    flags = {"optional": verdict.required == "optional", "soft": item.soft, "doubtful": verdict.doubtful}
    besides = ", ".join(word for word, is_so in flags.items() if is_so)
    return sign, verdict.member, verdict.verdict, verdict.certainty, besides


def _where(verdict: Verdict) -> Iterator[str]:
    """The definition, and the way to it. What is held is reached by the way first."""
    via = f"via {verdict.via}" if verdict.via else ""
    target = verdict.target
    if via and target and (target.path, target.line) != (verdict.path, verdict.line):
        via += f" → {bare(target.owner)} at {place(target.path, target.line)}"
    if verdict.verdict == "held":
        yield from wrapped(via)
    quote = next((seen.quote for seen in verdict.evidence if _is_definition(seen, verdict)), "")
    yield from _seen(definition_place(verdict), quote)
    if verdict.verdict != "held":
        yield from wrapped(via)


def definition_place(verdict: Verdict) -> str:
    """Where the definition stands; whose it is, where neither the verdict nor the way says so."""
    if not verdict.path:
        return verdict.owner
    where = place(verdict.path, verdict.line)
    named = verdict.owner and verdict.verdict not in ("own", "held")
    return f"{bare(verdict.owner)} at {where}" if named else where


def _is_definition(seen: Evidence, verdict: Verdict) -> bool:
    return (seen.path, seen.line) == (verdict.path, verdict.line)


def _seen(where: str, quote: str) -> list[str]:
    """`path:line: the line itself`; a line too long for that stands below its place."""
    together = wrapped(f"{where}: {quote.strip()}".removesuffix(": "))
    return together if len(together) < 2 else [f"{BELOW}{where}", *wrapped(quote.strip(), f"{BELOW}  ")]


# ------------------------------------------------------------------ drift


def drift_lines(answer: DriftAnswer) -> Iterator[str]:
    """The targets by number, then each class: `≠` a member that changed, what of it, and where it stands in each."""
    yield from table((str(number), target) for number, target in enumerate(answer.targets, 1))
    for result in answer.results:
        yield ""
        yield result.class_
        yield from _drift_of_class(result, answer.targets)
    items = [item for result in answer.results for item in result.items]
    changed = sum(item.changed for item in items)
    yield ""
    yield f"{changed} of {counted(len(items), 'member')} changed" if changed else "nothing changed"


def _drift_of_class(result: ClassDrift, targets: Sequence[str]) -> Iterator[str]:
    cells = (("≠" if item.changed else "=", item.member, _course(item), _first(item, targets)) for item in result.items)
    for item, line in zip(result.items, table(cells), strict=True):
        yield line
        if item.changed:
            yield from _all(what for what in item.what if not what.startswith("verdict: "))
            yield from _all(f"{number}  {_stands(verdict)}" for number, verdict in enumerate(item.verdicts, 1))


def _course(item: DriftItem) -> str:
    return " → ".join(f"{one.mark} {one.verdict}" if one else "no such class" for one in item.verdicts)


def _first(item: DriftItem, targets: Sequence[str]) -> str:
    """At which of three or more targets it changes first: what is said below is about that step."""
    if item.first_change not in targets or len(targets) < 3:
        return ""
    return f"first at {targets.index(item.first_change) + 1}"


def _stands(verdict: Verdict | None) -> str:
    if verdict is None:
        return "no such class"
    return definition_place(verdict) or verdict.verdict


# ------------------------------------------------------------------ lint and assumptions


def lint_lines(rows: Iterable[LintRow]) -> Iterator[str]:
    """`path:line:column:certainty:expression`, and below, indented, why."""
    for row in rows:
        yield f"{place(row.path, row.line)}:{row.column}:{row.certainty}:{row.what}"
        yield from _all(row.why)


_STATES = {"holds": "✓", "refuted": "✗", "open": "?"}


def assumption_lines(assumption: Assumption) -> Iterator[str]:
    yield from wrapped(f"{_STATES[assumption.state]} {assumption.state}: {assumption.claim}", "")
    yield from _all(assumption.why)
    for seen in assumption.evidence:
        yield from _seen(place(seen.path, seen.line), seen.quote)
