"""Owns one class as the classes pane shows it: its MRO as levels to walk, the members of a level, its subclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sondage.core.answers import MemberRow, MroAnswer, MroStep, SubclassRow
from sondage.core.safe import one_line
from sondage.tui.models.rows import Part, Row, Rows, column, counted, cut, pad, row, with_keys

MOST_NAME = 34
"""Cells of the name column."""


BEGINNINGS = (
    ("c", "on a hit or in Source: the class around it"),
    ("p", "find a class by a few letters"),
    (":class Name", "show a class"),
)


@dataclass(frozen=True)
class LevelValue:
    """A class of the MRO, counted from 0."""

    index: int


@dataclass(frozen=True)
class MemberValue:
    name: str
    owner: str
    path: str
    line: int


@dataclass(frozen=True)
class SubclassValue:
    class_: str
    path: str
    line: int


def short(class_name: str) -> str:
    """The last part of a full name, safe to show."""
    return one_line(class_name.rpartition(".")[2] or class_name)


def place_text(path: str, line: int) -> str:
    """`deepseek_v2.py:2944`: the file alone, the whole path stands in Source."""
    return f"{one_line(path.rpartition('/')[2])}:{line}" if path else ""


@dataclass(frozen=True)
class ClassView:
    """All that the pane needs of a class. `own` maps a class of the MRO to what it defines itself."""

    answer: MroAnswer
    own: Mapping[str, Mapping[str, MemberRow]]
    subclasses: tuple[SubclassRow, ...] = ()

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

    def rows(self, level: int, *, inherited: bool) -> list[Row]:
        """The three sections below each other."""
        blank = row("")
        return [*self._mro_rows(level), blank, *self._member_rows(level, inherited), blank, *self._subclass_rows()]

    # ------------------------------------------------------------ sections

    def _mro_rows(self, level: int) -> list[Row]:
        said = "error" if self.answer.error else "complete" if self.answer.complete else "open"
        role = {"complete": "muted", "open": "doubt", "error": "bad"}[said]
        out = [row(Part("MRO", "heading"), right=[Part(said, role)])]
        names = (one_line(step.class_) if step.open is not None else short(step.class_) for step in self.levels)
        width = column(names, MOST_NAME)
        out.extend(self._level_row(index, step, width, index == level) for index, step in enumerate(self.levels))
        if self.answer.error:
            out.append(row(Part("  ! " + one_line(self.answer.error), "bad")))
        unread = [step.class_ for step in self.levels if step.open is not None]
        unsaid = [why for why in self.answer.why_incomplete if not any(name in why for name in unread)]
        return [*out, *(row(Part("  ? " + one_line(why), "doubt")) for why in unsaid)]

    def _level_row(self, index: int, step: MroStep, width: int, here: bool) -> Row:
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
        note = [Part(one_line(step.note) + "  ", "doubt")] if step.note else []
        right = [*note, Part(counted(len(own), "member"), "muted")]
        place = [Part("  " + place_text(step.path, step.line), "path")]
        return row(arrow, number, name, extra=place, right=right, value=LevelValue(index))

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
        for name, member in sorted(members.items(), key=lambda item: (item[1].path, item[1].line, item[0])):
            out.append(self._member_row(name, member, width, inherited))
        if not members:
            why = "not read" if step.open is not None else "none"
            out.append(row(Part("  " + why, "muted")))
        return out

    def _member_row(self, name: str, member: MemberRow, width: int, inherited: bool) -> Row:
        if inherited:
            right = [Part(short(member.owner), "name")]
        else:
            right = [Part(", ".join(map(str, self.others(name, member.owner))), "number")]
        return row(
            Part("  " + pad(one_line(name), width), "text"),
            Part("  " + place_text(member.path, member.line), "path"),
            extra=[Part("  " + one_line(member.kind), "muted")],
            right=right,
            value=MemberValue(name, member.owner, member.path, member.line),
        )

    def _subclass_rows(self) -> list[Row]:
        out = [
            row(Part("Subclasses", "heading"), right=[Part(counted(len(self.subclasses), "class", "classes"), "muted")])
        ]
        width = column(("  " * sub.depth + short(sub.class_) for sub in self.subclasses), MOST_NAME + 4)
        for sub in self.subclasses:
            name = pad("  " * sub.depth + cut(short(sub.class_), MOST_NAME), width)
            value = SubclassValue(sub.class_, sub.path, sub.line)
            out.append(row(Part(name, "name"), Part("  " + place_text(sub.path, sub.line), "path"), value=value))
        if not self.subclasses:
            out.append(row(Part("  none in the index", "muted")))
        return out


def section_line(rows: Rows, section: str) -> int:
    """The first line of a section that can be stood on; -1 when it holds none."""
    kinds = {"mro": LevelValue, "members": MemberValue, "subclasses": SubclassValue}
    return next((index for index in rows.stops if isinstance(rows[index].value, kinds[section])), -1)


def rows_to_begin() -> list[Row]:
    """What stands in the pane before a class was asked for."""
    return with_keys("No class chosen yet.", BEGINNINGS)
