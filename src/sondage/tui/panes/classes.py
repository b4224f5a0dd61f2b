"""Owns the classes pane: the MRO of a class as a place to walk, its members with who defines them, its subclasses."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from sondage.core.safe import one_line
from sondage.tui import commands
from sondage.tui.models import classes as model
from sondage.tui.models.rows import Part
from sondage.tui.models.source import Place
from sondage.tui.panes.base import Pane
from sondage.tui.panes.lines import Lines, LineView
from sondage.tui.panes.messages import (
    ClassAsked,
    ContractEdited,
    FetchAsked,
    OverridesAsked,
    PlaceAsked,
    PreviewAsked,
    Said,
)


class ClassesPane(Pane):
    number = 2
    place = "classes"
    BINDINGS: ClassVar[list[BindingType]] = commands.bindings("classes")

    def __init__(self) -> None:
        super().__init__()
        self.list = Lines(self.place, widget_id="classes-list")
        self.view: model.ClassView | None = None
        self.level = 0
        self.inherited = False
        self.member = ""
        """The name that is walked along the MRO; empty: the class itself."""

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.list

    def on_mount(self) -> None:
        self.entitle([Part("no class chosen", "muted")])
        self.list.show(model.rows_to_begin())

    @property
    def main(self) -> LineView:
        return self.list

    # ------------------------------------------------------------ showing

    def show(self, view: model.ClassView, member: str = "") -> None:
        """Another class, or the same one from a newer index. `member` is what to follow along the MRO."""
        same = self.view is not None and self.view.answer.class_ == view.answer.class_
        self.view = view
        if not same:
            self.level, self.member = 0, member
        self.level = min(self.level, max(0, len(view.levels) - 1))
        self._draw(keep=same)
        if not same:
            self.list.find(model.LevelValue(0))

    def _draw(self, *, keep: bool = True) -> None:
        if self.view is None:
            return
        answer = self.view.answer
        bases = ", ".join(model.short(base) for base in answer.bases) or "object"
        subject = [Part(model.short(answer.class_), "accent"), Part(f"({bases})", "muted")]
        following = [Part("follows ", "muted"), Part(one_line(self.member), "name")] if self.member else []
        self.entitle(subject, following)
        rows = self.view.rows(self.level, inherited=self.inherited, following=self.member)
        self.list.show(rows, keep=keep)

    @on(LineView.Moved, "#classes-list")
    def _moved(self, event: LineView.Moved) -> None:
        event.stop()
        value = self.list.value
        if isinstance(value, model.LevelValue) and value.index != self.level:
            self.level = value.index
            self._draw()
            self._follow()
        elif isinstance(value, model.MemberValue | model.SubclassValue):
            self.post_message(PreviewAsked(value.path, value.line))

    def _follow(self) -> None:
        """Source shows the same member at this level; where it is missing the status says so."""
        if self.view is None or not self.view.levels:
            return
        step = self.view.levels[self.level]
        row = self.view.member_at(self.level, self.member) if self.member else None
        if row is not None:
            self.post_message(PreviewAsked(row.path, row.line))
        elif not step.path:
            why = one_line(step.open or step.note or "it is built in")
            again = "; f looks for it again" if step.open else ""
            self.post_message(Said(f"{one_line(step.class_)} cannot be shown: {why}{again}", "doubt"))
        else:
            if self.member:
                self.post_message(Said(f"{model.short(step.class_)} does not define {one_line(self.member)} itself"))
            self.post_message(PreviewAsked(step.path, step.line))

    # ------------------------------------------------------------ actions

    @on(LineView.Clicked, "#classes-list")
    def action_choose(self) -> None:
        value = self.list.value
        if isinstance(value, model.MemberValue):
            self.member = value.name
            self.post_message(PlaceAsked(value.path, value.line))
        elif isinstance(value, model.SubclassValue):
            self.post_message(PlaceAsked(value.path, value.line))
        elif isinstance(value, model.LevelValue) and self.view is not None:
            step = self.view.levels[value.index]
            row = self.view.member_at(value.index, self.member) if self.member else None
            if not step.path:
                self._follow()
            else:
                self.post_message(PlaceAsked(row.path if row else step.path, row.line if row else step.line))

    def action_level(self, by: int) -> None:
        """Along the MRO; a member under the cursor is followed from then on."""
        if self.view is None or not self.view.levels:
            return
        value = self.list.value
        if isinstance(value, model.MemberValue):
            self.member = value.name
        self.level = max(0, min(len(self.view.levels) - 1, self.level + by))
        self._draw()
        if not (isinstance(value, model.MemberValue) and self._find_member(value.name)):
            self.list.find(model.LevelValue(self.level))
        self._follow()

    def _find_member(self, name: str) -> bool:
        """The same name in the list of another level."""
        values = (self.list.rows[index].value for index in self.list.stops)
        found = next((v for v in values if isinstance(v, model.MemberValue) and v.name == name), None)
        return found is not None and self.list.find(found)

    def action_contract(self) -> None:
        if self.view is not None:
            self.post_message(ContractEdited(self._class_here() or self.view.answer.class_))

    def action_show_class(self) -> None:
        name = self._class_here()
        if name:
            self.post_message(ClassAsked(name))

    def _class_here(self) -> str:
        """The class the cursor stands on; empty for one that was not read."""
        value = self.list.value
        if isinstance(value, model.SubclassValue):
            return value.class_
        if isinstance(value, model.MemberValue):
            return value.owner
        if isinstance(value, model.LevelValue) and self.view is not None:
            step = self.view.levels[value.index]
            return step.class_ if step.path else ""
        return ""

    def action_section(self, section: str) -> None:
        line = model.section_line(self.list.rows, section)
        if line >= 0:
            self.list.cursor = line

    def action_base(self) -> None:
        """To the next of the bases, from the last to the first again."""
        if self.view is None:
            return
        bases = [index for index, step in enumerate(self.view.levels) if step.class_ in self.view.answer.bases]
        if bases:
            self.list.find(model.LevelValue(next((index for index in bases if index > self.level), bases[0])))
        else:
            self.post_message(Said("it has no base but object"))

    def action_overrides(self) -> None:
        """All definitions of the member under the cursor, or of the one that is walked along the MRO."""
        value = self.list.value
        if isinstance(value, model.MemberValue):
            self.post_message(OverridesAsked("all", class_name=value.owner, member=value.name))
        elif self.member and self.view is not None:
            self.post_message(OverridesAsked("all", class_name=self.view.answer.class_, member=self.member))
        else:
            self.post_message(Said("a member must stand under the cursor: d goes to them"))

    def action_fetch(self) -> None:
        if self.view is not None:
            self.post_message(FetchAsked())

    def action_inherited(self) -> None:
        self.inherited = not self.inherited
        self._draw()

    @property
    def here(self) -> Place | None:
        value = self.list.value
        if isinstance(value, model.MemberValue):
            return Place(value.path, value.line, symbol=f"{model.short(value.owner)}.{value.name}")
        if isinstance(value, model.SubclassValue):
            return Place(value.path, value.line, symbol=model.short(value.class_))
        if isinstance(value, model.LevelValue) and self.view is not None:
            step = self.view.levels[value.index]
            return Place(step.path, step.line, symbol=model.short(step.class_)) if step.path else None
        return None

    def copy_text(self) -> str | None:
        """An open end has no place: its name is what there is."""
        value = self.list.value
        if self.here is None and isinstance(value, model.LevelValue) and self.view is not None:
            return self.view.levels[value.index].class_
        return super().copy_text()

    def copy_forms(self) -> list[tuple[str, str]]:
        if self.view is None:
            return []
        return [("class name", self.view.answer.class_), ("MRO", " → ".join(s.class_ for s in self.view.levels))]
