"""Owns how a target is opened and how a search is put: the values every face fills in and hands to Dig."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from sondage.core.frozen import dataclass
from sondage.hosts.base import SshOptions


@dataclass(frozen=True)
class SearchQuery:
    """A search. `pattern` in RE2 syntax, or plain text with `fixed`; globs are matched against whole paths."""

    pattern: str
    globs: tuple[str, ...] = ()
    ignore_case: bool = False
    word: bool = False
    fixed: bool = False
    limit: int | None = None


@dataclass(frozen=True)
class Settings:
    """How a target is opened; every face fills it from its own options and the configuration."""

    ssh: SshOptions = field(default_factory=SshOptions)
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
        values: dict[str, Any] = {
            "source_roots": list(self.source_roots),
            "exclude": list(self.exclude),
            "max_file_size": self.max_file_size,
            "deps": self.deps,
        }
        usual = {"source_roots": [], "exclude": [], "max_file_size": Settings.max_file_size, "deps": Settings.deps}
        return {name: value for name, value in values.items() if value != usual[name]}
