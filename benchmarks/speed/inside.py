"""Owns what is measured with sondage's modules in the process: started by the figures, it answers on stdout as JSON.

facts TREE REPEAT              [[bare…], [with facts…]], each a pair of wall and CPU seconds
facts-two-workers TREE REPEAT  the same, with two workers
session TREE                   one JSON question a line on stdin, one answer a line: see `session`
source FILE REPEAT, text-area FILE REPEAT   loading and paging in a headless app
stall TREE PATTERN             the longest stall of the loop while a tree is indexed and a search is shown
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

Pair = tuple[float, float]
Load = Callable[[Any, Any], Awaitable[None]]
"""Brings a text on the screen; gets the app and its pilot."""


def main() -> None:
    name, *arguments = sys.argv[1:]
    {
        "facts": facts,
        "facts-two-workers": facts_two_workers,
        "session": session,
        "source": source,
        "text-area": text_area,
        "stall": stall,
    }[name](*arguments)


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)


def timed(work: Callable[[], Any]) -> Pair:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def sources_of(tree: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(Path(tree).rglob("*.py"))]


# ------------------------------------------------------------------ parsing


def bare_parse(sources: list[bytes]) -> None:
    from sondage.core.source import parse

    parser = parse.parser()
    for source in sources:
        parser.parse(source)


def facts(tree: str, repeat: str) -> None:
    from sondage.worker import encoded_facts

    gc.disable()
    sources = sources_of(tree)
    bare, whole = [], []
    for _ in range(int(repeat) + 1):
        bare.append(timed(lambda: bare_parse(sources)))
        whole.append(timed(lambda: encoded_facts(sources)))
    say([bare[1:], whole[1:]])


def facts_two_workers(tree: str, repeat: str) -> None:
    from sondage.dig.executor import open_executor
    from sondage.dig.pipeline import SMALL, parts_of
    from sondage.worker import encoded_facts

    sources = sources_of(tree)
    parts = parts_of(sources, map(len, sources), SMALL)

    def two_workers() -> None:
        with open_executor("processes", 2) as executor:
            for done in [executor.submit(encoded_facts, part) for part in parts]:
                done.result()

    bare, whole = [], []
    for _ in range(int(repeat) + 1):
        bare.append(timed(lambda: bare_parse(sources)))
        before = _children_cpu()
        wall, cpu = timed(two_workers)
        whole.append((wall, cpu + _children_cpu() - before))
    say([bare[1:], whole[1:]])


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# ------------------------------------------------------------------ a running session


def session(tree: str) -> None:
    """Answers `{"search": PATTERN}`, `{"symbols": QUERY}`, `{"jump": [PATH, LINE, COLUMN]}`, `{"open": CLASS}`, `{"memory": true}`.

    Each answer has `wall` and `cpu` seconds; a search also `first`, both to its first hits, and `hits`, their number. `open`
    opens the tree once more and asks for the order of a class, whose `path` it tells.
    """
    asyncio.run(_session(tree))


async def _session(tree: str) -> None:
    from sondage.dig import SearchQuery, Settings, open_dig
    from sondage.hosts.target import parse_target

    dig = await open_dig(parse_target(tree), Settings(deps="never"))
    dig.listen(lambda: None)  # as the app does: more questions will come
    summary = await dig.refresh()
    await _rest()
    say({"files": summary.files})
    shown: list[Pair] = []

    def note(some: object) -> None:
        shown.append(_since(started))

    for line in iter(sys.stdin.readline, ""):
        [(verb, asked)] = json.loads(line).items()
        started = time.perf_counter(), time.process_time()
        answer: dict[str, Any] = {}
        if verb == "search":
            shown.clear()
            found = await dig.search(SearchQuery(asked), commit=False, first=note)
            answer["first"] = shown[0] if shown else _since(started)
            answer["hits"] = found.total
        elif verb == "symbols":
            answer["rows"] = len(await dig.symbols(asked, commit=False))
        elif verb == "jump":
            resolution = await dig.jump(*asked, commit=False)
            answer["answers"] = len(getattr(resolution, "answers", ()))
        elif verb == "open":
            other = await open_dig(parse_target(tree), Settings(deps="never"))
            await other.look()
            answer["path"] = getattr(await other.mro(asked, commit=False), "path", None)
            await other.aclose()
        elif verb == "memory":
            answer["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        answer["wall"], answer["cpu"] = _since(started)
        say(answer)
    await dig.aclose()


async def _rest() -> None:
    """Until this process has had nothing to do for a while: what is worked out beforehand is there."""
    quiet = 0
    while quiet < 3:
        before = time.process_time()
        await asyncio.sleep(0.1)
        quiet = quiet + 1 if time.process_time() - before < 0.005 else 0


# ------------------------------------------------------------------ on the screen


PAGES = 30
TICK = 0.002


def source(file: str, repeat: str) -> None:
    from textual.app import App

    from sondage.core.source.text import SourceText
    from sondage.tui import reading, themes, window
    from sondage.tui.commands import remapped
    from sondage.tui.panes.code import CodeView
    from sondage.tui.panes.paint import styles
    from sondage.tui.wall import Wall, in_turn

    data = Path(file).read_bytes()
    theme = themes.shipped()[themes.FALLBACK]

    class Shown(App[None]):
        """What the view of source gets of our app: its looks, and the wall before the terminal."""

        CSS_PATH = Path(window.__file__).with_name("app.tcss")
        ascii = "no"

        def __init__(self) -> None:
            super().__init__()
            self.register_theme(themes.textual_theme(theme))
            self.theme = themes.FALLBACK
            self.paint = styles(theme.variables, plain=False)
            self.table, _ = remapped({})
            self.wall = Wall()

        def get_line_filters(self) -> list[Any]:
            return [in_turn(*super().get_line_filters(), self.wall)]

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return dict(theme.variables)

        def compose(self) -> Iterator[Any]:
            self.view = CodeView("source", widget_id="source-view")
            yield self.view

    async def load(app: Any, pilot: Any) -> None:
        """As the app does it: the text is shown, a thread finds the colours, and the text is shown in them."""
        text = SourceText(data)
        app.view.show(file, text)
        app.view.stand(1)
        await pilot.pause()
        colours = reading.colours_of(text)
        await asyncio.to_thread(colours, 1, 1)
        app.view.colour(file, colours)

    _show(Shown, load, lambda app: app.view.focus(), int(repeat))


def text_area(file: str, repeat: str) -> None:
    from textual.app import App
    from textual.widgets import TextArea

    text = Path(file).read_text()

    class Shown(App[None]):
        def compose(self) -> Iterator[Any]:
            self.area = TextArea(read_only=True, show_line_numbers=True)
            yield self.area

    async def load(app: Any, pilot: Any) -> None:
        app.area.language = "python"
        app.area.load_text(text)

    _show(Shown, load, lambda app: app.area.focus(), int(repeat))


def _show(make: Callable[[], Any], load: Load, focus: Callable[[Any], Any], repeat: int) -> None:
    """`[[load…], [page…]]`: from the text to the first frame, and each page down to the frame after it."""
    loads, pages = [], []
    for _ in range(repeat):
        one, some = asyncio.run(_shown(make(), load, focus))
        loads.append(one)
        pages += some
    say([loads, pages])


async def _shown(app: Any, load: Load, focus: Callable[[Any], Any]) -> tuple[Pair, list[Pair]]:
    async with app.run_test(size=(120, 40)) as pilot:
        focus(app)
        await pilot.pause()
        started = time.perf_counter(), time.process_time()
        await load(app, pilot)
        await pilot.pause()
        app.screen._compositor.render_strips()
        loaded = _since(started)
        pages = []
        for _ in range(PAGES):
            started = time.perf_counter(), time.process_time()
            await pilot.press("pagedown")
            app.screen._compositor.render_strips()
            pages.append(_since(started))
        return loaded, pages


def _since(started: Pair) -> Pair:
    return time.perf_counter() - started[0], time.process_time() - started[1]


def stall(tree: str, pattern: str) -> None:
    """`{"stall": …, "own": …, "hits": …}`: the longest time, in seconds, that the loop could not have answered a key.

    `own` is the longest that its own thread computed at one go.
    """
    say(asyncio.run(_stall(tree, pattern)))


async def _stall(tree: str, pattern: str) -> dict[str, Any]:
    from sondage.dig import Settings, open_dig
    from sondage.hosts.target import parse_target
    from sondage.tui.app import SondageApp

    async def opener(wanted: Any, asker: Any) -> Any:
        return await open_dig(parse_target(wanted.target), Settings(), asker=asker)

    app = SondageApp(opener, tree)
    async with app.run_test(size=(120, 40)) as pilot:
        watch = asyncio.create_task(_watch())
        await pilot.pause()
        for step in ("index", "search"):
            if step == "search":
                await pilot.press("slash", *pattern)
                await pilot.press("enter")
            await _until_quiet(app, pilot)
        watch.cancel()
        hits = re.search(r"first [\d,]+ of [\d,]+ hits", _screen(app))
        if hits is None:
            raise RuntimeError(_screen(app))
        return {"stall": max(_gaps), "own": max(_own), "hits": hits[0]}


_gaps: list[float] = []
_own: list[float] = []
"""The time that the loop's own thread computed in a gap: the rest it waited for a core, or for another thread."""


async def _watch() -> None:
    while True:
        before, own = time.perf_counter(), time.thread_time()
        await asyncio.sleep(TICK)
        _gaps.append(time.perf_counter() - before - TICK)
        _own.append(time.thread_time() - own)


async def _until_quiet(app: Any, pilot: Any) -> None:
    quiet = 0
    while quiet < 20:
        await asyncio.sleep(0.05)
        busy = [worker for worker in app.workers if worker.is_running]
        quiet = 0 if busy else quiet + 1


def _screen(app: Any) -> str:
    return "\n".join(line.text.rstrip() for line in app.screen._compositor.render_strips())


if __name__ == "__main__":
    main()
