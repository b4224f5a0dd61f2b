"""Owns Dig: one target, opened; every question of every face goes through it, and so into the transcript."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sondage.core.answers import (
    Assumption,
    CallersAnswer,
    Candidates,
    ClaimState,
    Contract,
    ContractReport,
    Coverage,
    DriftAnswer,
    Excerpt,
    IndexSummary,
    LintAnswer,
    LocateAnswer,
    MroAnswer,
    OverridesAnswer,
    Progress,
    Resolution,
    SearchAnswer,
    SubclassesAnswer,
    SymbolRow,
    to_json,
)
from sondage.core.source.text import SourceText
from sondage.core.transcripts.replay import Replayed
from sondage.core.transcripts.story import Story, taken_for_given, tell
from sondage.core.transcripts.transcript import Entry, Verb
from sondage.dig import questions, replaying
from sondage.dig.caution import cautious
from sondage.dig.evidence import quoted
from sondage.dig.index import Index
from sondage.dig.recorder import Recorder
from sondage.dig.saving import save_story
from sondage.dig.settings import SearchQuery, Settings
from sondage.dig.state import State
from sondage.hosts.base import Asker, HostIdentity, Target

A = TypeVar("A")

MOST_ROUNDS = 12
"""Times a chain is followed one library file further; real chains end after three or four."""


class Dig:
    """One target, opened. Answers come from the newest index swapped in; none of them waits for the network but `refresh`
    and the first question whose chain leads into a library of the host.

    `commit=True` makes an answer an entry of the transcript, written before it is returned.
    """

    def __init__(self, state: State, recorder: Recorder) -> None:
        self._state = state
        self._recorder = recorder
        # One lane each: answers about classes share caches that one thread at a time may fill, and a search must not wait for them.
        self._thinking = ThreadPoolExecutor(1, thread_name_prefix="sondage-think")
        self._searching = ThreadPoolExecutor(1, thread_name_prefix="sondage-search")
        self._pins_taken_up = False

    # ---- state, cheap to read at any time

    @property
    def target(self) -> Target:
        return self._state.target

    @property
    def identity(self) -> HostIdentity | None:
        """Who answered; None until connected, then the last known one from the store."""
        return self._state.identity

    @property
    def root(self) -> str:
        """Absolute, as the host resolved it; as typed until the host has been asked."""
        return self._state.index.root

    @property
    def coverage(self) -> Coverage:
        return self._state.index.coverage

    @property
    def lines(self) -> int:
        return sum(facts.lines for facts in self._state.index.facts.values())

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
        return self._state.host is not None

    @property
    def round_trip(self) -> float | None:
        """Seconds, as last measured."""
        return self._state.round_trip

    @property
    def session(self) -> str | None:
        """The name of the transcript on disk; None where nothing is kept."""
        return self._recorder.journal.name if self._recorder.journal.path else None

    def take_notes(self) -> list[str]:
        """What the user should hear once, and has not yet: about the host, the cache, the transcript. Untrusted text."""
        notes, self._recorder.notes = [*self._state.take_notes(), *self._recorder.notes], []
        return notes

    def listen(self, listener: Callable[[], None]) -> None:
        """`listener` is called on the event loop after each swap of the index."""
        self._state.listeners.append(listener)

    # ---- the index

    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary:
        """Connects where needed, lists, pulls and parses what changed, and swaps the new index in.

        Raises `HostError`; what had arrived by then is kept, and answers go on from it.
        """
        summary = await self._state.refresh(report or (lambda progress: None))
        if self._state.listeners:  # an app: more questions will come
            self._thinking.submit(questions.warm, self._state.index)
        self._recorder.root = self.root
        if self.identity is not None:
            self._recorder.host_key = self.identity.host_key
        if self.session:
            self._recorder.checkout = await self._state.checkout()
        await self._take_up_pins()
        return summary

    def files(self) -> Sequence[str]:
        """Paths relative to the root, sorted."""
        return sorted(self._state.index.files)

    def source(self, path: str) -> SourceText | None:
        """The text of a file as it was pulled, or None when it is not there (yet). Never recorded."""
        return self._state.index.text(path)

    # ---- questions

    async def search(self, query: SearchQuery, *, commit: bool = True) -> SearchAnswer:
        """Raises `UsageError` for a pattern or glob that cannot be read."""
        index = self._state.index
        answer = await self._in(self._searching, questions.search, index, query)
        arguments = {
            "pattern": query.pattern,
            "globs": list(query.globs),
            "ignore_case": query.ignore_case,
            "word": query.word,
            "fixed": query.fixed,
        }
        return self._recorded("search", arguments, answer, index, commit)

    async def symbols(self, query: str, *, limit: int = 50, commit: bool = True) -> tuple[SymbolRow, ...]:
        index = self._state.index
        answer = await self._in(self._searching, questions.symbols, index, query, limit)
        return self._recorded("symbols", {"query": query, "limit": limit}, answer, index, commit)

    async def show(self, spec: str, *, commit: bool = True) -> Excerpt | Candidates:
        """`PATH:A-B`, `PATH:A,B`, `PATH:A`, `PATH`, or the name of a class, function or method."""
        index = self._state.index
        answer = await self._in(self._thinking, questions.show, index, spec)
        return self._recorded("show", {"spec": spec}, answer, index, commit)

    async def mro(self, class_name: str, *, members: bool = False, commit: bool = True) -> MroAnswer | Candidates:
        index = await self._with_chains([class_name])
        answer = await self._in(self._thinking, questions.mro, index, class_name, members)
        return self._recorded("mro", {"class": class_name}, answer, index, commit)

    async def classes(self, *, members: bool = False) -> tuple[MroAnswer, ...]:
        """The row of `mro` for every class of the root. Never recorded: it is a table, not a finding."""
        index = await self._with_chains(None)
        return await self._in(self._thinking, questions.classes, index, members)

    async def subclasses(self, class_name: str, *, commit: bool = True) -> SubclassesAnswer | Candidates:
        index = self._state.index
        answer = await self._in(self._thinking, questions.subclasses, index, class_name)
        return self._recorded("subclasses", {"class": class_name}, answer, index, commit)

    async def overrides(self, member: str, *, commit: bool = True) -> OverridesAnswer | Candidates:
        """`Class.member`, own or inherited: every other definition of the name above and below that class."""
        index = await self._with_chains([member.rpartition(".")[0]])
        answer = await self._in(self._thinking, questions.overrides, index, member)
        return self._recorded("overrides", {"member": member}, answer, index, commit)

    async def locate(
        self, class_name: str, members: Sequence[str], *, commit: bool = True
    ) -> LocateAnswer | Candidates:
        index = await self._with_chains([class_name])
        found = await self._in(self._thinking, questions.locate, index, class_name, members)
        answer = quoted(found, index)
        return self._recorded("locate", {"class": class_name, "members": list(members)}, answer, index, commit)

    async def check(
        self, class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> ContractReport | Candidates:
        index = await self._with_chains(class_names)
        found = await self._in(self._thinking, questions.check, index, class_names, contract)
        answer = quoted(found, index)
        arguments = {"classes": list(class_names), "contract": to_json(contract)}
        return self._recorded("check", arguments, answer, index, commit)

    async def jump(self, path: str, line: int, column: int, *, commit: bool = True) -> Resolution | Candidates:
        """From the call (or name) at a position to what it can reach. Candidates when the file is not in the index."""
        index = self._state.index
        answer = await self._in(self._thinking, questions.jump, index, path, line, column)
        return self._recorded("jump", {"path": path, "line": line, "column": column}, answer, index, commit)

    async def callers(self, member: str, *, commit: bool = True) -> CallersAnswer | Candidates:
        """`Class.method`, or a module function by its full name."""
        index = self._state.index
        answer = await self._in(self._thinking, questions.callers, index, member)
        return self._recorded("callers", {"member": member}, answer, index, commit)

    # ---- contracts

    async def derive(self, consumers: Sequence[str], receiver: str, *, name: str = "", commit: bool = True) -> Contract:
        """What consumers (`PATH`, `PATH:Class`, `PATH:Class.method`) need of a receiver (an expression, or `Class.attribute`).

        Raises `UsageError` where one of them means nothing.
        """
        index = self._state.index
        found = await self._in(self._thinking, questions.derive, index, consumers, receiver, name)
        arguments = {"consumers": list(consumers), "receiver": receiver}
        return self._recorded("derive", arguments, quoted(found, index), index, commit)

    async def derive_base(self, base: str, *, name: str = "", commit: bool = True) -> Contract | Candidates:
        """What an abstract base or a Protocol asks of a class that fills it in."""
        index = await self._with_chains([base])
        found = await self._in(self._thinking, questions.derive_base, index, base, name)
        return self._recorded("derive", {"base": base}, quoted(found, index), index, commit)

    async def derive_siblings(
        self, selector: str, *, least: float = 0.5, name: str = "", commit: bool = True
    ) -> Contract | Candidates:
        """What at least a share of the selected classes provide, each member with its share."""
        index = self._state.index
        found = await self._in(self._thinking, questions.derive_siblings, index, selector, least, name)
        return self._recorded("derive", {"base": selector, "least": least}, quoted(found, index), index, commit)

    async def matrix(self, selector: str, contract: Contract, *, commit: bool = True) -> ContractReport | Candidates:
        """Every class of a selector against every item. Raises `UsageError` where it is no selector."""
        names = await self._in(self._thinking, questions.selected, self._state.index, selector)
        index = await self._with_chains(names)
        found = await self._in(self._thinking, questions.matrix, index, selector, contract)
        arguments = {"classes": [selector], "selector": selector, "contract": to_json(contract)}
        return self._recorded("check", arguments, quoted(found, index), index, commit)

    async def lint(
        self, class_names: Sequence[str] = (), *, selector: str | None = None, commit: bool = True
    ) -> LintAnswer | Candidates:
        """What classes ask of themselves, or of what they hold, that is not there."""
        index = await self._with_chains(class_names) if class_names else self._state.index
        answer = await self._in(self._thinking, questions.lint, index, class_names, selector)
        arguments = {"classes": [*class_names, *([selector] if selector else [])], "selector": selector or ""}
        return self._recorded("lint", arguments, answer, index, commit)

    async def assume(self, claim: str, others: Mapping[str, Dig] | None = None, *, commit: bool = True) -> Assumption:
        """Checks a claim at once where it can be; `RECEIVER is CLASS` is taken for given from now on, and said.

        `others` are opened targets that `MEMBER unchanged since TARGET` may name.
        """
        index = self._state.index
        indexes = {name: dig._state.index for name, dig in (others or {}).items()}
        found = await self._in(self._thinking, questions.assume, index, claim, indexes)
        answer = self._recorded("assume", {"claim": claim}, quoted(found, index), index, commit)
        pin = await self._in(self._thinking, questions.pin, index, claim)
        if pin is not None and answer.state != "refuted":
            self._state.pin(pin)
        return answer

    async def drift(
        self, others: Sequence[Dig], class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> DriftAnswer | Candidates:
        """The contract on the same classes here and in other opened targets, in this order."""
        digs = [self, *others]
        indexes = [(str(dig.target), await dig._with_chains(class_names)) for dig in digs]
        answer = await self._in(self._thinking, questions.drift, indexes, class_names, contract)
        arguments = {
            "classes": list(class_names),
            "contract": to_json(contract),
            "targets": [str(dig.target) for dig in digs],
        }
        return self._recorded("drift", arguments, answer, indexes[0][1], commit)

    # ---- the transcript

    def entries(self) -> Sequence[Entry]:
        """Of the whole session, earlier runs included, oldest first."""
        return self._recorder.entries

    def note(self, text: str) -> None:
        self._recorder.note(text)

    def hypothesis(self, claim: str) -> None:
        """A claim of the user's own, open until somebody judges it; `assume` also checks one."""
        self._recorder.hypothesis(claim)

    def judge(self, entry_id: str, state: ClaimState, why: str = "") -> None:
        """A verdict on a hypothesis or an assumption. Raises `UsageError` where the id is of neither."""
        self._recorder.verdict(entry_id, state, why)

    def drop(self, entry_id: str) -> None:
        """Leaves an entry out of the story, and of exports; it stays in the transcript. Raises `UsageError` for no entry."""
        self._recorder.drop(entry_id)

    def story(self) -> Story:
        """What is told of the transcript: its steps without those that were dropped, and the ledger of its claims."""
        return tell(self._recorder.entries)

    def save_transcript(self, destination: Path) -> Path:
        """Writes the story, as HTML or JSON where the name ends so, otherwise as Markdown; secrets are redacted, and said.

        Raises `UsageError` rather than overwrite a file or follow a link.
        """
        return save_story(self._recorder, destination)

    async def ask_again(self, entry: Entry, others: Mapping[str, Dig] | None = None, *, commit: bool = True) -> Any:
        """The answer to the question of an entry, as of now. `others` are opened targets that it compares with.

        Raises `UsageError` where the question cannot be put any more, and what the question itself raises.
        """
        return await replaying.ask(self, entry, others or {}, commit=commit)

    async def replay(self, entry: Entry, others: Mapping[str, Dig] | None = None) -> Replayed:
        """Asks an entry again and compares; nothing is recorded.

        A jump or a range is asked at the lines it was about, wherever they are now. Raises `HostError`, and `UsageError` for
        what is no question, or compares with a target that is not among the others.
        """
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
        self._thinking.shutdown(wait=False, cancel_futures=True)
        self._searching.shutdown(wait=False, cancel_futures=True)
        await self._state.aclose()
        self._recorder.journal.close()

    # ---- inside

    async def _take_up_pins(self) -> None:
        """What an earlier run of the session took for given about this target holds in this one too."""
        if self._pins_taken_up:
            return
        self._pins_taken_up = True
        await self._take_for_given(taken_for_given(self._recorder.entries, str(self.target)))

    async def _take_for_given(self, claims: Sequence[str]) -> None:
        """From now on answers rest on these claims and no others."""
        index = self._state.index
        pins = [await self._in(self._thinking, questions.pin, index, claim) for claim in claims]
        self._state.take_pins(tuple(pin for pin in pins if pin is not None))

    async def _in(self, lane: ThreadPoolExecutor, ask: Callable[..., A], *arguments: Any) -> A:
        return await asyncio.get_running_loop().run_in_executor(lane, lambda: ask(*arguments))

    async def _with_chains(self, names: Sequence[str] | None) -> Index:
        """The index, with the library files read that lie on the chains of these classes (of all classes where None)."""
        tried: set[str] = set()
        for _ in range(MOST_ROUNDS):
            index = self._state.index
            modules = await self._in(self._thinking, questions.wanted, index, names)
            fresh = [module for module in modules if module not in tried]
            if not fresh or not await self._state.read_libraries(fresh):
                break
            tried.update(fresh)
        return self._state.index

    def _recorded(self, verb: Verb, arguments: Mapping[str, Any], answer: A, index: Index, commit: bool) -> A:
        answer = cautious(answer, index.coverage)
        if commit:
            self._recorder.record(verb, arguments, answer, index)
        return answer


async def open_dig(target: Target, settings: Settings, *, asker: Asker | None = None) -> Dig:
    """The store and the journal are opened; nothing is loaded and nothing is connected before `refresh`."""
    state = await State.open(target, settings, asker)
    return Dig(state, state.recorder(settings.session))
