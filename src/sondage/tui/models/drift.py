"""Owns drift as the screen shows it: each item over the targets, what changed first, and the verdicts side by side."""

from __future__ import annotations

from collections.abc import Sequence

from sondage.core.answers.contracts import ClassDrift, DriftAnswer, DriftItem, Verdict
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.contract import ROLE_OF_MARK, places_of, sign, word
from sondage.tui.models.rows import Part, Row, column, counted, cut_start, pad, row, wrap

MOST_NAME = 36
BETWEEN = " │ "


def summary(answer: DriftAnswer) -> tuple[str, str]:
    """How much changed, and the tone of it."""
    items = [item for result in answer.results for item in result.items]
    changed = sum(item.changed for item in items)
    if not changed:
        return f"nothing changed in {counted(len(items), 'member')}", "good"
    return f"{changed} of {counted(len(items), 'member')} changed", "warn"


def target_rows(answer: DriftAnswer, unread: Sequence[str]) -> list[Row]:
    """The targets by number; `unread` says of each what was not read of it, empty where all was."""
    return [
        row(
            Part(f" {number} ", "number"),
            Part(one_line(target), "path"),
            extra=[Part(f"  {gap}", "doubt")] if gap else [],
            cut_extra=True,
        )
        for number, (target, gap) in enumerate(zip(answer.targets, unread, strict=True), 1)
    ]


def item_rows(answer: DriftAnswer, *, only_changed: bool) -> list[Row]:
    """One row an item, those that changed first; `≠` marks them, and a number the target where it changed first."""
    out: list[Row] = []
    for index, result in enumerate(answer.results):
        if len(answer.results) > 1:
            out.append(row(Part(short(result.class_), "heading")))
        out += _class_rows(index, result, answer.targets, only_changed=only_changed)
    return out or [row(Part(" nothing changed", "muted"))]


def _class_rows(index: int, result: ClassDrift, targets: Sequence[str], *, only_changed: bool) -> list[Row]:
    kept = [(n, item) for n, item in enumerate(result.items) if item.changed or not only_changed]
    kept.sort(key=lambda pair: not pair[1].changed)
    names = column((one_line(item.member) for _, item in kept), MOST_NAME)
    stands = column((_stand(verdict).text for _, item in kept for verdict in item.verdicts), MOST_NAME)
    return [_item_row((index, n), item, (names, stands), targets) for n, item in kept]


def first_change(item: DriftItem, targets: Sequence[str]) -> int:
    """The position, from 0, of the target where an item changed first; -1 where it did not. The first has none before it."""
    return next((number for number, target in enumerate(targets) if number and target == item.first_change), -1)


def _item_row(value: tuple[int, int], item: DriftItem, widths: tuple[int, int], targets: Sequence[str]) -> Row:
    names, stands = widths
    course: list[Part] = []
    for number, verdict in enumerate(item.verdicts):
        stand = _stand(verdict)
        course += [Part(" → ", "muted")] if number else []
        course.append(Part(pad(stand.text, stands), stand.role))
    first = first_change(item, targets)
    right = [Part(f"first at {first + 1}", "warn")] if first > 0 and len(targets) > 2 else []
    return row(
        Part(" ≠ " if item.changed else " = ", "warn" if item.changed else "muted"),
        Part(pad(one_line(item.member), names) + "  ", "text"),
        *course,
        right=right,
        value=value,
    )


def _stand(verdict: Verdict | None) -> Part:
    if verdict is None:
        return Part("no such class", "doubt")
    mark = sign(verdict)
    return Part(f"{mark} {word(verdict)}", "warn" if verdict.doubtful else ROLE_OF_MARK[mark])


# ------------------------------------------------------------------ side by side


def side_by_side(item: DriftItem, targets: Sequence[str], width: int) -> list[Row]:
    """Verdict, definition, signature and reasons of one item in a column for each target; below it what changed."""
    each = max(8, (width - len(BETWEEN) * (len(targets) - 1)) // max(1, len(targets)))
    first = first_change(item, targets)
    columns = [
        _column(number, target, verdict, each, is_first=item.changed and number == first + 1)
        for number, (target, verdict) in enumerate(zip(targets, item.verdicts, strict=True), 1)
    ]
    out = []
    for line in range(max(map(len, columns), default=0)):
        parts: list[Part] = []
        for number, told in enumerate(columns):
            text, role = told[line] if line < len(told) else ("", "text")
            parts += [Part(BETWEEN, "muted")] if number else []
            parts.append(Part(pad(text, each), role))
        out.append(row(*parts))
    changes = [line for what in item.what for line in wrap("≠ " + one_line(what), width, "  ")]
    return [*out, *(row(Part(line, "warn")) for line in changes)]


def place_rows(item: DriftItem, targets: Sequence[str]) -> list[Row]:
    """Every place of every target's verdict; the value is the target's position from 0, the path and the line."""
    rows = []
    for number, (target, verdict) in enumerate(zip(targets, item.verdicts, strict=True)):
        for path, line, what in places_of(verdict) if verdict is not None else []:
            rows.append(
                row(
                    Part(f" {number + 1} ", "number"),
                    Part(place_text(path, line), "path"),
                    Part("  " + one_line(what), "text"),
                    right=[Part(one_line(target), "muted")],
                    value=(number, path, line),
                )
            )
    return rows or [row(Part(" no place is known in any of them", "muted"))]


def _column(number: int, target: str, verdict: Verdict | None, width: int, *, is_first: bool) -> list[tuple[str, str]]:
    """The lines of one target, each with its role."""
    mark = "≠ " if is_first else ""
    out = [(f"{number} {mark}{cut_start(one_line(target), max(1, width - 4))}", "warn" if is_first else "heading")]
    if verdict is None:
        return [*out, ("no such class", "doubt")]
    stand = _stand(verdict)
    said = [(f"{stand.text}, {verdict.certainty}", stand.role)]
    if verdict.path:
        said.append((f"{short(verdict.owner)}  {place_text(verdict.path, verdict.line)}", "path"))
    said.append((one_line(verdict.member + verdict.signature) if verdict.signature else "", "text"))
    said.append(("via " + one_line(verdict.via) if verdict.via else "", "name"))
    said += [("if " + one_line(guard), "doubt") for guard in verdict.guards]
    said += [("· " + one_line(why), "muted") for why in verdict.why]
    return out + [(line, role) for text, role in said if text for line in wrap(text, width, "  ")]
