"""The theme files: the shipped ones are whole and legible, and one of the user's is refused with file and line."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from textual.app import App
from textual.theme import Theme as TextualTheme

from sondage.config.colours import TERMINAL, contrast, is_hex
from sondage.config.legible import MARKS, PALETTE, SOURCE, VARIABLES, pairs
from sondage.config.themes import Theme, Themes, read_themes

SHIPPED = read_themes().found
COLOURED = [name for name, theme in SHIPPED.items() if not theme.ansi]
CHECKOUT = Path(__file__).parents[2]


def colours_of(theme: Theme) -> dict[str, str]:
    return {**theme.palette, **theme.variables}


# ---------------------------------------------------------------- the shipped themes


def test_five_themes_are_shipped_and_nothing_is_wrong_with_them() -> None:
    assert read_themes().problems == ()
    assert {name: (theme.dark, theme.ansi) for name, theme in SHIPPED.items()} == {
        "dark": (True, False),
        "light": (False, False),
        "high-contrast": (True, False),
        "terminal": (True, True),
        "terminal-light": (False, True),
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_theme_has_every_colour(name: str) -> None:
    theme = SHIPPED[name]
    assert set(theme.palette) == set(PALETTE)
    assert set(theme.variables) == {*VARIABLES, *MARKS, *SOURCE.values()}


@pytest.mark.parametrize("name", COLOURED)
@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair.text}-on-{pair.ground}")
def test_every_text_of_a_shipped_theme_is_legible_on_every_ground(name: str, pair: tuple[str, str, float]) -> None:
    text, ground, least = pair
    colours = colours_of(SHIPPED[name])
    assert contrast(colours[text], colours[ground]) >= least


def test_every_text_of_the_high_contrast_theme_meets_the_highest_level() -> None:
    colours = colours_of(SHIPPED["high-contrast"])
    assert min(contrast(colours[p.text], colours[p.ground]) for p in pairs() if p.least == 4.5) >= 7


@pytest.mark.parametrize("name", COLOURED)
def test_the_pane_with_the_focus_differs_from_the_others(name: str) -> None:
    colours = colours_of(SHIPPED[name])
    assert contrast(colours["bar-focus-ground"], colours["bar-ground"]) >= 1.25
    assert contrast(colours["cursor-ground"], colours["cursor-away-ground"]) >= 1.08


@pytest.mark.parametrize("name", SHIPPED)
def test_a_theme_for_the_terminal_has_its_colours_only_and_the_others_have_none(name: str) -> None:
    theme = SHIPPED[name]
    assert all(colour in TERMINAL if theme.ansi else is_hex(colour) for colour in colours_of(theme).values())


# ---------------------------------------------------------------- what the app makes of them


def textual_theme(theme: Theme) -> TextualTheme:
    variables = dict(theme.variables)
    return TextualTheme(theme.name, dark=theme.dark, ansi=theme.ansi, variables=variables, **theme.palette)  # type: ignore[arg-type]


@pytest.mark.parametrize("sheet", ["app.tcss", "screens.tcss"])
@pytest.mark.parametrize("name", SHIPPED)
def test_every_colour_that_a_stylesheet_names_is_in_every_theme(name: str, sheet: str) -> None:
    named = set(re.findall(r"\$([a-z][a-z0-9-]*)", (files("sondage") / "tui" / sheet).read_text()))
    assert named <= set(colours_of(SHIPPED[name]))


@pytest.mark.parametrize("name", SHIPPED)
async def test_the_app_can_be_drawn_in_every_theme(name: str) -> None:
    class Plain(App[None]):
        CSS = "\n".join(
            f".as-{variable} {{ color: ${variable}; background: ${variable} 60%; }}"
            for variable in colours_of(SHIPPED[name])
        )

        def __init__(self) -> None:
            super().__init__()
            self.register_theme(textual_theme(SHIPPED[name]))
            self.theme = name

        def get_theme_variable_defaults(self) -> dict[str, str]:
            return dict(SHIPPED["dark"].variables)

    async with Plain().run_test() as pilot:
        assert pilot.app.theme_variables["muted"] == SHIPPED[name].variables["muted"]
        assert pilot.app.native_ansi_color is SHIPPED[name].ansi


# ---------------------------------------------------------------- where they are


def test_a_checkout_has_the_themes_that_the_package_is_built_with() -> None:
    assert {file.stem for file in (CHECKOUT / "themes").glob("*.toml")} == set(SHIPPED)


def test_the_themes_inside_an_installed_package_are_used_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "dark.toml").write_bytes((CHECKOUT / "themes" / "dark.toml").read_bytes())
    monkeypatch.setattr("sondage.config.themes.__file__", str(tmp_path / "config" / "themes.py"))
    assert set(read_themes().found) == {"dark"}


# ---------------------------------------------------------------- the user's own


def read(folder: Path, **sheets: str) -> Themes:
    for name, text in sheets.items():
        (folder / f"{name}.toml").write_text(text)
    return read_themes(folder)


def only_problem(folder: Path, text: str) -> str:
    """What is said of the theme file `mine.toml`, without its folder; the shipped themes are there all the same."""
    themes = read(folder, mine=text)
    assert set(themes.found) == set(SHIPPED)
    (problem,) = themes.problems
    return str(problem).replace(f"{folder}/", "")


def test_a_folder_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    assert read_themes(tmp_path / "none") == Themes(SHIPPED)


def test_a_theme_gives_only_what_differs_from_the_one_it_inherits(tmp_path: Path) -> None:
    mine = read(tmp_path, mine='inherits = "light"\n[source]\nname.function = "#004400"\n').found["mine"]
    assert mine.variables == {**SHIPPED["light"].variables, "code-function": "#004400"}
    assert (mine.dark, mine.palette) == (False, SHIPPED["light"].palette)


@pytest.mark.parametrize(
    ("text", "filled_from"),
    [
        ("", "dark"),
        ("dark = false", "light"),
        ("ansi = true", "terminal"),
        ("dark = false\nansi = true", "terminal-light"),
    ],
)
def test_what_a_theme_leaves_open_is_filled_from_the_shipped_one_like_it(
    tmp_path: Path, text: str, filled_from: str
) -> None:
    assert read(tmp_path, mine=text).found["mine"].variables == SHIPPED[filled_from].variables


def test_a_theme_of_the_same_name_replaces_a_shipped_one_and_may_inherit_it(tmp_path: Path) -> None:
    text = 'name = "light"\ninherits = "light"\n[marks]\ngood = "#002200"\n'
    themes = read(tmp_path, light=text)
    assert themes.problems == ()
    assert themes.found["light"].variables == {**SHIPPED["light"].variables, "good": "#002200"}


def test_a_theme_may_inherit_another_one_of_the_user(tmp_path: Path) -> None:
    themes = read(tmp_path, one='[marks]\ngood = "#ffffff"\n', two='inherits = "one"\n[marks]\nbad = "#eeeeee"\n')
    assert {**themes.found["two"].variables} == {**SHIPPED["dark"].variables, "good": "#ffffff", "bad": "#eeeeee"}


def test_themes_that_inherit_each_other_are_both_refused(tmp_path: Path) -> None:
    themes = read(tmp_path, one='inherits = "two"\n', two='\ninherits = "one"\n')
    assert [problem.where for problem in themes.problems] == [f"{tmp_path}/one.toml:1", f"{tmp_path}/two.toml:2"]
    assert set(themes.found) == set(SHIPPED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[palette\n", "not TOML"),
        ("colour = 1\n", "there is no key colour: mine.toml:1"),
        ("dark = 'yes'\n", "dark: expected `bool`, got `str`: mine.toml:1"),
        ('name = "hers"\n', "the theme calls itself hers: mine.toml:1 (the file is mine.toml)"),
        ('\ninherits = "drak"\n', "there is no theme drak: mine.toml:2 (did you mean dark?)"),
        ('[variables]\nmutd = "#fff"\n', "there is no colour in [variables] mutd: mine.toml:2 (did you mean muted?)"),
        ('[source]\nname.klass = "#fff"\n', "there is no colour in [source] name.klass: mine.toml:2"),
        ("[palette]\naccent = 1\n", "palette.accent: expected `str`, got `int`: mine.toml:2"),
        ('[palette]\naccent = "blau"\n', "palette.accent: 'blau' is not a colour: mine.toml:2 (#rgb or #rrggbb)"),
        ('[palette]\naccent = "ansi_red"\n', "palette.accent: 'ansi_red' is not a colour: mine.toml:2"),
        ('ansi = true\n[marks]\ngood = "#0f0"\n', "marks.good: '#0f0' is not a colour of the terminal: mine.toml:3"),
        (
            '[source]\ncomment = "#555555"\n',
            "source.comment on palette.background is too faint, a contrast of 2.3: mine.toml:2 (it has to",
        ),
        (
            '[variables]\nbar-ground = "#999999"\n',
            "palette.foreground on variables.bar-ground is too faint, a contrast of 2.0: mine.toml:2",
        ),
    ],
)
def test_a_bad_theme_is_reported_with_file_and_line_and_left_out(tmp_path: Path, text: str, said: str) -> None:
    assert only_problem(tmp_path, text).startswith(said)


def test_a_bad_theme_does_not_keep_a_good_one_away(tmp_path: Path) -> None:
    themes = read(tmp_path, bad="x", good='[marks]\ngood = "#ffffff"\n')
    assert "good" in themes.found
    assert len(themes.problems) == 1


def test_what_is_no_theme_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("my themes")
    (tmp_path / "old").mkdir()
    assert read_themes(tmp_path) == Themes(SHIPPED)


def test_a_file_in_the_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "themes").touch()
    (problem,) = read_themes(tmp_path / "themes").problems
    assert str(tmp_path / "themes") in str(problem)
