"""Owns how the tree that is known of a root is made into an index, off the event loop, and what is said about it then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from sondage.core.answers.index import IndexSummary
from sondage.core.source.facts import ClassScope, FunctionScope
from sondage.dig.index import Index, build_index, build_lazy_index
from sondage.dig.refresh import Cost, Tree, shown_path
from sondage.dig.shelf import Shelf
from sondage.hosts.base import Host
from sondage.store import Store


async def index_of(tree: Tree, source_roots: Sequence[str]) -> Index:
    """Of all files whose facts are known. The tree may grow meanwhile."""
    seen = tree.copy()
    index = await asyncio.to_thread(
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
    return await asyncio.to_thread(
        build_lazy_index,
        shown_path(tree.key.root),
        Shelf(dict(tree.files), tree.encoded, store.facts),
        listed=tree.listed,
        unread=dict(tree.unread),
        layout_files=dict(tree.layout_files),
        source_roots=source_roots,
    )


def summary_of(index: Index, cost: Cost, host: Host | None, *, complete: bool) -> IndexSummary:
    facts = index.facts.values()
    return IndexSummary(
        root=index.root,
        files=len(index.facts),
        bytes=sum(len(file.data) for file in index.files.values()),
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
