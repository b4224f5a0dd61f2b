"""Owns a story as lines of plain text, to be walked through without its host."""

from __future__ import annotations

from collections.abc import Iterator

from sondage.core.safe import one_line
from sondage.core.transcripts.document import Document
from sondage.core.transcripts.picture import text_lines
from sondage.core.transcripts.quotes import plain_commands, quotes
from sondage.core.transcripts.story import Step
from sondage.core.transcripts.wording import claim_parts, details, finding, foot_parts, plain, question


def to_lines(document: Document) -> Iterator[str]:
    """The whole story, each line safe to print. Behind the number of a step stands the id by which it can be named."""
    yield one_line(document.title)
    width = max(map(len, document.facts), default=0)
    yield from (f"  {name:<{width}}  {one_line(value)}" for name, value in document.facts.items())
    yield from (f"  {one_line(remark)}" for remark in document.remarks)
    if document.story.ledger:
        yield from ("", "Assumptions")
        yield from (f"  {claim.state:<8}{plain(claim_parts(claim))}" for claim in document.story.ledger)
    if document.picture:
        yield from ("", "Picture")
        yield from (f"  {line}" for line in text_lines(document.picture))
    for step in document.story.steps:
        yield from _step(step)


def _step(step: Step) -> Iterator[str]:
    entry = step.entry
    yield ""
    yield f"{step.number}. {question(entry)}  [{one_line(entry.id)}]"
    found = finding(entry)
    if found:
        yield f"   → {found}"
    yield from (f"     {detail}" for detail in details(entry))
    if entry.note:
        yield from (f"   “ {one_line(line)}" for line in entry.note.split("\n"))
    for quote in quotes(entry.evidence):
        yield f"   {one_line(quote.path)}"
        yield from (f"     {row}" for row in quote.rows())
    if entry.evidence_total > len(entry.evidence):
        yield f"   {len(entry.evidence)} of {entry.evidence_total} lines are quoted."
    yield from (f"   $ {line}" for line in plain_commands(entry))
    yield f"   {plain(foot_parts(entry))}"
