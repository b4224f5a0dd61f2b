"""Owns how a replayed transcript reads for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sondage.core.safe import one_line, show_line

if TYPE_CHECKING:
    from sondage.core.transcripts.replay import Move, Replayed

STATES = ("same", "moved", "changed", "gone")
MOST_MOVES = 6
"""Moves that are shown of one entry; the JSON forms have all."""


def replay_lines(rows: Iterable[tuple[int, Replayed]]) -> Iterator[str]:
    """One line an entry, and below it what is different."""
    from sondage.core.transcripts.wording import question  # noqa: PLC0415  no `--help` waits for what reads entries

    for number, one in rows:
        yield f"{one.state:<8} {number}. {question(one.entry)}"
        yield from (f"           {show_line(line).text}" for line in one.differences)
        yield from (f"           {_move(move)}" for move in one.moves[:MOST_MOVES])
        if len(one.moves) > MOST_MOVES:
            yield f"           and {len(one.moves) - MOST_MOVES} more lines moved"


def _move(move: Move) -> str:
    new = str(move.new_line) if move.path == move.new_path else f"{move.new_path}:{move.new_line}"
    return one_line(f"{move.path}:{move.line} → {new}")


def tally(found: Sequence[Replayed]) -> str:
    """`note: 5 same, 2 moved, 1 changed`."""
    counts: Counter[str] = Counter(one.state for one in found)
    return "note: " + ", ".join(f"{counts[state]} {state}" for state in STATES if counts[state])
