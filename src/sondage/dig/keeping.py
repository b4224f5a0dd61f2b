"""Owns what a Dig keeps of a session: the entries of its transcript, the story in them, and the words of the user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sondage.core.answers.contracts import ClaimState
from sondage.core.transcripts.transcript import Entry
from sondage.dig.recorder import Recorder

if TYPE_CHECKING:
    from sondage.core.transcripts.story import Story


class Keeping:
    """One session. What tells and writes the story is loaded by who wants it: a single question does not."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

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
        from sondage.core.transcripts.story import tell  # noqa: PLC0415  see above

        return tell(self._recorder.entries)

    def save_transcript(self, destination: Path) -> Path:
        """Writes the story, as HTML or JSON where the name ends so, otherwise as Markdown; secrets are redacted, and said.

        Raises `UsageError` rather than overwrite a file or follow a link.
        """
        from sondage.dig.saving import save_story  # noqa: PLC0415  see above

        return save_story(self._recorder, destination)

    def given(self) -> Sequence[str]:
        """The claims about the target that earlier answers of the session rest on."""
        entries = self._recorder.entries
        if not entries:
            return ()
        from sondage.core.transcripts.story import taken_for_given  # noqa: PLC0415  see above

        return taken_for_given(entries, self._recorder.target)
