"""Owns what is measured on: SGLang 0.5.9 and releases around it, copies with content of their own, and folders of our own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measuring import PeerMissingError

from support import wheels

HERE = Path(__file__).resolve().parent
RELEASES = 10


@dataclass(frozen=True)
class Place:
    """What the figures share: the tree, a folder for what is made on the way, and how often everything is repeated."""

    tree: Path
    work: Path
    repeat: int

    def fresh(self, name: str) -> dict[str, str]:
        """The environment of a sondage that was never here before; what it keeps lies below `name`."""
        home = self.work / name
        shutil.rmtree(home, ignore_errors=True)
        return self.home(name)

    def home(self, name: str) -> dict[str, str]:
        home = self.work / name
        folders = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "STATE", "CONFIG", "DATA")}
        return os.environ | folders | {"PYTHONDONTWRITEBYTECODE": "", "SONDAGE_SESSION": ""}

    def sources(self) -> list[Path]:
        return sorted(self.tree.rglob("*.py"))


def sondage(*arguments: str | os.PathLike[str]) -> list[str]:
    """The script that an installation puts beside its Python."""
    return [str(Path(sys.executable).with_name("sondage")), *map(os.fspath, arguments)]


def inside(*arguments: str | os.PathLike[str]) -> list[str]:
    """`inside.py`, which has sondage's own modules in its process."""
    return [sys.executable, str(HERE / "inside.py"), *map(os.fspath, arguments)]


def needed(tool: str, package: str) -> str:
    """The path of a peer. Raises `PeerMissingError`."""
    found = shutil.which(tool)
    if found is None:
        raise PeerMissingError(f"{tool} is not installed (Debian: apt install {package})")
    return found


def peers_home() -> Path:
    """The environment into which `make accuracy` puts the language servers."""
    return wheels.cache() / "peers"


@contextmanager
def copies(tree: Path, place: Path, count: int) -> Iterator[Path]:
    """The tree `count` times, each with content of its own; removed afterwards."""
    folder = place / f"copies-{count}"
    for number in range(count):
        for path in tree.rglob("*.py"):
            target = folder / f"copy{number}" / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes() + b"\n# copy %d\n" % number)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def releases(count: int = RELEASES) -> list[Path]:
    """The folders of the newest `count` releases up to 0.5.9's successors, fetched once into the cache outside the repository.

    Raises `PeerMissingError` where the package index cannot be reached.
    """
    command = [sys.executable, "-m", "pip", "index", "versions", "--json", "--disable-pip-version-check", "sglang"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise PeerMissingError("the releases of sglang could not be listed: no package index")
    versions = json.loads(done.stdout)["versions"]
    newest = versions.index("0.5.9") if "0.5.9" in versions else 0
    wanted = versions[newest : newest + count]
    return [_sources(version) for version in wanted]


def _sources(version: str) -> Path:
    """The package's Python files alone: a wheel holds hundreds of megabytes beside them in some versions."""
    home = wheels.cache() / "releases"
    folder = home / f"sglang-{version}"
    if folder.exists():
        return folder
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(
        [*command, "--dest", str(home), f"sglang=={version}"], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise PeerMissingError(f"sglang {version} could not be fetched: {done.stderr.strip()[-200:]}")
    wheel = next(home.glob(f"sglang-{version}-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(
            folder, [name for name in archive.namelist() if name.endswith(".py") and name.startswith("sglang/")]
        )
    wheel.unlink()
    return folder
