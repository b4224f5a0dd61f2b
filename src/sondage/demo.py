"""Owns the demo: a guided investigation that needs no host, no network and no set-up.

The standard library of the Python that runs sondage is served by an SSH server of sondage's own, on the loopback
interface; everything else is the real thing. With a terminal the investigation is walked in the app, without one it is printed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sysconfig
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from sondage.core.answers.text import SearchAnswer
from sondage.core.contracts.contract import required
from sondage.core.safe import many_lines, one_line, show_line
from sondage.core.transcripts.transcript import Entry
from sondage.core.transcripts.wording import details, finding, question
from sondage.dig import Dig, SearchQuery, Settings, open_dig
from sondage.hosts.base import Asker
from sondage.hosts.loopback import serve

if TYPE_CHECKING:
    from sondage.tui.options import Options

HANDLER = "http.server.SimpleHTTPRequestHandler"
CALLS = SearchQuery(r"self\.(setup|handle|finish)\(\)", ("socketserver.py",))

LEFT_OUT = ("**/test/**", "**/tests/**", "**/idlelib/**", "**/lib2to3/**", "**/site-packages/**", "**/ensurepip/**")
"""Half of the standard library's bytes, and of no use for this story."""


class Step(msgspec.Struct, frozen=True):
    """One step: why it is taken, what is typed for it in the app (behind `:`), and the question itself.

    `typed` is empty for the jump: where it starts is read off the library that is there.
    """

    says: str
    typed: str
    ask: Callable[[Dig], Coroutine[Any, Any, Any]]


async def _first_call(dig: Dig) -> Any:
    """The jump starts at the call that the search before it has found."""
    found = await dig.search(CALLS, commit=False)
    line, column = _handle_call(found)
    return await dig.jump("socketserver.py", line, column)


def _handle_call(found: SearchAnswer) -> tuple[int, int]:
    hit = next(hit for hit in found.hits if "handle" in hit.text)
    return hit.line, hit.text.index("handle") + 1


STEPS = (
    Step(
        "What does socketserver call on a request handler?",
        rf"search {CALLS.pattern} -g {CALLS.globs[0]}",
        lambda dig: dig.search(CALLS),
    ),
    Step(
        "The calls stand in the base's constructor: read it.",
        "open socketserver.BaseRequestHandler.__init__",
        lambda dig: dig.show("socketserver.BaseRequestHandler.__init__"),
    ),
    Step(
        "Where does Python look, for SimpleHTTPRequestHandler?",
        f"class {HANDLER}",
        lambda dig: dig.mro(HANDLER),
    ),
    Step(
        "So does it keep the contract, and who provides what?",
        f"contract {HANDLER} setup,handle,finish",
        lambda dig: dig.check([HANDLER], required(["setup", "handle", "finish"], "what socketserver calls")),
    ),
    Step(
        "The base's own handle() does nothing: who answers the call?",
        "",
        _first_call,
    ),
    Step(
        "The trap: does BytesParser inherit Parser.parsestr?",
        "contract email.parser.BytesParser parse,parsebytes,parsestr",
        lambda dig: dig.check(["email.parser.BytesParser"], required(["parse", "parsebytes", "parsestr"])),
    ),
)

ENDING = """It does not: BytesParser *holds* a Parser, it is none. A call of parsestr on it would fail, however alike the names
look. That is the difference this tool is made to see. Each step above stands with its evidence in a transcript,
together with the plain command that shows the same on the host."""


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[Dig]:
    """The standard library behind the loopback server, as a target that is opened and not yet read."""
    async with serve(library()) as server:
        dig = await open_dig(server.target, Settings(exclude=LEFT_OUT, session=None))
        try:
            yield dig
        finally:
            await dig.aclose()


SHORT_ENDING = "It holds a Parser, it is none: the call would fail.  5 then w saves the transcript,  q quits"


def run_app_demo(options: Options) -> int:
    """The investigation in the app, a key for each step. `options` say how it looks. Returns the exit code."""
    from sondage.tui.app import run_app  # noqa: PLC0415  printing it needs no screen
    from sondage.tui.guide import GuideStep  # noqa: PLC0415  as above

    jump = f"jump {_jump_from(library())}"
    steps = [GuideStep(step.says, step.typed or jump) for step in STEPS]
    guided = structs.replace(options, guide=steps, guide_ending=SHORT_ENDING)
    return run_app(lambda _, asker: open_library(asker), "demo", guided)


_serving = contextlib.AsyncExitStack()
"""Holds the server for the app: nobody else does, and without a holder it would end at once."""


async def open_library(asker: Asker | None) -> Dig:
    """The standard library behind the loopback server; both last as long as the event loop."""
    server = await _serving.enter_async_context(serve(library()))
    return await open_dig(server.target, Settings(exclude=LEFT_OUT, session=None), asker=asker)


def library() -> Path:
    return Path(sysconfig.get_path("stdlib"))


def _jump_from(folder: Path) -> str:
    lines = (folder / "socketserver.py").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if "self.handle()" in text)
    return f"socketserver.py:{line}:{lines[line - 1].index('handle') + 1}"


def run_text(say: Callable[[str], None]) -> None:
    """The whole investigation as text, a step at a time. Raises `HostError` when it cannot be served."""
    asyncio.run(_tell(say))


async def _tell(say: Callable[[str], None]) -> None:
    async with opened() as dig:
        say("sondage demo: an SSH server of its own on this machine, the standard library behind it.\n")
        summary = await dig.refresh()
        say(
            f"Read {summary.files} files, {summary.lines} lines, {summary.classes} classes: {one_line(str(dig.target))}\n"
        )
        for number, step in enumerate(STEPS, start=1):
            await step.ask(dig)
            say("\n".join(told(number, step, dig.entries()[-1])) + "\n")
        say(many_lines(ENDING))


def told(number: int, step: Step, entry: Entry) -> list[str]:
    """A step as lines that are safe to print: why, the question, the finding, the lines it rests on."""
    lines = [f"{number}. {step.says}", f"   {question(entry)}", f"   → {finding(entry)}"]
    lines += [f"     {text}" for text in details(entry)]
    lines += [
        f"     {one_line(one.path)}:{one.line}  {show_line(one.quote.strip()).text}" for one in entry.evidence[:8]
    ]
    return lines
