"""Owns the line that says what to look at next: the step that somebody would take who has read such code before."""

from __future__ import annotations

import msgspec

from sondage.core.answers.contracts import ContractItem, Verdict
from sondage.core.late import late_pattern
from sondage.core.safe import one_line
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.rows import counted

_NOT_READ = late_pattern(r"not (?:indexed|read|found|in the index)|could not be")


class Step(msgspec.Struct, frozen=True):
    """A proposal, and where it leads: to lines of a file, or to a matrix over the classes of a selector."""

    text: str
    place: tuple[str, int] | None = None
    selector: str = ""


class Definer(msgspec.Struct, frozen=True):
    """A class whose body has a member, and where."""

    class_name: str
    path: str
    line: int


class Others(msgspec.Struct, frozen=True):
    """What other classes of the index do about a member. Found by its name in the text, the forwarder then judged."""

    forwarder: Definer | None = None
    """A class that hands the member on to an attribute: judged, not guessed."""
    attribute: str = ""
    """The attribute that it hands on to."""
    definers: tuple[Definer, ...] = ()
    """The nearest first."""
    number: int = 0
    """How many classes define it."""
    selector: str = ""
    """The siblings of the class: those that are registered as it is, or have its base."""


def next_step(
    verdict: Verdict, item: ContractItem | None, others: Others, *, growing: bool = False, read: bool = False
) -> Step:
    """What to do about one item; without a text where nothing is left to do."""
    if growing and verdict.mark == "?":
        return Step("the index is still growing: this is asked again with every batch")
    if verdict.mark == "✓":
        return _for_one_that_is_there(verdict, item, read)
    match verdict.verdict:
        case "held":
            return _for_held(verdict, others)
        case "abstract":
            return _for_abstract(verdict, others)
        case "absent":
            return _for_absent(item, others)
        case "dynamic":
            shown = verdict.evidence[0] if verdict.evidence else None
            place = (shown.path, shown.line) if shown else None
            return Step("read what could provide it at run time" + _at(place), place)
        case _:
            return _for_unknown(verdict)


def _at(place: tuple[str, int] | None) -> str:
    return f", {place_text(*place)}" if place else ""


def _for_one_that_is_there(verdict: Verdict, item: ContractItem | None, read: bool) -> Step:
    definition = (verdict.path, verdict.line) if verdict.path else None
    if verdict.call_fits is False:
        use = next((use for use in item.uses if use.call is not None), None) if item is not None else None
        place = (use.path, use.line) if use else definition
        return Step("hold the call against the signature" + _at(place), place)
    if verdict.doubtful and verdict.evidence:
        place = (verdict.evidence[-1].path, verdict.evidence[-1].line)
        return Step("its body asks for what was not found: look there" + _at(place), place)
    if read:
        return Step("")
    if verdict.target is not None:
        place = (verdict.target.path, verdict.target.line)
        return Step("read what it hands on to" + _at(place), place)
    return Step("read it, then Space marks it as read", definition)


def _for_held(verdict: Verdict, others: Others) -> Step:
    attribute = one_line(verdict.via.partition(" → ")[0]) or "the attribute"
    if others.forwarder is not None:
        like = others.forwarder
        place = (like.path, like.line)
        same = "" if others.attribute == attribute else f" to {one_line(others.attribute)}"
        return Step(f"{short(like.class_name)} hands it on{same}: see how, {place_text(*place)}", place)
    place = (verdict.path, verdict.line)
    return Step(f"no class was found that hands it on: read what {attribute} has{_at(place)}", place)


def _for_abstract(verdict: Verdict, others: Others) -> Step:
    if others.definers:
        like = others.definers[0]
        return Step(
            f"it must be overridden; {short(like.class_name)} does{_at((like.path, like.line))}", (like.path, like.line)
        )
    place = (verdict.path, verdict.line) if verdict.path else None
    return Step("it must be overridden: read what is asked" + _at(place), place)


def _for_absent(item: ContractItem | None, others: Others) -> Step:
    if not others.definers:
        use = item.uses[0] if item is not None and item.uses else None
        place = (use.path, use.line) if use else None
        return Step(
            "no class of the index defines it" + (f": look at who needs it{_at(place)}" if place else ""), place
        )
    like = others.definers[0]
    place = (like.path, like.line)
    said = (
        f"{counted(others.number, 'class defines', 'classes define')} it, such as {short(like.class_name)}{_at(place)}"
    )
    if others.selector:
        return Step(f"{said}; which siblings have it: :matrix {one_line(others.selector)}", place, others.selector)
    return Step(said, place)


def _for_unknown(verdict: Verdict) -> Step:
    """What is missing, as the verdict says it."""
    missing = [why for why in verdict.why if _NOT_READ.search(why)] or list(verdict.why[:1])
    said = one_line(missing[0]) if missing else "not all classes of the MRO were read"
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    outside = "librar" in said or "not indexed" in said or "not in the index" in said
    remedy = ": a root that holds it, or --deps auto with its library folders, settles it" if outside else ""
    return Step(f"{said}{more}{remedy}")
