"""Owns what is handed on of a transcript, before it gets a form: the story, its facts, its picture, without its secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from sondage.core.safe import json_text
from sondage.core.transcripts.masking import Mask
from sondage.core.transcripts.picture import Picture, draw, mermaid
from sondage.core.transcripts.quotes import plain_commands
from sondage.core.transcripts.redaction import Redaction
from sondage.core.transcripts.story import Story, tell
from sondage.core.transcripts.transcript import Entry
from sondage.core.transcripts.wording import details, finding, question

FORM = 1
"""Of the JSON document; raised when a field changes its meaning."""


class Document(msgspec.Struct, frozen=True):
    """Text in it is untrusted, and has no secrets where none were asked for."""

    title: str
    facts: Mapping[str, str]
    remarks: tuple[str, ...]
    """What the reader must know beside the story, a sentence each."""
    story: Story
    picture: Picture


def document(
    entries: Sequence[Entry], session: str = "", *, keep_secrets: bool = False, mask_host: bool = False
) -> Document:
    """The document of a transcript's entries, oldest first."""
    redaction = Redaction(entries)
    shown = list(entries) if keep_secrets else [redaction.redacted(entry) for entry in entries]
    if mask_host:
        mask = Mask(entries)
        shown = [mask.masked(entry) for entry in shown]
    story = tell(shown)
    return Document(
        title=f"Investigation of {_all(shown, lambda entry: entry.target) or 'nothing'}",
        facts=_facts(shown, "" if mask_host else session),
        remarks=tuple(_remarks(story, redaction, keep_secrets, mask_host)),
        story=story,
        picture=draw(story),
    )


def _facts(entries: Sequence[Entry], session: str) -> dict[str, str]:
    facts = {
        "session": session,
        "target": _all(entries, lambda entry: entry.target),
        "root": _all(entries, lambda entry: entry.root),
        "host key": _all(entries, lambda entry: entry.host_key),
        "commit": _all(entries, lambda entry: f"{entry.commit} of {entry.checkout}" if entry.commit else ""),
        "from": entries[0].time if entries else "",
        "to": entries[-1].time if entries else "",
        "written by": _all(entries, lambda entry: entry.written_by),
    }
    return {name: value for name, value in facts.items() if value}


def _all(entries: Sequence[Entry], fact: Callable[[Entry], str]) -> str:
    return ", ".join(dict.fromkeys(text for entry in entries if (text := fact(entry))))


def _remarks(story: Story, redaction: Redaction, keep_secrets: bool, mask_host: bool) -> list[str]:
    remarks = []
    if redaction.kinds and keep_secrets:
        remarks.append(f"It holds what looks like secrets: {redaction}.")
    elif redaction.kinds:
        remarks.append(f"What looks like secrets was redacted: {redaction}.")
    if mask_host:
        remarks.append("Hosts and users are masked.")
    if story.left_out:
        number = "1 entry" if story.left_out == 1 else f"{story.left_out} entries"
        remarks.append(f"{number} of the transcript left out of the story.")
    return remarks


def to_json_text(shown: Document) -> str:
    """`{form, title, facts, remarks[], ledger[{claim, state, why[], step, judged}], left_out, picture, steps[]}`, where
    a step is `{number, question, finding, details[], commands[], entry}`, and the picture is in Mermaid.
    """
    value = {
        "form": FORM,
        "title": shown.title,
        "facts": dict(shown.facts),
        "remarks": list(shown.remarks),
        "ledger": [msgspec.structs.asdict(claim) for claim in shown.story.ledger],
        "left_out": shown.story.left_out,
        "picture": mermaid(shown.picture) if shown.picture else "",
        "steps": [_step(step.number, step.entry) for step in shown.story.steps],
    }
    return json_text(value, indent=2) + "\n"


def _step(number: int, entry: Entry) -> dict[str, Any]:
    return {
        "number": number,
        "question": question(entry),
        "finding": finding(entry),
        "details": details(entry),
        "commands": plain_commands(entry),
        "entry": msgspec.to_builtins(entry),
    }
