"""Owns walking: the values inside the values of `core.source.syntax`, and the way to an offset. What is passed by is not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from sondage.core.source import blocks, syntax


def children(node: object) -> Sequence[object]:
    """The nodes and helper values directly inside a value of `core.source.syntax`."""
    if isinstance(node, tuple):
        return node
    if not isinstance(node, msgspec.Struct):
        return ()
    found: list[object] = []
    for name in syntax.inner_fields(type(node)):
        inner = getattr(node, name)
        if isinstance(inner, blocks.Unread):
            inner = inner.content
        if inner:  # neither None nor an empty block
            found.append(inner)
    return found


def walk(expr: object, *, into_functions: bool = True) -> Iterator[syntax.Node]:
    """All nodes of an expression, itself first, in source order."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, syntax.Node):
            yield node
            if not into_functions and isinstance(node, syntax.Lambda):
                continue
        waiting.extend(reversed(children(node)))


def trail(root: object, at: int) -> list[object]:
    """The values around an offset, from the outermost to the innermost node; helper values are among them."""
    found: list[object] = [root]
    while inner := _inner(found[-1], at):
        found += inner
    return found


def _inner(node: object, at: int) -> list[object]:
    """The node around an offset directly inside a value, behind the helper values that hold it; nothing where there is none.

    What does not stand there is not read.
    """
    for child in node if isinstance(node, tuple) else _holding(node, at):
        if isinstance(child, syntax.Node):
            if child.at <= at < child.end:
                return [child]
        elif inner := _inner(child, at):
            return [child, *inner]
    return []


def _holding(node: object, at: int) -> Iterator[object]:
    """The values directly inside one that may hold an offset."""
    for name in syntax.inner_fields(type(node)) if isinstance(node, msgspec.Struct) else ():
        inner = getattr(node, name)
        if not isinstance(inner, blocks.Unread):
            yield inner
        elif inner.at <= at < inner.end:
            yield inner.content
