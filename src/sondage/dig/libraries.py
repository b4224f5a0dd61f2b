"""Owns the way to sources outside the root: the host's own Python library folders, read as text and only where a chain leads.

Found are: the virtual environment beside or above the root (by its `pyvenv.cfg`, PEP 405), the `site-packages` folder the
root lies in, the folders their `.pth` files add (module `site`), and the standard library of the Python these belong to.
Where a root has no Python beside it, the standard library of the Python that runs sondage stands in, and says so.
"""

from __future__ import annotations

import posixpath
import re
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sondage.core.classes.hierarchy import Library
from sondage.core.source.extract import extract
from sondage.dig.reading import read_those_there, upwards
from sondage.errors import HostError
from sondage.hosts.base import Host, ListRequest
from sondage.hosts.local import LocalHost

ENVIRONMENT_FOLDERS = (b"", b".venv", b"venv", b"env")
"""Where an environment lies, seen from the root and from each folder above it."""

SITE_FOLDERS = (b"site-packages", b"dist-packages")
EVERY_FOLDER = (b"??*",)
"""Prunes what lies below a folder. The root is called `.` on the way, so that names of one letter have to be let through."""

ReadLibrary: TypeAlias = tuple[Library, bytes]
"""A library file and its source."""


@dataclass(frozen=True)
class SearchPath:
    """Folders of the host that modules are looked up in, in order; absolute."""

    folders: tuple[bytes, ...]
    standard_library: bytes | None
    """The host's own; None where the running Python's stands in."""


async def find_search_path(host: Host, root: bytes) -> SearchPath:
    """Two reads at most: the `pyvenv.cfg` files that may be there, then the `.pth` files of the folders they lead to."""
    environments = {
        posixpath.join(above, folder, b"pyvenv.cfg") for above in upwards(root) for folder in ENVIRONMENT_FOLDERS
    }
    found = await read_those_there(host, sorted(environments, key=lambda path: (-path.count(b"/"), path)))
    folders: list[bytes] = []
    standard: bytes | None = None
    for path, text in found.items():
        settings = _settings(text)
        version = b".".join((settings.get(b"version") or settings.get(b"version_info") or b"").split(b".")[:2])
        if not version:
            continue
        folders.append(posixpath.join(posixpath.dirname(path), b"lib", b"python" + version, b"site-packages"))
        if standard is None and settings.get(b"home"):
            standard = posixpath.join(posixpath.dirname(settings[b"home"]), b"lib", b"python" + version)
    for above in upwards(root):
        name, parent = posixpath.basename(above), posixpath.dirname(above)
        if name in SITE_FOLDERS:
            folders.append(above)
            standard = standard or (parent if _is_standard_library(parent) else None)
        elif _is_standard_library(above):
            standard = standard or above
            folders += [posixpath.join(above, name) for name in SITE_FOLDERS]
    folders = list(dict.fromkeys(folders))
    return SearchPath((*folders, *await _added_by_pth(host, folders)), standard)


def _is_standard_library(folder: bytes) -> bool:
    return re.fullmatch(rb"python3\.\d+", posixpath.basename(folder)) is not None


def _settings(text: bytes) -> dict[bytes, bytes]:
    pairs = (line.partition(b"=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, sign, value in pairs if sign}


async def _added_by_pth(host: Host, folders: Sequence[bytes]) -> list[bytes]:
    """Lines of `.pth` files that are paths; lines that would be *run* (`import …`) are not read."""
    added: list[bytes] = []
    for folder in folders:
        try:
            listing = await host.list(ListRequest(folder, (b"*.pth",), EVERY_FOLDER))
        except HostError:
            continue
        texts = await read_those_there(host, [posixpath.join(listing.root, file.path) for file in listing.files])
        for text in texts.values():
            lines = (line.strip() for line in text.splitlines())
            added += [posixpath.join(folder, line) for line in lines if line and not line.startswith((b"#", b"import"))]
    return [path for path in dict.fromkeys(added) if path not in folders]


class Libraries:
    """The library files of one host, read on demand and kept for the session."""

    """`path` is empty for a host that was not reached: then only the running Python stands in."""

    def __init__(self, host: Host, path: SearchPath) -> None:
        self._host = host
        self._path = path
        self._tried: set[str] = set()

    async def read(self, modules: Iterable[str]) -> tuple[ReadLibrary, ...]:
        """The files of these modules that exist and were not asked for before. Raises `HostError` when the host is gone."""
        asked = [module for module in modules if module not in self._tried]
        self._tried.update(asked)
        standard = self._path.standard_library
        read = await _modules(self._host, [*self._path.folders, *([standard] if standard else [])], asked, "")
        if standard is None:
            there = {library.module for library, _ in read}
            read += await _stand_in([module for module in asked if module not in there])
        return tuple(read)


async def _stand_in(modules: Sequence[str]) -> list[ReadLibrary]:
    folder = sysconfig.get_path("stdlib").encode()
    standard = [module for module in modules if module.partition(".")[0] in sys.stdlib_module_names]
    version = ".".join(map(str, sys.version_info[:3]))
    note = f"standard library of the Python that runs sondage, {version}"
    return await _modules(LocalHost(""), [folder], standard, note)


async def _modules(host: Host, folders: Sequence[bytes], modules: Sequence[str], stand_in: str) -> list[ReadLibrary]:
    """The first file of each module in the order of the folders; a package before a module, as `importlib` takes them."""
    places: dict[bytes, str] = {}
    for folder in folders:
        for module in modules:
            stem = posixpath.join(folder, *module.encode().split(b"."))
            places[posixpath.join(stem, b"__init__.py")] = module
            places[stem + b".py"] = module
    found = await read_those_there(host, places)
    libraries: dict[str, ReadLibrary] = {}
    for path, data in found.items():
        shown = path.decode("utf-8", "surrogateescape")
        libraries.setdefault(places[path], (Library(shown, places[path], extract(data), stand_in), data))
    return list(libraries.values())
