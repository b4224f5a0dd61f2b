"""Owns the tests of the table of commands: no key is taken twice, none is one that others take."""

from __future__ import annotations

from itertools import combinations

import pytest
from tests.tui.driving import running, settle, typed
from tests.tui.fake import line_of

from sondage.tui import commands
from sondage.tui.app import SondageApp
from sondage.tui.commands import BY_ID, COMMANDS, TAKEN_KEYS, Command, at, remapped, sequences, show_key
from sondage.tui.drift import DriftScreen
from sondage.tui.matrix import MatrixScreen
from sondage.tui.models.rows import Row
from sondage.tui.panes.classes import ClassesPane
from sondage.tui.panes.contract import ContractPane
from sondage.tui.panes.lines import LineView
from sondage.tui.panes.log import LogPane
from sondage.tui.panes.messages import PlaceAsked
from sondage.tui.panes.search import SearchPane
from sondage.tui.panes.source import SourcePane
from sondage.tui.peek import PeekScreen
from sondage.tui.picker import Picker
from sondage.tui.typed import Run, read_line

INNER_PY = "engine/models/inner.py"

ACTORS: dict[str, type] = {
    "anywhere": SondageApp,
    "list": LineView,
    "search": SearchPane,
    "prompt": SearchPane,
    "classes": ClassesPane,
    "source": SourcePane,
    "contract": ContractPane,
    "log": LogPane,
    "matrix": MatrixScreen,
    "drift": DriftScreen,
    "peek": PeekScreen,
}


def test_ids_are_given_once() -> None:
    assert len(BY_ID) == len(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_has_a_key_that_nobody_takes(command: Command) -> None:
    assert not command.keys or set(command.keys) - TAKEN_KEYS - {"ctrl+p", "ctrl+q"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_has_an_action_that_exists(command: Command) -> None:
    if not command.action:
        return
    namespace, _, name = command.action.split("(")[0].rpartition(".")
    assert hasattr(SondageApp if namespace == "app" else ACTORS[command.where], f"action_{name}")


def test_no_key_means_two_things_in_one_place() -> None:
    for screen in commands.SCREENS:
        for one, other in combinations(at(screen, "list"), 2):
            assert not set(one.keys) & set(other.keys), (one.id, other.id)
    for pane in ("search", "classes", "source", "contract", "log"):
        here = at(pane, "list", "anywhere", *(["prompt"] if pane == "search" else []))
        for one, other in combinations(here, 2):
            assert not set(one.keys) & set(other.keys), (one.id, other.id)


def test_first_key_of_a_sequence_is_no_key_itself() -> None:
    for pane in ("search", "classes", "source", "contract", "log"):
        single = {key for command in at(pane, "list", "anywhere") for key in command.keys if " " not in key}
        assert not {key.split(" ")[0] for key in sequences(BY_ID, pane, "list", "anywhere")} & single


def test_ctrl_q_is_not_bound_and_textuals_own_keys_are_gone() -> None:
    keys = {key for binding in SondageApp.BINDINGS for key in binding.key.split(",")}  # type: ignore[union-attr]
    assert "ctrl+q" not in keys
    assert "ctrl+q" not in SondageApp._merge_bindings().key_to_bindings


def test_keys_are_shown_as_they_are_pressed() -> None:
    assert [show_key(key) for key in ("ctrl+o", "g d", "question_mark", "enter", "J")] == [
        "^O",
        "gd",
        "?",
        "Enter",
        "J",
    ]


def test_hints_come_in_order_and_end_with_the_prompt_keys() -> None:
    assert [command.id for command in commands.hints("search")][:2] == ["search.choose", "search.class"]
    assert next(command.id for command in commands.hints("typing")) == "prompt.search"


def test_other_keys_are_taken_into_the_table() -> None:
    table, refused = remapped({"search.class": ["C"]})
    assert table["search.class"].keys == ("C",)
    assert refused == []


def test_clash_is_refused_with_both_ids() -> None:
    table, refused = remapped({"search.class": ["x"], "nonsense": ["a"]})
    assert table["search.class"].keys == BY_ID["search.class"].keys
    assert refused == ["keys: no command is called nonsense", "keys: search.class wants a key of search.hide"]


def test_two_commands_can_change_their_keys_with_each_other() -> None:
    table, refused = remapped({"search.class": ["x"], "search.hide": ["c"]})
    assert refused == []
    assert (table["search.class"].keys, table["search.hide"].keys) == (("x",), ("c",))


def test_two_changes_that_clash_are_not_both_made() -> None:
    table, refused = remapped({"source.why": ["I"], "source.wrap": ["I"]})
    assert table["source.why"].keys == ("I",)
    assert refused == ["keys: source.wrap wants a key of source.why"]


def test_key_that_begins_another_is_refused() -> None:
    _, refused = remapped({"source.wrap": ["g"]})
    assert refused and "source.wrap wants a key of" in refused[0]
    _, refused = remapped({"source.callers": ["c r"]})
    assert refused == ["keys: source.callers wants a key of source.class"]


def test_keys_can_be_written_as_the_signs_they_are() -> None:
    table, _ = remapped({"search.open": ["\\"], "source.numbers": [",", "g #"]})
    assert table["source.numbers"].keys == (",", "g number_sign")


async def test_keys_of_two_strokes_can_be_changed_for_others_and_for_single_ones() -> None:
    keys = {"source.callers": ["r"], "source.definition": ["g o"], "source.wrap": ["comma w"], "source.find": []}
    async with running(keys=keys) as (app, pilot):
        app.put(PlaceAsked(INNER_PY, line_of(INNER_PY, "def get_embed_and_head")))
        await settle(pilot)
        await typed(pilot, "comma", "w")
        assert app.panes.source.view.wrapped
        await typed(pilot, "g", "r", "enter", "f")
        assert app.arrangement.active == "source" and not app.panes.search.pattern.has_focus
        await typed(pilot, "r")
        assert app.arrangement.active == "search"
        assert "callers of" in app.panes.search.found.title  # type: ignore[union-attr]


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.action], ids=lambda command: command.id)
def test_every_command_has_a_name_a_line_of_help_and_a_key_or_a_word_to_type(command: Command) -> None:
    assert command.title and command.help
    assert command.keys or read_line(command.id) == Run(command.id)


async def test_every_command_stands_in_the_help_of_its_place_and_in_the_palette() -> None:
    async with running() as (app, pilot):
        for place in ("search", "classes", "source", "contract", "log"):
            app.go(place)
            app.action_help()
            await settle(pilot)
            shown = {line.value for line in listed(app)}
            await typed(pilot, "escape")
            assert shown >= {command.id for command in at(place, "list", "anywhere")}
        app.action_palette()
        await settle(pilot)
        acting = {command.id for command in COMMANDS if command.action and command.where not in commands.SCREENS}
        assert {line.value for line in listed(app)} >= acting


def listed(app: SondageApp) -> list[Row]:
    assert isinstance(app.screen, Picker)
    rows = app.screen.list.rows
    return [rows[index] for index in range(len(rows))]
