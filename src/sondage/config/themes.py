"""Owns the theme files: how they are found and read, what one takes from another, and which are refused.

A theme file gives what differs from the theme it `inherits`; without that word, from the shipped theme for a terminal
like it. Its name is the name of the file. A theme with `ansi = true` is made of the terminal's own colours, and only of
those; what they look like is the user's affair, so its contrast is not computed.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from sondage.config.colours import TERMINAL, is_hex
from sondage.config.legible import MARKS, PALETTE, SOURCE, VARIABLES, faint
from sondage.config.tables import Document, read_document
from sondage.errors import ConfigError

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "palette": {name: name for name in PALETTE},
    "variables": {name: name for name in VARIABLES},
    "source": SOURCE,
    "marks": {name: name for name in MARKS},
}
"""For each table of a theme file its keys, with the colour's name in the stylesheet."""
_SETTINGS = ("name", "dark", "ansi", "inherits")


@dataclass(frozen=True)
class Theme:
    """A theme that was checked. Colours are `#rrggbb`, or `ansi_…` and `ansi_default` where `ansi` is true."""

    name: str
    dark: bool
    ansi: bool
    palette: Mapping[str, str]
    """The colours that are fields of a Textual theme, all of `legible.PALETTE`."""
    variables: Mapping[str, str]
    """All other colours by their name in the stylesheet: `muted`, `good`, `code-keyword` and so on."""


@dataclass(frozen=True)
class Themes:
    """The themes there are, by name, and what was wrong with those of the user's that are not among them."""

    found: Mapping[str, Theme]
    problems: tuple[ConfigError, ...] = ()


def read_themes(folder: Path | None = None) -> Themes:
    """The shipped themes and those of the user's folder, which go before shipped ones of the same name.

    A bad theme of the user's is a problem of the answer, never an error.
    """
    shipped = {name: document for name, document in _documents(shipped_folder(), [])}
    problems: list[ConfigError] = []
    own = dict(_documents(folder, problems)) if folder is not None else {}
    found = {name: _Making(shipped, {}).theme(document) for name, document in shipped.items()}
    for document in own.values():
        try:
            theme = _Making(shipped, own).theme(document)
            found[theme.name] = theme
        except ConfigError as error:
            problems.append(error)
    return Themes(found, tuple(problems))


def shipped_folder() -> Traversable:
    """Where the themes of the package are: in it, or beside its sources where it runs from a checkout."""
    inside = importlib.resources.files("sondage") / "themes"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "themes"


def _documents(folder: Path | Traversable, problems: list[ConfigError]) -> Iterator[tuple[str, Document]]:
    """The theme files of a folder by name, in alphabetical order."""
    try:
        files = sorted(folder.iterdir(), key=lambda file: file.name)
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(ConfigError(f"the folder cannot be read, {error.strerror or error}", str(folder)))
        return
    for file in files:
        if file.name.endswith(".toml"):
            try:
                document = read_document(file)
            except ConfigError as error:
                problems.append(error)
                continue
            if document is not None:
                yield file.name.removesuffix(".toml"), document
