"""Owns the special methods that syntax asks of an object: data model, section 3.3 of the language reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from sondage.core.contracts.idioms import called_name
from sondage.core.source import blocks, syntax
from sondage.core.source.blocks import Stmt
from sondage.core.source.syntax import Call, Expr

_ITEM = {"read": "__getitem__", "write": "__setitem__", "delete": "__delitem__"}
_BUILTINS = {
    "len": "__len__",
    "iter": "__iter__",
    "next": "__next__",
    "list": "__iter__",
    "tuple": "__iter__",
    "set": "__iter__",
    "sorted": "__iter__",
    "enumerate": "__iter__",
    "reversed": "__reversed__",
}


def asked_by(expression: Expr, how: Literal["call", "read", "write", "delete", "probe"]) -> Iterator[tuple[Expr, str]]:
    """The operands of an expression with the special method it asks each for; a call of the object itself left out."""
    match expression:
        case syntax.Subscript(value=value):
            yield value, _ITEM.get(how, "__getitem__")
        case Call(args=(first, *_)) if called_name(expression) in _BUILTINS:
            yield first, _BUILTINS[str(called_name(expression))]
        case syntax.Compare(ops=ops, comparators=comparators):
            for op, right in zip(ops, comparators, strict=True):
                if op in ("in", "not in"):
                    yield right, "__contains__"
        case syntax.Comprehension(clauses=clauses):
            for clause in clauses:
                yield clause.iter, "__iter__"
        case syntax.Await(value=value):
            yield value, "__await__"


def asked_by_statement(statement: Stmt) -> Iterator[tuple[Expr, str]]:
    """The same for `for` and `with`."""
    if isinstance(statement, blocks.For):
        yield statement.iter, "__aiter__" if statement.is_async else "__iter__"
    if isinstance(statement, blocks.With):
        for item in statement.items:
            yield item.context, "__aenter__" if statement.is_async else "__enter__"
            yield item.context, "__aexit__" if statement.is_async else "__exit__"
