"""Owns the way of a question: a message of a pane is put to Dig, and its answer given to the panes that show it."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sondage.core.answers.calls import Definition, Resolution
from sondage.core.answers.certainty import Candidates
from sondage.core.answers.text import SearchAnswer
from sondage.core.safe import one_line
from sondage.core.transcripts.transcript import Entry
from sondage.dig import Dig, SearchQuery
from sondage.errors import SondageError, UsageError
from sondage.private import write_new
from sondage.tui import reading
from sondage.tui.contracting import Contracts, Question
from sondage.tui.hierarchies import Hierarchies
from sondage.tui.hierarchies import Question as HierarchyQuestion
from sondage.tui.models import log as log_rows
from sondage.tui.models import search as searches
from sondage.tui.models.classes import place_text, short
from sondage.tui.models.rows import Part, Row, counted, row
from sondage.tui.models.source import Place
from sondage.tui.models.why import rows_of_why
from sondage.tui.panes import messages as m
from sondage.tui.places import Places

if TYPE_CHECKING:
    from sondage.tui.app import SondageApp

HITS_SHOWN = 50_000
"""Hits of one search that are listed; the count above them is of all."""
HITS_TYPING = 5_000
"""As above, while the user types."""
RECENT_SHOWN = 12
"""Places that the palette begins with."""


class Desk:
    """All questions about one opened target. Methods are coroutines of app workers; what they raise the app reports."""

    def __init__(self, dig: Dig, app: SondageApp) -> None:
        self.dig = dig
        self.app = app
        self.panes = app.panes
        self.places = Places(dig, app)
        self.contracts = Contracts(self)
        self.hierarchies = Hierarchies(self)
        self._seen = -1
        self._asked: dict[str, m.Asked] = {}
        self.searched: m.SearchAsked | None = None
        """The last search that was committed."""

    async def answer(self, asked: m.Asked) -> None:
        """The one door; `match` keeps the list of questions in one place."""
        match asked:
            case m.SearchAsked():
                await self.search(asked)
            case m.PreviewAsked():
                self.places.preview(asked.path, asked.line, below=asked.by == "search")
            case m.PlaceAsked():
                await self.place(Place(asked.path, asked.line, asked.column, asked.last or 0), recorded=asked.recorded)
            case m.SpecAsked():
                await self.spec(asked.spec, recorded=asked.recorded)
            case m.WhyAsked():
                await self.why(asked)
            case m.JumpAsked():
                await self.jump(asked)
            case m.CallersAsked():
                await self.callers(asked)
            case m.OutlineAsked():
                chosen = await self.places.choose_definition(asked.path, asked.line)
                if chosen is not None:
                    await self.place(chosen)
            case m.FindAsked():
                self.app.go("search")
                self.panes.search.find_in(asked.path)
            case m.MarkAsked():
                await self.places.mark(asked.place)
            case m.EntryAsked():
                await self.again(asked.entry)
            case m.NoteAsked():
                await self.note(asked.text)
            case m.SaveAsked():
                await self.save(asked.name)
            case m.DropAsked():
                await self.drop(asked.entry_id)
            case _ if isinstance(asked, HierarchyQuestion):
                await self.hierarchies.answer(asked)
            case _ if isinstance(asked, Question):
                await self.contracts.answer(asked)

    @property
    def asked_anything(self) -> bool:
        """Whether there is an answer on the screen."""
        asked = (*self._asked, self.hierarchies.asked, self.contracts.asked, self.panes.source.here)
        return any(one is not None for one in asked)

    async def aclose(self) -> None:
        """Closes the targets that were opened to compare with; the one of the desk is the app's."""
        await self.contracts.comparing.aclose()

    # ------------------------------------------------------------ search and callers

    async def search(self, asked: m.SearchAsked) -> None:
        pane = self.panes.search
        limit = HITS_SHOWN if asked.committed else HITS_TYPING
        how = {"ignore_case": asked.ignore_case, "word": asked.word, "fixed": asked.fixed}
        query = SearchQuery(asked.pattern, asked.globs, limit=limit, **how)
        try:
            spans = reading.spans_of(asked.pattern, **how)
            first = partial(self._show_first, asked, spans)
            answer = await self.dig.search(query, commit=asked.committed, first=first)
        except UsageError as error:
            plain = self.app.table["search.regex"].shown_key
            pane.complain(f"{error.what}: {error.where}; {plain} reads it as plain text")
            return
        self._asked["search"] = asked
        pane.show(searches.spots_of_search(answer), answer.searched, spans)
        if asked.committed:
            self.searched = asked
            pane.take(asked)
            self.app.go("search")
            self.recorded()

    def _show_first(self, asked: m.SearchAsked, spans: searches.Spans | None, answer: SearchAnswer) -> None:
        """What was found while the search still goes on."""
        self._asked["search"] = asked
        self.panes.search.show(searches.spots_of_search(answer, goes_on=True), answer.searched, spans)

    async def callers(self, asked: m.CallersAsked) -> None:
        member = await self._member_at(asked.path, asked.line, asked.column)
        if member is None:
            self.app.say("no definition and no call that can be resolved stands here", "doubt")
            return
        answer = await self.dig.callers(member, commit=False)
        if isinstance(answer, Candidates):
            chosen = await self.choose_name(answer, asked.path)
            if chosen is None:
                return
            member = chosen
        answer = await self.dig.callers(member)
        if isinstance(answer, Candidates):
            return
        self.list_spots(searches.spots_of_callers(answer))
        self.recorded()

    def list_spots(self, spots: searches.Spots) -> None:
        """Places that no pattern found, in the list of Search."""
        self._asked.pop("search", None)
        self.panes.search.show(spots, 0)
        self.app.go("search")

    async def _member_at(self, path: str, line: int, column: int) -> str | None:
        """The full or qualified name of what is defined or called at a position."""
        outline = await self.places.outline(path)
        here = next((d for d in outline.definitions if d.line == line), None)
        if here is not None:
            return here.qualname
        found = await self.dig.jump(path, line, column, commit=False)
        if isinstance(found, Candidates) or not found.answers:
            return None
        return f"{found.answers[0].owner}.{found.answers[0].name}"

    # ------------------------------------------------------------ places and jumps

    async def place(self, place: Place, *, recorded: bool = True) -> None:
        """Go there; recorded as a question of its own where it was one."""
        if self.places.go(place) and recorded:
            lines = f"{place.line}-{place.last}" if place.last > place.line else f"{place.line}"
            await self.dig.show(f"{place.path}:{lines}")
            self.recorded()

    async def spec(self, spec: str, *, recorded: bool = True) -> None:
        """`PATH:A-B`, `A,B` of the file under the cursor or open, `Class.method`."""
        if spec[:1].isdigit():
            here = self._at_hand
            if here is None:
                self.app.say("no file is open, and no hit stands under the cursor: :open PATH:A-B", "doubt")
                return
            spec = f"{here.path}:{spec}"
        answer = await self.dig.show(spec, commit=False)
        if isinstance(answer, Candidates) and answer.kind == "file" and self.dig.want(answer.asked):
            line = spec.removeprefix(answer.asked).lstrip(":").partition("-")[0].partition(",")[0]
            self.places.stand(Place(answer.asked, int(line or 1)))
            return
        if isinstance(answer, Candidates):
            chosen = await self.choose_name(answer, "")
            if chosen is None:
                return
            spec = chosen
        answer = await self.dig.show(spec, commit=recorded)
        if not isinstance(answer, Candidates):
            last = answer.last_line if answer.last_line > answer.first_line else 0
            await self.place(Place(answer.path, answer.first_line, 1, last), recorded=False)
            self.recorded()

    @property
    def _at_hand(self) -> Place | None:
        """The place a bare range is about: under the cursor of a list of places, else what Source shows."""
        listed = self.app.active_pane.here if self.app.active_pane.place in ("search", "classes") else None
        return listed or self.panes.source.here

    async def jump(self, asked: m.JumpAsked) -> None:
        found = await self.dig.jump(asked.path, asked.line, asked.column)
        self.recorded()
        if isinstance(found, Candidates):
            self.app.say(f"{asked.path} is not in the index", "doubt")
            return
        if not found.answers:
            self.app.say(found.unresolved or "no call and no name that can be followed stands here", "doubt")
            return
        answer = found.answers[0] if len(found.answers) == 1 else await self._choose_definition(found)
        if answer is not None:
            await self.place(Place(answer.path, answer.line), recorded=False)
            self.app.say(_because(answer, found), "good" if answer.certainty == "proved" else "doubt")

    async def why(self, asked: m.WhyAsked) -> None:
        """How a name resolves, step by step, without going anywhere unless a line is chosen."""
        found = await self.dig.jump(asked.path, asked.line, asked.column, commit=False)
        if isinstance(found, Candidates):
            self.app.say(f"{asked.path} is not in the index", "doubt")
            return
        chosen = await self.app.choose(*rows_of_why(found))
        if isinstance(chosen, Place):
            await self.place(chosen)

    async def _choose_definition(self, found: Resolution) -> Definition | None:
        rows = [
            row(
                Part(
                    " ✓ " if answer.certainty == "proved" else " ? ",
                    "good" if answer.certainty == "proved" else "doubt",
                ),
                Part(f"{short(answer.owner)}.{one_line(answer.name)}", "name"),
                Part("  " + "; ".join(map(one_line, answer.why)), "muted"),
                right=[Part(place_text(answer.path, answer.line), "path")],
                value=index,
            )
            for index, answer in enumerate(found.answers)
        ]
        if found.unresolved:
            rows.append(row(Part(" ? " + one_line(found.unresolved), "doubt")))
        chosen = await self.app.choose(f"{counted(len(found.answers), 'possible definition')}", rows)
        return found.answers[chosen] if isinstance(chosen, int) else None

    # ------------------------------------------------------------ names

    async def choose_name(self, found: Candidates, path: str) -> str | None:
        """One of several names: the one defined in `path`, else the user says which."""
        if found.reason == "ambiguous":
            near = [name for name in found.names if path and reading.is_in_module(name, path)]
            if len(near) == 1:
                return near[0]
            title = f"{one_line(found.asked)} is ambiguous"
        else:
            title = f"no {found.kind} is called {one_line(found.asked)}"
        if not found.names:
            self.app.say(title, "doubt")
            return None
        rows = [row(Part(" "), Part(one_line(name), "name"), value=name) for name in found.names]
        chosen = await self.app.choose(title + ("" if found.reason == "ambiguous" else "; similar names"), rows)
        return chosen if isinstance(chosen, str) else None

    # ------------------------------------------------------------ the growing index

    async def grow(self) -> None:
        """The index was swapped: ask again what is on the screen, without recording. The verdict of the whole is recorded."""
        if self._seen == self.dig.revision:
            return
        self._seen = self.dig.revision
        self.app.draw_header()
        self.places.renew()
        await self.contracts.grow()
        search = self._asked.get("search")
        if isinstance(search, m.SearchAsked):
            await self.search(
                m.SearchAsked(
                    search.pattern,
                    search.globs,
                    fixed=search.fixed,
                    ignore_case=search.ignore_case,
                    word=search.word,
                    committed=False,
                )
            )
        await self.hierarchies.grow()

    # ------------------------------------------------------------ the transcript

    async def ask_log_again(self) -> None:
        """After a refresh: which entries of the transcript no longer hold as they were written down."""

        def digest_of(path: str) -> str | None:
            text = self.dig.source(path)
            return text.digest if text is not None else None

        states: dict[str, str] = {}
        for entry in log_rows.to_ask_again(self.dig.entries(), digest_of):
            with contextlib.suppress(UsageError):
                states[entry.id] = (await self.dig.replay(entry)).state
        different = sum(state != "same" for state in states.values())
        self.panes.log.states = states
        self.recorded()
        if different:
            self.app.say(
                f"{counted(different, 'entry', 'entries')} of the log no longer as written down: 5 shows which", "doubt"
            )

    def recorded(self) -> None:
        """An answer was written down: the log shows it."""
        self.panes.log.show(tuple(self.dig.entries()), self.dig.session or "")

    async def again(self, entry: Entry) -> None:
        """Go to what an entry showed; looking again is not a new entry, a class or a contract asked again is."""
        asked = reading.question_of(entry)
        if asked is None:
            self.app.say("this entry holds nothing to go to", "doubt")
            return
        if isinstance(asked, m.SearchAsked):
            self.panes.search.take(asked)
            self.app.go("search")
        await self.answer(asked)

    async def note(self, text: str) -> None:
        await asyncio.to_thread(self.dig.note, text)
        self.recorded()
        self.app.say("noted", "good")

    async def drop(self, entry_id: str) -> None:
        await asyncio.to_thread(self.dig.drop, entry_id)
        self.recorded()
        self.app.say("left out of what is saved; it stays in the transcript", "good")

    async def save(self, name: str) -> None:
        try:
            saved = await asyncio.to_thread(self._save, name)
        except (OSError, SondageError) as error:
            self.app.say(f"not saved: {error}; :save NAME takes another file", "bad")
        else:
            self.app.say(f"saved {saved}", "good")

    def _save(self, name: str) -> Path:
        """Beside where sondage was started, unless a name says otherwise; nothing is overwritten."""
        destination = Path(name).expanduser() if name else _free_name(Path.cwd(), self.dig.session or "sondage")
        return self.dig.save_transcript(destination)

    def write(self, text: str, stem: str) -> None:
        """A document of our own, beside where sondage was started; nothing is overwritten."""
        place = _free_name(Path.cwd(), stem)
        try:
            write_new(place, text.encode("utf-8", "backslashreplace"))
        except SondageError as error:
            self.app.say(f"not saved: {error}", "bad")
        else:
            self.app.say(f"saved {place}", "good")

    # ------------------------------------------------------------ the palette

    async def findings(self, query: str, commands: list[Row]) -> list[Row]:
        """What the palette shows for a few letters: symbols of just that name, commands, symbols and files.

        For none: where the user has been, then all commands.
        """
        if not query.strip():
            return [*map(reading.recent_row, self.places.jumps.recent()[:RECENT_SHOWN]), *commands]
        symbols = await self.dig.symbols(query, limit=60, commit=False)
        meant = [symbol for symbol in symbols if query.strip() in (symbol.name, symbol.qualname)]
        others = [symbol for symbol in symbols if symbol not in meant]
        rows = [*map(reading.symbol_row, meant), *commands[:6], *map(reading.symbol_row, others)]
        return rows + reading.file_rows(self.dig.files(), query)


def _because(answer: Definition, found: Resolution) -> str:
    """`DeepseekV2ForCausalLM.load_weights, proved: held by self.language_model (:676)`."""
    why = "; ".join(answer.why)
    more = f"; but {found.unresolved}" if found.unresolved else ""
    return f"{short(answer.owner)}.{answer.name}, {answer.certainty}" + (f": {why}" if why else "") + more


def _free_name(folder: Path, stem: str) -> Path:
    """`stem.md`, or with the first number that is not taken."""
    names = [folder / f"{stem}.md", *(folder / f"{stem}-{number}.md" for number in range(2, 1000))]
    return next(name for name in names if not name.exists() and not name.is_symlink())
