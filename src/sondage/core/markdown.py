"""Owns the Markdown of a transcript: each step with its finding, its quoted lines and the plain command for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sondage.core.answers import Evidence
from sondage.core.safe import one_line, show_line
from sondage.core.shell import command, over_ssh
from sondage.core.transcript import Entry
from sondage.core.wording import code, details_markdown, finding_markdown, question_markdown

_NO_COMMAND = "No plain command shows this step"


@dataclass(frozen=True)
class Header:
    """What stands above the steps. `facts` are lines of name and value: session, target, host key, version, time."""

    title: str
    facts: Mapping[str, str]


@dataclass(frozen=True)
class _Block:
    """Neighbouring lines of one file."""

    path: str
    first: int
    lines: tuple[str, ...]
    digest: str

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


def to_markdown(entries: Sequence[Entry], header: Header) -> str:
    """The whole transcript (CommonMark). No text of a host stands in it but made safe and set as code."""
    facts = [f"- {name}: {code(value)}" for name, value in header.facts.items() if value]
    parts = [f"# {_prose(header.title)}", "\n".join(facts)]
    for number, entry in enumerate(entries, start=1):
        parts += _step(number, entry)
    return "\n\n".join(part for part in parts if part) + "\n"


def plain_commands(entry: Entry) -> list[str]:
    """The commands that show what the entry rests on, for the reader's own shell; empty where none can be written."""
    wanted = _grep(entry) or [_sed(path, ranges, entry) for path, ranges in _ranges(entry)]
    return [one for one in wanted if one is not None]


def _prose(text: str) -> str:
    """Text that is not code, with everything that Markdown would read as its own escaped."""
    return re.sub(r"([\\`*_{}\[\]()<>#+.|!&~-])", r"\\\1", one_line(text))


def _step(number: int, entry: Entry) -> Iterator[str]:
    yield f"## {number}. {question_markdown(entry)}"
    finding = finding_markdown(entry)
    if finding:
        yield f"**Finding.** {finding}"
    details = details_markdown(entry)
    if details:
        yield "\n".join(f"- {detail}" for detail in details)
    if entry.note:
        yield "\n".join(f"> {_prose(line)}  " for line in entry.note.split("\n"))
    for block in _blocks(entry.evidence):
        yield _quote(block)
    if entry.evidence_total > len(entry.evidence):
        yield f"{len(entry.evidence)} of {entry.evidence_total} lines are quoted."
    if entry.verb != "note":
        yield _commands(entry)
    yield _foot(entry)


def _quote(block: _Block) -> str:
    """The lines with their numbers, in a fence longer than any run of backticks in them."""
    width = len(str(block.last))
    shown = [show_line(line).text for line in block.lines]
    rows = [f"{number:>{width}}{'  ' if line else ''}{line}" for number, line in enumerate(shown, start=block.first)]
    longest = max((len(run) for row in rows for run in re.findall("`+", row)), default=0)
    fence = "`" * max(3, longest + 1)
    digest = f", SHA-256 {code(block.digest)}" if block.digest else ""
    body = "\n".join(rows)
    return f"{code(block.path)}{digest}\n\n{fence}text\n{body}\n{fence}"


def _commands(entry: Entry) -> str:
    commands = plain_commands(entry)
    if not commands:
        return f"{_NO_COMMAND}."
    body = "\n".join(commands)
    return f"```sh\n{body}\n```"


def _foot(entry: Entry) -> str:
    seen = entry.coverage
    files = f", {seen.files_seen} of {seen.files_listed} files read" if seen else ""
    where = f" on {code(entry.target)}" if entry.target else ""
    return f"Asked {code(entry.time)}{where}{files}."


# ------------------------------------------------------------------ evidence and commands


def _blocks(evidence: Sequence[Evidence]) -> Iterator[_Block]:
    """Evidence in its order, neighbouring lines together."""
    for _, group in groupby(enumerate(evidence), key=lambda item: (item[1].path, item[1].line - item[0])):
        rows = [row for _, row in group]
        yield _Block(rows[0].path, rows[0].line, tuple(row.quote for row in rows), rows[0].digest)


def _ranges(entry: Entry) -> list[tuple[str, list[tuple[int, int]]]]:
    """For each file the ranges of lines that its command prints: all of an excerpt, otherwise what is quoted."""
    answer = entry.answer
    if entry.verb == "show" and isinstance(answer, Mapping) and "first_line" in answer:
        return [(answer["path"], [(answer["first_line"], answer["last_line"])])]
    found: dict[str, list[tuple[int, int]]] = {}
    for block in sorted(_blocks(entry.evidence), key=lambda block: block.first):
        found.setdefault(block.path, []).append((block.first, block.last))
    return list(found.items())


def _sed(path: str, ranges: Sequence[tuple[int, int]], entry: Entry) -> str | None:
    script = ";".join(f"{first}p" if first == last else f"{first},{last}p" for first, last in ranges)
    return _on_host(["sed", "-n", script, _absolute(path, entry)], entry, path)


def _grep(entry: Entry) -> list[str | None]:
    """One `grep` over the files that were looked at, or that hold the quoted lines; in the C locale (`core.grep`)."""
    paths = entry.looked_at or tuple(dict.fromkeys(row.path for row in entry.evidence))
    if not entry.grep or not paths:
        return []
    words = ["env", "LC_ALL=C", "grep", *entry.grep, *(_absolute(path, entry) for path in paths)]
    written = _on_host(words, entry, "")
    return [written] if written else []


def _absolute(path: str, entry: Entry) -> str:
    return path if path.startswith("/") else f"{entry.root.rstrip('/')}/{path}"


def _on_host(words: Sequence[str], entry: Entry, path: str) -> str | None:
    line = command(words)
    if line is None or not entry.reach or path in entry.on_this_machine:
        return line
    return over_ssh(entry.reach, line)
