"""Owns the one application service: it fetches, caches, asks the core, and records; the faces only ask and show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sondage.core.answers import (
    CallersAnswer,
    Candidates,
    Contract,
    ContractReport,
    Coverage,
    Excerpt,
    IndexSummary,
    LocateAnswer,
    MroAnswer,
    Progress,
    Resolution,
    SearchAnswer,
    SubclassesAnswer,
    SymbolRow,
)
from sondage.hosts.base import Asker, HostIdentity, SshOptions, Target

if TYPE_CHECKING:
    from sondage.core.text import SourceText
    from sondage.core.transcript import Entry


@dataclass(frozen=True)
class SearchQuery:
    """A committed search. `pattern` in RE2 syntax, or plain text with `fixed`; globs are matched against whole paths."""

    pattern: str
    globs: tuple[str, ...] = ()
    ignore_case: bool = False
    word: bool = False
    fixed: bool = False
    limit: int | None = None


@dataclass(frozen=True)
class Settings:
    """How a target is opened; every face fills it from its own options and the configuration."""

    ssh: SshOptions = field(default_factory=SshOptions)
    refresh: str = "auto"
    """`auto`: one listing, pull what changed. `never`: what the store has. `always`: pull everything again."""
    offline: bool = False
    source_roots: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    jobs: int | None = None
    engine: str = "processes"
    session: str | None = None
    """The transcript to record in; None records nothing."""
    deps: str = "auto"


class Dig:
    """One target, opened. Methods answer from the newest swapped-in index; none of them waits for the network but `refresh`.

    `commit=True` makes an answer an entry of the transcript, written before it is returned.
    """

    target: Target
    identity: HostIdentity | None
    """Who answered; None until connected (then the last known one from the store)."""

    # ---- state, cheap to read at any time
    @property
    def root(self) -> str: ...

    @property
    def coverage(self) -> Coverage: ...

    @property
    def revision(self) -> int:
        """Counts the swaps of the index: a face that has shown an answer of an older one may ask again."""

    @property
    def indexed_at(self) -> float | None:
        """Seconds since 1970, by this machine's clock, of the last complete listing."""

    @property
    def online(self) -> bool: ...

    @property
    def round_trip(self) -> float | None: ...

    @property
    def session(self) -> str | None: ...

    def listen(self, listener: Callable[[], None]) -> None:
        """`listener` is called on the event loop after each swap."""

    # ---- the index
    async def refresh(self, report: Callable[[Progress], None] | None = None) -> IndexSummary: ...

    def files(self) -> Sequence[str]: ...

    def source(self, path: str) -> SourceText | None:
        """The text of a file as it was pulled, or None when it is not there (yet). Never recorded."""

    # ---- questions
    async def search(self, query: SearchQuery, *, commit: bool = True) -> SearchAnswer: ...

    async def symbols(self, query: str, *, limit: int = 50, commit: bool = True) -> tuple[SymbolRow, ...]: ...

    async def show(self, spec: str, *, commit: bool = True) -> Excerpt | Candidates:
        """`PATH:A-B`, `PATH:A,B`, `PATH:A`, `PATH`, or `Class.method`."""

    async def mro(self, class_name: str, *, members: bool = False, commit: bool = True) -> MroAnswer | Candidates: ...

    async def classes(self, *, members: bool = False) -> tuple[MroAnswer, ...]: ...

    async def subclasses(self, class_name: str, *, commit: bool = True) -> SubclassesAnswer | Candidates: ...

    async def locate(
        self, class_name: str, members: Sequence[str], *, commit: bool = True
    ) -> LocateAnswer | Candidates: ...

    async def jump(self, path: str, line: int, column: int, *, commit: bool = True) -> Resolution | Candidates:
        """From the call (or name) at a position to what it can reach. Candidates when the file is not in the index."""

    async def callers(self, member: str, *, commit: bool = True) -> CallersAnswer | Candidates:
        """`Class.method`, or a module function by its full name."""

    async def check(
        self, class_names: Sequence[str], contract: Contract, *, commit: bool = True
    ) -> ContractReport | Candidates: ...

    # ---- the transcript
    def entries(self) -> Sequence[Entry]: ...

    def note(self, text: str) -> None: ...

    def save_transcript(self, destination: Path) -> Path:
        """Markdown; refuses to overwrite or to follow a link."""

    async def aclose(self) -> None: ...


async def open_dig(target: Target, settings: Settings, *, asker: Asker | None = None) -> Dig:
    """The store and the journal are opened, the last known index is loaded; nothing is connected before `refresh`."""
    raise NotImplementedError
