"""Owns the HTML of a transcript: one file that loads nothing and runs nothing, light or dark as the reader's system is.

All text is escaped and in no attribute; a policy in the page itself forbids scripts, pictures and connections
(Content Security Policy Level 3), should anything have been missed.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator

from sondage.core.safe import one_line
from sondage.core.transcripts.document import Document
from sondage.core.transcripts.picture import mermaid, text_lines
from sondage.core.transcripts.quotes import Quote, plain_commands, quotes
from sondage.core.transcripts.story import Step
from sondage.core.transcripts.transcript import OF_THE_STORY
from sondage.core.transcripts.wording import (
    Sentence,
    claim_parts,
    details_parts,
    finding_parts,
    foot_parts,
    question_parts,
)

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1e21; --paper: #fdfdfb; --soft: #5b6068; --line: #d9dadd; --code: #f1f1ee;
        --good: #19692c; --bad: #a3211f; --doubt: #7a5200; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e0; --paper: #17181b; --soft: #a0a5ad; --line: #393b40; --code: #212327;
          --good: #7fcf8f; --bad: #f29a94; --doubt: #e3bd6a; } }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper);
       font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h1, h2, li, p, dd, blockquote { overflow-wrap: anywhere; }
code, pre { font: .875rem/1.45 ui-monospace, monospace; background: var(--code); border-radius: 4px; }
code { padding: .1em .3em; } pre { padding: .7rem .9rem; overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { color: var(--soft); } dd { margin: 0; }
blockquote { margin: 1rem 0; padding: 0 0 0 1rem; border-left: 3px solid var(--line); white-space: pre-wrap; }
.path, .foot { color: var(--soft); font-size: .875rem; margin-bottom: 0; }
.holds { color: var(--good); } .refuted { color: var(--bad); } .open { color: var(--doubt); }
@media print {
  :root { --ink: #000; --paper: #fff; --soft: #444; --line: #999; --code: #fff; --good: #000; --bad: #000; --doubt: #000; }
  body { max-width: none; margin: 0; font-size: 10pt; } pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid; }
  h2, .path { break-after: avoid; } pre, blockquote { break-inside: avoid-page; } }
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def to_html(document: Document) -> str:
    """The whole story as one HTML document."""
    title = _text(document.title)
    facts = "".join(f"<dt>{_text(name)}</dt><dd>{_code(value)}</dd>\n" for name, value in document.facts.items())
    parts = [f"<h1>{title}</h1>", f"<dl>\n{facts}</dl>", *(f"<p>{_text(remark)}</p>" for remark in document.remarks)]
    parts += _preface(document)
    for step in document.story.steps:
        parts += ["<section>", *_step(step), "</section>"]
    head = (
        f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{title}</title>\n<style>{_STYLE}</style>'
    )
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'


def _preface(document: Document) -> Iterator[str]:
    if document.story.ledger:
        yield "<h2>Assumptions</h2>"
        yield _list(
            f'<strong class="{claim.state}">{claim.state}</strong> {_sentence(claim_parts(claim))}'
            for claim in document.story.ledger
        )
    if document.picture:
        yield "<h2>Picture</h2>"
        yield _block(text_lines(document.picture))
        yield f"<details><summary>The same in Mermaid</summary>{_block(mermaid(document.picture).splitlines())}</details>"


def _step(step: Step) -> Iterator[str]:
    entry = step.entry
    yield f"<h2>{step.number}. {_sentence(question_parts(entry))}</h2>"
    finding = _sentence(finding_parts(entry))
    if finding:
        yield f"<p><strong>Finding.</strong> {finding}</p>"
    details = details_parts(entry)
    if details:
        yield _list(map(_sentence, details))
    if entry.note:
        words = "\n".join(map(_text, entry.note.split("\n")))
        yield f"<blockquote>{words}</blockquote>"
    for quote in quotes(entry.evidence):
        yield from _quote(quote)
    if entry.evidence_total > len(entry.evidence):
        yield f"<p>{len(entry.evidence)} of {entry.evidence_total} lines are quoted.</p>"
    if entry.verb not in OF_THE_STORY:
        commands = plain_commands(entry)
        yield _block(commands) if commands else "<p>No plain command shows this step.</p>"
    yield f'<p class="foot">{_sentence(foot_parts(entry))}</p>'


def _quote(quote: Quote) -> Iterator[str]:
    digest = f", SHA-256 {_code(quote.digest)}" if quote.digest else ""
    yield f'<p class="path">{_code(quote.path)}{digest}</p>'
    yield _block(quote.rows())


def _list(items: Iterable[str]) -> str:
    return "<ul>\n" + "".join(f"<li>{item}</li>\n" for item in items) + "</ul>"


def _block(lines: Iterable[str]) -> str:
    body = "\n".join(map(_text, lines))
    return f"<pre>{body}</pre>"


def _sentence(parts: Sentence) -> str:
    return "".join(_code(part.text) if part.is_name else _text(part.text) for part in parts)


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    return html.escape(one_line(text), quote=True)
