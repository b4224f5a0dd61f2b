"""Owns the promise that no text of a host can crash the app, drive the terminal, or vanish as markup."""

from __future__ import annotations

from msgspec import structs
from tests.tui.driving import running, screen_text, settle, typed
from tests.tui.fake import FILES, FakeDig

from sondage.core.answers.certainty import Candidates
from sondage.errors import ConnectError
from sondage.hosts.base import Question
from sondage.tui.panes.messages import ClassAsked, PlaceAsked
from sondage.tui.screens import QuestionScreen

NASTY = [
    "list[int]",
    "a[/b]c",
    "x[/]y",
    "[@click=app.quit]y[/]",
    "[bold",
    "\x1b]0;title\x07",
    "\x1b]52;c;aGk=\x07",
    "\x1b[2J",
    "\x9b31m",
    "a\x00b",
    "\u202etxt.exe",
    "\u2066x\u2069",
    "\udcff\udc80",
    "名前🙂\ufe0f",
    "e\u0301" + "\u0301" * 40,
    "\t\ttab",
    "\r\n\v\f",
    "$primary",
    "\\[x]",
    "",
]


PLAIN = [text.replace("\n", " ").replace("\r", " ") for text in NASTY]


def nasty_dig() -> FakeDig:
    """A tree with a file for each text: in its name, in a comment, in a string."""
    files = dict(FILES)
    for number, text in enumerate(PLAIN):
        files[f"engine/{number}{text.replace('/', '_')}.py"] = (
            f'class Odd:\n    """{text}"""\n    # {text} load_weights\n'
        )
    return FakeDig(files)


def harmless(shown: str) -> bool:
    """No control, no bidirectional sign and no surrogate stands on the screen."""
    bad = [*map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), "\u202e", "\u2066", "\u2069"]
    return not any(sign in shown.replace("\n", "") for sign in bad) and not any(
        "\ud800" <= c <= "\udfff" for c in shown
    )


async def test_nasty_names_and_lines_pass_search_source_and_classes() -> None:
    async with running(nasty_dig(), size=(140, 40)) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "o", "o")
        for spot in app.panes.search.found.spots:  # type: ignore[union-attr]
            app.put(PlaceAsked(spot.path, spot.line))
            await settle(pilot)
            assert app.panes.source.view.path == spot.path
            assert harmless(screen_text(app))
            app.put(ClassAsked("", spot.path, spot.line))
            await settle(pilot)
            assert harmless(screen_text(app))
        await typed(pilot, "1", "G", "p", "text:engine")
        assert harmless(screen_text(app))


async def test_brackets_in_a_line_stay_as_they_are() -> None:
    dig = FakeDig({"engine/x.py": "# list[int] and a[/b]c load_weights\n"})
    async with running(dig) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "enter")
        assert "# list[int] and a[/b]c load_weights" in screen_text(app)


async def test_nasty_texts_typed_said_and_asked_about_are_shown_safely() -> None:
    async with running(size=(100, 30)) as (app, pilot):
        for text in NASTY:
            await app.typed(f"contract Wrapper {text} x{text}")
            await settle(pilot)
            assert harmless(screen_text(app))
            app.say(text)
            app.panes.search.complain(text)
            app.panes.search.pattern.value = text
            await pilot.pause()
            assert harmless(screen_text(app))


async def test_nasty_names_in_a_list_of_candidates_can_be_chosen_from() -> None:
    dig = FakeDig()

    async def mro(name: str, **_: object) -> Candidates:
        return Candidates(NASTY[0], "class", "ambiguous", tuple(NASTY))

    async with running(dig) as (app, pilot):
        dig.mro = mro  # type: ignore[method-assign, assignment]
        await app.typed("class Wrapper")
        await settle(pilot)
        assert "list[int]" in screen_text(app)
        assert harmless(screen_text(app))


async def test_nasty_error_of_a_host_is_one_safe_line() -> None:
    for text in NASTY:
        async with running(FakeDig(refresh_error=ConnectError(text, text, text))) as (app, _):
            assert harmless(screen_text(app))


async def test_nasty_questions_of_a_host_are_shown_safely() -> None:
    async with running() as (app, pilot):
        for text in NASTY:
            key = Question("host_key", text, text, details={"type": text, "fingerprint": text, "known_hosts": text})
            secret = structs.replace(key, kind="password", details={}, instructions=text)
            for question in (key, secret):
                screen = QuestionScreen(question)
                app.push_screen(screen)
                await pilot.pause()
                assert harmless(screen_text(app))
                screen.dismiss(None)
                await pilot.pause()
