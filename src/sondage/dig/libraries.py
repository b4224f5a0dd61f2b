"""Owns the way to sources outside the root: the host's own Python library folders, read as text and only where a chain leads.

Found are: the virtual environment beside or above the root (by its `pyvenv.cfg`, PEP 405), the `site-packages` folder the
root lies in, the folders their `.pth` files add (module `site`), and the standard library of the Python these belong to.
Where a root has no Python beside it, the standard library of the Python that runs sondage stands in, and says so.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from sondage.core.classes.hierarchy import Library
from sondage.core.source.facts import decode, encode
from sondage.dig.reading import read_those_there, upwards
from sondage.dig.refresh import shown_path
from sondage.errors import HostError
from sondage.hosts.aside import aside
from sondage.hosts.base import Host, ListRequest
from sondage.store import KnownLibrary, RootKey, Store

ENVIRONMENT_FOLDERS = (b"", b".venv", b"venv", b"env")
"""Where an environment lies, seen from the root and from each folder above it."""

SITE_FOLDERS = (b"site-packages", b"dist-packages")
EVERY_FOLDER = (b"??*",)
"""Prunes what lies below a folder. The root is called `.` on the way, so that names of one letter have to be let through."""

ReadLibrary: TypeAlias = tuple[Library, bytes]
"""A library file and its source."""


class SearchPath(msgspec.Struct, frozen=True):
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
    before, dot, minor = posixpath.basename(folder).partition(b".")
    return before + dot == b"python3." and minor.isdigit()


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
    """The library files of one host, read on demand. What was read is kept for the root whose questions led there.

    Of a host that is not connected (None) they are those that were read before. `key` is None where nothing is kept.
    """

    def __init__(self, host: Host | None, path: SearchPath, store: Store, key: RootKey | None) -> None:
        self.host = host
        self._path = path
        self._store = store
        self._key = key
        self._tried: set[str] = set()

    def ask_anew(self) -> None:
        """A new index knows none of them yet: what it asks for is read again."""
        self._tried.clear()

    async def read(self, modules: Iterable[str]) -> tuple[ReadLibrary, ...]:
        """The files of these modules that exist and were not asked for before. Raises `HostError` when the host is gone."""
        asked = [module for module in modules if module not in self._tried]
        self._tried.update(asked)
        found = await (self._fetch(self.host, asked) if self.host else aside(self._recall, asked))
        read = await aside(self._understand, found)
        if self._path.standard_library is None:
            there = {library.module for library, _ in read}
            read += await aside(self._stand_in, [module for module in asked if module not in there])
        return tuple(read)

    async def _fetch(self, host: Host, modules: Sequence[str]) -> list[KnownLibrary]:
        """The first file of each module in the order of the folders; a package before a module, as `importlib` does."""
        standard = self._path.standard_library
        places: dict[bytes, str] = {}
        for folder in (*self._path.folders, *([standard] if standard else [])):
            for module in modules:
                stem = posixpath.join(folder, *module.encode().split(b"."))
                places[posixpath.join(stem, b"__init__.py")] = module
                places[stem + b".py"] = module
        found: dict[str, KnownLibrary] = {}
        for path, data in (await read_those_there(host, places)).items():
            one = KnownLibrary(places[path], path, hashlib.sha256(data).hexdigest(), data, None)
            found.setdefault(one.module, one)
        return list(found.values())

    def _recall(self, modules: Sequence[str]) -> list[KnownLibrary]:
        """Those of the modules that were read in an earlier session."""
        known = self._store.libraries(self._key) if self._key and modules else []
        return [one for one in known if one.module in modules]

    def _understand(self, found: Sequence[KnownLibrary]) -> list[ReadLibrary]:
        """Blocks: files whose facts are not known are parsed. They are known from now on, and so is that they were read."""
        known = self._store.facts(one.digest for one in found)
        fresh = _parsed({one.digest: one.source for one in found if one.digest not in known})
        facts = {**known, **fresh}
        if self.host and self._key and found:
            self._store.put_libraries(self._key, [replace(one, facts=fresh.get(one.digest)) for one in found])
        return [(Library(shown_path(one.path), one.module, decode(facts[one.digest])), one.source) for one in found]

    def _stand_in(self, modules: Sequence[str]) -> list[ReadLibrary]:
        """Blocks: the modules of the standard library of the Python that runs sondage, marked as such."""
        note = f"standard library of the Python that runs sondage, {'.'.join(map(str, sys.version_info[:3]))}"
        files = {module: path for module in modules if (path := _own_library(module)) is not None}
        sources = {module: path.read_bytes() for module, path in files.items()}
        digests = {module: hashlib.sha256(source).hexdigest() for module, source in sources.items()}
        known = self._store.facts(digests.values())
        fresh = _parsed({digests[module]: sources[module] for module in files if digests[module] not in known})
        if fresh:
            self._store.put_facts(fresh)
        facts = {**known, **fresh}
        return [
            (Library(str(path), module, decode(facts[digests[module]]), note), sources[module])
            for module, path in files.items()
        ]


def _own_library(module: str) -> Path | None:
    """The file of a module of the running Python's standard library, which lies where `os` does."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    stem = Path(os.__file__).parent.joinpath(*module.split("."))
    return next((path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()), None)


def _parsed(sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """The encoded facts of sources by digest."""
    if not sources:
        return {}
    from sondage.core.source.extract import extract  # noqa: PLC0415  where all are known no parser is loaded

    return {digest: encode(extract(source)) for digest, source in sources.items()}
