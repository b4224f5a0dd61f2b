"""Owns how the command line and the configuration become the settings of a target; the command line goes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sondage.cli.opening import Opening
from sondage.config.paths import find_paths
from sondage.config.settings import Config, read_config
from sondage.errors import ConfigError
from sondage.hosts.base import SshOptions

if TYPE_CHECKING:
    from sondage.dig import Settings


def configuration() -> Config:
    """What the user's configuration file says; the defaults where there is no home for one.

    Raises `ConfigError` with file and line.
    """
    try:
        file = find_paths().config_file
    except ConfigError:
        return Config()
    return read_config(file)


def settings_of(opening: Opening, config: Config | None = None) -> Settings:
    """How the target is opened. Raises `ConfigError` for a configuration file that cannot be read."""
    from sondage.dig import Settings  # noqa: PLC0415  it brings SSH, store and parser: no `--help` waits for them

    config = config or configuration()
    sizes = [size for size in (opening.max_file_size, config.max_file_size) if size is not None]
    return Settings(
        ssh=SshOptions(
            opening.config_file,
            opening.port,
            opening.identities,
            opening.hops,
            opening.no_input,
            opening.transport or config.transport,
        ),
        refresh=opening.refresh,
        offline=opening.offline,
        source_roots=opening.source_roots,
        exclude=(*config.exclude, *opening.exclude),
        max_file_size=sizes[0] if sizes else Settings().max_file_size,
        jobs=opening.jobs or config.jobs,
        engine=opening.engine or config.engine,
        session=opening.session,
        deps=opening.deps or config.deps,
    )
