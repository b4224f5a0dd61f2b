"""Owns how the tree that is known of a root is made into an index, off the event loop, and what is said about it then."""

from __future__ import annotations

from collections.abc import Sequence

from sondage.core.answers.index import IndexSummary
from sondage.core.source.facts import ClassScope, FunctionScope
from sondage.dig.index import Index, build_index, build_lazy_index
from sondage.dig.learnt import keep_layout, known_layout, known_words, layout_of_changed
from sondage.dig.mentions import KnownWords
from sondage.dig.refresh import Cost, Tree, read_all, shown_path
from sondage.dig.shelf import Shelf
from sondage.hosts.aside import aside
from sondage.hosts.base import Host
from sondage.store import Store


def empty_index(root: str, source_roots: Sequence[str]) -> Index:
    """That of a root of which nothing is known."""
    return build_index(root, {}, {}, listed=0, unread={}, layout_files={}, source_roots=source_roots)


async def index_of(tree: Tree, source_roots: Sequence[str]) -> Index:
    """Of all files whose facts are known. The tree may grow meanwhile."""
    seen = tree.copy()
    index = await aside(
        lambda: build_index(
            shown_path(seen.key.root),
            {path: seen.files[path] for path in seen.encoded},
            seen.decoded(),
            listed=seen.listed,
            unread=dict(tree.unread),
            layout_files=seen.layout_files,
            source_roots=source_roots,
        )
    )
    tree.take_decoded(seen)
    return index


async def lazy_index_of(tree: Tree, store: Store, source_roots: Sequence[str]) -> Index | None:
    """One of all files, which reads facts when they are needed; None where module names cannot be told without many."""
    seen = tree.copy()
    seen.unread = dict(tree.unread)
    return await aside(_lazy_index_of, seen, tree.encoded, store, source_roots)


def _lazy_index_of(tree: Tree, encoded: dict[str, bytes], store: Store, source_roots: Sequence[str]) -> Index | None:
    """What was learnt of the tree in an earlier process is made use of."""
    words = known_words(store, tree.key) if tree.kept else KnownWords()
    shelf = Shelf(tree.files, encoded, store.facts, words)
    known = known_layout(store, tree, source_roots)
    layout = known or layout_of_changed(store, tree, shelf, source_roots)
    if layout is None or not words.hides:
        read_all(tree.files.values(), store)
    index = build_lazy_index(
        shown_path(tree.key.root),
        shelf,
        listed=tree.listed,
        unread=tree.unread,
        layout_files=tree.layout_files,
        source_roots=source_roots,
        layout=layout,
    )
    if index is None:
        return None
    if known is None:
        keep_layout(store, tree, source_roots, index.hierarchy.world.layout)
    index.vocabulary.take(words.vocabulary)  # which goes on learning, while that of the shelf stays
    return index


def summary_of(index: Index, cost: Cost, host: Host | None, *, complete: bool) -> IndexSummary:
    facts = index.facts.values()
    return IndexSummary(
        root=index.root,
        files=len(index.facts),
        bytes=sum(file.size for file in index.files.values()),
        lines=sum(one.lines for one in facts),
        classes=sum(isinstance(scope, ClassScope) for one in facts for scope in one.scopes),
        functions=sum(isinstance(scope, FunctionScope) for one in facts for scope in one.scopes),
        parsed=cost.parsed,
        reused=cost.reused,
        unreadable=unreadable(index),
        problems=tuple(
            f"{path}:{problem.line}: {problem.text}"
            for path in sorted(index.facts)
            for problem in index.facts[path].problems
        ),
        seconds={name: round(value, 4) for name, value in cost.seconds.items()},
        remote={
            "commands": host.traffic.commands if host else 0,
            "bytes_sent": host.traffic.bytes_sent if host else 0,
            "bytes_received": host.traffic.bytes_received if host else 0,
        },
        complete=complete,
    )


def unreadable(index: Index) -> tuple[str, ...]:
    return tuple(f"{path}: {reason}" for path, reason in sorted(index.unread.items()))
