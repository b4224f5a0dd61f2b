"""Owns the saved story: a file on the user's own disk, for them alone, which never overwrites and never follows a link."""

from __future__ import annotations

from pathlib import Path

from sondage.core.transcripts.document import document, to_json_text
from sondage.core.transcripts.html import to_html
from sondage.core.transcripts.markdown import to_markdown
from sondage.dig.recorder import Recorder
from sondage.errors import UsageError
from sondage.private import write_new

FORMS = {".html": to_html, ".htm": to_html, ".json": to_json_text}
"""By the ending of the file's name; any other name is one of Markdown."""


def save_story(recorder: Recorder, destination: Path) -> Path:
    """Returns where it was written: an absolute path, readable by the user alone. What was redacted is noted.

    Raises `UsageError` where something is there already, `StoreError` where it cannot be written.
    """
    shown = document(recorder.entries, recorder.journal.name if recorder.journal.path else "")
    place = destination.expanduser().absolute()
    write_story(FORMS.get(place.suffix.lower(), to_markdown)(shown), place)
    recorder.notes += [f"{place}: {remark}" for remark in shown.remarks]
    return place


def write_story(text: str, place: Path) -> None:
    """Raises as `save_story` does."""
    if place.exists() or place.is_symlink():
        raise UsageError("not overwritten", str(place), "give another name")
    write_new(place, text.encode("utf-8", "backslashreplace"))
