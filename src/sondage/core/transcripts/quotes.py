"""Owns what an entry shows of its sources: the quoted lines, file by file, and the plain commands that print the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from sondage.core.answers.certainty import Evidence
from sondage.core.safe import show_line
from sondage.core.transcripts.shell import command, over_ssh
from sondage.core.transcripts.transcript import Entry

GAP = "…"
"""Stands where lines between two quoted ones are left out."""
_SSH_OPTIONS = frozenset({"-F", "-p", "-J", "-i"})
"""What an entry may hand to `ssh`: options that take a value, and start nothing on this machine by themselves."""


class Block(msgspec.Struct, frozen=True):
    """Neighbouring lines of one file."""

    first: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


class Quote(msgspec.Struct, frozen=True):
    """All that an entry quotes of one file, in the order of its lines."""

    path: str
    digest: str
    blocks: tuple[Block, ...]

    def rows(self) -> list[str]:
        """The lines as they may be shown, each behind its number; `GAP` between blocks."""
        width = len(str(self.blocks[-1].last))
        shown: list[str] = []
        for block in self.blocks:
            shown += [f"{GAP:>{width}}"] if shown else []
            for number, line in enumerate(block.lines, start=block.first):
                text = show_line(line).text
                shown.append(f"{number:>{width}}{'  ' if text else ''}{text}")
        return shown


def quotes(evidence: Sequence[Evidence]) -> list[Quote]:
    """Evidence by file, in the order in which the files appear first."""
    found: dict[tuple[str, str], dict[int, str]] = {}
    for one in evidence:
        found.setdefault((one.path, one.digest), {})[one.line] = one.quote
    return [Quote(path, digest, tuple(_blocks(lines))) for (path, digest), lines in found.items()]


def _blocks(lines: Mapping[int, str]) -> Iterator[Block]:
    for _, group in groupby(enumerate(sorted(lines)), key=lambda item: item[1] - item[0]):
        numbers = [number for _, number in group]
        yield Block(numbers[0], tuple(lines[number] for number in numbers))


# ------------------------------------------------------------------ commands


def plain_commands(entry: Entry) -> list[str]:
    """The commands that show what the entry rests on, for the reader's own shell; empty where none can be written."""
    wanted = _grep(entry) or [_sed(path, ranges, entry) for path, ranges in _ranges(entry)]
    return [one for one in wanted if one is not None]


def _ranges(entry: Entry) -> list[tuple[str, list[tuple[int, int]]]]:
    """For each file the ranges of lines that its command prints: all of an excerpt, otherwise what is quoted."""
    answer = entry.answer
    if entry.verb == "show" and isinstance(answer, Mapping) and isinstance(answer.get("first_line"), int):
        first, last = answer["first_line"], answer.get("last_line")
        return [(str(answer.get("path")), [(first, last if isinstance(last, int) else first)])]
    return [(quote.path, [(block.first, block.last) for block in quote.blocks]) for quote in quotes(entry.evidence)]


def _sed(path: str, ranges: Sequence[tuple[int, int]], entry: Entry) -> str | None:
    script = ";".join(f"{first}p" if first == last else f"{first},{last}p" for first, last in ranges)
    return _on_host(["sed", "-n", script, _absolute(path, entry)], entry, path)


def _grep(entry: Entry) -> list[str | None]:
    """One `grep` over the files that were looked at, or that hold the quoted lines; in the C locale (`core.search.grep`)."""
    paths = entry.looked_at or tuple(dict.fromkeys(row.path for row in entry.evidence))
    if not entry.grep or not paths:
        return []
    files = [_absolute(path, entry) for path in paths]
    options, pattern = entry.grep[:-1], entry.grep[-1]
    is_ours = re.fullmatch(r"-[niwEF]+( -e)?", " ".join(options)) and (options[-1] == "-e" or pattern[:1] != "-")
    if not is_ours or not all(file.startswith("/") for file in files):
        return []
    written = _on_host(["env", "LC_ALL=C", "grep", *entry.grep, *files], entry, "")
    return [written] if written else []


def _absolute(path: str, entry: Entry) -> str:
    return path if path.startswith("/") or not entry.root else f"{entry.root.rstrip('/')}/{path}"


def _on_host(words: Sequence[str], entry: Entry, path: str) -> str | None:
    """None for what no entry of ours holds: somebody else may have written it to have a command of theirs run."""
    line = command(words) if words[-1].startswith("/") else None
    if line is None or not entry.reach or path in entry.on_this_machine:
        return line
    options = entry.reach[:-1]
    if len(options) % 2 or not _SSH_OPTIONS.issuperset(options[::2]):
        return None
    return over_ssh(entry.reach, line)
