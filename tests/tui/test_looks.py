"""Owns the pictures of the app: every pane and screen at four sizes in two themes, compared with those that were looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.tui.driving import app_on, running, settle, typed
from tests.tui.fake import FakeDig
from tests.tui.pictures import SIZES, THEMES, Album, album
from tests.tui.test_welcome import FakeBrowser
from textual.pilot import Pilot

from sondage.core.answers.index import Progress
from sondage.errors import ConnectError
from sondage.hosts.base import Address, HostIdentity, Question, Target
from sondage.tui.app import SondageApp
from sondage.tui.connecting import ConnectingScreen
from sondage.tui.folder_screen import FolderScreen
from sondage.tui.models.layout import shape_of
from sondage.tui.models.pace import Pace
from sondage.tui.options import Known
from sondage.tui.screens import QuestionScreen
from sondage.tui.welcome import WelcomeScreen

__all__ = ["album"]

NAMES = "get_embed_and_head, set_layers_to_capture, forward, get_input_embeddings"
SEARCH = ("slash", "text:load_weights", "enter", "j")
RANGE = ("enter", "colon", "text:20,30", "enter")
CONTRACT = ("1", "c", "colon", f"text:contract Wrapper {NAMES}", "enter", "space")
DERIVED = "contract Wrapper --from engine/worker.py:Worker --on self.target_worker.model_runner.model"
NEW = "box:/srv/engine-new"
KNOWN = [
    Known("box:/srv/engine", "left 3 h ago", "session", "why the draft fails"),
    Known("box:/srv/engine", "read 2 h ago"),
    Known("gpu-07:/opt/engine-0.5.9", "read 3 days ago"),
    Known("box:", "choose a folder of it", "host"),
    Known("gpu-07:", "choose a folder of it", "host"),
    Known(".", "this folder", "here"),
    Known("./", "another folder of this machine", "here"),
    Known("demo", "the standard library of the Python that runs sondage", "here"),
]
HOST_KEY = Question(
    "host_key",
    "box",
    "",
    details={
        "type": "ssh-ed25519",
        "fingerprint": "SHA256:uNiVztksCsDhcc0u9e8BrrLSf1Fb9TtMKV1GOp3FU7A",
        "known_hosts": "~/.ssh/known_hosts",
    },
)
PULLING = Progress("pull", 640, 1404, 9_200_000, 19_750_000)


async def test_panes(album: Album) -> None:
    """One pane at a time where there is room for no more, both sides of two columns, all five where they fit."""
    async with running() as (app, pilot):
        await typed(pilot, *SEARCH, *RANGE, *CONTRACT)
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            panes = {"one": ("search", "classes", "source", "contract", "log"), "two": ("search", "classes", "log")}
            for pane in panes.get(shape_of(width, height), ("contract",)):
                app.go(pane)
                await take_in_both_themes(album, pilot, f"{pane}-{width}x{height}")


async def take_in_both_themes(album: Album, pilot: Pilot[Any], name: str) -> None:
    for theme in THEMES:
        pilot.app.theme = theme
        await settle(pilot)
        album.take(pilot, f"{name}-{theme}")


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("help", ("question_mark",)),
        ("palette", ("p", "text:weig")),
        ("command-line", ("colon", "text:class Wra")),
        ("note", ("5", "t", "text:the draft asks for what only the inner model has")),
    ],
)
async def test_what_is_typed_into_over_the_panes(album: Album, name: str, keys: tuple[str, ...]) -> None:
    async with running() as (_, pilot):
        await typed(pilot, *SEARCH, *keys)
        await album.at_all_sizes(pilot, name)


@pytest.mark.parametrize("screen", ["contract", "matrix", "drift"])
async def test_contract_that_was_derived(album: Album, screen: str) -> None:
    others = {NEW: FakeDig(target=Target("/srv/engine-new", Address("box")))}
    async with running(others=others) as (app, pilot):
        await app.typed(DERIVED)
        await settle(pilot)
        if screen == "drift":
            await app.typed(f"drift {NEW}")
            await settle(pilot)
        elif screen == "matrix":
            await app.typed("matrix registered:EntryClass")
            await settle(pilot)
            await typed(pilot, "l", "l", "l", "s", "k")
        await album.at_all_sizes(pilot, screen)


@pytest.mark.parametrize("screen", ["welcome", "folder", "connecting", "host-key"])
async def test_first_screens(album: Album, screen: str) -> None:
    app = app_on(FakeDig(seen=0), known=KNOWN)
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await show(app, screen)
        await settle(pilot)
        await album.at_all_sizes(pilot, screen)


async def test_target_that_did_not_open(album: Album) -> None:
    app = app_on(FakeDig(seen=0, refresh_error=ConnectError("no answer", "box", "within 20 s; is it up?")), known=KNOWN)
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        album.take(pilot, "no-answer")


async def show(app: SondageApp, name: str) -> None:
    async def browse(host: str, asker: Any) -> Any:
        return FakeBrowser()

    if name == "welcome":
        await app.push_screen(WelcomeScreen(KNOWN))
    elif name == "folder":
        screen = FolderScreen("box:", browse, app.ask_user)
        await app.push_screen(screen)
        screen.prompt.value = "/srv/e"
    elif name == "host-key":
        await app.push_screen(QuestionScreen(HOST_KEY))
    else:
        now = iter((0.0, *[4.0] * 1000))
        pace = Pace(lambda: next(now))
        pace.take(Progress("pull", 0, 1404, 0, 19_750_000))
        pace.take(PULLING)
        connecting = ConnectingScreen("box:/srv/engine", pace)
        await app.push_screen(connecting)
        connecting.tell(PULLING, HostIdentity("ssh", "box", "eve", HOST_KEY.details["fingerprint"]))


async def test_states_that_a_pane_can_be_in(album: Album) -> None:
    states = {
        "start": (),
        "bad-pattern": (*SEARCH, "slash", "text:load(", "enter"),
        "nothing-found": ("slash", "text:evict", "tab", "text:**/inner.py", "enter"),
        "sequence": ("slash", "ctrl+u", "text:load_weights", "tab", "text:", "enter", "enter", "g"),
    }
    async with running() as (app, pilot):
        for name, keys in states.items():
            await typed(pilot, *keys)
            album.take(pilot, name)
        await typed(pilot, "escape")
        app.progress = PULLING
        app.draw_header()
        await settle(pilot)
        album.take(pilot, "growing")
        await pilot.resize_terminal(28, 6)
        await settle(pilot)
        album.take(pilot, "too-small")


@pytest.mark.parametrize("theme", ["terminal", "high-contrast"])
async def test_themes_that_are_not_shown_elsewhere(album: Album, theme: str) -> None:
    async with running(theme=theme, size=(110, 34)) as (_, pilot):
        await typed(pilot, *SEARCH, "enter")
        album.take(pilot, theme)


async def test_signs_of_ascii_alone(album: Album) -> None:
    async with running(ascii="own", size=(100, 30)) as (_, pilot):
        await typed(pilot, *SEARCH, *CONTRACT)
        album.take(pilot, "ascii")


def test_pictures_of_the_readme_are_those_that_were_looked_at() -> None:
    from tools.make_pictures import FOLDER, PICTURES, SNAPSHOTS

    for name, snapshot in PICTURES.items():
        assert (FOLDER / name).read_text() == (SNAPSHOTS / snapshot).read_text(), "make pictures"
    assert {path.name for path in Path(FOLDER).iterdir()} == set(PICTURES)
