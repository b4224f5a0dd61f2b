"""Owns what a command has to say, before it is known in which form it will be said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from sondage.core.answers.certainty import Candidates


class Report(msgspec.Struct, frozen=True):
    """One answer, ready for every form. `holds` decides between exit 0 and 1."""

    document: Any
    """For `--json`: dataclasses, dicts and lists; a list where the answer is rows."""
    lines: Iterable[str]
    """For people, without line ends; taken at most once."""
    holds: bool
    data: bytes | None = None
    """Exact bytes that stand for `lines` where no terminal shows them."""
    notes: tuple[str, ...] = ()
    """What the reader must know beside the answer; one line each, on stderr."""

    @property
    def rows(self) -> Sequence[Any]:
        """For `--jsonl`; an answer that is no list is one row."""
        return self.document if isinstance(self.document, list | tuple) else (self.document,)


def candidates_report(candidates: Candidates) -> Report:
    """A name that stands for nothing, or for several things: nothing on stdout for people, the names on stderr."""
    absent = candidates.reason == "absent"
    what = f"no such {candidates.kind}" if absent else f"more than one {candidates.kind} of this name"
    hint = "similar names follow" if absent else "say which"
    head = f"error: {what}: {candidates.asked}" + (f" ({hint})" if candidates.names else "")
    document = {"asked": candidates.asked, "reason": candidates.reason, "candidates": list(candidates.names)}
    return Report(document, (), holds=False, notes=(head, *(f"  {name}" for name in candidates.names)))
