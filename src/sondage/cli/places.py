"""Owns where sondage keeps its files, for `sondage paths`."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def places() -> dict[str, Path]:
    """The six places by the names promised for `paths --json`; none of them need exist."""
    config = platformdirs.user_config_path("sondage")
    state = platformdirs.user_state_path("sondage")
    return {
        "config": config,
        "cache": platformdirs.user_cache_path("sondage"),
        "state": state,
        "transcripts": state / "transcripts",
        "themes": config / "themes",
        "log": state / "log.txt",
    }


def size_of(place: Path) -> int:
    """Bytes of a file, or of all files below a folder; what cannot be read counts nothing, links are not followed."""
    if place.is_file():
        return place.lstat().st_size
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            try:
                total += (Path(folder) / name).lstat().st_size
            except OSError:
                continue
    return total
