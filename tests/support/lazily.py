"""Two indexes of the same files: one of all facts, one that reads them when a question leads there."""

from __future__ import annotations

from collections.abc import Mapping

from sondage.core.source.extract import extract
from sondage.core.source.facts import FileFacts
from sondage.dig.index import Index, build_index, build_lazy_index
from sondage.dig.shelf import Shelf
from sondage.dig.sources import SourceFile

ROOT = "/srv/tree"


def sources(files: Mapping[str, bytes]) -> dict[str, SourceFile]:
    return {path: SourceFile(data) for path, data in files.items()}


def whole_index(files: Mapping[str, bytes], facts: Mapping[str, FileFacts] | None = None) -> Index:
    facts = facts or {path: extract(data) for path, data in files.items()}
    return build_index(ROOT, sources(files), facts, listed=len(files), unread={}, layout_files={}, source_roots=())


def lazy_index(files: Mapping[str, bytes], layout_files: Mapping[str, str] | None = None) -> Index | None:
    shelf = Shelf(sources(files), {}, lambda digests: {})
    return build_lazy_index(ROOT, shelf, listed=len(files), unread={}, layout_files=layout_files or {}, source_roots=())
