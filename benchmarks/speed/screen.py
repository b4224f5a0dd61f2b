"""Owns the figures about the screen, taken on a real pseudo-terminal of 80×24 or a headless app of 120×40."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

from figures import figure
from inputs import HERE, Place, inside, sondage
from measuring import Row, Sample, in_turn, ratio, run, seconds
from terminal import Terminal

MARK = b"line of the bare app"
LINES = 10_000
IDLE_SECONDS = 3.0
STEPS = 10


@figure("first-paint")
def first_paint(place: Place) -> Iterator[Row]:
    """From the start of the process to the first frame that shows what the app is about; the tree is known by then."""
    env = place.fresh("paint")
    run(sondage("index", place.tree), env)
    bare = [sys.executable, str(HERE / "bare_app.py"), MARK.decode()]

    def ours() -> Sample:
        return _painted(sondage(place.tree), env, place.tree.name.encode())

    taken = in_turn(
        place.repeat,
        ours=ours,
        peer=lambda: _painted(bare, env, MARK),
        help=lambda: run(sondage("--help"), env)[0],
        version=lambda: run(sondage("--version"), env)[0],
    )
    yield ratio("first paint of the app, against a bare Textual app, wall", 1.15, taken["ours"], taken["peer"], "wall")
    yield ratio("`--help`, against our first paint, wall", 0.5, taken["help"], taken["ours"], "wall")
    yield ratio("`--version`, against our first paint, wall", 0.5, taken["version"], taken["ours"], "wall")


@figure("page")
def page(place: Place) -> Iterator[Row]:
    """A file of ten thousand lines in Textual's TextArea with its own highlighting, and in our view of source."""
    file = place.work / "long.py"
    file.write_text(_long(place.tree))
    loads: dict[str, list[Sample]] = {"source": [], "text-area": []}
    pages: dict[str, list[Sample]] = {"source": [], "text-area": []}
    for _ in range(place.repeat):
        for name in loads:
            _, said = run(inside(name, file, "1"), place.home("page"), answer=True)
            some_loads, some_pages = json.loads(said)
            loads[name] += [Sample(*one) for one in some_loads]
            pages[name] += [Sample(*one) for one in some_pages]
    yield ratio("a page of source, against TextArea, CPU", 0.2, pages["source"], pages["text-area"], "cpu")
    yield ratio("load 10,000 lines, against TextArea, CPU", 0.2, loads["source"], loads["text-area"], "cpu")


@figure("bytes")
def bytes_written(place: Place) -> Iterator[Row]:
    """What goes to the terminal while nobody does anything, and for one step up in a file."""
    env = place.fresh("bytes")
    run(sondage("index", place.tree), env)
    with Terminal(sondage(place.tree), env) as terminal:
        terminal.until(place.tree.name.encode())
        terminal.rest()
        idle = terminal.during(IDLE_SECONDS)
        terminal.type(b"/")
        terminal.rest()
        terminal.type(b"get_embed_and_head\r")
        terminal.rest()
        terminal.type(b"\r")  # from the hit into its source
        terminal.until(b"Source")
        terminal.rest()
        steps = []
        for _ in range(STEPS):
            terminal.type(b"k")
            steps.append(terminal.rest())
    yield Row(f"bytes written in {IDLE_SECONDS:g} idle seconds", idle, 0, "bytes")
    yield Row(
        "bytes for a cursor step, 80×24, the most of ten",
        max(steps),
        6000,
        "bytes",
        f"{min(steps)} at the least",
        raw=steps,
    )


@figure("stall")
def stall(place: Place) -> Iterator[Row]:
    """The real app, headless: the longest time in which it could not have answered a key."""
    runs = []
    for _ in range(place.repeat):
        _, said = run(inside("stall", place.tree, "self."), place.fresh("stall"), answer=True)
        runs.append(json.loads(said))
    worst = [one["stall"] for one in runs]
    own = statistics.median(one["own"] for one in runs)
    ours = f"{seconds(min(worst))} to {seconds(max(worst))}; computed at one go {seconds(own)}"
    what = "longest stall of the loop, indexing and showing 50,000 hits"
    yield Row(what, statistics.median(worst) * 1000, 100, "ms", ours, note=runs[0]["hits"], raw=runs)


def _painted(command: list[str], env: dict[str, str], mark: bytes) -> Sample:
    with Terminal(command, env) as terminal:
        return terminal.until(mark)


def _long(tree: Path) -> str:
    """The first files of the tree that have ten thousand lines together.

    All of them whole: cut off in the middle of a call the text would be no Python, and we would read it twice.
    """
    lines: list[str] = []
    for path in sorted(tree.rglob("*.py")):
        lines += path.read_text("utf-8", "replace").splitlines()
        if len(lines) >= LINES:
            break
    return "\n".join(lines) + "\n"
