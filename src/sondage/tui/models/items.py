"""Owns the items of a contract as they stand in the list: in groups, with the conditions under which they are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from sondage.core.answers.contracts import CallShape, Contract, ContractItem, Escape, Use, Verdict
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text
from sondage.tui.models.rows import Part, Row, row, wrap

REQUIRED, CONDITIONAL, OPTIONAL = "required", "conditional", "optional"
_TITLES = {
    REQUIRED: "required",
    CONDITIONAL: "conditional: needed, but only under a condition",
    OPTIONAL: "optional: asked for with a way out",
}
_DOES = {"call": "calls it", "read": "reads it", "write": "writes it", "delete": "deletes it", "probe": "asks for it"}


class Group(msgspec.Struct, frozen=True):
    """Items of one kind under a title."""

    title: str
    items: tuple[ContractItem, ...]


def kind_of(item: ContractItem) -> str:
    if item.required == "optional":
        return OPTIONAL
    return CONDITIONAL if item.conditional else REQUIRED


def grouped(contract: Contract) -> list[Group]:
    """Required items first, then conditional and optional ones; those of an inherited Protocol stand apart, last."""
    own = [item for item in contract.items if not item.group]
    groups = [Group(title, tuple(i for i in own if kind_of(i) == kind)) for kind, title in _TITLES.items()]
    others = dict.fromkeys(item.group for item in contract.items if item.group)
    for name in others:
        members = tuple(item for item in contract.items if item.group == name)
        groups.append(Group(f"of {one_line(name)}, which the base inherits", members))
    return [group for group in groups if group.items]


def has_groups(contract: Contract) -> bool:
    """Whether there is anything to tell apart: names that were typed are all required, and that is all."""
    return bool(contract.consumers or contract.base or contract.receiver)


def heading(group: Group, verdicts: Iterable[Verdict | None]) -> Row:
    """A group's title and how many of its items are there."""
    known = [verdict for verdict in verdicts if verdict is not None]
    there = sum(verdict.mark == "✓" for verdict in known)
    count = f"{there} of {len(group.items)} ✓" if known else f"{len(group.items)}"
    return row(Part(group.title, "heading"), right=[Part(count, "muted")])


def conditions(item: ContractItem) -> tuple[str, ...]:
    """The conditions under which it is used, one sentence a way: `if A and B`. Empty where one use has none."""
    ways = dict.fromkeys(use.guards for use in item.uses if use.how != "probe")
    if not ways or () in ways:
        return ()
    return tuple("if " + " and ".join(map(one_line, guards)) for guards in ways)


def condition_row(item: ContractItem) -> Row | None:
    """The line below an item that says when it is needed."""
    ways = conditions(item)
    if not ways:
        return None
    more = (
        f"  · or in {len(ways) - 1} more ways" if len(ways) > 2 else "  · or in another way" if len(ways) == 2 else ""
    )
    return row(Part("       " + ways[0], "doubt"), extra=[Part(more, "muted")])


def notes_of(item: ContractItem) -> str:
    """What else is to be said of an item, in a few words."""
    words = []
    if item.certainty == "possible":
        words.append("possibly needed")
    if item.soft:
        words.append("soft")
    if item.share is not None:
        words.append(f"{item.share:.0%} have it")
    return ", ".join(words)


# ------------------------------------------------------------------ where it is needed


def call_text(call: CallShape) -> str:
    """`(_, _, key=_)`: what a call hands over."""
    parts = ["_"] * call.positional + ["*_"] * call.star
    parts += [f"{one_line(name)}=_" for name in call.keywords] + ["**_"] * call.double_star
    return f"({', '.join(parts)})"


def use_rows(item: ContractItem, width: int) -> list[Row]:
    """The places that need it, each of which can be gone to, with their conditions; else where the base asks for it."""
    if not item.uses:
        shown = item.evidence
        rows = [_place_row(e.path, e.line, one_line(e.quote.strip())) for e in shown]
        return [row(Part("asked for at", "heading")), *rows] if rows else []
    out = [row(Part("needed at", "heading"))]
    for use in item.uses:
        out.append(_use_row(use))
        said = [f"if {one_line(guard)}" for guard in use.guards] + [f"· {one_line(why)}" for why in use.why]
        roles = ["doubt"] * len(use.guards) + ["muted"] * len(use.why)
        for text, role in zip(said, roles, strict=True):
            out += [row(Part("  " + line, role)) for line in wrap(text, width - 2, "  ")]
    return out


def first_place(item: ContractItem) -> tuple[str, int] | None:
    """Where it is needed or asked for first."""
    if item.uses:
        return item.uses[0].path, item.uses[0].line
    return (item.evidence[0].path, item.evidence[0].line) if item.evidence else None


def _use_row(use: Use) -> Row:
    does = _DOES[use.how] + (call_text(use.call) if use.call is not None else "")
    sign = "? " if use.certainty == "possible" else ""
    optional = " · optional" if use.optional else ""
    return row(
        Part(sign, "doubt"),
        Part(place_text(use.path, use.line), "path"),
        Part(f"  {does}{optional}", "text"),
        extra=[Part("  " + one_line(use.symbol), "name")],
        cut_extra=True,
        value=(use.path, use.line),
    )


def _place_row(path: str, line: int, text: str) -> Row:
    return row(Part(place_text(path, line), "path"), Part("  " + text, "text"), value=(path, line))


# ------------------------------------------------------------------ what the contract may lack


def loose_ends(contract: Contract, width: int) -> list[Row]:
    """Where the object goes on and was not followed, and what else must be known: members used there are missing here."""
    out = _said(contract.notes, width)
    if contract.escapes:
        out.append(row(Part("goes on, not followed: what is used there is missing here", "heading")))
        out += [_escape_row(escape) for escape in contract.escapes]
    return out


def _said(notes: Sequence[str], width: int) -> list[Row]:
    return [row(Part(line, "muted")) for note in notes for line in wrap("· " + one_line(note), width, "  ")]


def _escape_row(escape: Escape) -> Row:
    return row(
        Part(" ? ", "doubt"),
        Part(place_text(escape.path, escape.line), "path"),
        Part("  " + one_line(escape.text), "text"),
        extra=[Part("  " + one_line(escape.why), "muted")],
        cut_extra=True,
        value=(escape.path, escape.line),
    )
