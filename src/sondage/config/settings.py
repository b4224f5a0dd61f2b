"""Owns what the user may set in `config.toml`, and how it is checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from sondage.config.tables import Document, read_document
from sondage.core.late import late_pattern
from sondage.errors import ConfigError, UsageError

_SIZE = late_pattern(r"([0-9]{1,15}) ?([KMG]?)(?:i?B)?", re.IGNORECASE)


class ThemeChoice(msgspec.Struct, frozen=True):
    """`[theme]`: one theme for a dark terminal, one for a light one, and which of them is shown."""

    show: Literal["auto", "dark", "light"] = "auto"
    """`auto` goes by the background of the terminal."""
    dark: str = "dark"
    light: str = "light"

    def name(self, *, terminal_is_dark: bool = True) -> str:
        """The theme to show. A terminal that does not tell its background is taken for a dark one."""
        is_dark = terminal_is_dark if self.show == "auto" else self.show == "dark"
        return self.dark if is_dark else self.light


class Config(msgspec.Struct, frozen=True):
    """All settings, each with its default. An option of the command line goes before a setting."""

    theme: ThemeChoice = ThemeChoice()
    mouse: bool = True
    ascii: bool | None = None
    """Draw with signs of ASCII only. None: as the locale says that the terminal can."""
    keys: dict[str, tuple[str, ...]] = {}
    """By the id of a command, the keys that run it instead of its own ones; an empty list takes them away."""
    exclude: tuple[str, ...] = ()
    """Globs on paths relative to the root that are not read, besides those of `--exclude`."""
    jobs: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    """Parse processes; where None, one a core."""
    engine: Annotated[str, msgspec.Meta(pattern=r"^(processes|threads|dask=\S+)$")] = "processes"
    transport: Literal["auto", "asyncssh", "ssh"] = "auto"
    """Who speaks SSH: sondage itself, or the program `ssh`; `auto`: the program where only it can."""
    deps: Literal["auto", "never"] = "auto"
    """Whether classes outside the root are looked up in the host's own Python libraries."""
    max_file_size: int | None = None
    """Bytes; a larger file is listed as not read. Written as a number or as "16M". None: the usual limit."""


def read_config(file: Path) -> Config:
    """The settings of a file; the defaults where there is none.

    Raises ConfigError with file and line for what is not TOML, an unknown key, or a value that cannot be.
    """
    document = read_document(file)
    return Config() if document is None else config_of(document)


def config_of(document: Document) -> Config:
    """The settings a document holds. Raises ConfigError."""
    known = {field.name: field.type for field in msgspec.structs.fields(Config)}
    document.refuse_unknown(known)
    special = {"theme": _theme, "keys": _keys, "exclude": _exclude, "max_file_size": _max_file_size}
    values: dict[str, Any] = {
        name: special[name](document) if name in special else document.value(known[name], name)
        for name in document.values
    }
    return Config(**values)


def parse_size(text: str) -> int:
    """Bytes: a number, with `K`, `M` or `G` (powers of 1024) behind it if wanted. Raises ValueError."""
    found = _SIZE.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a size such as 500K, 16M or 20000")
    return int(found[1]) << 10 * " KMG".index(found[2].upper() or " ")


def _theme(document: Document) -> ThemeChoice:
    known = {field.name: field.type for field in msgspec.structs.fields(ThemeChoice)}
    document.refuse_unknown(known, "theme")
    return ThemeChoice(**{name: document.value(known[name], "theme", name) for name in document.table("theme")})


def _keys(document: Document) -> dict[str, tuple[str, ...]]:
    return {name: document.value(tuple[str, ...], *keys) for name, keys in document.leaves("keys")}


def _exclude(document: Document) -> tuple[str, ...]:
    from sondage.core.search.globs import Globs  # noqa: PLC0415  it loads RE2, which few configurations need

    globs: tuple[str, ...] = document.value(tuple[str, ...], "exclude")
    try:
        Globs(globs)
    except UsageError as error:
        raise ConfigError(f"exclude: {error.what} {error.where}", document.where("exclude"), error.hint) from None
    return globs


def _max_file_size(document: Document) -> int:
    given: Any = document.value(Annotated[int, msgspec.Meta(ge=0)] | str, "max_file_size")
    try:
        return parse_size(str(given))
    except ValueError as error:
        raise ConfigError(f"max_file_size: {error}", document.where("max_file_size")) from None
