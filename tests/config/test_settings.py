"""What the user may set in config.toml, and what is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from sondage.config.settings import Config, ThemeChoice, parse_size, read_config
from sondage.errors import ConfigError

EVERYTHING = """\
mouse = false
ascii = true
exclude = ["**/tests/**", "*_pb2.py"]
jobs = 4
engine = "dask=tcp://scheduler:8786"
transport = "asyncssh"
deps = "never"
max_file_size = "2M"

[theme]
show = "light"
light = "terminal-light"

[keys]
search.open = ["slash", "f"]
"copy.place" = []
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_a_missing_file_means_the_defaults(file: Path) -> None:
    assert read_config(file) == Config()


def test_an_empty_file_means_the_defaults(file: Path) -> None:
    file.touch()
    assert read_config(file) == Config()


def test_every_setting_is_read(file: Path) -> None:
    file.write_text(EVERYTHING)
    assert read_config(file) == Config(
        theme=ThemeChoice(show="light", light="terminal-light"),
        mouse=False,
        ascii=True,
        keys={"search.open": ("slash", "f"), "copy.place": ()},
        exclude=("**/tests/**", "*_pb2.py"),
        jobs=4,
        engine="dask=tcp://scheduler:8786",
        transport="asyncssh",
        deps="never",
        max_file_size=2 * 1024 * 1024,
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\nmose = true", 2, "did you mean mouse?"),
        ("[theme]\ndrak = 'x'", 2, "did you mean dark?"),
        ("[theme]\nshow = 'blue'", 2, "one of auto, dark, light"),
        ("theme = 'dark'", 1, "theme has to be a table"),
        ("mouse = 'no'", 1, "expected `bool`"),
        ("jobs = 0", 1, ">= 1"),
        ("engine = 'gpu'", 1, "engine: "),
        ("deps = 'always'", 1, "one of auto, never"),
        ("exclude = '*.py'", 1, "expected `array`"),
        ("mouse = true\nexclude = ['../x']", 2, "invalid glob"),
        ("max_file_size = 'large'", 1, "is not a size"),
        ("max_file_size = -1", 1, ">= 0"),
        ("[keys]\nsearch.open = 'f'", 2, "keys.search.open: expected `array`"),
        ("[keys]\na = ['f']\nb = [1]", 3, "keys.b: expected `str`"),
    ],
)
def test_what_cannot_be_is_refused_with_file_line_and_remedy(file: Path, text: str, line: int, said: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_config(file)
    assert caught.value.where == f"{file}:{line}"
    assert said in str(caught.value)


def test_the_theme_goes_by_the_terminal_unless_one_was_chosen() -> None:
    choice = ThemeChoice(dark="umber", light="chalk")
    assert (choice.name(), choice.name(terminal_is_dark=False)) == ("umber", "chalk")
    assert ThemeChoice(show="light").name(terminal_is_dark=True) == "light"
    assert ThemeChoice(show="dark").name(terminal_is_dark=False) == "dark"


@pytest.mark.parametrize(
    ("text", "size"), [("20000", 20_000), ("500K", 512_000), ("16M", 1 << 24), ("16 MiB", 1 << 24), ("1g", 1 << 30)]
)
def test_a_size_may_be_written_with_a_letter(text: str, size: int) -> None:
    assert parse_size(text) == size
