"""Owns one class as the classes pane shows it: its MRO as levels to walk, the members of a level, its subclasses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from sondage.core.answers.classes import MemberRow, MroAnswer, MroStep, OverridesAnswer, SubclassRow
from sondage.core.safe import one_line
from sondage.tui.models.rows import Part, Row, Rows, column, counted, cut, pad, row, with_keys

MOST_NAME = 34
"""Cells of the name column."""


BEGINNINGS = (
    ("c", "on a hit or in Source: the class around it"),
    ("p", "find a class by a few letters"),
    (":class Name", "show a class"),
)


class LevelValue(msgspec.Struct, frozen=True):
    """A class of the MRO, counted from 0."""

    index: int


class MemberValue(msgspec.Struct, frozen=True):
    name: str
    owner: str
    path: str
    line: int


class SubclassValue(msgspec.Struct, frozen=True):
    class_: str
    path: str
    line: int


def short(class_name: str) -> str:
    """The last part of a full name, safe to show."""
    return one_line(class_name.rpartition(".")[2] or class_name)


def place_text(path: str, line: int) -> str:
    """`deepseek_v2.py:2944`: the file alone, the whole path stands in Source."""
    return f"{one_line(path.rpartition('/')[2])}:{line}" if path else ""


Relations: TypeAlias = dict[tuple[str, str], OverridesAnswer]
"""By class and member: who else defines it, above and below."""


class ClassView(msgspec.Struct, frozen=True):
    """All that the pane needs of a class. `own` maps a class of the MRO to what it defines itself."""

    answer: MroAnswer
    own: Mapping[str, Mapping[str, MemberRow]]
    subclasses: tuple[SubclassRow, ...] = ()
    relations: Relations | None = None
    """None until they were asked."""

    def with_relations(self, relations: Relations) -> ClassView:
        return replace(self, relations=relations)

    @property
    def levels(self) -> tuple[MroStep, ...]:
        return self.answer.order

    def others(self, name: str, owner: str) -> list[int]:
        """The other levels that define a name."""
        return [
            index
            for index, step in enumerate(self.levels)
            if step.class_ != owner and name in self.own.get(step.class_, {})
        ]

    def member_at(self, level: int, name: str) -> MemberRow | None:
        """What a level itself defines under a name."""
        return self.own.get(self.levels[level].class_, {}).get(name)

    def above(self, name: str, owner: str) -> tuple[MroStep, bool | None] | None:
        """The next class of the MRO behind `owner` that defines a name too, and whether with the same signature."""
        at = next((index for index, step in enumerate(self.levels) if step.class_ == owner), len(self.levels))
        step = next((step for step in self.levels[at + 1 :] if name in self.own.get(step.class_, {})), None)
        if step is None:
            return None
        answer = (self.relations or {}).get((owner, name))
        same = [one.same_signature for one in answer.rows if one.class_ == step.class_] if answer is not None else []
        return step, same[0] if same else None

    def overridden_by(self, class_: str) -> int | None:
        """How many members of this class a subclass defines anew; None until it is known."""
        if self.relations is None:
            return None
        own = [answer for (owner, _), answer in self.relations.items() if owner == self.answer.class_]
        return sum(any(one.class_ == class_ and one.direction == "down" for one in answer.rows) for answer in own)

    def rows(self, level: int, *, inherited: bool, following: str = "") -> list[Row]:
        """The three sections below each other. `following` is the member that is walked along the MRO."""
        blank = row("")
        return [
            *self._mro_rows(level, following),
            blank,
            *self._member_rows(level, inherited),
            blank,
            *self._subclass_rows(),
        ]

    # ------------------------------------------------------------ sections

    def _mro_rows(self, level: int, following: str) -> list[Row]:
        said = "error" if self.answer.error else "complete" if self.answer.complete else "open"
        role = {"complete": "muted", "open": "doubt", "error": "bad"}[said]
        out = [row(Part("MRO", "heading"), right=[Part(said, role)])]
        names = (one_line(step.class_) if step.open is not None else short(step.class_) for step in self.levels)
        width = column(names, MOST_NAME)
        out.extend(
            self._level_row(index, step, width, index == level, following) for index, step in enumerate(self.levels)
        )
        if self.answer.error:
            out.append(row(Part("  ! " + one_line(self.answer.error), "bad")))
        unread = [step.class_ for step in self.levels if step.open is not None]
        unsaid = [why for why in self.answer.why_incomplete if not any(name in why for name in unread)]
        return [*out, *(row(Part("  ? " + one_line(why), "doubt")) for why in unsaid)]

    def _level_row(self, index: int, step: MroStep, width: int, here: bool, following: str) -> Row:
        own = self.own.get(step.class_, {})
        arrow = Part("›" if here else " ", "accent")
        number = Part(f"{index:>2} ", "number")
        if step.open is not None:
            why = f"not read: {one_line(step.open)}"
            return row(
                arrow,
                Part(" ? ", "doubt"),
                Part(pad(one_line(step.class_), width), "muted"),
                Part("  " + why, "doubt"),
                value=LevelValue(index),
            )
        name = Part(pad(short(step.class_), width), "accent" if here else "name")
        right = self._followed(index, following) or [Part(counted(len(own), "member"), "muted")]
        place = [Part("  " + place_text(step.path, step.line), "path")] if step.path else []
        note = [Part("  " + one_line(step.note), "doubt")] if step.note else []
        return row(arrow, number, name, extra=[*place, *note], right=right, value=LevelValue(index), cut_extra=True)

    def _followed(self, index: int, name: str) -> list[Part]:
        """What a level has of the member that is walked along: the definition that wins, one that is hidden, none."""
        if not name:
            return []
        defining = [level for level in range(len(self.levels)) if self.member_at(level, name) is not None]
        if index not in defining:
            return [Part(f"no {one_line(name)}", "muted")]
        is_first = index == defining[0]
        return [Part("✓ ", "good"), Part("wins", "name")] if is_first else [Part("hidden", "doubt")]

    def _member_rows(self, level: int, inherited: bool) -> list[Row]:
        if not self.levels:
            return []
        step = self.levels[level]
        if inherited:
            title, members = "All members, with the class that provides each", dict(self.answer.members or {})
        else:
            title, members = f"{short(step.class_)}, its own members", dict(self.own.get(step.class_, {}))
        out = [row(Part(title, "heading"), right=[Part("owner" if inherited else "also at level", "muted")])]
        width = column(map(one_line, members), MOST_NAME)
        for name, member in sorted(members.items(), key=_in_source_order):
            out.append(self._member_row(name, member, width, inherited))
        if not members:
            why = "not read; f looks for its library again" if step.open is not None else "none"
            out.append(row(Part("  " + why, "muted")))
        return out

    def _member_row(self, name: str, member: MemberRow, width: int, inherited: bool) -> Row:
        over = self.above(name, member.owner)
        differs = [Part("! signature  ", "warn")] if over is not None and over[1] is False else []
        if inherited:
            right = [*differs, Part(short(member.owner), "name")]
        else:
            right = [*differs, Part(", ".join(map(str, self.others(name, member.owner))), "number")]
        place = Part("  " + place_text(member.path, member.line), "path")
        overrides = f"over {short(over[0].class_)}" if over is not None else one_line(member.kind)
        return row(
            Part("  " + pad(one_line(name), width), "text"),
            extra=[place, Part("  " + overrides, "muted")],
            cut_extra=True,
            right=right,
            value=MemberValue(name, member.owner, member.path, member.line),
        )

    def _subclass_rows(self) -> list[Row]:
        out = [
            row(
                Part(f"Subclasses of {short(self.answer.class_)}", "heading"),
                right=[Part(counted(len(self.subclasses), "class", "classes"), "muted")],
            )
        ]
        width = column(("  " * sub.depth + short(sub.class_) for sub in self.subclasses), MOST_NAME + 4)
        for sub in self.subclasses:
            name = pad("  " * sub.depth + cut(short(sub.class_), MOST_NAME), width)
            value = SubclassValue(sub.class_, sub.path, sub.line)
            number = self.overridden_by(sub.class_)
            right = [Part(f"overrides {number}", "muted")] if number is not None else []
            place = Part("  " + place_text(sub.path, sub.line), "path")
            out.append(row(Part(name, "name"), extra=[place], right=right, value=value, cut_extra=True))
        if not self.subclasses:
            out.append(row(Part("  none in the index", "muted")))
        return out


def _in_source_order(item: tuple[str, MemberRow]) -> tuple[bool, str, int, str]:
    """What nobody wrote, such as the methods of a dataclass, comes last."""
    name, member = item
    return member.kind == "generated", member.path, member.line, name


def related(view: ClassView) -> list[tuple[str, str]]:
    """The members, by class, whose other definitions the pane tells of."""
    several = [
        (step.class_, name)
        for step in view.levels
        for name in view.own.get(step.class_, {})
        if view.others(name, step.class_)
    ]
    inherited = [(view.answer.class_, name) for name in view.answer.members or {}] if view.subclasses else []
    return list(dict.fromkeys([*several, *inherited]))


def section_line(rows: Rows, section: str) -> int:
    """The first line of a section that can be stood on; -1 when it holds none."""
    kinds = {"mro": LevelValue, "members": MemberValue, "subclasses": SubclassValue}
    return next((index for index in rows.stops if isinstance(rows[index].value, kinds[section])), -1)


def rows_to_begin() -> list[Row]:
    """What stands in the pane before a class was asked for."""
    return with_keys("No class chosen yet.", BEGINNINGS)
