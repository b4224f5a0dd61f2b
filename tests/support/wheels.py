"""Owns the wheels that tests read (never import): fetched once from the package index into a cache outside the repository.

Run as a script it fetches them all, and says so when it cannot; the tests that need one are then skipped with the reason
(in CI that is a failure).
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import zipfile
from pathlib import Path

SGLANG = "sglang==0.5.9"
SGLANG_NEXT = "sglang==0.5.10"


def cache() -> Path:
    base = (
        os.environ.get("SONDAGE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sondage-dev"
    )
    return Path(base)


def unpacked(requirement: str) -> Path:
    """The folder that holds the unpacked wheel. Raises `LookupError` with the reason when it cannot be had."""
    name = requirement.replace("==", "-")
    home = cache()
    folder = home / name
    if (folder / ".whole").exists():
        return folder
    home.mkdir(parents=True, exist_ok=True)
    with (home / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".whole").exists():
            _fetch(requirement, home)
            wheel = next(home.glob(f"{name}-*.whl"))
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
            (folder / ".whole").touch()
    return folder


def _fetch(requirement: str, home: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--dest",
        str(home),
        requirement,
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise LookupError(f"{requirement} could not be fetched from the package index: {reason[0]}")


def main() -> int:
    try:
        for wheel in (SGLANG, SGLANG_NEXT):
            unpacked(wheel)
    except (LookupError, OSError, subprocess.TimeoutExpired) as trouble:
        print(f"note: {trouble}", file=sys.stderr)
        return 1 if os.environ.get("CI") else 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
