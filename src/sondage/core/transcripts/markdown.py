"""Owns the Markdown of a transcript: the ledger, the picture, each step with its finding, quoted lines and plain commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sondage.core.safe import one_line
from sondage.core.transcripts.document import Document
from sondage.core.transcripts.picture import mermaid
from sondage.core.transcripts.quotes import Quote, plain_commands, quotes
from sondage.core.transcripts.story import Step
from sondage.core.transcripts.transcript import OF_THE_STORY, Entry
from sondage.core.transcripts.wording import (
    Sentence,
    claim_parts,
    details_parts,
    finding_parts,
    foot_parts,
    question_parts,
)

_NO_COMMAND = "No plain command shows this step."


def to_markdown(document: Document) -> str:
    """The whole story (CommonMark). No text of a host stands in it but made safe, and set as code."""
    facts = "\n".join(f"- {name}: {code(value)}" for name, value in document.facts.items())
    parts = [f"# {_prose(document.title)}", facts, *map(_prose, document.remarks), *_preface(document)]
    for step in document.story.steps:
        parts += _step(step)
    return "\n\n".join(part for part in parts if part) + "\n"


def _preface(document: Document) -> Iterator[str]:
    if document.story.ledger:
        yield "## Assumptions"
        yield "\n".join(f"- **{claim.state}** {sentence(claim_parts(claim))}" for claim in document.story.ledger)
    if document.picture:
        yield "## Picture"
        yield f"```mermaid\n{mermaid(document.picture)}\n```"


def _step(step: Step) -> Iterator[str]:
    entry = step.entry
    yield f"## {step.number}. {sentence(question_parts(entry))}"
    finding = sentence(finding_parts(entry))
    if finding:
        yield f"**Finding.** {finding}"
    details = details_parts(entry)
    if details:
        yield "\n".join(f"- {sentence(detail)}" for detail in details)
    if entry.note:
        yield "\n".join(f"> {_prose(line)}  " for line in entry.note.split("\n"))
    for quote in quotes(entry.evidence):
        yield _quote(quote)
    if entry.evidence_total > len(entry.evidence):
        yield f"{len(entry.evidence)} of {entry.evidence_total} lines are quoted."
    if entry.verb not in OF_THE_STORY:
        yield _commands(entry)
    yield sentence(foot_parts(entry))


def _quote(quote: Quote) -> str:
    """The lines with their numbers, in a fence longer than any run of backticks in them."""
    rows = quote.rows()
    longest = max((len(run) for row in rows for run in re.findall("`+", row)), default=0)
    fence = "`" * max(3, longest + 1)
    digest = f", SHA-256 {code(quote.digest)}" if quote.digest else ""
    body = "\n".join(rows)
    return f"{code(quote.path)}{digest}\n\n{fence}text\n{body}\n{fence}"


def _commands(entry: Entry) -> str:
    body = "\n".join(plain_commands(entry))
    return f"```sh\n{body}\n```" if body else _NO_COMMAND


# ------------------------------------------------------------------ text


def sentence(parts: Sentence) -> str:
    """Names as code, words as words."""
    return "".join(code(part.text) if part.is_name else _words(part.text) for part in parts)


def code(text: str) -> str:
    """A code span that holds the text, made safe (CommonMark 0.31, 6.1)."""
    shown = one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    shown = shown or " "
    pad = " " if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _words(text: str) -> str:
    """Words of our own sentences; an entry that somebody else wrote may have put others among them."""
    return re.sub(r"([\\`*_\[\]<>&|#~])", r"\\\1", text)


def _prose(text: str) -> str:
    """Text that is not code, with everything that Markdown would read as its own escaped."""
    return re.sub(r"([\\`*_{}\[\]()<>#+.|!&~-])", r"\\\1", one_line(text))
