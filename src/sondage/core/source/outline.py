"""Owns outlines: a file that is parsed without what its definitions hold, which is read when somebody asks for it.

Where a body lies is known from the facts. In the text that the parser is given a string of the same length stands for it,
which is read ten times as fast as code, so that all offsets hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sondage.core.source import parse, syntax
from sondage.core.source.extract import read_tree
from sondage.core.source.facts import ClassScope, FileFacts, FunctionScope, ScopeFact
from sondage.core.source.text import SourceText
from sondage.core.source.written import Written

_REST_OF_HEADER = re.compile(rb"(?:\s|\\\r?\n|#[^\n]*|[,()])*+:(?:\s|\\\r?\n|#[^\n]*)*+")
"""What stands between the last thing that a header says and the first statement of the body."""


def outline(text: SourceText, facts: FileFacts) -> syntax.Module:
    """The syntax of a file, of which these are the facts; the bodies of its functions and classes are still to be read."""
    if not facts.partial:
        hollow = _closed(text.utf8, (scope for scope in facts.scopes if isinstance(scope, FunctionScope)))
        shut = _closed(hollow, (scope for scope in facts.scopes if isinstance(scope, ClassScope) and not scope.parent))
        found = parse.outlined(text.utf8, hollow, shut)
        if found is not None:
            return found
    return parse.module(text.utf8, read_tree(text)[0])


def _closed(utf8: bytes, scopes: Iterable[FunctionScope | ClassScope]) -> bytes:
    """The text with strings for the bodies of the outermost of some definitions, which are in the order of the source."""
    closed, till = bytearray(utf8), 0
    for scope in scopes:
        if scope.span.at < till:
            continue
        till = scope.span.end
        header = _REST_OF_HEADER.match(utf8, _said(scope))
        if header is not None and till - header.end() > 1:
            closed[header.end() : till] = b'"%s"' % (b"-" * (till - header.end() - 2))
    return bytes(closed)


def _said(scope: FunctionScope | ClassScope) -> int:
    """Where the last thing ends that a header says: all but brackets, commas and comments."""
    last: Written | None
    if isinstance(scope, FunctionScope):
        last = scope.returns or scope.signature
    else:
        written = [*scope.bases, *(keyword.value for keyword in scope.keywords)]
        last = max(written, key=lambda one: one.at, default=None)
    if last is None:
        return scope.span.name_at + len(scope.name.encode())
    return last.at + len(last.text.encode())


def inside(
    definition: syntax.FunctionDef | syntax.ClassDef | syntax.Module, scope: ScopeFact
) -> syntax.FunctionDef | syntax.ClassDef | None:
    """The syntax of a definition that stands directly in the scope of another one."""
    waiting: list[syntax.Block] = [definition.body]
    while waiting:
        for statement in waiting.pop():
            if not statement.at <= scope.span.at < statement.end:
                continue
            if isinstance(statement, syntax.FunctionDef | syntax.ClassDef):
                return statement
            waiting += blocks_of(statement)
    return None


def blocks_of(statement: syntax.Stmt) -> list[syntax.Block]:
    """The blocks directly inside a compound statement that is no definition."""
    match statement:
        case syntax.With(body=body):
            return [body]
        case syntax.If(body=body, orelse=orelse) | syntax.For(body=body, orelse=orelse):
            return [body, orelse]
        case syntax.While(body=body, orelse=orelse):
            return [body, orelse]
        case syntax.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            return [body, *(handler.body for handler in handlers), orelse, finalbody]
        case syntax.Match(cases=cases):
            return [case.body for case in cases]
    return []
