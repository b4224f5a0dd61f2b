"""Owns Dig: one target, opened; every question of every face goes through it, and so into the transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sondage.core.answers.calls import CallersAnswer, Resolution
from sondage.core.answers.certainty import Candidates, Coverage
from sondage.core.answers.classes import MroAnswer, OverridesAnswer, SubclassesAnswer
from sondage.core.answers.contracts import Contract, ContractReport, LocateAnswer
from sondage.core.answers.index import IndexSummary, Looked, Progress
from sondage.core.answers.plain import to_json
from sondage.core.answers.text import Excerpt, SearchAnswer, SymbolRow
from sondage.core.source.facts import FileFacts
from sondage.core.source.text import SourceText
from sondage.core.transcripts.transcript import Entry
from sondage.dig import questions
from sondage.dig.index import Index
from sondage.dig.proving import Proving
from sondage.dig.reach import Link
from sondage.dig.recorder import Recorder
from sondage.dig.settings import SearchQuery, Settings
from sondage.dig.shelf import TooMuchError
from sondage.dig.state import State
from sondage.dig.widening import widened
from sondage.hosts.base import Asker, Host, HostIdentity, Target

if TYPE_CHECKING:
    from sondage.core.classes.codebase import Steps
    from sondage.core.transcripts.replay import Replayed

A = TypeVar("A")


class Dig(Proving):
    """One target, opened. Answers come from the newest index swapped in; none of them waits for the network but `refresh`
    and the first question whose chain leads into a library of the host.

    `commit=True` makes an answer an entry of the transcript, written before it is returned.
    """

    # ---- state, cheap to read at any time

    @property
    def target(self) -> Target:
        return self._state.target

    @property
    def identity(self) -> HostIdentity | None:
        """Who answered; None until connected, then the last known one from the store."""
        return self._state.connection.identity

    @property
    def root(self) -> str:
        """Absolute, as the host resolved it; as typed until the host has been asked."""
        return self._state.index.root

    @property
    def coverage(self) -> Coverage:
        return self._state.index.coverage

    @property
    def lines(self) -> int:
        return self._state.index.lines

    @property
    def revision(self) -> int:
        """Counts the swaps of the index: a face that has shown an answer of an older one may ask again."""
        return self._state.revision

    @property
    def indexed_at(self) -> float | None:
        """Seconds since 1970, by this machine's clock, of the last complete listing."""
        return self._state.indexed_at

    @property
    def online(self) -> bool:
        return self._state.connection.host is not None

    @property
    def link(self) -> Link:
        """How it stands with the connection."""
        return self._state.connection.link

    @property
    def round_trip(self) -> float | None:
        """Seconds, as last measured."""
        return self._state.connection.round_trip

    @property
    def session(self) -> str | None:
        """The name of the transcript on disk; None where nothing is kept."""
        return self._recorder.journal.name if self._recorder.journal.path else None

    def rename(self, session: str) -> None:
        """Another name for the session and its transcript. Raises `UsageError`, `StoreError`."""
        self._recorder.journal.rename(session)

    def take_notes(self) -> list[str]:
        """What the user should hear once, and has not yet: about the host, the cache, the transcript. Untrusted text."""
        notes, self._recorder.notes = [*self._state.take_notes(), *self._recorder.notes], []
        return notes

    def listen(self, listener: Callable[[], None]) -> None:
        """`listener` is called on the event loop after each swap of the index."""
        self._state.listeners.append(listener)

    def watch(self, listener: Callable[[], None]) -> None:
        """`listener` is called on the event loop after each change of `link` or `round_trip`."""
        self._state.connection.listeners.append(listener)

    # ---- the index

    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary:
        """Connects where needed, lists, pulls and parses what changed, and swaps the new index in.

        Raises `HostError`; what had arrived by then is kept, and answers go on from it.
        """
        summary = await self._state.refresh(report or (lambda progress: None))
        if self._state.listeners:  # an app: more questions will come
            self._thinking.put(questions.warm, self._state.index)
            self._searching.put(self._learn, self._state.index)
        await self._arrived()
        return summary

    def _learn(self, index: Index) -> Steps[None]:
        yield from self._state.learn(index)
        yield from questions.learn(index)

    async def _arrived(self) -> None:
        """What is known of the host from now on belongs to what is recorded."""
        self._recorder.root = self.root
        if self.identity is not None:
            self._recorder.host_key = self.identity.host_key
        if self.session:
            self._recorder.checkout = await self._state.checkout()
        await self._take_up_pins()

    async def look(self, report: Callable[[Progress], None] | None = None, *, spec: str = "") -> Looked:
        """Connects where needed, lists, and brings the sources here; of the facts only those that questions lead to.

        What is asked then is answered as after a `refresh`: where it takes all facts they are worked out first. Raises as that.
        `spec`: nothing is going to be asked but to `show` this; where that is a range of a file, no other file is brought.
        """
        report = report or (lambda progress: None)
        path = questions.path_of(spec) if spec and not self.given() else ""
        looked = (await self._state.look_at(path, report) if path else None) or await self._state.look(report)
        await self._arrived()
        return looked

    def files(self) -> Sequence[str]:
        """Paths relative to the root, sorted."""
        return sorted(self._state.index.files)

    def source(self, path: str) -> SourceText | None:
        """The text of a file as it was pulled, or None when it is not there (yet). Never recorded."""
        return self._state.index.text(path)

    def facts(self, path: str) -> FileFacts | None:
        """What a file says, or None where it is not there (yet). One that was not parsed before is parsed now."""
        try:
            return self._state.index.facts.get(path)
        except TooMuchError:  # in a moment, when all are there
            return None

    async def stale(self, path: str) -> bool | None:
        """Whether the host has another file by now than the one that was pulled; None where that cannot be told."""
        return await self._state.stale(path)

    def module_of(self, path: str) -> str:
        """The name a file is imported by; empty where it is not in the index."""
        return self._state.index.hierarchy.world.layout.module_of(path)

    async def look_again(self) -> None:
        """The next question looks for library files anew: one that was not there when it was first asked may be now."""
        await self._state.look_again()

    # ---- questions

    @widened
    async def search(
        self, query: SearchQuery, *, commit: bool = True, first: Callable[[SearchAnswer], None] | None = None
    ) -> SearchAnswer:
        """Raises `UsageError` for a pattern or glob that cannot be read.

        `first` is given the first hits as soon as they are there, where there are many. A search that is cancelled stops.
        """
        index = self._state.index
        answer = await self._searching.ask_in_steps(questions.search, index, query, told=first)
        how = {"ignore_case": query.ignore_case, "word": query.word, "fixed": query.fixed}
        arguments = {"pattern": query.pattern, "globs": list(query.globs), **how}
        return await self._recorded("search", arguments, answer, index, commit)

    @widened
    async def symbols(self, query: str, *, limit: int = 50, commit: bool = True) -> tuple[SymbolRow, ...]:
        index = self._state.index
        answer = await self._searching.ask(questions.symbols, index, query, limit)
        return await self._recorded("symbols", {"query": query, "limit": limit}, answer, index, commit)

    @widened
    async def show(self, spec: str, *, commit: bool = True) -> Excerpt | Candidates:
        """`PATH:A-B`, `PATH:A,B`, `PATH:A`, `PATH`, or the name of a class, function or method."""
        index = self._state.index
        answer = await self._thinking.ask(questions.show, index, spec)
        return await self._recorded("show", {"spec": spec}, answer, index, commit)

    @widened
    async def mro(self, class_name: str, *, members: bool = False, commit: bool = True) -> MroAnswer | Candidates:
        index = await self._with_chains([class_name])
        answer = await self._thinking.ask(questions.mro, index, class_name, members)
        return await self._recorded("mro", {"class": class_name}, answer, index, commit)

    @widened
    async def classes(self, *, members: bool = False) -> tuple[MroAnswer, ...]:
        """The row of `mro` for every class of the root. Never recorded: it is a table, not a finding."""
        index = await self._with_chains(None)
        return await self._thinking.ask_in_steps(questions.classes, index, members)

    @widened
    async def subclasses(self, class_name: str, *, commit: bool = True) -> SubclassesAnswer | Candidates:
        index = self._state.index
        answer = await self._thinking.ask(questions.subclasses, index, class_name)
        return await self._recorded("subclasses", {"class": class_name}, answer, index, commit)

    @widened
    async def overrides(self, member: str, *, commit: bool = True) -> OverridesAnswer | Candidates:
        """`Class.member`, own or inherited: every other definition of the name above and below that class."""
        index = await self._with_chains([member.rpartition(".")[0]])
        answer = await self._thinking.ask(questions.overrides, index, member)
        return await self._recorded("overrides", {"member": member}, answer, index, commit)

    @widened
    async def locate(
        self, class_name: str, members: Sequence[str], *, commit: bool = True
    ) -> LocateAnswer | Candidates:
        index = await self._with_chains([class_name])
        answer = await self._thinking.ask(questions.locate, index, class_name, members)
        return await self._recorded("locate", {"class": class_name, "members": list(members)}, answer, index, commit)

    @widened
    async def check(
        self, class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> ContractReport | Candidates:
        index = await self._with_chains(class_names)
        answer = await self._thinking.ask_in_steps(questions.check, index, class_names, contract)
        arguments = {"classes": list(class_names), "contract": to_json(contract)}
        return await self._recorded("check", arguments, answer, index, commit)

    @widened
    async def jump(self, path: str, line: int, column: int, *, commit: bool = True) -> Resolution | Candidates:
        """From the call (or name) at a position to what it can reach. Candidates when the file is not in the index."""
        index = self._state.index
        answer = await self._thinking.ask(questions.jump, index, path, line, column)
        return await self._recorded("jump", {"path": path, "line": line, "column": column}, answer, index, commit)

    @widened
    async def callers(self, member: str, *, commit: bool = True) -> CallersAnswer | Candidates:
        """`Class.method`, or a module function by its full name."""
        index = self._state.index
        answer = await self._thinking.ask_in_steps(questions.callers, index, member)
        return await self._recorded("callers", {"member": member}, answer, index, commit)

    # ---- asked again

    async def ask_again(self, entry: Entry, others: Mapping[str, Dig] | None = None, *, commit: bool = True) -> Any:
        """The answer to the question of an entry, as of now. `others` are opened targets that it compares with.

        Raises `UsageError` where the question cannot be put any more, and what the question itself raises.
        """
        from sondage.dig import replaying  # noqa: PLC0415  what compares answers is seldom needed

        return await replaying.ask(self, entry, others or {}, commit=commit)

    async def replay(self, entry: Entry, others: Mapping[str, Dig] | None = None) -> Replayed:
        """Asks an entry again and compares; nothing is recorded.

        A jump or a range is asked at the lines it was about, wherever they are now. Raises `HostError`, and `UsageError` for
        what is no question, or compares with a target that is not among the others.
        """
        from sondage.dig import replaying  # noqa: PLC0415  as above

        given = self._state.index.pins
        await self._take_for_given(entry.assumptions)
        try:
            return await replaying.replay(self, entry, others or {}, self._as_entry)
        finally:
            self._state.take_pins(given)

    def _as_entry(self, question: Entry, answer: Any) -> Entry:
        return self._recorder.entry(question.verb, question.arguments, answer, self._state.index, whole=True)

    async def aclose(self) -> None:
        """Ends the connection, the parse processes and the store. What was recorded is on disk already."""
        for lane in (self._thinking, self._searching, self._writing):
            lane.close()
        await self._state.aclose()
        self._recorder.journal.close()

    # ---- inside

    async def _take_up_pins(self) -> None:
        """What an earlier run of the session took for given about this target holds in this one too."""
        if self._pins_taken_up:
            return
        self._pins_taken_up = True
        await self._take_for_given(self.given())

    @widened
    async def _take_for_given(self, claims: Sequence[str]) -> None:
        """From now on answers rest on these claims and no others."""
        index = self._state.index
        pins = [await self._thinking.ask(questions.pin, index, claim) for claim in claims]
        self._state.take_pins(tuple(pin for pin in pins if pin is not None))


async def open_dig(target: Target, settings: Settings, *, asker: Asker | None = None, host: Host | None = None) -> Dig:
    """The store and the journal are opened; nothing is loaded and nothing is connected before `refresh`.

    `host` is a connection that is open already; it is closed with the Dig.
    """
    state = await State.open(target, settings, asker)
    if host is not None:
        state.connection.take(host)
    return Dig(state, Recorder.open(target, settings, state.index.root))
