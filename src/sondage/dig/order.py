"""Owns in which order the files of a tree are fetched: first what somebody waits for, then what that leads to, then the rest.

What is known before a file is here is its path. So the module that an import or a class name means is looked for among the
paths, and more may be found than is meant: that only changes the order, never an answer.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush, nlargest
from itertools import count

from sondage.core.source.facts import FileFacts, Imported
from sondage.hosts.base import LARGE, RemoteFile

ASKED = 0
"""How far a file is from what was asked for: it itself, what it imports, what that imports …"""
ALIKE = 9
"""A file whose name is like that of a class which nobody has seen yet."""
MOST_ALIKE = 12
LEAST_ALIKE = 5
"""Letters that two names begin with, for them to be alike."""


class Order(Iterator[RemoteFile]):
    """The files of one pull after another, each handed out once, in the order that holds at that moment."""

    def __init__(self) -> None:
        self._early: dict[bytes | str, None] | None = {}
        """Files and classes that were asked for before anything was listed; None once something was."""
        self._start((), ())

    def begin(self, files: Iterable[RemoteFile], listed: Iterable[bytes]) -> None:
        """A pull of these files begins; `listed` are the paths of the whole tree. Small ones go before large ones."""
        self._start(files, listed)
        early, self._early = self._early or {}, None
        for one in early:
            if isinstance(one, str):
                self.want_class(one)
            else:
                self.want(one)

    def _start(self, files: Iterable[RemoteFile], listed: Iterable[bytes]) -> None:
        self._left = {file.path: file for file in sorted(files, key=lambda file: file.size > LARGE)}
        self._all, self._listed = tuple(self._left), listed
        self._rest = iter(self._all)
        self._coming = set(self._left)
        self._wanted: list[tuple[int, int, bytes]] = []
        self._turns = count()
        self._distance: dict[bytes, int] = {}
        self._news = False
        self._named: tuple[set[bytes], dict[bytes, list[bytes]]] | None = None

    def end(self) -> None:
        """Nothing more is coming."""
        self._start((), ())

    @property
    def goes_on(self) -> bool:
        return bool(self._coming)

    def __next__(self) -> RemoteFile:
        while self._wanted:
            file = self._left.pop(heappop(self._wanted)[-1], None)
            if file is not None:
                return file
        for path in self._rest:
            if path in self._left:
                return self._left.pop(path)
        raise StopIteration

    # ---- what is wanted

    def want(self, path: bytes, distance: int = ASKED) -> bool:
        """Whether the file is going to come; it goes before all that are further away."""
        if self._early is not None:
            self._early[path] = None
        if distance < self._distance.get(path, distance + 1):
            self._distance[path] = distance
            if path in self._left:
                heappush(self._wanted, (distance, next(self._turns), path))
        return path in self._coming

    def want_module(self, module: str, distance: int = ASKED) -> bool:
        """The files that an absolute name of a module can mean. Whether there is one among those of a pull that goes on."""
        paths = self._files_of(module) if self._coming else []
        for path in paths:
            self.want(path, distance)
        return bool(paths)

    def want_class(self, name: str) -> None:
        """Where a full name can lead; for a bare one, files whose names are like it."""
        if self._early is not None:
            self._early[name] = None
        *around, last = name.split(".")
        led = [self.want_module(".".join(around[:n])) for n in range(1, len(around) + 1)]
        if self._coming and not any(led):
            for path in self._alike(last):
                self.want(path, ALIKE)

    def follow(self, path: bytes, facts: FileFacts) -> None:
        """What a file imports is wanted next, where the file itself was."""
        distance = self._distance.get(path)
        if distance is not None and distance < ALIKE:
            for module in dict.fromkeys(name for one in facts.imports for name in _meant(path, one)):
                self.want_module(module, distance + 1)

    # ---- what has come

    def arrived(self, path: bytes) -> bool:
        """The file has come, or cannot. Whether it was asked for itself."""
        self._coming.discard(path)
        asked = self._distance.get(path) == ASKED
        self._news |= asked
        return asked

    def is_followed(self, path: bytes) -> bool:
        return path in self._distance

    def take_news(self) -> bool:
        """Whether something that was asked for has come since the last time."""
        news, self._news = self._news, False
        return news

    # ---- names and paths

    def _files_of(self, module: str) -> list[bytes]:
        """A module lies below a folder that is no package; one of a root inside a package lies there without its name."""
        packages, modules = self._named = self._named or self._by_name()
        parts = module.encode("utf-8", "surrogateescape").split(b".")
        inner = b"/".join(parts)
        shorter = [b"/".join(parts[n:]) for n in range(1, len(parts))] if b"" in packages else []
        return [
            path
            for path in modules.get(parts[-1], ())
            if (own := _inner(path)) in shorter
            or own == inner
            or (own.endswith(b"/" + inner) and own[: -len(inner) - 1] not in packages)
        ]

    def _by_name(self) -> tuple[set[bytes], dict[bytes, list[bytes]]]:
        """The packages of the tree, and the files by the last names of their modules: for who wants one by its name."""
        modules: dict[bytes, list[bytes]] = {}
        for path in self._all:
            modules.setdefault(_inner(path).rpartition(b"/")[2], []).append(path)
        return {posixpath.dirname(path) for path in self._listed if _stem(path) == b"__init__"}, modules

    def _alike(self, name: str) -> list[bytes]:
        """The files whose names begin most like the name of a class, or hold all of it."""
        plain = re.sub(r"[\W_]", "", name).lower().encode()
        ranked = (
            (len(posixpath.commonprefix((plain, _stem(path).replace(b"_", b"").lower()))), path) for path in self._left
        )
        return [path for score, path in nlargest(MOST_ALIKE, ranked) if score >= LEAST_ALIKE]


def _stem(path: bytes) -> bytes:
    return posixpath.splitext(posixpath.basename(path))[0]


def _inner(path: bytes) -> bytes:
    """The path of a module as its name has it: without suffix, and without `__init__`."""
    inner = posixpath.splitext(path)[0]
    return posixpath.dirname(inner) if posixpath.basename(inner) == b"__init__" else inner


def _meant(path: bytes, imported: Imported) -> Iterator[str]:
    """The modules that one import may read, by names from the root's top where it is a relative one."""
    module = imported.module
    if imported.level:
        folder = path
        for _ in range(imported.level):
            folder = posixpath.dirname(folder)
        above = folder.decode("utf-8", "surrogateescape").replace("/", ".")
        module = ".".join(part for part in (above, module) if part)
    if module:
        yield module
    if imported.attribute and imported.attribute != "*":
        yield f"{module}.{imported.attribute}" if module else imported.attribute
