"""Owns the fuzzy search for names: which of many names a few typed letters mean, best first.

A name belongs to the best class that fits it: exact, beginning, starts of its words (`kkcg` for
`KimiK25ForConditionalGeneration`, `geh` for `get_embed_and_head`), a part, letters scattered in order, alike but
misspelt. A class never outranks a better one. Words start at capitals, digits and behind underscores.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import re2
from rapidfuzz import fuzz, process

from sondage.core.late import late_pattern

_WORD_START = late_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=_)(?=[^_])")
_LAST = "\U0010ffff"
"""Comes behind every letter that a name can hold."""
_START = "\x01"
"""Stands before each word in the text that word starts are searched in."""
_POINTS = {
    "exact": 100.0,
    "cased": 97.0,
    "beginning": 88.0,
    "words": 76.0,
    "part": 64.0,
    "scattered": 40.0,
    "alike": 20.0,
}
_SPREAD = 8.0
"""Points by which names of one class differ, the closest in length first; less than from class to class."""
_ALIKE_ENOUGH = 75.0
"""Of 100, by rapidfuzz's normalised edit similarity."""
_LONGEST_QUERY = 64


class Found(NamedTuple):
    """`position` in the names given, from 0; `score` up to 100, for an exact match."""

    position: int
    score: float


class Names:
    """Many names, made ready to be searched. They may be qualified: the part after the last dot is what is searched.

    A query with dots narrows by the owner as well: `Kimi.forward` finds `forward` where the owner's name holds `kimi`.
    """

    def __init__(self, qualnames: Sequence[str]) -> None:
        self.qualnames = tuple(qualnames)
        self._names = [qualname.rpartition(".")[2] for qualname in self.qualnames]
        self._owners = [qualname.lower().rpartition(".")[0] for qualname in self.qualnames]
        self._lower = [name.lower() for name in self._names]
        self._in_order = sorted(range(len(self._lower)), key=self._lower.__getitem__)
        marked = [f"{_START}{_WORD_START.sub(_START, name).lower()}" for name in self._names]
        self._marked = "\n".join(marked).encode("utf-8", "replace")
        self._starts: list[int] = []
        at = 0
        for name in marked:
            self._starts.append(at)
            at += len(name.encode("utf-8", "replace")) + 1

    def find(self, query: str, limit: int = 50) -> list[Found]:
        """The names meant by `query`, best first; names that fit equally well in the order given."""
        owner, _, wanted = query.strip()[:_LONGEST_QUERY].rpartition(".")
        owner, wanted = owner.lower(), "".join(wanted.split()).encode("utf-8", "replace").decode("utf-8")
        if not wanted or limit < 1:
            return []
        best: dict[int, str] = {}
        for found in self._rounds(wanted):
            for index, kind in found:
                if owner in self._owners[index] and _POINTS[kind] > _POINTS.get(best.get(index, ""), 0.0):
                    best[index] = kind
            if len(best) >= limit:
                break
        scored = [Found(index, self._score(index, kind, len(wanted))) for index, kind in best.items()]
        return sorted(scored, key=lambda found: (-found.score, found.position))[:limit]

    def _rounds(self, wanted: str) -> Iterator[Iterable[tuple[int, str]]]:
        """Rounds of matches with their class; none can outrank those of an earlier round."""
        lower = wanted.lower()
        yield ((index, self._class_of_part(index, wanted)) for index in self._beginning(lower))
        if len(lower) > 1:
            parts = [index for index, name in enumerate(self._lower) if lower in name]
            yield chain(
                ((index, self._class_of_part(index, wanted)) for index in parts),
                ((index, "words") for index in self._matching(_by_words(lower))),
            )
        yield ((index, "scattered") for index in self._matching(_scattered(lower)))
        if len(lower) > 3:
            yield ((index, "alike") for index in self._alike(lower))

    def _beginning(self, lower: str) -> list[int]:
        """Indexes of the names that begin so."""
        order, name = self._in_order, self._lower.__getitem__
        first = bisect_left(order, lower, key=name)
        return sorted(order[first : bisect_left(order, f"{lower}{_LAST}", first, key=name)])

    def _class_of_part(self, index: int, wanted: str) -> str:
        """How a name that holds the query holds it."""
        name, lower = self._lower[index], wanted.lower()
        if name == lower:
            return "exact" if self._names[index] == wanted else "cased"
        if name.startswith(lower):
            return "beginning"
        at = name.find(lower)
        while at >= 0:
            if _WORD_START.match(self._names[index], at):
                return "words"
            at = name.find(lower, at + 1)
        return "part"

    def _score(self, index: int, kind: str, typed: int) -> float:
        if kind in ("exact", "cased"):
            return _POINTS[kind]
        longer = abs(len(self._lower[index]) - typed)
        return round(_POINTS[kind] + _SPREAD * typed / (typed + longer), 2)

    def _matching(self, expression: str) -> Iterator[int]:
        """Indexes of the names that an expression finds, one scan over all of them together."""
        options = re2.Options()
        options.log_errors = False
        options.never_nl = True
        regex: Any = re2.compile(expression, options)
        position = 0
        while position < len(self._marked):
            match = regex.search(self._marked, position)
            if match is None:
                return
            index = bisect_right(self._starts, match.start()) - 1
            yield index
            position = self._starts[index + 1] if index + 1 < len(self._starts) else len(self._marked)

    def _alike(self, wanted: str) -> list[int]:
        found = process.extract(wanted, self._lower, scorer=fuzz.ratio, limit=50, score_cutoff=_ALIKE_ENOUGH)
        return [index for _, _, index in found]


def _by_words(letters: str) -> str:
    """Each letter follows the one before it, or starts a later word."""
    first, *rest = map(re2.escape, letters)
    return f"(?m){_START}{first}" + "".join(f"(?:.*{_START})?{letter}" for letter in rest)


def _scattered(letters: str) -> str:
    return "(?m)" + ".*".join(map(re2.escape, letters))
