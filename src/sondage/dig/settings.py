"""Owns how a target is opened and how a search is put: the values every face fills in and hands to Dig."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from sondage.hosts.base import SshOptions, Target


class SearchQuery(msgspec.Struct, frozen=True):
    """A search. `pattern` in RE2 syntax, or plain text with `fixed`; globs are matched against whole paths."""

    pattern: str
    globs: tuple[str, ...] = ()
    ignore_case: bool = False
    word: bool = False
    fixed: bool = False
    limit: int | None = None
    symbols: bool = True
    """False: the hits do not say what they stand in, which takes the facts of every file with a hit."""


OF_THE_TREE = ("source_roots", "exclude", "max_file_size", "deps")
"""The settings that decide on which tree answers rest."""


class Settings(msgspec.Struct, frozen=True):
    """How a target is opened; every face fills it from its own options and the configuration."""

    ssh: SshOptions = msgspec.field(default_factory=SshOptions)
    refresh: Literal["auto", "never", "always"] = "auto"
    """`auto`: one listing, pull what changed. `never`: what the store has. `always`: pull everything again."""
    offline: bool = False
    """Never connect; what the store has is all there is."""
    source_roots: tuple[str, ...] = ()
    """Folders relative to the root that import paths start from; inferred where none is given."""
    exclude: tuple[str, ...] = ()
    """Globs on whole relative paths that are not read."""
    max_file_size: int = 16 * 1024 * 1024
    """Bytes."""
    jobs: int | None = None
    """Parse processes; one a core where None."""
    engine: str = "processes"
    session: str | None = None
    """The transcript to record in; None records nothing."""
    deps: Literal["auto", "never"] = "auto"
    """Whether classes outside the root are followed into the host's own Python library folders."""

    def of_the_tree(self) -> dict[str, Any]:
        """What decides on which tree answers rest, where it is other than by default; plain values for a transcript."""
        usual = Settings()
        given = {name: getattr(self, name) for name in OF_THE_TREE if getattr(self, name) != getattr(usual, name)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}


def reach(target: Target, settings: Settings) -> tuple[str, ...]:
    """The arguments with which the user's own `ssh` reaches the host."""
    if target.address is None:
        return ()
    ssh = settings.ssh
    options = [("-F", ssh.config_file), ("-p", target.address.port or ssh.port), ("-J", ssh.jump)]
    options += [("-i", name) for name in ssh.identity_files]
    user = f"{target.address.user}@" if target.address.user else ""
    words = [word for flag, value in options if value for word in (flag, str(value))]
    return (*words, f"{user}{target.address.host}")


def label_of(target: Target) -> str:
    """The name of a target's host, as the user gives it; empty for this machine."""
    return str(target.address) if target.address else ""
