"""Owns the way of the questions about classes: a class with all that its pane shows, and who else defines a member."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sondage.core.answers.certainty import Candidates
from sondage.core.answers.classes import MemberRow, MroAnswer, OverridesAnswer
from sondage.core.safe import one_line
from sondage.dig import Dig
from sondage.tui.models.classes import ClassView, Relations, related, short
from sondage.tui.models.overrides import SIGNATURES, definitions, ring_of, rows_of_definitions, spots_of_overrides
from sondage.tui.models.rows import Part, row
from sondage.tui.models.source import Place
from sondage.tui.panes import messages as m

if TYPE_CHECKING:
    from sondage.tui.desk import Desk

Question = m.ClassAsked | m.OverridesAsked | m.FetchAsked


class Hierarchies:
    """The class that is shown of one opened target, and the definitions that the user steps through."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.app = desk.app
        self.pane = desk.panes.classes
        self.asked: m.ClassAsked | None = None
        self._ring: tuple[Place, ...] = ()
        """All definitions of one member, for `next`."""

    @property
    def dig(self) -> Dig:
        return self.desk.dig

    async def answer(self, asked: Question) -> None:
        match asked:
            case m.ClassAsked():
                await self.show(asked)
            case m.FetchAsked():
                await self._fetch()
            case m.OverridesAsked():
                await self._overrides(asked)

    # ------------------------------------------------------------ the class that is shown

    async def show(self, asked: m.ClassAsked) -> None:
        name, member = asked.name, ""
        if asked.path:
            name, member = await self._class_at(asked)
            if not name:
                self.app.say("no class stands around this line", "doubt")
                return
        answer = await self.named(name, asked.path)
        if answer is None:
            return
        if asked.recorded:
            await self.dig.mro(answer.class_)
        self.asked = m.ClassAsked(answer.class_)
        await self._put(answer, member)
        self.app.go("classes")
        self.desk.recorded()
        await self._relate()

    async def grow(self) -> None:
        """The index was swapped: the same class once more, without recording."""
        if self.asked is None:
            return
        answer = await self.dig.mro(self.asked.name, members=True, commit=False)
        if isinstance(answer, MroAnswer):
            await self._put(answer)
            await self._relate()

    async def _put(self, answer: MroAnswer, member: str = "") -> None:
        """With what every class of the MRO defines itself; how these relate follows, and is kept meanwhile."""
        own: dict[str, dict[str, MemberRow]] = {}
        for step in answer.order:
            if step.open is None:
                seen = await self.dig.mro(step.class_, members=True, commit=False)
                if isinstance(seen, MroAnswer):
                    members = seen.members or {}
                    own[step.class_] = {name: member for name, member in members.items() if member.owner == step.class_}
        below = await self.dig.subclasses(answer.class_, commit=False)
        before = self.pane.view
        same = before is not None and before.answer.class_ == answer.class_
        relations = before.relations if before is not None and same else None
        self.pane.show(ClassView(answer, own, () if isinstance(below, Candidates) else below.rows, relations), member)

    async def _relate(self) -> None:
        """What each member overrides and is overridden by: a question a member, asked when the class is on the screen."""
        view = self.pane.view
        if view is None or not self.dig.coverage.whole:
            return
        found: Relations = {}
        for class_, name in related(view):
            answer = await self.dig.overrides(f"{class_}.{name}", commit=False)
            if isinstance(answer, OverridesAnswer):
                found[class_, name] = answer
        if self.pane.view is view:
            self.pane.show(view.with_relations(found))

    async def _class_at(self, asked: m.ClassAsked) -> tuple[str, str]:
        """The class around a line and, when the line is in one of its methods, the method's name."""
        outline = await self.desk.places.outline(asked.path)
        around = outline.class_around(asked.line)
        if around is None:
            return "", ""
        inner = outline.around(asked.line)
        inside = inner.qualname.removeprefix(around.qualname + ".") if inner is not None else ""
        return around.qualname, "" if inner is around else inside.split(".")[0]

    async def named(self, name: str, path: str) -> MroAnswer | None:
        """The class that a name stands for; where it stands for several the one in `path`, or the user's choice.

        Finding out is not recorded, unless it ends here because there is no such class.
        """
        answer = await self.dig.mro(name, members=True, commit=False)
        if isinstance(answer, MroAnswer):
            return answer
        if answer.reason == "absent":
            await self.dig.mro(name)
            self.desk.recorded()
        chosen = await self.desk.choose_name(answer, path)
        found = await self.dig.mro(chosen, members=True, commit=False) if chosen else None
        return found if isinstance(found, MroAnswer) else None

    async def _fetch(self) -> None:
        """Look for the libraries anew: they may have been installed, or the host may not have been there, when first asked."""
        if self.asked is None or self.pane.view is None:
            return
        if not self.dig.online:
            self.app.say("the host is not connected, and libraries are read there: R connects", "doubt")
            return
        await self.dig.look_again()
        await self.grow()
        still = [step for step in self.pane.view.levels if step.open is not None]
        if still:
            why = one_line(still[0].open or "")
            self.app.say(f"still open: {why}; a root that holds it, or another --source-root, settles it", "doubt")
        else:
            self.app.say("nothing of the MRO is open any more", "good")

    # ------------------------------------------------------------ who else defines a member

    async def _overrides(self, asked: m.OverridesAsked) -> None:
        if asked.way == "next" and self._step(asked.path, asked.line):
            return
        name = await self._member_asked(asked)
        if not name and asked.way == "up":
            await self._to_base(asked)
            return
        if not name:
            self.app.say("no method and no class stands around this line", "doubt")
            return
        answer = await self.dig.overrides(name, commit=asked.way == "all")
        if not isinstance(answer, OverridesAnswer):
            self.app.say(f"{short(name.rpartition('.')[0])} has no {one_line(name.rpartition('.')[2])}", "doubt")
            return
        match asked.way:
            case "up":
                await self._up(answer)
            case "next":
                await self._next(answer, Place(asked.path, asked.line))
            case "mro":
                await self._choose_provider(answer)
            case _:
                self._ring = ring_of(answer)
                self.desk.list_spots(spots_of_overrides(answer, self.dig.source))
                self.desk.recorded()

    async def _member_asked(self, asked: m.OverridesAsked) -> str:
        """Its full name; empty where no method, or no class, stands around the line."""
        if asked.class_name:
            return f"{asked.class_name}.{asked.member}"
        outline = await self.desk.places.outline(asked.path)
        around = outline.class_around(asked.line)
        inner = outline.around(asked.line)
        if around is None or inner is None:
            return ""
        inside = inner.qualname.removeprefix(around.qualname + ".").split(".")[0] if inner is not around else ""
        member = asked.member or inside
        module = self.dig.module_of(asked.path)
        return ".".join(filter(None, (module, around.qualname, member))) if member else ""

    async def _to_base(self, asked: m.OverridesAsked) -> None:
        """From the class around a line to the next one of its MRO that was read."""
        name, _ = await self._class_at(m.ClassAsked("", asked.path, asked.line))
        answer = await self.named(name, asked.path) if name else None
        step = next((step for step in answer.order[1:] if step.path), None) if answer is not None else None
        if step is not None:
            await self.desk.place(Place(step.path, step.line))
            self.app.say(f"{short(step.class_)}, the next of the MRO")
        else:
            self.app.say("no class around this line, or none behind it that was read", "doubt")

    async def _up(self, answer: OverridesAnswer) -> None:
        """To the definition that a `super()` of this one would come to."""
        above = [one for one in answer.rows if one.direction == "up"]
        there = next((one for one in above if one.path), None)
        if there is not None:
            same = SIGNATURES[there.same_signature][0]
            await self.desk.place(Place(there.path, there.line))
            said = f"{short(there.class_)}.{one_line(answer.of.rpartition('.')[2])}"
            self.app.say(f"{said}, {same}" if same else said)
        else:
            why = above[0].class_ + " has no source" if above else "; ".join(answer.why_incomplete)
            said = f"{short(answer.of.rpartition('.')[0])} overrides nothing here"
            self.app.say(f"{said}: {one_line(why)}" if why else said, "doubt" if why else "plain")

    async def _next(self, answer: OverridesAnswer, here: Place) -> None:
        """Round all definitions below this one; from one that none overrides, below the topmost it overrides itself."""
        ring = ring_of(answer)
        if len(ring) < 2:
            top = next((one for one in reversed(answer.rows) if one.direction == "up" and one.path), None)
            whole = (
                await self.dig.overrides(f"{top.class_}.{answer.of.rpartition('.')[2]}", commit=False) if top else None
            )
            ring = ring_of(whole) if isinstance(whole, OverridesAnswer) else ring
        self._ring = ring
        if not self._step(answer.path, answer.line) and not self._step(here.path, here.line):
            self.app.say("nothing overrides it, and it overrides nothing")

    def _step(self, path: str, line: int) -> bool:
        """To the definition behind this one, where this is one of those that are stepped through."""
        at = next((n for n, place in enumerate(self._ring) if (place.path, place.line) == (path, line)), None)
        if at is None or len(self._ring) < 2:
            return False
        to = self._ring[(at + 1) % len(self._ring)]
        if self.desk.places.go(to):
            self.app.say(f"{one_line(to.symbol)}: definition {(at + 1) % len(self._ring) + 1} of {len(self._ring)}")
        return True

    async def _choose_provider(self, answer: OverridesAnswer) -> None:
        """The classes of the MRO that define the name, the one that a lookup finds first."""
        rows = rows_of_definitions(definitions(answer))
        rows += [row(Part(f" ? {one_line(why)}", "doubt")) for why in answer.why_incomplete]
        member = one_line(answer.of.rpartition(".")[2])
        chosen = await self.app.choose(f"{member} on the MRO of {short(answer.of.rpartition('.')[0])}", rows)
        if isinstance(chosen, Place):
            await self.desk.place(chosen)
