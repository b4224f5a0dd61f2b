"""Owns which cache a Dig uses."""

from __future__ import annotations

from sondage.config.paths import find_paths
from sondage.errors import ConfigError
from sondage.store import Store, open_store


def open_cache() -> Store:
    """The cache in the user's own folder; in memory, with a note, where there is no place for one. Blocks."""
    try:
        return open_store(find_paths().cache)
    except ConfigError as error:
        store = open_store(None)
        store.note = f"what is read now is not kept: {error}"
        return store
