"""Owns the one application service: it fetches, caches, asks the core, and records; the faces only ask and show."""

from sondage.dig.reach import Link
from sondage.dig.service import Dig, open_dig
from sondage.dig.settings import SearchQuery, Settings

__all__ = ["Dig", "Link", "SearchQuery", "Settings", "open_dig"]
