"""Owns the theme files: how they are found and read, what one takes from another, and which are refused.

A theme file gives what differs from the theme it `inherits`; without that word, from the shipped theme for a terminal
like it. Its name is the name of the file. A theme with `ansi = true` is made of the terminal's own colours, and only of
those; what they look like is the user's affair, so its contrast is not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from sondage.config.colours import TERMINAL, is_hex
from sondage.config.legible import MARKS, PALETTE, SOURCE, VARIABLES, faint
from sondage.config.tables import Document, Keys, read_document
from sondage.errors import ConfigError

T = TypeVar("T")

SUFFIX = ".toml"
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "palette": {name: name for name in PALETTE},
    "variables": {name: name for name in VARIABLES},
    "source": SOURCE,
    "marks": {name: name for name in MARKS},
}
"""For each table of a theme file its keys, with the colour's name in the stylesheet."""
_SETTINGS: Mapping[str, type] = {"name": str, "dark": bool, "ansi": bool, "inherits": str}
_LIKE = {(True, False): "dark", (False, False): "light", (True, True): "terminal", (False, True): "terminal-light"}
"""The shipped theme that fills up one of the user's, by `dark` and `ansi`."""


class Theme(msgspec.Struct, frozen=True):
    """A theme that was checked. Colours are `#rrggbb`, or `ansi_…` and `ansi_default` where `ansi` is true."""

    name: str
    dark: bool
    ansi: bool
    palette: Mapping[str, str]
    """The colours that are fields of a Textual theme, all of `legible.PALETTE`."""
    variables: Mapping[str, str]
    """All other colours by their name in the stylesheet: `muted`, `good`, `code-keyword` and so on."""


class Themes(msgspec.Struct, frozen=True):
    """The themes there are, by name, and what was wrong with those of the user's that are not among them."""

    found: Mapping[str, Theme]
    problems: tuple[ConfigError, ...] = ()


def read_themes(folder: Path | None = None) -> Themes:
    """The shipped themes and those of the user's folder, which go before shipped ones of the same name.

    A bad theme of the user's is a problem of the answer, never an error. A shipped one is read when it is asked for.
    """
    problems: list[ConfigError] = []
    files = {file.name.removesuffix(SUFFIX): file for file in _files(shipped_folder(), problems)}
    shipped = _Late(files, lambda name: _read_sheet(files[name]))
    own = _sheets(folder, problems) if folder is not None else {}
    checked: dict[str, Theme] = {}
    for sheet in own.values():
        try:
            checked[sheet.name] = _theme(_lineage(sheet, shipped, own), is_own=True)
        except ConfigError as error:
            problems.append(error)

    def found(name: str) -> Theme:
        return checked[name] if name in checked else _theme(_lineage(shipped[name], shipped, own))

    return Themes(_Late([*shipped, *checked], found), tuple(problems))


def shipped_folder() -> Path:
    """Where the themes of the package are: in it, or beside its sources where it runs from a checkout."""
    inside = Path(__file__).parents[1] / "themes"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "themes"


class _Late(Mapping[str, T]):
    """Values by name, each made when it is first asked for: the app shows one theme, and starts without the others."""

    def __init__(self, names: Iterable[str], make: Callable[[str], T]) -> None:
        self._make = make
        self._made: dict[str, T | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> T:
        made = self._made[name]
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


# ---------------------------------------------------------------- one file


class _Colour(NamedTuple):
    """A colour as it is written: its value, and the way to it in a document."""

    value: str
    document: Document
    keys: Keys

    @property
    def label(self) -> str:
        return ".".join(self.keys)

    @property
    def where(self) -> str:
        return self.document.where(*self.keys)


class _Sheet(msgspec.Struct, frozen=True, eq=False):
    """One theme file: what it says itself, None and no entry for what it leaves to another."""

    name: str
    dark: bool | None
    ansi: bool | None
    inherits: str | None
    colours: Mapping[str, _Colour]
    """By their name in the stylesheet."""
    document: Document


def _sheets(folder: Path, problems: list[ConfigError]) -> dict[str, _Sheet]:
    """The theme files of a folder by name, in alphabetical order; what is wrong with a file goes to `problems`."""
    sheets = {}
    for file in _files(folder, problems):
        try:
            sheet = _read_sheet(file)
            sheets[sheet.name] = sheet
        except ConfigError as error:
            problems.append(error)
    return sheets


def _files(folder: Path, problems: list[ConfigError]) -> list[Path]:
    try:
        found = [file for file in folder.iterdir() if file.name.endswith(SUFFIX)]
    except FileNotFoundError:
        return []
    except OSError as error:
        problems.append(ConfigError(f"the folder cannot be read, {error.strerror or error}", str(folder)))
        return []
    return sorted(found, key=lambda file: file.name)


def _read_sheet(file: Path) -> _Sheet:
    """Raises ConfigError."""
    document = read_document(file)
    if document is None:
        raise ConfigError("the file is gone", str(file))
    return _sheet(document, file.name.removesuffix(SUFFIX))


def _sheet(document: Document, name: str) -> _Sheet:
    """Reads one file, of which nothing is known but its name. Raises ConfigError."""
    document.refuse_unknown((*_SETTINGS, *SECTIONS))
    given = {key: document.value(_SETTINGS[key], key) for key in _SETTINGS if key in document.values}
    if given.get("name", name) != name:
        hint = f"the file is {name}{SUFFIX}"
        raise ConfigError(f"the theme calls itself {given['name']}", document.where("name"), hint)
    colours = {variable: colour for section in SECTIONS for variable, colour in _colours(document, section)}
    return _Sheet(name, given.get("dark"), given.get("ansi"), given.get("inherits"), colours, document)


def _colours(document: Document, section: str) -> Iterator[tuple[str, _Colour]]:
    known = SECTIONS[section]
    for name, keys in document.leaves(section):
        if name not in known:
            raise document.unknown(f"colour in [{section}]", name, known, document.where(*keys))
        yield known[name], _Colour(document.value(str, *keys), document, keys)


# ---------------------------------------------------------------- a theme from one file and those it inherits


def _lineage(sheet: _Sheet, shipped: Mapping[str, _Sheet], own: Mapping[str, _Sheet]) -> list[_Sheet]:
    """A theme, the one it inherits, and so on to a shipped one that is whole. Raises ConfigError."""
    lineage = [sheet]
    while (parent := _parent(lineage[-1], shipped, own)) is not None:
        if parent in lineage:
            raise ConfigError(f"the theme {sheet.name} inherits itself", sheet.document.where("inherits"))
        lineage.append(parent)
    return lineage


def _parent(sheet: _Sheet, shipped: Mapping[str, _Sheet], own: Mapping[str, _Sheet]) -> _Sheet | None:
    """What a theme inherits. One of the user's that bears the name of a shipped one may inherit that."""
    is_own = own.get(sheet.name) is sheet
    if sheet.inherits is None:
        return shipped[_LIKE[sheet.dark is not False, sheet.ansi is True]] if is_own else None
    if is_own and sheet.inherits in own and sheet.inherits != sheet.name:
        return own[sheet.inherits]
    if sheet.inherits in shipped:
        return shipped[sheet.inherits]
    known = {*shipped, *own} - {sheet.name}
    raise sheet.document.unknown("theme", sheet.inherits, known, sheet.document.where("inherits"))


def _theme(lineage: list[_Sheet], *, is_own: bool = False) -> Theme:
    """The theme of its first sheet, filled up from the others. Raises ConfigError.

    The colours of a shipped one are checked by the tests, not at each start.
    """
    dark = next((sheet.dark for sheet in lineage if sheet.dark is not None), True)
    ansi = next((sheet.ansi for sheet in lineage if sheet.ansi is not None), False)
    colours = {name: colour for sheet in reversed(lineage) for name, colour in sheet.colours.items()}
    if is_own:
        _refuse_other_than_colours(colours.values(), ansi=ansi)
    if is_own and not ansi:
        _refuse_faint(colours, lineage[0].document)
    values = {name: colour.value for name, colour in colours.items()}
    palette = {name: values.pop(name) for name in PALETTE}
    return Theme(lineage[0].name, dark, ansi, palette, values)


def _refuse_other_than_colours(colours: Iterable[_Colour], *, ansi: bool) -> None:
    hint = "ansi_default, ansi_red, ansi_bright_red …" if ansi else "#rgb or #rrggbb"
    for colour in colours:
        if not (colour.value in TERMINAL if ansi else is_hex(colour.value)):
            what = "a colour of the terminal" if ansi else "a colour"
            raise ConfigError(f"{colour.label}: {colour.value!r} is not {what}", colour.where, hint)


def _refuse_faint(colours: Mapping[str, _Colour], document: Document) -> None:
    """The line named is one of the theme's own file: where the text is inherited, that of the ground."""
    for pair, found in faint({name: colour.value for name, colour in colours.items()}):
        text, ground = colours[pair.text], colours[pair.ground]
        blamed = ground if ground.document is document and text.document is not document else text
        what = f"{text.label} on {ground.label} is too faint, a contrast of {found:.1f}"
        raise ConfigError(what, blamed.where, f"it has to be {pair.least} or more")
