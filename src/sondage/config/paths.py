"""Owns where sondage keeps its files: the folders of the XDG base directory specification, on every system alike.

Also on macOS: who works in a terminal looks for `~/.config` there, too, and one home may be shared by several systems.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

import msgspec

from sondage.errors import ConfigError

NAME = "sondage"


class Paths(msgspec.Struct, frozen=True):
    """The places by the names that `sondage paths` shows. All absolute; none of them need exist."""

    config: Path
    """Folder of what the user writes."""
    cache: Path
    """Folder of what can be fetched again."""
    state: Path
    """Folder of what sondage has to remember."""
    transcripts: Path
    sessions: Path
    """Folder of what a session is gone on with: where it was left, not what was found."""
    themes: Path
    """Folder of the user's own theme files."""
    log: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"


def find_paths(environment: Mapping[str, str] | None = None) -> Paths:
    """The places, from an environment (default: that of this process).

    A variable that is empty or relative is ignored, as the specification demands. Raises ConfigError where a place
    hangs on the home folder and there is none.
    """
    variables = os.environ if environment is None else environment
    config = _base(variables, "XDG_CONFIG_HOME", ".config") / NAME
    state = _base(variables, "XDG_STATE_HOME", ".local/state") / NAME
    return Paths(
        config=config,
        cache=_base(variables, "XDG_CACHE_HOME", ".cache") / NAME,
        state=state,
        transcripts=state / "transcripts",
        sessions=state / "sessions",
        themes=config / "themes",
        log=state / "log.txt",
    )


def _base(variables: Mapping[str, str], name: str, below_home: str) -> Path:
    return _absolute(variables.get(name, "")) or _home(variables, name) / below_home


def _home(variables: Mapping[str, str], wanted: str) -> Path:
    """`$HOME`, else what the system's list of users says."""
    home = _absolute(variables.get("HOME", "")) or _listed_home()
    if home is None:
        raise ConfigError("no home folder to keep files in", "HOME is not set", f"set HOME, or {wanted} and its like")
    return home


def _listed_home() -> Path | None:
    try:
        return _absolute(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a container that runs under a number nobody has given a name
        return None


def _absolute(text: str) -> Path | None:
    path = Path(text)
    return path if path.is_absolute() else None
