"""Owns conditions: which tests lie on the way to each expression of a body.

A guard is a condition that must hold (or fail) for a place to be reached: the branches of `if`, `while` and `match`,
the operands before it in `and`/`or`, the two sides of a conditional expression, an `assert`, an early `return`,
`raise`, `continue` or `break` before it, and the exceptions that a `try` around it catches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from sondage.core.contracts import idioms
from sondage.core.source import blocks, syntax
from sondage.core.source.blocks import Block, Stmt
from sondage.core.source.syntax import Expr
from sondage.core.source.text import SourceText


class Guard(NamedTuple):
    """`test` must be true (`holds`) or false for the place to be reached.

    "test": the place is passed by otherwise. "check": an error is raised otherwise (`assert`, `if …: raise`), so that
    what follows is no less needed. "case": a pattern of `match`. "caught": an error that `test` names is caught (None:
    any).
    """

    kind: Literal["test", "check", "case", "caught"]
    test: Expr | None
    holds: bool = True


Guards: TypeAlias = tuple[Guard, ...]


class Place(NamedTuple):
    """An expression and the conditions on the way to it. `statement` is the one it stands in."""

    expression: Expr
    guards: Guards
    statement: Stmt


def show(guard: Guard, text: SourceText) -> str:
    """A guard as a person reads it: `self.is_eagle`, `not (draft)`, `except AttributeError`."""
    if guard.test is None:
        return "except"
    written = " ".join(text.utf8[guard.test.at : guard.test.end].decode("utf-8", "replace").split())
    if guard.kind == "caught":
        return f"except {written}"
    if guard.kind == "case":
        return f"case {written}"
    if guard.holds:
        return written
    if isinstance(guard.test, syntax.UnaryOp) and guard.test.op == "not":
        operand = guard.test.operand
        return " ".join(text.utf8[operand.at : operand.end].decode("utf-8", "replace").split())
    simple = isinstance(guard.test, syntax.Name | syntax.Attribute | syntax.Call)
    return f"not {written}" if simple else f"not ({written})"


# ------------------------------------------------------------------ statements


def statements(block: Block, guards: Guards = ()) -> Iterator[tuple[Stmt, Guards]]:
    """Every statement of a block and of the blocks in it, with its guards; not those of functions and classes inside."""
    for statement in block:
        yield statement, guards
        yield from _inside(statement, guards)
        guards = (*guards, *_left_behind(statement))


def _inside(statement: Stmt, guards: Guards) -> Iterator[tuple[Stmt, Guards]]:
    match statement:
        case blocks.If(test=test, body=body, orelse=orelse):
            yield from statements(body, (*guards, Guard("test", test)))
            yield from statements(orelse, (*guards, Guard("test", test, holds=False)))
        case blocks.While(test=test, body=body, orelse=orelse):
            always = isinstance(test, syntax.Constant) and test.value == "True"
            yield from statements(body, guards if always else (*guards, Guard("test", test)))
            yield from statements(orelse, guards)
        case blocks.For(body=body, orelse=orelse):
            yield from statements(body, guards)
            yield from statements(orelse, guards)
        case blocks.With(body=body):
            yield from statements(body, guards)
        case blocks.Try():
            caught = tuple(Guard("caught", handler.type) for handler in statement.handlers)
            yield from statements(statement.body, (*guards, *caught))
            for handler in statement.handlers:
                yield from statements(handler.body, guards)
            yield from statements(statement.orelse, guards)
            yield from statements(statement.finalbody, guards)
        case blocks.Match(cases=cases):
            for case in cases:
                extra = () if case.guard is None else (Guard("test", case.guard),)
                yield from statements(case.body, (*guards, Guard("case", case.pattern), *extra))


def _left_behind(statement: Stmt) -> Guards:
    """What holds after a statement because the code would not be reached otherwise."""
    if isinstance(statement, blocks.Assert):
        return (Guard("check", statement.test),)
    if isinstance(statement, blocks.If):
        if leaves(statement.body):
            return (Guard(_way_out(statement.body), statement.test, holds=False), *_after(statement.orelse))
        if statement.orelse and leaves(statement.orelse):
            return (Guard(_way_out(statement.orelse), statement.test),)
    return ()


def _way_out(block: Block) -> Literal["test", "check"]:
    return "check" if isinstance(block[-1], blocks.Raise) else "test"


def _after(block: Block) -> Guards:
    """The guards that an `elif` without a way on leaves behind as well."""
    return _left_behind(block[0]) if len(block) == 1 else ()


def leaves(block: Block) -> bool:
    """Whether control never runs past the end of a block."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, blocks.Return | blocks.Raise):
        return True
    if isinstance(last, blocks.Simple):
        return last.kind in ("continue", "break")
    if isinstance(last, blocks.If):
        return bool(last.orelse) and leaves(last.body) and leaves(last.orelse)
    if isinstance(last, blocks.With):
        return leaves(last.body)
    return False


# ------------------------------------------------------------------ expressions


def places(statement: Stmt, guards: Guards) -> Iterator[Place]:
    """Every expression of one statement (not of the blocks in it), outermost first, with the guards inside it."""
    for expression in heads(statement):
        for inner, on_the_way in expressions(expression, guards):
            yield Place(inner, on_the_way, statement)


def heads(statement: Stmt) -> Iterator[Expr]:
    """The expressions that stand directly in a statement; of a `def` its decorators and defaults."""
    match statement:
        case blocks.FunctionDef():
            yield from statement.decorators
            yield from (p.default for p in statement.parameters if p.default is not None)
        case blocks.ClassDef():
            yield from statement.decorators
            yield from statement.bases
            yield from (keyword.value for keyword in statement.keywords)
        case blocks.With(items=items):
            for item in items:
                yield item.context
                if item.target is not None:
                    yield item.target
        case blocks.For():
            yield statement.iter
            yield statement.target
        case blocks.Match(subject=subject):
            yield subject
        case blocks.Try():
            yield from (handler.type for handler in statement.handlers if handler.type is not None)
        case blocks.AnnAssign():
            yield statement.target
            if statement.value is not None:
                yield statement.value
        case blocks.If() | blocks.While():
            yield statement.test
        case blocks.Import() | blocks.ImportFrom() | blocks.Scope() | blocks.Simple() | blocks.TypeAliasStmt():
            return
        case _:
            for field in syntax.inner_fields(type(statement)):
                yield from idioms.nodes_in(getattr(statement, field))


def expressions(expression: Expr, guards: Guards) -> Iterator[tuple[Expr, Guards]]:
    """An expression and all in it with the conditions of `and`, `or`, `… if … else …` and comprehensions."""
    yield expression, guards
    match expression:
        case syntax.BoolOp(op=op, values=values):
            for value in values:
                yield from expressions(value, guards)
                guards = (*guards, Guard("test", value, holds=op == "and"))
        case syntax.IfExp(test=test, body=body, orelse=orelse):
            yield from expressions(test, guards)
            yield from expressions(body, (*guards, Guard("test", test)))
            yield from expressions(orelse, (*guards, Guard("test", test, holds=False)))
        case syntax.Comprehension(clauses=clauses):
            for clause in clauses:
                yield from expressions(clause.iter, guards)
                for condition in clause.conditions:
                    yield from expressions(condition, guards)
                    guards = (*guards, Guard("test", condition))
            yield from expressions(expression.element, guards)
            if expression.value is not None:
                yield from expressions(expression.value, guards)
        case _:
            for child in idioms.children(expression):
                yield from expressions(child, guards)
