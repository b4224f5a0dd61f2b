"""Owns entries without their secrets: what looks like one is replaced by its kind, wherever in the transcript it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from sondage.core.transcripts.rewriting import rewritten, texts
from sondage.core.transcripts.secrets import Secret, find_in_lines
from sondage.core.transcripts.transcript import Entry

_SHORTEST = 8
"""Code points of a secret that is looked for everywhere else; a shorter one, or a word, is found in innocent lines."""


class Redaction:
    """The secrets of some entries. `kinds` says how many different ones there are of each kind."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._kind_of: dict[str, str] = {}
        for entry in entries:
            for lines in texts(entry):
                for line, found in zip(lines, find_in_lines(lines), strict=True):
                    self._kind_of.update({line[one.start : one.end].strip(): one.kind for one in found})
        self.kinds = Counter(self._kind_of.values())
        telling = (text for text in self._kind_of if len(text) >= _SHORTEST and not text.isalpha())
        known = sorted(telling, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __str__(self) -> str:
        """`2 passwords, 1 GitHub token`; empty where there is none."""
        return ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in sorted(self.kinds.items()))

    def redacted(self, entry: Entry) -> Entry:
        """The entry with `[redacted: KIND]` in the place of each secret. A command that would hold one is left out."""
        if not self.kinds:
            return entry
        clean = rewritten(entry, self._without)
        same = (clean.grep, clean.looked_at) == (entry.grep, entry.looked_at)
        return clean if same else structs.replace(clean, grep=(), looked_at=())

    def _without(self, lines: Sequence[str]) -> list[str]:
        return [self._cut(line, found) for line, found in zip(lines, find_in_lines(lines), strict=True)]

    def _cut(self, line: str, found: Sequence[Secret]) -> str:
        for one in reversed(found):
            line = f"{line[: one.start]}[redacted: {one.kind}]{line[one.end :]}"
        return self._known.sub(lambda match: f"[redacted: {self._kind_of[match[0]]}]", line) if self._known else line
