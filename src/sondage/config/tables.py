"""Owns how a TOML file of the user's is read: every complaint about it names the file, the line and a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin

import msgspec

from sondage.core.late import late_pattern
from sondage.errors import ConfigError

LARGEST = 64 * 1024
"""Bytes of a file that is read at all: a person has written it."""

Keys: TypeAlias = tuple[str, ...]
"""The way to a value: the names of the tables around it, then its own."""
_AT_LINE = late_pattern(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)


class Document(msgspec.Struct, frozen=True, dict=True):
    """A TOML file that was read. `name` is what messages call it; `values` are its tables as `tomllib` gives them."""

    name: str
    text: str
    values: dict[str, Any]

    @cached_property
    def lines(self) -> dict[Keys, int]:
        """The line, from 1, at which each key and each table begins."""
        return dict(reversed(list(_places(self.text))))

    def where(self, *keys: str) -> str:
        """`file:line` of a value, or of the innermost table around it that stands in the file."""
        for depth in range(len(keys), 0, -1):
            if keys[:depth] in self.lines:
                return f"{self.name}:{self.lines[keys[:depth]]}"
        return self.name

    def table(self, *keys: str) -> dict[str, Any]:
        """A table by its keys; empty where it is not there. Raises ConfigError where something else is."""
        found = self.values
        for depth, key in enumerate(keys, 1):
            found = found.get(key, {})
            if not isinstance(found, dict):
                raise ConfigError(f"{'.'.join(keys[:depth])} has to be a table", self.where(*keys[:depth]))
        return found

    def leaves(self, *table: str) -> Iterator[tuple[str, Keys]]:
        """The values in a table and in those inside it: the dotted name of each below `table`, and the way to it.

        So `a.b = 1` and `"a.b" = 1` are one to the reader: a dot may belong to a name.
        """
        for keys in _keys(self.table(*table)):
            way = (*table, *keys)
            if not isinstance(self.table(*way[:-1])[way[-1]], dict):
                yield ".".join(keys), way

    def refuse_unknown(self, known: Iterable[str], *table: str) -> None:
        """Raises ConfigError for the first key of a table that is not known, with the name it is nearest to."""
        names = list(known)
        for key in self.table(*table):
            if key not in names:
                raise self.unknown("key", key, names, self.where(*table, key))

    def value(self, kind: Any, *keys: str) -> Any:
        """A value that is there, as the type it has to be: one that `msgspec` knows. Raises ConfigError."""
        try:
            return msgspec.convert(self.table(*keys[:-1])[keys[-1]], kind)
        except msgspec.ValidationError as error:
            reason = str(error).partition(" - at `$")[0]
            choices = ", ".join(map(str, get_args(kind))) if get_origin(kind) is Literal else ""
            what = f"{'.'.join(keys)}: {reason[:1].lower()}{reason[1:]}"
            raise ConfigError(what, self.where(*keys), choices and f"one of {choices}") from None

    @staticmethod
    def unknown(what: str, name: str, known: Iterable[str], where: str) -> ConfigError:
        """The complaint about a name that is none of the known ones."""
        from difflib import get_close_matches  # noqa: PLC0415  only a slip pays for it

        names = sorted(known)
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
        return ConfigError(f"there is no {what} {name}", where, hint)


def read_document(file: Path) -> Document | None:
    """A TOML file, or None where there is none. Raises ConfigError when it cannot be read or is not TOML."""
    try:
        if not file.is_file():
            _refuse_other_than_file(file)
            return None
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"the file cannot be read, {error.strerror or error}", str(file)) from None
    if len(data) > LARGEST:
        raise ConfigError(f"the file is larger than {LARGEST // 1024} KiB", str(file))
    return parse_document(data, str(file))


def _refuse_other_than_file(file: Path) -> None:
    if file.is_symlink() or file.exists():
        raise ConfigError("not a file, or a link that leads nowhere", str(file))


def parse_document(data: bytes, name: str) -> Document:
    """The same of bytes at hand."""
    import tomllib  # noqa: PLC0415  many users have no file for it to read

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError("not UTF-8", f"{name}:{line}") from None
    try:
        return Document(name, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(str(error), text, name) from None
    except RecursionError:
        raise ConfigError("not TOML, nested too deeply", name) from None


def _not_toml(reason: str, text: str, name: str) -> ConfigError:
    found = _AT_LINE.fullmatch(reason)
    line = int(found[2]) if found else text.rstrip("\n").count("\n") + 1
    reason = (found[1] if found else reason).removesuffix(" (at end of document)")
    return ConfigError(f"not TOML, {reason[:1].lower()}{reason[1:]}", f"{name}:{line}")


def _places(text: str) -> Iterator[tuple[Keys, int]]:
    """Each key and table of a valid TOML text with its line, in the order of the file.

    A statement may go over several lines, and ends where it can be parsed by itself: so the grammar stays tomllib's.
    """
    import tomllib  # noqa: PLC0415  as above

    table: Keys = ()
    pending: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        pending.append(line)
        try:
            said = list(_keys(tomllib.loads("\n".join(pending))))
        except tomllib.TOMLDecodeError:
            continue
        is_header = pending[0].lstrip().startswith("[")
        first = number - len(pending) + 1
        yield from (((*(() if is_header else table), *keys), first) for keys in said)
        table = said[-1] if is_header else table
        pending.clear()


def _keys(values: Mapping[str, Any]) -> Iterator[Keys]:
    """The way to every value and every table below `values`."""
    for key, value in values.items():
        yield (key,)
        inside = value[-1] if isinstance(value, list) and value else value
        if isinstance(inside, dict):
            yield from ((key, *below) for below in _keys(inside))
