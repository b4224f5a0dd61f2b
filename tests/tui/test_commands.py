"""Owns the tests of the table of commands: no key is taken twice, none is one that others take."""

from __future__ import annotations

from itertools import combinations

import pytest

from sondage.tui import commands
from sondage.tui.app import SondageApp
from sondage.tui.commands import BY_ID, COMMANDS, TAKEN_KEYS, Command, at, remapped, sequences, show_key
from sondage.tui.drift import DriftScreen
from sondage.tui.matrix import MatrixScreen
from sondage.tui.panes.classes import ClassesPane
from sondage.tui.panes.contract import ContractPane
from sondage.tui.panes.lines import LineView
from sondage.tui.panes.log import LogPane
from sondage.tui.panes.search import SearchPane
from sondage.tui.panes.source import SourcePane

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
    assert hasattr(ACTORS[command.where], f"action_{command.action.split('(')[0]}")


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
        assert not {key.split(" ")[0] for key in sequences(pane, "list", "anywhere")} & single


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
    assert "search.class" in refused[0] and "search.hide" in refused[0]
    assert "nonsense" in refused[1]
