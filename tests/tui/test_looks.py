"""Owns the pictures of the app: every pane and screen as it looks, compared with the ones that were looked at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.tui.driving import app_on, settle, typed
from textual.pilot import Pilot

from sondage.core.answers import Progress
from sondage.hosts.base import Question
from sondage.tui.screens import Known, QuestionScreen

SMALL, MIDDLE, LARGE = (80, 24), (110, 34), (140, 40)
THEMES = ("dark", "light")
Steps = Callable[[Pilot[Any]], Awaitable[None]]

NAMES = "get_embed_and_head, set_layers_to_capture, forward, get_input_embeddings"
SEARCH = ("slash", "text:load_weights", "enter", "j")
RANGE = (*SEARCH, "enter", "colon", "text:20,30", "enter")
CLASSES = (*SEARCH, "c")
CONTRACT = (*CLASSES, "colon", f"text:contract Wrapper {NAMES}", "enter", "space")
LOG = (*CONTRACT, "5")
KNOWN = [
    Known("box:/srv/engine", "2 hours ago"),
    Known("gpu-07:", "from ~/.ssh/config"),
    Known(".", "this folder"),
    Known("demo", "no host needed: the standard library behind an SSH server of its own"),
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


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "TMUX"):
        monkeypatch.delenv(name, raising=False)


def after(*keys: str) -> Steps:
    async def steps(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await typed(pilot, *keys)

    return steps


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "keys",
    [SEARCH, RANGE, CLASSES, CONTRACT, LOG],
    ids=["search", "source", "classes", "contract", "log"],
)
def test_pane_on_a_small_window(snap_compare: Any, theme: str, keys: tuple[str, ...]) -> None:
    assert snap_compare(app_on(theme=theme), terminal_size=SMALL, run_before=after(*keys))


@pytest.mark.parametrize("theme", THEMES)
def test_all_panes_on_a_large_window(snap_compare: Any, theme: str) -> None:
    assert snap_compare(app_on(theme=theme), terminal_size=LARGE, run_before=after(*CONTRACT))


@pytest.mark.parametrize("theme", ["dark", "terminal", "high-contrast"])
def test_two_columns(snap_compare: Any, theme: str) -> None:
    assert snap_compare(app_on(theme=theme), terminal_size=MIDDLE, run_before=after(*SEARCH, "enter"))


STATES: dict[str, tuple[str, ...]] = {
    "start": (),
    "nothing-found": ("slash", "text:evict", "tab", "text:**/inner.py", "enter"),
    "bad-pattern": (*SEARCH, "slash", "text:load(", "enter"),
    "help": (*SEARCH, "question_mark"),
    "palette": ("p", "text:weig"),
    "sequence": (*SEARCH, "enter", "g"),
    "command-line": (*SEARCH, "colon"),
}


@pytest.mark.parametrize("keys", STATES.values(), ids=STATES)
def test_state_on_a_small_window(snap_compare: Any, keys: tuple[str, ...]) -> None:
    assert snap_compare(app_on(), terminal_size=SMALL, run_before=after(*keys))


def test_welcome(snap_compare: Any) -> None:
    assert snap_compare(app_on(target=None, known=KNOWN), terminal_size=SMALL, run_before=after())


def test_unknown_host_key(snap_compare: Any) -> None:
    async def steps(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        await pilot.app.push_screen(QuestionScreen(HOST_KEY))
        await settle(pilot)

    assert snap_compare(app_on(), terminal_size=SMALL, run_before=steps)


def test_growing_index(snap_compare: Any) -> None:
    async def steps(pilot: Pilot[Any]) -> None:
        await settle(pilot)
        pilot.app.progress = Progress("pull", 640, 1404, 9_200_000, 19_750_000)  # type: ignore[attr-defined]
        pilot.app.draw_header()  # type: ignore[attr-defined]
        await settle(pilot)

    assert snap_compare(app_on(), terminal_size=SMALL, run_before=steps)


def test_window_too_small(snap_compare: Any) -> None:
    assert snap_compare(app_on(), terminal_size=(28, 6), run_before=after())
