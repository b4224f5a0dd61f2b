"""Owns the figures about searching: five patterns in a running session against ripgrep, and names by a few letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from figures import figure
from inputs import Place, needed
from measuring import Row, Sample, median, percentile, ratio, run, seconds
from session import Session

FIRST = 0.2
"""The goal for the first hits."""
MANY = 50_000
NOTHING_FOUND = (0, 1)
"""Exit codes of grep and its kin that are no failure."""
TYPED = (
    "getembedandhead",
    "eagleworker",
    "forwardbatchinfo",
    "deepseekv2",
    "loadweights",
    "schedulerproc",
    "tokenizermgr",
)
"""What is typed, letter by letter."""


class Pattern(NamedTuple):
    text: str
    rare: bool


PATTERNS = (
    Pattern("EAGLEWorker|StandaloneWorker|NGRAMWorker", rare=False),
    Pattern("get_embed_and_head", rare=True),
    Pattern(r"def forward\b", rare=False),
    Pattern(r"self\.", rare=False),
    Pattern("no_such_name_anywhere", rare=True),
)


@figure("search")
def search(place: Place) -> Iterator[Row]:
    """In turn with an rg process that prints its hits to nowhere; both must count the same lines."""
    rg = needed("rg", "ripgrep")
    with Session(place.tree, place.fresh("search")) as session:
        for pattern in PATTERNS:
            all_, first, peer, grep, hits = [], [], [], [], 0
            command = [rg, "-n", "--no-heading", "--no-ignore", "-g", "*.py", pattern.text, place.tree]
            lines = run_counting(command)
            for _ in range(place.repeat + 1):
                answer = session.ask("search", pattern.text)
                hits = answer["hits"]
                all_.append(Sample(answer["wall"], answer["cpu"]))
                first.append(Sample(*answer["first"]))
                peer.append(_printing(command))
                grep.append(_printing(["grep", "-rnE", "--include=*.py", pattern.text, place.tree]))
            note = f"{hits:,} hits" + ("" if hits == lines else f"; rg counts {lines:,} lines")
            note += f"; grep -rnE {seconds(median(grep[1:], 'wall'))}"
            goal = 0.1 if pattern.rare else 4 if hits > MANY else 1.2
            yield _row(f"search `{pattern.text}`, all hits, against rg", goal, all_, peer, note)
            yield _row(f"search `{pattern.text}`, first 200 hits, against rg", FIRST, first, peer, note)


@figure("fuzzy")
def fuzzy(place: Place) -> Iterator[Row]:
    """Each letter of some names, as it is typed, against all names of the tree."""
    times = []
    with Session(place.tree, place.fresh("fuzzy")) as session:
        session.ask("symbols", "warm")
        for _ in range(place.repeat):
            for name in TYPED:
                times += [session.ask("symbols", name[:length])["wall"] for length in range(1, len(name) + 1)]
    ours = f"p50 {seconds(percentile(times, 0.5))}, most {seconds(max(times))}"
    yield Row("symbols by a few letters, a key, p95", percentile(times, 0.95) * 1000, 20, "ms", ours, raw=times)


def _row(what: str, goal: float, ours: list[Sample], peer: list[Sample], note: str) -> Row:
    return ratio(what.replace("|", r"\|"), goal, ours[1:], peer[1:], "wall", note)


def _printing(command: list[object]) -> Sample:
    return run([str(part) for part in command], allowed=NOTHING_FOUND)[0]


def run_counting(command: list[object]) -> int:
    return run([str(part) for part in command], answer=True, allowed=NOTHING_FOUND)[1].count(b"\n")
