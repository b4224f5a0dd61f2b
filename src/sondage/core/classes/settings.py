"""Owns what project files say about where packages lie: `pyproject.toml`, `setup.cfg`, `setup.py`, read as text, never run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from sondage.core.late import late_pattern

_PACKAGE_DIR = late_pattern(r"package_dir\s*=\s*\{([^{}]*)\}")
_PAIR = late_pattern(r"""(["'])([\w.]*)\1\s*:\s*(["'])([^"']*)\3""")
_WHERE = late_pattern(r"""find(?:_namespace)?_packages\(\s*(?:where\s*=\s*)?(["'])([^"']+)\1""")


class Mapped(msgspec.Struct, frozen=True):
    """Files below `folder` are modules below the dotted name `prefix` (empty: the folder is a source root)."""

    folder: str
    prefix: str

    def holds(self, path: str) -> bool:
        return not self.folder or path.startswith(f"{self.folder}/")


def mapped_folders(settings: Mapping[str, str]) -> list[Mapped]:
    """What all project files say together; folders are relative to the root of the index."""
    found: list[Mapped] = []
    for path, text in settings.items():
        folder, _, name = path.rpartition("/")
        reader = _READERS.get(name)
        for inner, prefix in reader(text) if reader else ():
            clean = inner.removeprefix("./").strip("/")
            clean = "" if clean == "." else clean
            if ".." not in clean.split("/"):
                found.append(Mapped("/".join(part for part in (folder, clean) if part), prefix))
    return found


def _pyproject(text: str) -> Iterator[tuple[str, str]]:
    import tomllib  # noqa: PLC0415  few trees have such a file

    try:
        tools = tomllib.loads(text).get("tool", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    setuptools = _table(tools, "setuptools")
    for prefix, folder in _table(setuptools, "package-dir").items():
        yield str(folder), str(prefix)
    for where in _strings(_table(setuptools, "packages", "find").get("where")):
        yield where, ""
    for package in tools.get("poetry", {}).get("packages", ()) if isinstance(tools.get("poetry"), dict) else ():
        if isinstance(package, dict) and isinstance(package.get("from"), str):
            yield package["from"], ""
    for package in _strings(_table(tools, "hatch", "build", "targets", "wheel").get("packages")):
        yield package.rpartition("/")[0], ""
    for table, key in (("pdm", "package-dir"), ("maturin", "python-source")):
        for where in _strings(_table(tools, table).get(key)) + _strings(_table(tools, table, "build").get(key)):
            yield where, ""


def _table(tree: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        tree = tree.get(key, {}) if isinstance(tree, dict) else {}
    return tree if isinstance(tree, dict) else {}


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _setup_cfg(text: str) -> Iterator[tuple[str, str]]:
    import configparser  # noqa: PLC0415  few trees have such a file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        prefix, equals, folder = line.partition("=")
        if equals:
            yield folder.strip(), prefix.strip()
    for line in parser.get("options.packages.find", "where", fallback="").splitlines():
        if line.strip():
            yield line.strip(), ""


def _setup_py(text: str) -> Iterator[tuple[str, str]]:
    for mapping in _PACKAGE_DIR.finditer(text):
        for pair in _PAIR.finditer(mapping[1]):
            yield pair[4], pair[2]
    for where in _WHERE.finditer(text):
        yield where[2], ""


_READERS = {"pyproject.toml": _pyproject, "setup.cfg": _setup_cfg, "setup.py": _setup_py}
