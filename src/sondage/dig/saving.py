"""Owns the saved transcript: Markdown on the user's own disk, which never overwrites and never follows a link."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from sondage.core.markdown import Header, to_markdown
from sondage.dig.recorder import Recorder
from sondage.errors import UsageError
from sondage.private import write_new


def save_markdown(recorder: Recorder, destination: Path) -> Path:
    """Returns where it was written: an absolute path, readable by the user alone.

    Raises `UsageError` where something is there already, `StoreError` where it cannot be written.
    """
    entries = recorder.entries
    facts = {
        "session": recorder.journal.name if recorder.journal.path else "",
        "target": recorder.target,
        "root": recorder.root,
        "host key": recorder.host_key,
        "steps": str(len(entries)),
        "from": entries[0].time if entries else "",
        "to": entries[-1].time if entries else "",
        "written by": f"sondage {version('sondage')}",
    }
    text = to_markdown(entries, Header(f"Investigation of {recorder.target}", facts))
    place = destination.expanduser().absolute()
    if place.exists() or place.is_symlink():
        raise UsageError("not overwritten", str(place), "give another name")
    write_new(place, text.encode("utf-8", "backslashreplace"))
    return place
