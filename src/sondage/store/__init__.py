"""Owns the cache on this machine: sources by digest, facts about them, and what each root held when it was last listed.

The cache is disposable. A lost, damaged or foreign database is set aside and built anew; one that cannot be written is
replaced by one in memory, and `Store.note` says so. Alone here SQLite is spoken.
"""

from sondage.store.cache import Store, open_store
from sondage.store.planning import Plan, Stamp, clock_of, is_settled, plan
from sondage.store.values import Entry, Freed, KnownFile, KnownLibrary, KnownRoot, Pulled, RootKey, Sizes

__all__ = [
    "Entry",
    "Freed",
    "KnownFile",
    "KnownLibrary",
    "KnownRoot",
    "Plan",
    "Pulled",
    "RootKey",
    "Sizes",
    "Stamp",
    "Store",
    "clock_of",
    "is_settled",
    "open_store",
    "plan",
]
