"""Owns outlines: a file that is parsed without what its definitions hold, which is read when somebody asks for it.

Where a body lies is known from the facts. In the text that the parser is given a string of the same length stands for it,
which is read ten times as fast as code, so that all offsets hold. What a header says is in the facts as well: a question
about one definition needs nothing of the file around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from sondage.core.late import late_pattern
from sondage.core.source import blocks, parse, syntax
from sondage.core.source.extract import read_tree
from sondage.core.source.facts import ClassScope, FileFacts, FunctionScope, ScopeFact
from sondage.core.source.text import SourceText
from sondage.core.source.written import Written

_REST_OF_HEADER = late_pattern(rb"(?:\s|\\\r?\n|#[^\n]*|[,()])*+:(?:\s|\\\r?\n|#[^\n]*)*+")
"""What stands between the last thing that a header says and the first statement of the body."""


def outline(text: SourceText, facts: FileFacts) -> blocks.Module:
    """The syntax of a file, of which these are the facts: its statements, and the bodies in them, are still to be read."""
    if facts.partial:
        return parse.module(text.utf8, read_tree(text)[0])
    return blocks.Module(blocks.Unread(0, len(text.utf8), _statements, text, facts), ())


def _statements(text: SourceText, facts: FileFacts) -> blocks.Block:
    definitions = [
        scope for scope in facts.scopes if isinstance(scope, FunctionScope | ClassScope) and not scope.parent
    ]
    shut = _closed(text.utf8, 0, definitions)
    found = parse.outlined(text.utf8, shut, partial(_class_body, facts))
    return parse.module(text.utf8, read_tree(text)[0]).body if found is None else found


def definition(text: SourceText, facts: FileFacts, index: int) -> blocks.FunctionDef | blocks.ClassDef | None:
    """The syntax of a definition, as its scope says it, with its body still to be read; None for what is none.

    Of a file that could not be read in all parts, `inside` tells it from the statements around it.
    """
    scope = facts.scopes[index]
    if isinstance(scope, FunctionScope):
        return blocks.FunctionDef(
            scope.span.at,
            scope.span.end,
            scope.name,
            scope.span.name_at,
            blocks.Unread(scope.span.name_at, scope.span.end, _parameters, scope),
            scope.returns.expression if scope.returns else None,
            tuple(decorator.expression for decorator in scope.decorators),
            _unread(text, facts, scope, b"async" if scope.is_async else b"def", parse.body),
            scope.is_async,
            scope.type_parameters,
        )
    if isinstance(scope, ClassScope):
        return blocks.ClassDef(
            scope.span.at,
            scope.span.end,
            scope.name,
            scope.span.name_at,
            tuple(_base(base) for base in scope.bases),
            tuple(syntax.Keyword(keyword.name, keyword.value.expression) for keyword in scope.keywords),
            tuple(decorator.expression for decorator in scope.decorators),
            _unread(text, facts, scope, b"class", partial(_class_body, facts)),
            scope.type_parameters,
        )
    return None


def _parameters(scope: FunctionScope) -> tuple[syntax.Parameter, ...]:
    return scope.parameters


def _base(base: Written) -> syntax.Expr:
    """A base, or `*bases`, which alone between brackets reads as a tuple."""
    found = base.expression
    return found.elements[0] if base.text.startswith("*") and isinstance(found, syntax.Sequence) else found


def _unread(
    text: SourceText, facts: FileFacts, scope: FunctionScope | ClassScope, keyword: bytes, read: parse.Later
) -> blocks.Unread[blocks.Block]:
    at = text.utf8.rfind(keyword, scope.span.at, scope.span.name_at)
    depth, outer = 1, scope.parent
    while outer > 0:
        depth, outer = depth + 1, facts.scopes[outer].parent
    return blocks.Unread(at, scope.span.end, _body, text.utf8, at, scope.span.end, depth, read)


def _body(utf8: bytes, at: int, end: int, depth: int, read: parse.Later) -> blocks.Block:
    return read(utf8[at:end], at, depth)


def _class_body(facts: FileFacts, class_: bytes, at: int, depth: int) -> blocks.Block:
    functions = [
        scope for scope in facts.scopes if isinstance(scope, FunctionScope) and at < scope.span.at < at + len(class_)
    ]
    return parse.body(class_, at, depth, _closed(class_, at, functions))


def body_at(text: SourceText, scope: FunctionScope | ClassScope) -> int:
    """Where the first statement of a definition starts; where its header ends, if that cannot be told."""
    header = _REST_OF_HEADER.match(text.utf8, _said(scope))
    return header.end() if header else _said(scope)


def _closed(utf8: bytes, at: int, scopes: Iterable[FunctionScope | ClassScope]) -> bytes:
    """The text from `at` on with strings for the bodies of the outermost of some definitions, which are in its order."""
    closed, till = bytearray(utf8), 0
    for scope in scopes:
        if scope.span.at < till:
            continue
        till = scope.span.end
        header = _REST_OF_HEADER.match(utf8, _said(scope) - at)
        if header is not None and till - at - header.end() > 1:
            closed[header.end() : till - at] = b'"%s"' % (b"-" * (till - at - header.end() - 2))
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
    definition: blocks.FunctionDef | blocks.ClassDef | blocks.Module, scope: ScopeFact
) -> blocks.FunctionDef | blocks.ClassDef | None:
    """The syntax of a definition that stands directly in the scope of another one."""
    waiting: list[blocks.Block] = [definition.body]
    while waiting:
        for statement in waiting.pop():
            if not statement.at <= scope.span.at < statement.end:
                continue
            if isinstance(statement, blocks.FunctionDef | blocks.ClassDef):
                return statement
            waiting += blocks_of(statement)
    return None


def blocks_of(statement: blocks.Stmt) -> list[blocks.Block]:
    """The blocks directly inside a compound statement that is no definition."""
    match statement:
        case blocks.With(body=body):
            return [body]
        case blocks.If(body=body, orelse=orelse) | blocks.For(body=body, orelse=orelse):
            return [body, orelse]
        case blocks.While(body=body, orelse=orelse):
            return [body, orelse]
        case blocks.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
            return [body, *(handler.body for handler in handlers), orelse, finalbody]
        case blocks.Match(cases=cases):
            return [case.body for case in cases]
    return []
