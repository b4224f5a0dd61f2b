"""Owns the tests of looks: every role has a style in every theme, and without colours the signs still stand."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from tests.tui.driving import running, screen_text, settle, typed
from textual.color import Color

from sondage.core.source import highlight
from sondage.tui.panes.paint import PAINTS, PLAIN_ATTRIBUTES, styles
from sondage.tui.themes import FALLBACK, shipped, textual_theme, wanted
from sondage.tui.wall import _DANGEROUS, Wall


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_role_has_a_style_in_every_theme(name: str) -> None:
    theme = textual_theme(shipped()[name])
    made = styles({**theme.to_color_system().generate(), **theme.variables}, plain=theme.ansi)
    assert set(made) == {*PAINTS, "text"}


@pytest.mark.parametrize("name", [name for name, theme in shipped().items() if theme.ansi])
def test_terminal_themes_use_the_sixteen_colours_alone(name: str) -> None:
    theme = textual_theme(shipped()[name])
    made = styles({**theme.to_color_system().generate(), **theme.variables}, plain=True)
    colours = [colour for style in made.values() for colour in (style.color, style.bgcolor) if colour is not None]
    assert all(colour.is_default or colour.type.name == "STANDARD" for colour in colours)
    assert all(made[role].bold or made[role].reverse for role in PLAIN_ATTRIBUTES)


def test_every_style_of_the_highlighter_is_painted() -> None:
    words = (highlight.__doc__ or "").partition("every theme:")[2].replace("\n", " ").rstrip(" .")
    named = [word.strip() for word in words.split(",")]
    assert {f"code-{name}" for name in named} <= set(PAINTS)


def test_unknown_theme_falls_back_and_no_color_means_the_terminals_own() -> None:
    assert wanted("nonsense", shipped(), no_color=False) == FALLBACK
    assert wanted("light", shipped(), no_color=False) == "light"
    assert wanted("light", shipped(), no_color=True) == "terminal-light"
    assert wanted("dark", shipped(), no_color=True) == "terminal"


async def test_theme_can_be_changed_while_running_and_an_unknown_one_is_refused() -> None:
    async with running() as (app, pilot):
        await app.typed("theme light")
        await settle(pilot)
        assert app.theme == "light"
        await app.typed("theme nonsense")
        await settle(pilot)
        assert app.theme == "light"
        assert "no theme nonsense; there are dark, high-contrast, light" in app.status.said


@pytest.mark.parametrize("theme", sorted(shipped()))
async def test_cursor_line_bears_a_mark_in_every_theme(theme: str) -> None:
    async with running(theme=theme) as (app, pilot):
        await typed(pilot, "slash", "text:load_weights", "enter", "j")
        marked = [line for line in screen_text(app).split("\n") if line.startswith("▌")]
        assert any("46" in line for line in marked)


def test_wall_takes_out_what_could_drive_a_terminal() -> None:
    dirty = [Segment("a\x1b[2Jb", Style()), Segment("\u202ec\udcffd\x9b")]
    cleaned = Wall().apply(dirty, Color(0, 0, 0))
    assert [segment.text for segment in cleaned] == ["a[2Jb", "c?d"]
    clean = [Segment("list[int] é 名")]
    assert Wall().apply(clean, Color(0, 0, 0)) is clean
    assert [segment.text for segment in Wall().apply([Segment("a\xa0b")], Color(0, 0, 0))] == ["a\xa0b"]


def test_nothing_that_the_wall_takes_out_is_printable() -> None:
    dangerous = [character for character in map(chr, range(0x110000)) if _DANGEROUS.match(character)]
    assert "\x1b" in dangerous
    assert not any(character.isprintable() for character in dangerous)
