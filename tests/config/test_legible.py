"""Which colours stand on which: no name is forgotten."""

from __future__ import annotations

from sondage.config.legible import MARKS, PALETTE, SOURCE, VARIABLES, faint, pairs

NAMES = {*PALETTE, *VARIABLES, *MARKS, *SOURCE.values()}


def test_every_colour_stands_somewhere_or_is_stood_on() -> None:
    assert {name for pair in pairs() for name in (pair.text, pair.ground)} == NAMES


def test_no_pair_is_listed_twice() -> None:
    listed = [(pair.text, pair.ground) for pair in pairs()]
    assert len(listed) == len(set(listed))


def test_source_is_held_against_every_ground_that_a_line_of_source_can_have() -> None:
    grounds = {pair.ground for pair in pairs() if pair.text == "code-comment"}
    assert grounds == {"background", "cursor-ground", "cursor-away-ground", "caret-ground"}


def test_a_faint_pair_is_named_with_its_contrast() -> None:
    grounds = {pair.ground for pair in pairs()}
    colours = {name: "#ffffff" if name in grounds else "#000000" for name in NAMES} | {"code-comment": "#999999"}
    assert {(pair.text, round(found, 1)) for pair, found in faint(colours)} == {("code-comment", 2.8)}
