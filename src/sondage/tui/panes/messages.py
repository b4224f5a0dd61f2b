"""Owns what panes can ask for: each a message with plain values, answered by the app, never by the pane itself.

Of the messages of one `group` only the newest matters: an answer on its way to an older one is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

if TYPE_CHECKING:
    from sondage.core.answers.contracts import Verdict
    from sondage.core.transcripts.transcript import Entry
    from sondage.tui.commands import Command
    from sondage.tui.models.demand import Demand
    from sondage.tui.models.source import Place


class Asked(Message):
    """Base of every question: the app has one handler for all of them. One `of_sources` is put once there are some."""

    group: ClassVar[str] = "ask"
    of_sources: ClassVar[bool] = True


class SearchAsked(Asked):
    """`committed` is False while the user types: then nothing is recorded."""

    group = "search"

    def __init__(
        self,
        pattern: str,
        globs: tuple[str, ...],
        *,
        fixed: bool,
        ignore_case: bool,
        committed: bool,
        word: bool = False,
    ) -> None:
        super().__init__()
        self.pattern = pattern
        self.globs = globs
        self.fixed = fixed
        self.ignore_case = ignore_case
        self.word = word
        self.committed = committed


class PreviewAsked(Asked):
    """The cursor of the pane `by` rests on a place: show it beside, without going there."""

    group = "preview"

    def __init__(self, path: str, line: int, by: str = "") -> None:
        super().__init__()
        self.by = by
        self.path = path
        self.line = line


class PlaceAsked(Asked):
    """Go to lines of a file. `last` of None means one line; `column` counts code points from 1.

    `recorded` is False for a step that was only passed through, as with next hit.
    """

    group = "place"

    def __init__(
        self, path: str, line: int, last: int | None = None, column: int = 1, *, recorded: bool = True
    ) -> None:
        super().__init__()
        self.recorded = recorded
        self.path = path
        self.line = line
        self.last = last
        self.column = column


class SpecAsked(Asked):
    """Go to what the user typed: `PATH:A-B`, `PATH:A`, `Class.method`."""

    group = "place"

    def __init__(self, spec: str, *, recorded: bool = True) -> None:
        super().__init__()
        self.spec = spec
        self.recorded = recorded


class JumpAsked(Asked):
    """From the call or name at a position to its definition."""

    group = "place"

    def __init__(self, path: str, line: int, column: int) -> None:
        super().__init__()
        self.path = path
        self.line = line
        self.column = column


class CallersAsked(Asked):
    """Who calls what stands at a position: a definition, or the target of a call."""

    group = "search"

    def __init__(self, path: str, line: int, column: int) -> None:
        super().__init__()
        self.path = path
        self.line = line
        self.column = column


class ClassAsked(Asked):
    """Show a class. With `path` it is the class around that line, `name` being what is known of it.

    `recorded` is False for one that was asked before.
    """

    group = "classes"

    def __init__(self, name: str, path: str = "", line: int = 0, *, recorded: bool = True) -> None:
        super().__init__()
        self.recorded = recorded
        self.name = name
        self.path = path
        self.line = line


class OverridesAsked(Asked):
    """Who else defines a member? `way`: `up`, go to what it overrides; `next`, to the next definition of the same name;
    `all`, list them; `mro`, let the user choose among the classes of the MRO.

    Without a `class_name` the method around the line is meant, for `mro` the class around it with this member.
    """

    group = "place"

    def __init__(self, way: str, *, class_name: str = "", member: str = "", path: str = "", line: int = 0) -> None:
        super().__init__()
        self.way = way
        self.class_name = class_name
        self.member = member
        self.path = path
        self.line = line


class FetchAsked(Asked):
    """Look again for the library files that the MRO of the class at hand lacks."""

    group = "classes"


class OutlineAsked(Asked):
    """Let the user choose one of the definitions of a file; `line` is where they stand."""

    group = "screen"

    def __init__(self, path: str, line: int) -> None:
        super().__init__()
        self.path = path
        self.line = line


class WhyAsked(JumpAsked):
    """How does the name at a position resolve? Told, not gone to."""

    group = "screen"


class FindAsked(Asked):
    """A pattern is to be typed for one file."""

    group = "search"

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class MarkAsked(Asked):
    """Mark a place, or take its mark away."""

    group = "mark"

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place


class ContractEdited(Asked):
    """A class was chosen to put a contract to; its names are to be typed."""

    group = "contract"

    def __init__(self, class_name: str) -> None:
        super().__init__()
        self.class_name = class_name


class DemandEdited(Asked):
    """Let the user choose what is asked of a class: `from` who uses it, or a `base`."""

    group = "screen"

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way


class DemandChosen(Asked):
    """What is asked was chosen in another pane: put it to the class of the Contract pane, or to none yet."""

    group = "contract"

    def __init__(self, demand: Demand) -> None:
        super().__init__()
        self.demand = demand


class SubjectEdited(Asked):
    """Let the user choose another class for the contract at hand."""

    group = "screen"


class ExportAsked(Asked):
    """Write the contract at hand with its verdicts as Markdown."""

    group = "save"


class ContractAsked(Asked):
    """Does the class have what is asked of it, and who provides it?

    Without a class the contract itself is asked for. `recorded` is False for one that was asked before.
    """

    group = "contract"

    def __init__(self, class_name: str, demand: Demand, *, recorded: bool = True) -> None:
        super().__init__()
        self.class_name = class_name
        self.demand = demand
        self.recorded = recorded

    @property
    def names(self) -> tuple[str, ...]:
        return self.demand.names


class OthersAsked(Asked):
    """What do other classes do about a member that this one lacks?"""

    group = "others"

    def __init__(self, class_name: str, verdict: Verdict) -> None:
        super().__init__()
        self.class_name = class_name
        self.verdict = verdict


class MatrixAsked(Asked):
    """The present contract against many classes. Without a selector: the last matrix again, or let the user choose."""

    group = "matrix"

    def __init__(self, selector: str = "", demand: Demand | None = None) -> None:
        super().__init__()
        self.selector = selector
        self.demand = demand
        """Another contract than the present one."""


class DriftAsked(Asked):
    """The class and the contract of the Contract pane, here and in another target."""

    group = "drift"

    def __init__(self, target: str) -> None:
        super().__init__()
        self.target = target


class LintAsked(Asked):
    """What does a class ask of itself that is not there? Empty: the class at hand; else a class, or a selector."""

    group = "search"

    def __init__(self, classes: str = "") -> None:
        super().__init__()
        self.classes = classes


class AssumeAsked(Asked):
    """Does a claim hold?"""

    group = "assume"

    def __init__(self, claim: str) -> None:
        super().__init__()
        self.claim = claim


class EntryAsked(Asked):
    """Go again to what an entry of the transcript showed."""

    group = "place"

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry


class NoteAsked(Asked):
    """A sentence of the user's own for the transcript; empty: let the user type it."""

    group = "note"
    of_sources = False

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.text = text


class DropAsked(Asked):
    """Leave an entry out of what is saved of the transcript."""

    group = "note"
    of_sources = False

    def __init__(self, entry_id: str) -> None:
        super().__init__()
        self.entry_id = entry_id


class SaveAsked(Asked):
    """Write the transcript as Markdown; without a name the session's own is taken."""

    group = "save"
    of_sources = False

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name


class Said(Message):
    """A sentence for the status line. Tones: `plain`, `good`, `doubt`, `bad`."""

    def __init__(self, text: str, tone: str = "plain") -> None:
        super().__init__()
        self.text = text
        self.tone = tone


class OtherScrolled(Message):
    """The text that stands beside or below a list is to be scrolled, by some lines."""

    def __init__(self, by: int) -> None:
        super().__init__()
        self.by = by


class PrefixTyped(Message):
    """The first key of a sequence was pressed; `choices` can follow. Empty: the sequence ended."""

    def __init__(self, prefix: str, choices: Sequence[Command]) -> None:
        super().__init__()
        self.prefix = prefix
        self.choices = tuple(choices)
